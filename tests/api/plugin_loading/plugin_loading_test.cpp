// A plugin that is slow or hangs costs an application at most the patience in its manifest, once, and nothing else.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/accelerators/host/test_plugin.h"
#include "tests/api/api_objects.h"
#include "tests/api/descriptions.h"
#include "tests/support/plugin_hosts.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// Far less than any of them would take without a time limit, and enough for a slow machine.
constexpr seconds kSoon{12};

// Created before the first use of the library.
struct Surroundings {
  Surroundings() {
    add("a-good", "/good.so", R"("load_patience_seconds": 60)");
    add("b-slow", kSlowToLoad, R"("load_patience_seconds": 1)");
    add("c-stuck", kHangsInLoad, R"("load_patience_seconds": 1, "patience_seconds": 4)");
    add("d-mute", kHangsInDevices, R"("load_patience_seconds": 1, "patience_seconds": 4)");
    add("e-support", kHangsInSupport, R"("load_patience_seconds": 60, "patience_seconds": 2)");
    add("f-compile", kHangsInCompile, R"("load_patience_seconds": 60, "patience_seconds": 2)");
    ::setenv("NNVK_PLUGIN_FILES", folder.path().c_str(), 1);
    ::setenv("NNVK_LOG", "error", 0);
  }
  void add(const std::string& name, const std::string& file, const std::string& patience) const {
    std::filesystem::copy_file(NNVK_TEST_PLUGIN, folder.path() + file);
    write_manifest(folder.file(name + ".json"), name, folder.path() + file, patience);
  }
  TemporaryFolder folder;
};
const Surroundings surroundings;

// Result and duration of the first call in this process.
struct FirstUse {
  Clock::time_point began = Clock::now();
  std::vector<const ANeuralNetworksDevice*> handles = devices();
  nlohmann::json plugins = describe_devices().at("plugins");
  Clock::duration took = Clock::now() - began;
};
const FirstUse& first_use() {
  static const FirstUse use;
  return use;
}

nlohmann::json report_on(const std::string& plugin, const nlohmann::json& plugins) {
  for (const auto& report : plugins) {
    if (report.at("name") == plugin) return report;
  }
  return {};
}

const ANeuralNetworksDevice* device_of(const std::string& plugin) {
  for (const auto* device : devices()) {
    if (name_of(device) == plugin + "/test-plugin") return device;
  }
  return nullptr;
}

class LoadedPlugins : public ::testing::Test {
 protected:
  LoadedPlugins() { first_use(); }
  ModelBuilder model_ = make_add({4});
};

TEST_F(LoadedPlugins, ThatHangCostTheFirstCallNoMoreThanTheirPatience) {
  EXPECT_LT(first_use().took, kSoon);
  EXPECT_NE(device_of("a-good"), nullptr);
  for (const char* late : {"b-slow", "c-stuck", "d-mute"}) {
    const auto report = report_on(late, first_use().plugins);
    EXPECT_TRUE(report.at("late")) << report;
    EXPECT_NE(report.at("reason").get<std::string>().find("not there yet"), std::string::npos) << report;
  }
  EXPECT_FALSE(report_on("a-good", first_use().plugins).at("late"));
}

TEST_F(LoadedPlugins, ThatAreSlowComeBehindAllOthersWhoseHandlesStay) {
  const auto limit = Clock::now() + kSlowness + seconds(60);
  while (device_of("b-slow") == nullptr && Clock::now() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto now = devices();
  ASSERT_EQ(now.size(), first_use().handles.size() + 1);
  EXPECT_TRUE(std::equal(first_use().handles.begin(), first_use().handles.end(), now.begin()));
  EXPECT_EQ(name_of(now.back()), "b-slow/test-plugin");
  EXPECT_EQ(supported(model_.get(), {now.back()}, 1), std::vector<bool>{true});
  const auto compilation = compiled_on(model_.get(), now.back());
  const std::array<float, 4> x{1, 2, 3, 4};
  std::array<float, 4> sum{};
  EXPECT_EQ(compute(make_execution(compilation, {x, x}, {sum})), kOk);
  EXPECT_EQ(sum, (std::array<float, 4>{2, 4, 6, 8}));
  EXPECT_TRUE(report_on("b-slow", describe_devices().at("plugins")).at("used"));
}

TEST_F(LoadedPlugins, ThatNeverAnswerAreGivenUp) {
  const auto limit = Clock::now() + seconds(60);
  const auto is_late = [](const char* plugin) { return report_on(plugin, describe_devices().at("plugins")).at("late") == true; };
  for (const char* plugin : {"c-stuck", "d-mute"}) {
    while (is_late(plugin) && Clock::now() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(is_late(plugin)) << plugin;
    EXPECT_EQ(device_of(plugin), nullptr);
  }
}

TEST_F(LoadedPlugins, ThatHangWhenTheyAreAskedCostTheirPatienceOnce) {
  const auto* const device = device_of("e-support");
  ASSERT_NE(device, nullptr);
  const auto begin = Clock::now();
  EXPECT_EQ(supported(model_.get(), {device}, 1), std::vector<bool>{false});
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model_.get(), device).get()), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
  EXPECT_LT(Clock::now() - begin, kSoon);
}

TEST_F(LoadedPlugins, ThatHangWhenTheyCompileCostTheirPatienceOnce) {
  const auto* const device = device_of("f-compile");
  ASSERT_NE(device, nullptr);
  const auto begin = Clock::now();
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model_.get(), device).get()), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
  EXPECT_LT(Clock::now() - begin, kSoon);
}

}  // namespace
}  // namespace nnvk::test
