// Results files: lines that a dead process left, a second writer, and disks that are full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tools/conformance/results_file.h"

namespace nnvk::tools::conformance {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

const Subject kGpu{"gpu", "driver 1", "words", "seed 1"};

Record record(const std::string& name, const Outcome& outcome = {}) { return {name, "pooling", "gpu", "words", outcome, 0.5}; }

TEST(ResultsFile, HoldsEveryPartOfARecordBelowItsHeader) {
  const TemporaryFolder folder;
  const auto path = folder.file("results.jsonl");
  {
    ResultsFile file;
    ASSERT_TRUE(file.open(path, false));
    ASSERT_TRUE(file.begin({kGpu}));
    ASSERT_TRUE(file.add(record("a")));
    ASSERT_TRUE(file.add(record("b", {Verdict::kSkipped, "NotSupported: LSTM \"\xff\""})));
    Record flaky = record("c", {Verdict::kPassed, "wrong result: 1 instead of 2"});
    flaky.attempts = 3;
    ASSERT_TRUE(file.add(flaky));
    ASSERT_TRUE(file.add(record("d", {Verdict::kFailed, "gone", FailureKind::kDeviceLost})));
    ASSERT_TRUE(file.end(12.5));
  }
  const auto sections = read_results(path);
  ASSERT_TRUE(sections) << sections.error().message;
  ASSERT_EQ(sections->size(), 1u);
  EXPECT_EQ(sections->front().provenance.subject, kGpu);
  EXPECT_EQ(sections->front().provenance.seconds, 12.5);
  const auto& records = sections->front().records;
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].outcome.verdict, Verdict::kPassed);
  EXPECT_EQ(records[0].seconds, 0.5);
  EXPECT_EQ(records[0].variant, "words");
  EXPECT_EQ(records[1].outcome.verdict, Verdict::kSkipped);
  EXPECT_TRUE(records[2].is_flaky());
  EXPECT_EQ(records[3].outcome.kind, FailureKind::kDeviceLost);
}

TEST(ResultsFile, ALineWithoutItsEndIsCutOff) {
  const TemporaryFolder folder;
  const auto path = folder.file("results.jsonl");
  {
    ResultsFile file;
    ASSERT_TRUE(file.open(path, false));
    ASSERT_TRUE(file.begin({kGpu}));
    ASSERT_TRUE(file.add(record("a")));
  }
  std::ofstream(path, std::ios::app) << R"({"case":"b","fam)";
  {
    ResultsFile file;
    ASSERT_TRUE(file.open(path, true));
    ASSERT_EQ(file.earlier().size(), 1u);
    EXPECT_EQ(file.earlier()[0].records.size(), 1u);
    ASSERT_TRUE(file.begin({kGpu}));
    ASSERT_TRUE(file.add(record("b")));
  }
  const auto sections = read_results(path);
  ASSERT_TRUE(sections) << sections.error().message;
  ASSERT_EQ(sections->size(), 2u);
  EXPECT_EQ(sections->back().records.at(0).name, "b");
}

TEST(ResultsFile, LinesOfOlderVersionsHaveNoSubject) {
  const TemporaryFolder folder;
  const auto path = folder.file("results.jsonl");
  std::ofstream(path) << R"({"case":"a","family":"","device":"gpu","variant":"words","result":"passed"})"
                      << "\n";
  const auto sections = read_results(path);
  ASSERT_TRUE(sections);
  ASSERT_EQ(sections->size(), 1u);
  EXPECT_EQ(sections->front().provenance, Provenance());
  std::ofstream(path) << R"({"run":{"device":"gpu","driver":"1","variant":"words","settings":"seed 1"}})"
                      << "\n";
  const auto named = read_results(path);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->front().provenance, (Provenance{.subject = {"gpu", "1", "words", "seed 1"}}));
  std::ofstream(path) << R"({"run":{"device":7}})"
                      << "\n";
  EXPECT_FALSE(read_results(path)) << "a member of another type is an error, not a crash";
  std::ofstream(path) << "no JSON\n";
  const auto wrong = read_results(path);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("is not a results file: 'no JSON'"));
  EXPECT_FALSE(read_results(folder.file("none")));
}

TEST(ResultsFile, HasOneWriterAndKeepsItsLinesFromASecondOne) {
  const TemporaryFolder folder;
  const auto path = folder.file("results.jsonl");
  ResultsFile first;
  ASSERT_TRUE(first.open(path, false));
  ASSERT_TRUE(first.begin({kGpu}));
  const auto size = std::filesystem::file_size(path);
  ResultsFile second;
  const auto refused = second.open(path, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("another process writes its results to"));
  EXPECT_EQ(std::filesystem::file_size(path), size) << "the second one empties nothing";
  first.close();
  EXPECT_TRUE(second.open(path, false));
}

TEST(ResultsFile, AFullDiskKeepsLinesUntilThereIsRoom) {
  const TemporaryFolder folder;
  const auto path = folder.file("results.jsonl");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ResultsFile file;
  ASSERT_TRUE(file.open(path, false));
  ASSERT_TRUE(file.begin({kGpu}));
  const rlimit small{std::filesystem::file_size(path) + 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto first = file.add(record("a"));  // ten bytes of it have room
  const auto second = file.add(record("b"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(first);
  EXPECT_THAT(first.error().message, HasSubstr(path));
  EXPECT_FALSE(second);
  EXPECT_EQ(file.unwritten(), 2u);
  EXPECT_TRUE(file.flush());
  EXPECT_EQ(file.unwritten(), 0u);
  const auto sections = read_results(path);
  ASSERT_TRUE(sections) << sections.error().message;
  EXPECT_EQ(sections->at(0).records.size(), 2u);
}

TEST(ResultsFile, ThatWasNeverOpenedTakesAllLines) {
  ResultsFile file;
  EXPECT_TRUE(file.begin({kGpu}));
  EXPECT_TRUE(file.add(record("a")));
  EXPECT_EQ(file.unwritten(), 0u);
}

}  // namespace
}  // namespace nnvk::tools::conformance
