// The provenance of a run: in JSON and back, as facts, as commands; the sum over a set of vectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/conformance/provenance.h"
#include "tools/nnapi/shell_word.h"

namespace nnvk::tools::conformance {
namespace {

using testing::HasSubstr;

const Provenance kRun{.subject = {"gpu", "driver 1", "texel dot", "seed 7, mode sync, repeat 1"},
                      .properties = {{"device", "vendorID", "0x1002"}, {"limits", "subgroupSize", "64"}},
                      .nnvk = "0.1.0",
                      .commit = "0123456789ab",
                      .vectors = "vectors",
                      .vectors_digest = "ff",
                      .seed = 7,
                      .kernels = "dot",
                      .cases = 12,
                      .options = "nnvk conformance --vectors vectors",
                      .environment = "NNVK_X=1",
                      .command = "nnvk conformance --vectors vectors --device gpu",
                      .started = "2026-11-28T10:00:00Z",
                      .seconds = 2.5};

TEST(Provenance, IsTheSameAfterItWasWrittenAndRead) { EXPECT_EQ(provenance_from(to_json(kRun)), kRun); }

TEST(Provenance, ListsTheFactsOfTheRunAndThenThoseOfTheDevice) {
  const auto list = facts(kRun);
  EXPECT_EQ(list.front(), (Property{"run", "nnvk", "0.1.0 (commit 0123456789ab)"}));
  EXPECT_EQ(list.back(), (Property{"limits", "subgroupSize", "64"}));
  EXPECT_EQ(facts(Provenance()).size(), 0u) << "older records have no facts to list";
}

TEST(Provenance, QuotesWordsThatTheShellWouldChange) {
  EXPECT_EQ(shell_word("nnvk.unary.abs-1"), "nnvk.unary.abs-1");
  EXPECT_EQ(shell_word(""), "''");
  for (const std::string word : {"a b", "it's", "$(rm)", "a\nb", "*", "\"quoted\""}) {
    EXPECT_EQ(test::finished("printf %s " + shell_word(word)).text, word);
  }
}

TEST(Provenance, NamesTheCommandThatRunsACaseAlone) {
  EXPECT_EQ(command_for(kRun, "nnvk.a"), "NNVK_X=1 nnvk conformance --vectors vectors --device gpu --case nnvk.a");
  EXPECT_EQ(command_for(Provenance(), "nnvk.a"), "") << "older records have no command";
}

TEST(VectorsDigest, DependsOnNamesAndContentsButNotOnThePlace) {
  const test::TemporaryFolder first;
  const test::TemporaryFolder second;
  for (const auto& folder : {first.path(), second.path()}) {
    std::filesystem::create_directory(folder + "/V1_0");
    std::ofstream(folder + "/V1_0/add.jsonl") << "{}\n";
    std::ofstream(folder + "/README.md") << folder;
  }
  const auto sum = vectors_digest(first.path());
  ASSERT_TRUE(sum) << sum.error().message;
  EXPECT_EQ(sum->size(), 64u);
  EXPECT_EQ(*sum, *vectors_digest(second.path()));
  std::ofstream(second.path() + "/V1_0/add.jsonl", std::ios::app) << "{}\n";
  EXPECT_NE(*sum, *vectors_digest(second.path()));
  std::filesystem::rename(first.path() + "/V1_0/add.jsonl", first.path() + "/V1_0/sub.jsonl");
  EXPECT_NE(*sum, *vectors_digest(first.path()));
  const auto none = vectors_digest(first.file("none"));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("none"));
}

}  // namespace
}  // namespace nnvk::tools::conformance
