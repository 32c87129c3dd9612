// `nnvk kernels`, and the report of `nnvk devices` on devices without hardware, with lavapipe and RADV if they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"

namespace nnvk::tools {
namespace {

using nlohmann::json;
using test::nnvk;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kNetwork = std::string(NNVK_SOURCE_DIR) + "/models/digits_quant.tflite";

// The environment for this driver alone; empty if it is not installed.
std::string driver(const std::string& name) {
  for (const auto& file :
       {"/usr/share/vulkan/icd.d/" + name + "_icd.x86_64.json", "/usr/share/vulkan/icd.d/" + name + "_icd.json",
        "/usr/share/vulkan/icd.d/" + name + "_icd.aarch64.json"}) {
    if (std::filesystem::exists(file)) return "VK_ICD_FILENAMES=" + file + " VK_DRIVER_FILES=" + file;
  }
  return "";
}

// AMD's compiler without AMD's hardware.
std::string null_radv() {
  const std::string radv = driver("radeon");
  return radv.empty() ? "" : radv + " RADV_FORCE_FAMILY=navi21";
}

json json_of(const std::string& arguments, const std::string& settings) {
  const auto result = nnvk(arguments, "2>/dev/null", settings);
  EXPECT_EQ(result.code, 0) << result.text;
  auto document = json::parse(result.text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << result.text;
  return document;
}

TEST(KernelsCommand, OnHardwareThatIsNotThereEveryPipelineHasItsRegisters) {
  const std::string radv = null_radv();
  if (radv.empty()) GTEST_SKIP() << "RADV is not installed";
  const json list = json_of("kernels " + kNetwork + " --json", radv);
  EXPECT_FALSE(list["device"]["usable"].get<bool>());
  ASSERT_FALSE(list["pipelines"].empty());
  for (const json& pipeline : list["pipelines"]) {
    EXPECT_GT(pipeline["statistics"]["VGPRs"].get<int>(), 0) << pipeline["name"];
    EXPECT_GT(pipeline["statistics"]["Subgroups per SIMD"].get<int>(), 0) << pipeline["name"];
    EXPECT_FALSE(pipeline["reason"].get<std::string>().empty());
  }
  EXPECT_TRUE(list["unlisted"].empty());
  const auto text = nnvk("kernels " + kNetwork, "2>/dev/null", radv);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.text, HasSubstr("for its compiler alone"));
  EXPECT_THAT(text.text, HasSubstr("inv.thru."));
  EXPECT_THAT(text.text, HasSubstr("by registers and work"));
}

TEST(KernelsCommand, HardwareThatIsNotThereIsNamedButIsNoDevice) {
  const std::string radv = null_radv();
  if (radv.empty()) GTEST_SKIP() << "RADV is not installed";
  const auto result = nnvk("devices", "2>/dev/null", radv);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.text, HasSubstr("no device: vulkan-"));
  EXPECT_THAT(result.text, HasSubstr("no host-visible coherent memory"));
  const json devices = json_of("devices --json", radv);
  for (const json& device : devices["devices"])
    EXPECT_THAT(device["name"].get<std::string>(), Not(testing::StartsWith("vulkan-")));
  EXPECT_NE(nnvk("run " + kNetwork + " --device vulkan", "2>&1", radv).code, 0);
}

TEST(KernelsCommand, SoftwareVulkanHasSizesAndReasons) {
  const std::string lavapipe = driver("lvp");
  if (lavapipe.empty()) GTEST_SKIP() << "lavapipe is not installed";
  const json list = json_of("kernels " + kNetwork + " --json", lavapipe);
  ASSERT_FALSE(list["pipelines"].empty());
  EXPECT_TRUE(list["device"]["usable"].get<bool>());
  for (const json& pipeline : list["pipelines"]) EXPECT_GT(pipeline["most_groups"].get<int>(), 0);
}

TEST(KernelsCommand, ASnapshotStandsForItsDevice) {
  const std::string lavapipe = driver("lvp");
  if (lavapipe.empty()) GTEST_SKIP() << "lavapipe is not installed";
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/lavapipe.json";
  EXPECT_EQ(nnvk("devices --snapshot " + file, "2>&1", lavapipe).code, 0);
  const json there = json_of("kernels " + kNetwork + " --json", lavapipe);
  const json elsewhere = json_of("kernels " + kNetwork + " --json --device " + file, "NNVK_CPU_ONLY=1 VK_ICD_FILENAMES=/none");
  ASSERT_EQ(there["pipelines"].size(), elsewhere["pipelines"].size());
  for (size_t i = 0; i < there["pipelines"].size(); ++i) {
    EXPECT_EQ(there["pipelines"][i]["name"], elsewhere["pipelines"][i]["name"]);
    EXPECT_EQ(there["pipelines"][i]["reason"], elsewhere["pipelines"][i]["reason"]);
  }
  EXPECT_THAT(elsewhere["device"]["statistics_missing"].get<std::string>(), HasSubstr("snapshot"));
}

TEST(KernelsCommand, TwoListsAreCompared) {
  const std::string radv = null_radv();
  if (radv.empty()) GTEST_SKIP() << "RADV is not installed";
  const TemporaryFolder folder;
  const std::string texel = folder.path() + "/texel.json";
  const std::string words = folder.path() + "/words.json";
  EXPECT_EQ(nnvk("kernels " + kNetwork + " --json", "2>/dev/null >" + texel, radv).code, 0);
  EXPECT_EQ(nnvk("kernels " + kNetwork + " --variant words --json", "2>/dev/null >" + words, radv).code, 0);
  const json same = json_of("kernels --json --compare " + texel + " " + texel, "");
  EXPECT_TRUE(same["changed"].empty());
  EXPECT_GT(same["same"].get<int>(), 0);
  const json different = json_of("kernels --json --compare " + texel + " " + words, "");
  EXPECT_FALSE(different["only_before"].empty());
  EXPECT_FALSE(different["only_after"].empty());
}

TEST(KernelsCommand, WrongUsageIsRefused) {
  EXPECT_EQ(nnvk("kernels").code, 2);
  EXPECT_EQ(nnvk("kernels --registry " + kNetwork).code, 2);
  EXPECT_EQ(nnvk("kernels --compare /none /none").code, 1);
  EXPECT_EQ(nnvk("kernels " + kNetwork + " --variant moon").code, 2);
  const auto missing = nnvk("kernels " + kNetwork + " --device moon");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.text, HasSubstr("moon"));
  EXPECT_EQ(nnvk("kernels " + kNetwork + " --device /none.json").code, 1);
}

}  // namespace
}  // namespace nnvk::tools
