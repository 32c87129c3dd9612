// Plugins load in parallel. The runtime waits for none longer than its manifest says; late ones are added later.
#include "accelerators/plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "accelerators/table_driver.h"
#include "cpu_fallback/reference_device.h"
#include "tests/accelerators/fake_driver.h"
#include "tests/accelerators/npu_fixture.h"

namespace nnvk::accelerators {
namespace {

using test::FakeDriver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const DeviceList& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device->info().name);
  return names;
}

FoundManifest found(const std::string& name, unsigned load_patience = 60) {
  FoundManifest entry;
  entry.manifest.name = name;
  entry.manifest.load_patience_seconds = load_patience;
  return entry;
}

Result<std::unique_ptr<Driver>> fake_driver() { return std::make_unique<FakeDriver>(); }

// Plugins that start when the test lets them: "late" ones, and all others at once.
class Plugins : public ::testing::Test {
 protected:
  Plugins() {
    starts_.in_host = [let_go = let_go_, fails = late_fails_](const Manifest& manifest) -> Result<std::unique_ptr<Driver>> {
      if (manifest.name != "late") return fake_driver();
      let_go.wait();
      if (*fails) return fail(Code::kUnavailableDevice, "it has no chip");
      return fake_driver();
    };
  }
  ~Plugins() override { let_late_go(); }
  void let_late_go() {
    if (!std::exchange(is_let_go_, true)) gate_.set_value();
  }

  std::promise<void> gate_;
  const std::shared_future<void> let_go_ = gate_.get_future().share();
  const std::shared_ptr<bool> late_fails_ = std::make_shared<bool>(false);
  bool is_let_go_ = false;
  PluginStarts starts_;
  const PluginSurroundings surroundings_{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
};

TEST_F(Plugins, ThatCannotStartAreReportedAndCostNothingElse) {
  const test::NpuManifest good;
  const test::NpuManifest bad("in-process", "/nowhere/libnpu.so");
  std::vector<Result<Manifest>> manifests = read_manifests({bad.folder(), good.folder()});
  manifests[0]->name = "broken";
  manifests.push_back(fail(Code::kBadData, "npu.json: it is not valid JSON"));
  starts_.in_process = [](const Manifest& manifest) { return load_table_driver(manifest.driver_library); };
  const auto loading = load_plugins(choose_manifests(manifests, {}), starts_, surroundings_);
  EXPECT_EQ(loading->wait().size(), 1U);
  const auto reports = loading->reports();
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_THAT(reports[0].not_used, HasSubstr("cannot be loaded"));
  EXPECT_EQ(reports[1].devices, std::vector<std::string>{"sample-npu/npu"});
  EXPECT_EQ(reports[1].not_used, "");
  EXPECT_THAT(reports[2].not_used, HasSubstr("not valid JSON"));
}

TEST_F(Plugins, AskForAProcessWhereTheirManifestDoes) {
  const test::NpuManifest manifest("process");
  starts_.in_process = [](const Manifest&) -> Result<std::unique_ptr<Driver>> { return fail(Code::kOpFailed, "not here"); };
  starts_.in_host = [](const Manifest&) -> Result<std::unique_ptr<Driver>> { return fail(Code::kUnavailableDevice, "no host"); };
  const auto loading = load_plugins(choose_manifests(read_manifests({manifest.folder()}), {}), starts_, surroundings_);
  EXPECT_THAT(loading->wait(), IsEmpty());
  EXPECT_THAT(loading->reports().at(0).not_used, HasSubstr("no host"));
}

// Each waits until all have begun.
TEST_F(Plugins, AreLoadedSideBySideAndListedInTheOrderOfTheirManifests) {
  const auto begun = std::make_shared<std::atomic<int>>(0);
  starts_.in_host = [begun](const Manifest& manifest) -> Result<std::unique_ptr<Driver>> {
    ++*begun;
    while (*begun < 3) std::this_thread::yield();
    if (manifest.name == "a") std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return fake_driver();
  };
  const auto loading = load_plugins({found("a"), found("b"), found("c")}, starts_, surroundings_);
  EXPECT_THAT(names_of(loading->wait()), ElementsAre("a/fake", "b/fake", "c/fake"));
}

TEST_F(Plugins, ThatAreLateAreNotThereYetUntilTheyAnswer) {
  const auto begin = std::chrono::steady_clock::now();
  const auto loading = load_plugins({found("late", 1), found("good")}, starts_, surroundings_);
  EXPECT_THAT(names_of(loading->wait()), ElementsAre("good/fake"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_TRUE(loading->reports()[0].is_late);
  EXPECT_THAT(loading->reports()[0].not_used, HasSubstr("not there yet: it has not answered within 1 s"));
  std::promise<std::vector<std::string>> taken;
  loading->hand_on_late([&](const DeviceList& devices) { taken.set_value(names_of(devices)); });
  let_late_go();
  EXPECT_THAT(taken.get_future().get(), ElementsAre("late/fake"));
  const auto reports = loading->reports();
  EXPECT_FALSE(reports[0].is_late);
  EXPECT_EQ(reports[0].not_used, "");
  EXPECT_THAT(reports[0].devices, ElementsAre("late/fake"));
}

TEST_F(Plugins, ThatAnswerBeforeAnybodyTakesTheirDevicesAreHandedOnThen) {
  const auto loading = load_plugins({found("late", 1)}, starts_, surroundings_);
  EXPECT_THAT(loading->wait(), IsEmpty());
  let_late_go();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::promise<std::vector<std::string>> taken;
  loading->hand_on_late([&](const DeviceList& devices) { taken.set_value(names_of(devices)); });
  EXPECT_THAT(taken.get_future().get(), ElementsAre("late/fake"));
}

TEST_F(Plugins, ThatFailLateAreReported) {
  *late_fails_ = true;
  const auto loading = load_plugins({found("late", 1)}, starts_, surroundings_);
  EXPECT_THAT(loading->wait(), IsEmpty());
  loading->hand_on_late([](const DeviceList&) { ADD_FAILURE() << "there are none"; });
  let_late_go();
  while (loading->reports()[0].is_late) std::this_thread::yield();
  EXPECT_THAT(loading->reports()[0].not_used, HasSubstr("it has no chip"));
}

TEST_F(Plugins, ThatNeverAnswerAreLeftBehind) {
  auto loading = load_plugins({found("late", 1)}, starts_, surroundings_);
  EXPECT_THAT(loading->wait(), IsEmpty());
  loading->hand_on_late([](const DeviceList&) { ADD_FAILURE() << "nobody is there to take them"; });
  loading = nullptr;
}

// As long as a thread loads something, its code is needed.
TEST_F(Plugins, HoldTheLibraryUntilTheyAreLoaded) {
  const auto held = std::make_shared<int>(0);
  starts_.hold_library = [held] { return held; };
  const auto loading = load_plugins({found("late", 1), found("good")}, starts_, surroundings_);
  EXPECT_THAT(names_of(loading->wait()), ElementsAre("good/fake"));
  EXPECT_GT(held.use_count(), 3) << "this one, that of the function and its copy, and that of the thread";
  starts_.hold_library = nullptr;
  let_late_go();
  while (held.use_count() > 2) std::this_thread::yield();
}

}  // namespace
}  // namespace nnvk::accelerators
