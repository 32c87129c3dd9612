// Whole networks split between the sample NPU and other devices: the same bytes as without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/accelerators/npu_fixture.h"
#include "tests/tools/model_files.h"
#include "tests/tools/nnvk_program.h"
#include "tools/nnapi/values.h"
#include "tools/reports/placement.h"

namespace nnvk::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// For this process, before the library looks for plugins.
const test::NpuManifest g_manifest;
[[maybe_unused]] const int g_is_set =
    ::setenv("NNVK_PLUGIN_FILES", g_manifest.folder().c_str(), 1) +
    ::setenv("NNVK_COST_FACTORS", "nnvk-cpu=1000",
             1);  // makes the CPU seem slow, so that it runs only operations that others decline

constexpr const char* kNpu = "sample-npu/npu";

std::vector<std::vector<uint8_t>> outputs_of(LoadedModel& loaded) {
  for (size_t i = 0; i < loaded.model.inputs.size(); ++i) {
    std::ranges::copy(made_up_input(loaded.model.inputs[i].info, static_cast<uint32_t>(i) + 7), loaded.session.input(i).begin());
  }
  const auto seconds = loaded.session.run();
  EXPECT_TRUE(seconds) << seconds.error().message;
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < loaded.model.outputs.size(); ++i) {
    const auto bytes = loaded.session.output(i);
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

class SplitNetworks : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto own = std::string(NNVK_SOURCE_DIR) + "/models/" + GetParam();
    path_ = std::filesystem::exists(own) ? own : test::published(GetParam());
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "no " << path_;
  }

  // The network on `device` alone, and with the NPU.
  void compare_with(const std::string& device) {
    if (const auto found = find_device(device); !found) GTEST_SKIP() << found.error().message;
    auto alone = load_model(path_, device);
    ASSERT_TRUE(alone) << alone.error().message;
    auto split = load_model(path_, std::string(kNpu) + "," + device);
    ASSERT_TRUE(split) << split.error().message;
    const auto expected = outputs_of(*alone);
    EXPECT_EQ(outputs_of(*split), expected);
    EXPECT_EQ(outputs_of(*split), expected) << "the second time as well";
    const auto placement = placement_of(split->session);
    ASSERT_TRUE(placement);
    std::set<std::string> devices;
    for (const auto& partition : placement->partitions) devices.insert(partition.device);
    EXPECT_EQ(devices.size(), 2U) << "it is split, or the test says nothing";
    EXPECT_TRUE(devices.contains(kNpu));
  }

  std::string path_;
};

TEST_P(SplitNetworks, BetweenNpuAndVulkanAreThoseOfVulkanAlone) { compare_with("vulkan"); }
TEST_P(SplitNetworks, BetweenNpuAndCpuAreThoseOfTheCpuAlone) { compare_with("nnvk-cpu"); }

INSTANTIATE_TEST_SUITE_P(Quantized, SplitNetworks,
                         testing::Values("digits_quant.tflite", "mobilenet_v2_1.0_224_quant.tflite",
                                         "tf2_mobilenet_v2_1.0_224_ptq.tflite"),
                         test::name_of_file);

const std::string kDigits = std::string(NNVK_SOURCE_DIR) + "/models/digits_quant.tflite";

std::string plugin_settings(const std::string& more = "") {
  return "NNVK_PLUGIN_FILES=" + g_manifest.folder() + " NNVK_COST_FACTORS=nnvk-cpu=1000 " + more;
}

TEST(MisbehavingNpu, IsAnErrorOfTheExecutionConcernedWhereItWasChosen) {
  for (const char* const kind : {"wrong-code", "wrong-rank", "wrong-dimension"}) {
    const auto run = test::nnvk("run " + kDigits + " --runs 3 --device " + kNpu + ",nnvk-cpu", "2>&1",
                                plugin_settings(std::string("NNVK_SAMPLE_NPU=") + kind + "@2"));
    EXPECT_EQ(run.code, 1) << run.text;
    EXPECT_THAT(run.text, HasSubstr("OP_FAILED")) << kind;
  }
}

TEST(MisbehavingNpu, IsForgivenWhereTheLibraryChose) {
  const std::string settings = "NNVK_DEVICES='" + std::string(kNpu) + "|nnvk-cpu' ";
  const auto good = test::nnvk("run " + kDigits + " --runs 3 --device auto", "2>/dev/null", plugin_settings(settings));
  ASSERT_EQ(good.code, 0) << good.text;
  EXPECT_THAT(good.text, HasSubstr(kNpu)) << "or the test says nothing";
  for (const char* const kind : {"wrong-code", "wrong-rank", "wrong-dimension"}) {
    const auto run = test::nnvk("run " + kDigits + " --runs 3 --device auto", "2>/dev/null",
                                plugin_settings(settings + "NNVK_SAMPLE_NPU=" + kind + "@2+"));
    EXPECT_EQ(run.code, 0) << run.text;
    // Compares the values after "output"; times differ.
    EXPECT_EQ(run.text.substr(run.text.find("output")), good.text.substr(good.text.find("output"))) << kind;
  }
}

TEST(ExplainCommand, ShowsThePluginsReasonsFromBothKindsOfProcesses) {
  for (const char* const isolation : {"in-process", "process"}) {
    const test::NpuManifest manifest(isolation);
    const auto explained =
        test::nnvk("explain " + kDigits + " --device " + kNpu + ",nnvk-cpu", "2>&1", "NNVK_PLUGIN_FILES=" + manifest.folder());
    EXPECT_EQ(explained.code, 0) << explained.text;
    EXPECT_THAT(explained.text, HasSubstr("sample-npu/npu declines it: the chip has no such operation")) << isolation;
  }
}

TEST(DevicesCommand, SaysWhatBecameOfEveryManifest) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("a.json")) << "{ rubbish";
  std::ofstream(folder.file("b.json")) << R"({"manifest_version": 1, "name": "off", "library": "x.so", "enabled": false})";
  std::ofstream(folder.file("c.json"))
      << R"({"manifest_version": 1, "name": "gone", "library": "/x.so", "isolation": "in-process"})";
  const auto devices = test::nnvk("devices", "2>/dev/null", "NNVK_PLUGIN_FILES=" + folder.path() + ":" + g_manifest.folder());
  EXPECT_EQ(devices.code, 0);
  EXPECT_THAT(devices.text, AllOf(HasSubstr("a.json: it is not valid JSON"), HasSubstr("NNVK_ENABLE_PLUGINS=off"),
                                  HasSubstr("no plugin gone"), HasSubstr(std::string("in this process: ") + kNpu)));
}

TEST(DevicesCommand, SaysWhatKeepsAPluginOffTheRestOfTheMachineAndSoDoesATrace) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("npu.json")) << R"({"manifest_version": 1, "name": "confined", "library": ")"
                                         << NNVK_SAMPLE_NPU_LIBRARY << R"("})";
  const std::string trace = folder.file("trace.json");
  const auto devices =
      test::nnvk("devices", "2>/dev/null", "NNVK_PLUGIN_FILES=" + folder.file("npu.json") + " NNVK_TRACE=" + trace);
  EXPECT_EQ(devices.code, 0);
  EXPECT_THAT(devices.text, AllOf(HasSubstr("confined/npu"), HasSubstr("confinement"), HasSubstr("strict: system calls filtered"),
                                  HasSubstr("threads 512")));
  std::ifstream file(trace);
  const std::string traced((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_THAT(traced, AllOf(HasSubstr("plugin confinement: strict: system calls filtered"),
                            HasSubstr("plugin confinement: threads 512")));
}

TEST(DevicesCommand, HasNoPluginsWhereNobodyNamesSome) {
  const auto devices = test::nnvk("devices", "2>/dev/null", "NNVK_PLUGIN_FILES=");
  EXPECT_THAT(devices.text, Not(HasSubstr("plugin")));
}

}  // namespace
}  // namespace nnvk::tools
