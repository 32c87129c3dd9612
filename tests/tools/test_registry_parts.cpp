// The parts of `nnvk kernels --registry`: how rows are divided, what a stopped run keeps, and the list that parts make together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"
#include "tools/command/kernel_registry.h"
#include "tools/command/registry_parts.h"

namespace nnvk::tools {
namespace {

using nlohmann::ordered_json;
using test::TemporaryFolder;
using testing::ElementsAre;

KernelList list_of(const std::string& pipeline, uint64_t groups) {
  KernelList list;
  PipelineLine& line = list.pipelines.emplace_back();
  line.name = pipeline;
  line.kernel = "Dense";
  line.statistics = {{"VGPRs", 64}};
  line.dispatches = 1;
  line.least_groups = line.most_groups = groups;
  line.example = pipeline + " first";
  return list;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(RegistryParts, RowsOfOneOperationAndTypeStayTogetherForEveryVariant) {
  const std::vector<std::string> variants{"", "words"};
  const std::vector<std::string> rows{"nnvk.a.conv.quant8.small", "nnvk.a.conv.float32.small", "nnvk.a.conv.quant8.large",
                                      "short"};
  const auto parts = registry_parts(variants, rows);
  ASSERT_EQ(parts.size(), 6U);
  EXPECT_EQ(parts[0].name, " nnvk.a.conv.quant8");
  EXPECT_THAT(parts[0].rows, ElementsAre(0, 2));
  EXPECT_THAT(parts[1].rows, ElementsAre(1));
  EXPECT_THAT(parts[2].rows, ElementsAre(3));
  EXPECT_EQ(parts[3].name, "words nnvk.a.conv.quant8");
  EXPECT_EQ(parts[3].variant, "words");
  EXPECT_THAT(parts[3].rows, ElementsAre(0, 2));
}

TEST(RegistryParts, PartsTogetherHaveEachPipelineOnceWithAllItsDispatches) {
  KernelList second = list_of("A", 7);
  second.pipelines.push_back(list_of("B", 1).pipelines[0]);
  second.unlisted = {"why"};
  const KernelList whole = merged({list_of("A", 3), second});
  ASSERT_EQ(whole.pipelines.size(), 2U);
  EXPECT_EQ(whole.pipelines[0].name, "A");
  EXPECT_EQ(whole.pipelines[0].dispatches, 2U);
  EXPECT_EQ(whole.pipelines[0].least_groups, 3U);
  EXPECT_EQ(whole.pipelines[0].most_groups, 7U);
  EXPECT_EQ(whole.pipelines[0].example, "A first");
  EXPECT_THAT(whole.unlisted, ElementsAre("why"));
}

TEST(RegistryParts, AStoppedRunGoesOnWithItsFinishedParts) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/parts";
  const ordered_json run = {{"device", "one"}};
  ASSERT_TRUE(FinishedParts::open(file, run)->add("first", list_of("A", 3)));
  std::ofstream(file, std::ios::app) << R"({"part": "half of a li)";
  auto again = FinishedParts::open(file, run);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->size(), 1U);
  ASSERT_NE(again->find("first"), nullptr);
  EXPECT_EQ(again->find("first")->pipelines[0].name, "A");
  EXPECT_EQ(again->find("first")->pipelines[0].statistics["VGPRs"], 64);
  ASSERT_TRUE(again->add("second", list_of("B", 1)));
  EXPECT_EQ(FinishedParts::open(file, run)->size(), 2U) << "the half line is gone";
  again->remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(RegistryParts, TheFileOfAnotherDeviceIsStartedAnew) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/parts";
  ASSERT_TRUE(FinishedParts::open(file, {{"device", "one"}})->add("first", list_of("A", 3)));
  EXPECT_EQ(FinishedParts::open(file, {{"device", "two"}})->size(), 0U);
  EXPECT_EQ(text_of(file), "{\"device\":\"two\"}\n");
}

TEST(RegistryParts, AFileOfSomethingElseStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/notes";
  for (const char* const text : {"notes\n", "{}\n", "[1]\n", "\n"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(FinishedParts::open(file, {{"device", "one"}})) << text;
    EXPECT_EQ(text_of(file), text);
  }
  std::ofstream(file) << "";
  EXPECT_TRUE(FinishedParts::open(file, {{"device", "one"}})) << "an empty file holds nothing";
}

TEST(RegistryParts, AFileThatCannotBeWrittenIsAnError) { EXPECT_FALSE(FinishedParts::open("/nonexistent/parts", {})); }

TEST(RegistryParts, EveryIndexRunsOnceAndAFailureEndsTheRun) {
  std::vector<std::atomic<int>> times(100);
  ASSERT_TRUE(run_on_threads(times.size(), 4, [&](size_t i) -> Status {
    ++times[i];
    return {};
  }));
  for (const auto& count : times) EXPECT_EQ(count, 1);
  int begun = 0;
  const Status failed = run_on_threads(100, 1, [&](size_t i) -> Status {
    ++begun;
    return i == 3 ? fail("the fourth") : Status{};
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the fourth");
  EXPECT_EQ(begun, 4);
}

}  // namespace
}  // namespace nnvk::tools
