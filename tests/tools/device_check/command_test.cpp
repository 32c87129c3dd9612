// `nnvk gpu-check` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/device_check/plan.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools::device_check {
namespace {

using test::nnvk;
using ::testing::HasSubstr;

TEST(GpuCheckCommand, AShortCheckWritesAPageWithEveryStage) {
  if (!find_device("vulkan")) GTEST_SKIP() << "there is no Vulkan device";
  const test::TemporaryFolder folder;
  const auto report = std::filesystem::path(folder.path()) / "report";
  const auto result = nnvk("gpu-check --minutes 0.1 --report " + report.string(), "2>&1", "NNVK_PLUGIN_FILES=");
  EXPECT_EQ(result.code, 0) << result.text;
  const auto text = read_text_file(report / "report.json");
  ASSERT_TRUE(text) << result.text;
  const auto document = nlohmann::json::parse(*text);
  ASSERT_EQ(document["stages"].size(), stages().size()) << result.text;
  for (size_t i = 0; i < stages().size(); ++i) {
    EXPECT_EQ(document["stages"][i]["name"], stages()[i].name);
    EXPECT_NE(document["stages"][i]["verdict"], "bad") << document["stages"][i]["summary"];
  }
  for (const char* file : {"index.html", "snapshot.json", "conformance.jsonl", "log.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(report / file)) << file;
  }
  // People send the folder: few files, none of them large.
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(report)) {
    ++files;
    EXPECT_LT(entry.file_size(), size_t{16} << 20) << entry.path();
  }
  EXPECT_LE(files, 8u);
}

TEST(GpuCheckCommand, WithoutAVulkanDeviceTheExitCodeIs3) {
  const test::TemporaryFolder folder;
  const auto result = nnvk("gpu-check --minutes 0.1 --report " + (std::filesystem::path(folder.path()) / "report").string(),
                           "2>&1", "NNVK_CPU_ONLY=1");
  EXPECT_EQ(result.code, 3) << result.text;
  const auto cpu =
      nnvk("gpu-check --device nnvk-cpu --minutes 0.1 --report " + (std::filesystem::path(folder.path()) / "cpu").string());
  EXPECT_EQ(cpu.code, 3) << cpu.text;
}

TEST(GpuCheckCommand, AFolderWithFilesIsRefusedAndStaysAsItIs) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(std::filesystem::path(folder.path()) / "mine", std::string_view("text")));
  const auto result = nnvk("gpu-check --report " + folder.path());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.text, HasSubstr("is not empty"));
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder.path()) / "mine"));
}

TEST(GpuCheckCommand, WrongOptionsNameThemselves) {
  const std::pair<const char*, int> cases[] = {{"--minutes 0", 2},        {"--minutes soon", 2},    {"--minutes 1e300", 2},
                                               {"--vectors /nowhere", 1}, {"--models /nowhere", 1}, {"--jobs 0", 2}};
  for (const auto& [options, code] : cases) {
    const auto result = nnvk(std::string("gpu-check ") + options);
    EXPECT_EQ(result.code, code) << options;
    EXPECT_THAT(result.text, HasSubstr(std::string(options).substr(0, std::string(options).find(' ')))) << options;
  }
}

}  // namespace
}  // namespace nnvk::tools::device_check
