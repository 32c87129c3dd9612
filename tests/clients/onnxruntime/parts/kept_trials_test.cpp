// Times of trials in files: what names them, and what happens to bad ones.
#include "clients/onnxruntime_provider/kept_trials.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "tests/importers/onnx/graphs.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::clients::onnxruntime {
namespace {

using test::GraphMaker;
using test::TemporaryFolder;

constexpr importers::CacheToken kToken{1, 0xab};
constexpr importers::CacheToken kOther{2};

std::string only_file(const TemporaryFolder& folder) {
  const auto names = folder.names();
  EXPECT_EQ(names.size(), 1u);
  return folder.file(names.at(0));
}

TEST(KeptTrials, ALaterSessionFindsTheTimes) {
  const TemporaryFolder folder;
  KeptTrials(folder.path()).keep(kToken, {0.0012, 2.5, true, {}});
  const KeptTrials later(folder.path());
  const auto times = later.find(kToken);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->on_device, 0.0012);
  EXPECT_DOUBLE_EQ(times->staying, 2.5);
  EXPECT_TRUE(times->is_measured);
  EXPECT_FALSE(later.find(kOther));
}

TEST(KeptTrials, NewTimesReplaceOldOnes) {
  const TemporaryFolder folder;
  const KeptTrials trials(folder.path());
  trials.keep(kToken, {1, 2, true, {}});
  trials.keep(kToken, {3, 4, true, {}});
  EXPECT_EQ(trials.find(kToken)->on_device, 3);
  EXPECT_EQ(KeptTrials(folder.path()).find(kToken)->on_device, 3);
  only_file(folder);
}

TEST(KeptTrials, WithoutAFolderTheyLiveAsLongAsTheObject) {
  const KeptTrials trials({});
  trials.keep(kToken, {1, 2, true, {}});
  EXPECT_TRUE(trials.find(kToken));
  EXPECT_FALSE(KeptTrials({}).find(kToken));
}

TEST(KeptTrials, AFolderThatCannotBeMadeDoesNoHarm) {
  const KeptTrials trials("/proc/nothing/can/be/made/here");
  trials.keep(kToken, {1, 2, true, {}});
  EXPECT_TRUE(trials.find(kToken));
}

class DamagedTrial : public testing::TestWithParam<const char*> {};

TEST_P(DamagedTrial, CountsAsNone) {
  const TemporaryFolder folder;
  KeptTrials(folder.path()).keep(kToken, {1, 2, true, {}});
  std::ofstream(only_file(folder)) << GetParam();
  EXPECT_FALSE(KeptTrials(folder.path()).find(kToken));
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedTrial,
                         testing::Values("", "nnvk-trial-1", "nnvk-trial-1 5", "nnvk-trial-1 5 x", "nnvk-trial-1 5 0",
                                         "nnvk-trial-1 -5 5", "nnvk-trial-1 5 6 7", "nnvk-trial-2 5 6",
                                         "nnvk-trial-1 99999999999999999999 5"));

Graph product(int64_t columns, float weight, float bias) {
  return GraphMaker()
      .input("x", {1, 64})
      .constant("w", {64, columns}, std::vector<float>(static_cast<size_t>(64 * columns), weight))
      .constant("b", {columns}, std::vector<float>(static_cast<size_t>(columns), bias))
      .node("Gemm", {"x", "w", "b"}, {"y"})
      .output("y")
      .graph();
}

class TrialToken : public testing::Test {
 protected:
  importers::CacheToken token(const Graph& graph, const std::string& runtime = "1.23.0") const {
    return trial_token(graph, options_, *choose_devices("cpu"), runtime);
  }
  PluginOptions options_;
};

TEST_F(TrialToken, ValuesOfLongConstantsDoNotMatter) { EXPECT_EQ(token(product(16, 1, 0)), token(product(16, 2, 0))); }

TEST_F(TrialToken, AllElseMatters) {
  const auto first = token(product(16, 1, 0));
  EXPECT_EQ(first, token(product(16, 1, 0)));
  EXPECT_NE(first, token(product(17, 1, 0))) << "shapes";
  EXPECT_NE(first, token(product(16, 1, 1))) << "short constants, which may be limits or axes";
  EXPECT_NE(first, token(product(16, 1, 0), "1.24.0"));
  ::setenv("NNVK_CPU_THREADS", "1", 1);
  EXPECT_NE(first, token(product(16, 1, 0)));
  ::unsetenv("NNVK_CPU_THREADS");
  options_.relaxed = true;
  EXPECT_NE(first, token(product(16, 1, 0)));
}

TEST(UserTrialsFolder, FollowsTheXdgStandard) {
  const std::string cache = std::getenv("XDG_CACHE_HOME") == nullptr ? "" : std::getenv("XDG_CACHE_HOME");
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(user_trials_folder(), "/somewhere/nnvk/trials");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(user_trials_folder(), std::string(std::getenv("HOME")) + "/.cache/nnvk/trials");
  cache.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
