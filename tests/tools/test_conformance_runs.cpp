// `nnvk conformance` survives what happens to devices, processes and disks: every other case still gets its result, the exit code
// is right, no process outlives the run, and --resume completes the record. A Vulkan layer makes the faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/support/temporary_folder.h"
#include "tests/tools/conformance_vectors_on_disk.h"
#include "tests/tools/nnvk_program.h"
#include "tools/conformance/results_file.h"

namespace nnvk::tools {
namespace {

using namespace std::chrono_literals;
using conformance::FailureKind;
using conformance::Record;
using test::Finished;
using test::TemporaryFolder;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const std::string kCases = "conformance --generated --op ABS";
const std::string kOnVulkan = kCases + " --device vulkan";

// A hang takes this long; other cases need a small part of it, even if other work shares the machine.
const std::string kShortTimeout = "--case-timeout 2";

// The environment of a device with these faults, each of which happens once in all processes that share `folder`.
std::string faulty(const TemporaryFolder& folder, const std::string& words) {
  return "VK_ADD_LAYER_PATH=" NNVK_WEAK_DEVICE_LAYER_FOLDER
         " VK_INSTANCE_LAYERS=VK_LAYER_NNVK_weak_device NNVK_VULKAN_VALIDATION=0 NNVK_WEAK_DEVICE=" +
         words + " NNVK_WEAK_DEVICE_COUNTER=" + folder.file("submissions");
}

// The records of a results file, of all its sections.
std::vector<Record> records_in(const std::string& path) {
  std::vector<Record> records;
  const auto sections = conformance::read_results(path);
  EXPECT_TRUE(sections) << sections.error().message;
  if (!sections) return records;
  for (const auto& section : *sections) records.insert(records.end(), section.records.begin(), section.records.end());
  return records;
}

size_t count_in(const std::string& path, FailureKind kind) {
  size_t count = 0;
  for (const auto& record : records_in(path)) count += record.outcome.kind == kind ? 1 : 0;
  return count;
}

class FaultyRun : public testing::Test {
 protected:
  void SetUp() override {
    const auto list = test::nnvk(kCases + " --list", "2>/dev/null");
    cases_ = static_cast<size_t>(std::ranges::count(list.text, '\n'));
    ASSERT_GT(cases_, 40u);
    const auto devices = test::nnvk("devices", "2>/dev/null", faulty(folder_, "") + " NNVK_WEAK_DEVICE_COUNTER=/dev/null");
    if (devices.text.find("vulkan-weak") == std::string::npos) GTEST_SKIP() << "no Vulkan device, or the layer is not loaded";
  }

  // Runs the cases on a device with these faults and a results file.
  Finished run(const std::string& words, const std::string& options = "") const {
    return test::nnvk(kOnVulkan + " --results " + results_ + " " + options, "2>&1", faulty(folder_, words));
  }

  // Fails unless --resume has only `left` cases to run, and completes the record with them.
  void expect_resumes(size_t left) const {
    const auto again = run("", "--resume");
    EXPECT_EQ(again.code, 0) << again.text;
    EXPECT_THAT(again.text, HasSubstr(std::to_string(left) + " are left"));
    EXPECT_THAT(again.text, EndsWith(summary(0)));
  }

  // The last line of a run in which this many cases failed and all others passed.
  std::string summary(size_t failed) const {
    return std::to_string(cases_ - failed) + " passed, " + std::to_string(failed) + " failed, 0 skipped\n";
  }

  TemporaryFolder folder_;
  std::string results_ = folder_.file("results.jsonl");
  size_t cases_ = 0;
};

TEST_F(FaultyRun, ALostDeviceCostsOneCase) {
  const auto result = run("lost_at_10,lost_at_31");
  EXPECT_EQ(result.code, 1) << result.text;
  EXPECT_THAT(result.text, EndsWith(summary(2)));
  EXPECT_EQ(count_in(results_, FailureKind::kDeviceLost), 2u);
  expect_resumes(2);
}

TEST_F(FaultyRun, AHangCostsItsCaseAndItsTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run("hang_at_5,hang_at_20,hang_at_40", kShortTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s);
  EXPECT_EQ(result.code, 1) << result.text;
  EXPECT_THAT(result.text, EndsWith(summary(3)));
  EXPECT_THAT(result.text, HasSubstr("timed out: no result within 2 s"));
  EXPECT_EQ(count_in(results_, FailureKind::kTimedOut), 3u);
  expect_resumes(3);
}

TEST_F(FaultyRun, HangsThatTheLibraryFindsCostOneCaseEach) {
  const auto result = test::nnvk(kOnVulkan + " --results " + results_, "2>&1",
                                 faulty(folder_, "hang_at_5,hang_at_20,hang_at_35,hang_at_45") + " NNVK_VULKAN_TIMEOUT_MS=300");
  EXPECT_EQ(result.code, 1) << result.text;
  EXPECT_THAT(result.text, EndsWith(summary(4)));
  EXPECT_EQ(count_in(results_, FailureKind::kDeviceLost), 4u);
  expect_resumes(4);
}

TEST_F(FaultyRun, ACrashCostsItsCaseAndCountsAgainOnlyIfItHappensAgain) {
  const auto result = run("crash_at_10");
  EXPECT_EQ(result.code, 1) << result.text;
  EXPECT_THAT(result.text, HasSubstr("crashed: the process ended with signal 11"));
  EXPECT_THAT(result.text, EndsWith(summary(1)));
  expect_resumes(1);
}

TEST_F(FaultyRun, AProcessThatSomebodyKillsCostsNothing) {
  const auto result = run("kill_at_10");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, EndsWith(summary(0)));
}

TEST_F(FaultyRun, SeveralProcessesShareTheCases) {
  const auto result = run("crash_at_10,hang_at_20,lost_at_30", "--jobs 3 " + kShortTimeout);
  EXPECT_EQ(result.code, 1) << result.text;
  EXPECT_THAT(result.text, EndsWith(summary(3)));
  expect_resumes(3);
}

TEST_F(FaultyRun, ARetryTurnsAFaultIntoAFlakyCase) {
  const auto result = run("lost_at_10,crash_at_20", "--retry 1");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("FLAKY nnvk."));
  EXPECT_THAT(result.text, HasSubstr("passed at attempt 2; before: device lost: "));
  EXPECT_THAT(result.text, HasSubstr("passed at attempt 2; before: crashed: "));
  EXPECT_THAT(result.text, EndsWith(summary(0)));
}

TEST_F(FaultyRun, ContinuesOnlyRecordsOfTheSameSettings) {
  EXPECT_EQ(run("").code, 0);
  const auto result = run("", "--resume --seed 2");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr(std::to_string(cases_) + " are left"));
}

// The state of a process; 0 if there is none, 'Z' if it only waits to be forgotten.
char state_of(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  const size_t end = text.rfind(')');
  return end == std::string::npos ? '\0' : text[end + 2];
}

bool is_gone(pid_t process) { return state_of(process) == '\0' || state_of(process) == 'Z'; }

// A run in the background that hangs in its 20th submission.
class HangingRun : public FaultyRun {
 protected:
  void SetUp() override {
    FaultyRun::SetUp();
    if (IsSkipped()) return;
    const std::string command = "exec env " + faulty(folder_, "hang_at_20") + " " + test::command_to_run(NNVK_BINARY) +
                                kOnVulkan + " --case-timeout 600 --results " + results_ + " >" + folder_.file("output") + " 2>&1";
    parent_ = ::fork();
    ASSERT_GE(parent_, 0);
    if (parent_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    // It hangs when the file no longer grows.
    for (size_t before = 0, now = 0; before == 0 || now != before; now = lines()) {
      before = now;
      std::this_thread::sleep_for(700ms);
      ASSERT_FALSE(is_gone(parent_)) << output();
    }
    std::ifstream children("/proc/" + std::to_string(parent_) + "/task/" + std::to_string(parent_) + "/children");
    children >> child_;
    ASSERT_GT(child_, 0) << "the run has a child";
  }
  void TearDown() override {
    for (const pid_t process : {parent_, child_}) {
      if (process > 0) ::kill(process, SIGKILL);
    }
    if (parent_ > 0) ::waitpid(parent_, nullptr, 0);
  }

  size_t lines() const {
    std::ifstream stream(results_);
    return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(stream), {}, '\n'));
  }
  std::string output() const {
    std::ifstream stream(folder_.file("output"));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // Waits for the parent's end and returns its exit code, or 128 and the signal.
  int parent_end() {
    int status = 0;
    ::waitpid(std::exchange(parent_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  void expect_no_orphan() const {
    for (int i = 0; i < 50 && !is_gone(child_); ++i) std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(is_gone(child_));
  }

  pid_t parent_ = -1;
  pid_t child_ = -1;
};

TEST_F(HangingRun, EndsInOrderWhenItIsAskedTo) {
  const size_t done = lines() - 1;
  ASSERT_GT(done, 5u);
  ::kill(parent_, SIGINT);
  EXPECT_EQ(parent_end(), 4);
  expect_no_orphan();
  EXPECT_THAT(output(), HasSubstr(std::to_string(done) + " passed, 0 failed, 0 skipped\n"));
  EXPECT_THAT(output(), HasSubstr("incomplete: " + std::to_string(done) + " of " + std::to_string(cases_)));
  EXPECT_THAT(output(), HasSubstr("SIGINT arrived; --resume"));
  expect_resumes(cases_ - done);
}

TEST_F(HangingRun, LeavesNoOrphanWhenItIsKilled) {
  const size_t done = lines() - 1;
  ::kill(parent_, SIGKILL);
  EXPECT_EQ(parent_end(), 128 + SIGKILL);
  expect_no_orphan();
  expect_resumes(cases_ - done);
}

TEST_F(HangingRun, GoesOnWhenItsChildIsKilled) {
  ::kill(child_, SIGKILL);
  EXPECT_EQ(parent_end(), 0) << output();
  expect_no_orphan();
  EXPECT_THAT(output(), HasSubstr(summary(0)));
}

TEST_F(HangingRun, KeepsItsResultsFileForItself) {
  const auto second = run("");
  EXPECT_EQ(second.code, 1) << second.text;
  EXPECT_THAT(second.text, HasSubstr("another process writes its results to " + results_));
}

TEST(ConformanceRun, WithoutAVulkanDeviceTestsTheCpuOnlyIfItIsNamed) {
  const std::string no_driver = "VK_ICD_FILENAMES=/none VK_DRIVER_FILES=/none";
  const auto nothing = test::nnvk(kCases, "2>&1", no_driver);
  EXPECT_EQ(nothing.code, 3) << nothing.text;
  EXPECT_THAT(nothing.text, HasSubstr("--device cpu runs the cases on the CPU"));
  const auto cpu = test::nnvk(kCases + " --device cpu", "2>&1", no_driver);
  EXPECT_EQ(cpu.code, 0) << cpu.text;
}

TEST(ConformanceRun, ATimeLimitEndsItWithCasesOfAllFamilies) {
  const TemporaryFolder folder;
  const std::string results = folder.file("results");
  const std::string command = "conformance --generated --device cpu --results " + results;
  const Finished first = test::nnvk(command + " --time-limit 3", "2>&1");
  EXPECT_EQ(first.code, 4) << first.text;
  EXPECT_THAT(first.text, HasSubstr("the time is over (--time-limit)"));
  std::set<std::string> families;
  for (const auto& record : records_in(results)) families.insert(record.family);
  EXPECT_GT(families.size(), 10U);
}

TEST(ConformanceRun, AFullDiskDoesNotEndIt) {
  const TemporaryFolder folder;
  const auto results = folder.file("results.jsonl");
  const std::string run = kCases + " --device cpu --results " + results;
  const auto full = test::finished("ulimit -f 4; " + test::command_to_run(NNVK_BINARY) + run + " 2>&1");
  EXPECT_EQ(full.code, 4) << full.text;
  EXPECT_THAT(full.text, HasSubstr("cannot write the results to " + results + ": File too large; the run goes on"));
  EXPECT_THAT(full.text, HasSubstr(" passed, 0 failed, 0 skipped\n"));
  EXPECT_THAT(full.text, HasSubstr(results + " lacks "));
  const auto again = test::nnvk(run + " --resume");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, Not(HasSubstr(" 0 are left")));
}

TEST(ConformanceRun, ABaselineDecidesWhichFailuresAreNew) {
  const TemporaryFolder folder;
  const auto baseline = folder.file("baseline.jsonl");
  const auto run = [&](const std::string& vectors, const std::string& options) {
    return test::nnvk("conformance --device nnvk-cpu --vectors " + vectors + " " + options);
  };
  EXPECT_EQ(run(test::relu_vectors(folder, {false, false, true}), "--results " + baseline).code, 1);
  const auto better = run(test::relu_vectors(folder, {true, false, true}), "--baseline " + baseline);
  EXPECT_EQ(better.code, 0) << better.text;
  EXPECT_THAT(better.text, ContainsRegex("\nFIXED nnvk[^ ]*[.]relu[.]relu_0\n"));
  EXPECT_THAT(better.text, ContainsRegex("\nUNCHANGED nnvk[^ ]*[.]relu[.]relu_1: "));
  EXPECT_THAT(better.text, HasSubstr("against the baseline: 0 new failures, 1 fixed, 1 unchanged failures\n"));
  const auto worse = run(test::relu_vectors(folder, {true, false, false}), "--baseline " + baseline);
  EXPECT_EQ(worse.code, 1) << worse.text;
  EXPECT_THAT(worse.text, ContainsRegex("\nNEW FAILURE nnvk[^ ]*[.]relu[.]relu_2: "));
  const auto other =
      test::nnvk("conformance --device nnapi-reference --vectors " + folder.file("relu.jsonl") + " --baseline " + baseline);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.text, HasSubstr("the baseline has no results of nnapi-reference; it has: nnvk-cpu"));
}

}  // namespace
}  // namespace nnvk::tools
