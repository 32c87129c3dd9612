// Settings and details of the log from the environment.
#include "core/base/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace nnvk {
namespace {

std::vector<std::string>& lines() {
  static std::vector<std::string> instance;
  return instance;
}

class Environment : public ::testing::Test {
 protected:
  void SetUp() override {
    lines().clear();
    set_log_sink([](LogLevel level, std::string_view tag, std::string_view text) {
      lines().push_back(std::string(1, "EWIV"[static_cast<int>(level)]) + "/" + std::string(tag) + ": " + std::string(text));
    });
  }
  void TearDown() override {
    set_log_sink(nullptr);
    for (const char* name :
         {"NNVK_PARTITION", "NNVK_CPU_ONLY", "NNVK_DEVICES", "NNVK_SYNCEXEC_CPU", "NNVK_SYNCEXEC_RUNTIME", "NNVK_CPU_THREADS",
          "NNVK_CPU_KERNELS", "NNVK_SUPPORT_LIBRARY_LEVEL", "NNVK_COST_FACTORS", "NNVK_UNTRUSTED_MEMORY"}) {
      ::unsetenv(name);
    }
    ::unsetenv("NNVK_VLOG");
    read_details();
  }
};

// The settings that a set-user-id program sees, in a process of its own: the next test runs it.
TEST(PrivilegedProcess, DISABLED_SeesNoSettings) {
  ASSERT_NE(std::getenv("NNVK_CPU_ONLY"), nullptr);
  ASSERT_TRUE(is_privileged_process());
  EXPECT_EQ(read_setting("NNVK_CPU_ONLY", nullptr), std::nullopt);
  EXPECT_FALSE(read_settings().cpu_only);
  EXPECT_FALSE(trace::begin("[NN_LR_PE]"));
}

TEST(PrivilegedProcess, IgnoresTheEnvironment) {
#ifdef NNVK_EMULATOR
  GTEST_SKIP() << "the program that runs is the emulator";
#endif
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a program that belongs to another user";
  const test::TemporaryFolder folder;
  const std::string program = folder.file("program");
  std::filesystem::copy_file("/proc/self/exe", program);
  struct statvfs mount {};
  ASSERT_EQ(::statvfs(program.c_str(), &mount), 0);
  if ((mount.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << "no set-user-id programs on " << folder.path();
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chown(program.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
  const std::string trace = folder.file("trace");
  const std::string command = "NNVK_CPU_ONLY=1 NNVK_TRACE='" + trace + "' " + test::command_to_run(program) +
                              "--gtest_also_run_disabled_tests --gtest_filter='PrivilegedProcess.DISABLED_*' > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST_F(Environment, NothingSetMeansPartitionsWithFallback) {
  const Settings settings = read_settings();
  EXPECT_EQ(settings.partitioning, Partitioning::kWithFallback);
  EXPECT_FALSE(settings.cpu_only);
  EXPECT_TRUE(settings.cpu_on_calling_thread);
  EXPECT_FALSE(settings.start_compute_waits);
}

TEST_F(Environment, CostFactorsAreANumberPerDevice) {
  EXPECT_TRUE(read_settings().cost_factors.empty());
  ::setenv("NNVK_COST_FACTORS", "nnvk-cpu=1000,vulkan-a=b=0.5,", 1);
  EXPECT_EQ(read_settings().cost_factors, (std::map<std::string, double>{{"nnvk-cpu", 1000}, {"vulkan-a=b", 0.5}}));
  EXPECT_TRUE(lines().empty());
  for (const char* wrong :
       {"nnvk-cpu", "nnvk-cpu=", "=2", "nnvk-cpu=0", "nnvk-cpu=-1", "nnvk-cpu=2x", "a=2,b", "a=inf", "a=nan"}) {
    lines().clear();
    ::setenv("NNVK_COST_FACTORS", wrong, 1);
    EXPECT_TRUE(read_settings().cost_factors.empty()) << wrong;
    EXPECT_EQ(lines().size(), 1U) << wrong;
  }
}

TEST_F(Environment, VariablesChangeSettings) {
  ::setenv("NNVK_PARTITION", "2", 1);
  ::setenv("NNVK_CPU_ONLY", "1", 1);
  ::setenv("NNVK_DEVICES", "vulkan.*", 1);
  ::setenv("NNVK_SYNCEXEC_CPU", "0", 1);
  ::setenv("NNVK_SYNCEXEC_RUNTIME", "1", 1);
  const Settings settings = read_settings();
  EXPECT_EQ(settings.partitioning, Partitioning::kWithoutFallback);
  EXPECT_TRUE(settings.cpu_only);
  EXPECT_EQ(settings.device_pattern, "vulkan.*");
  EXPECT_FALSE(settings.cpu_on_calling_thread);
  EXPECT_TRUE(settings.start_compute_waits);
}

TEST_F(Environment, ThreadsAreASmallNumber) {
  EXPECT_EQ(read_settings().cpu_threads, 0U);
  ::setenv("NNVK_CPU_THREADS", "3", 1);
  EXPECT_EQ(read_settings().cpu_threads, 3U);
  EXPECT_TRUE(lines().empty());
  for (const char* text : {"-1", "65", "two", "2 "}) {
    ::setenv("NNVK_CPU_THREADS", text, 1);
    EXPECT_EQ(read_settings().cpu_threads, 0U) << text;
  }
  EXPECT_EQ(lines().size(), 4U);
}

TEST_F(Environment, KernelsAreOptimizedUnlessTheReferencesAreAskedFor) {
  EXPECT_TRUE(read_settings().cpu_optimized);
  ::setenv("NNVK_CPU_KERNELS", "reference", 1);
  EXPECT_FALSE(read_settings().cpu_optimized);
  ::setenv("NNVK_CPU_KERNELS", "optimized", 1);
  EXPECT_TRUE(read_settings().cpu_optimized);
  EXPECT_TRUE(lines().empty());
  ::setenv("NNVK_CPU_KERNELS", "Reference", 1);
  EXPECT_TRUE(read_settings().cpu_optimized);
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(Environment, TheTableOfTheSupportLibrarySaysSevenUnlessAskedForAnother) {
  EXPECT_EQ(read_support_library_level(), 7);
  for (int level = 5; level <= 8; ++level) {
    ::setenv("NNVK_SUPPORT_LIBRARY_LEVEL", std::to_string(level).c_str(), 1);
    EXPECT_EQ(read_support_library_level(), level);
  }
  EXPECT_TRUE(lines().empty());
  for (const char* text : {"4", "9", "77", "1000008", "eight"}) {
    ::setenv("NNVK_SUPPORT_LIBRARY_LEVEL", text, 1);
    EXPECT_EQ(read_support_library_level(), 7) << text;
  }
  EXPECT_EQ(lines().size(), 5U);
}

TEST_F(Environment, MemoryIsTrustedUnlessToldOtherwise) {
  EXPECT_FALSE(read_untrusted_memory());
  ::setenv("NNVK_UNTRUSTED_MEMORY", "0", 1);
  EXPECT_FALSE(read_untrusted_memory());
  ::setenv("NNVK_UNTRUSTED_MEMORY", "1", 1);
  EXPECT_TRUE(read_untrusted_memory());
}

TEST_F(Environment, TheTimeoutOfGpusIsANumberOfMilliseconds) {
  EXPECT_EQ(read_vulkan_timeout(), std::nullopt);
  ::setenv("NNVK_VULKAN_TIMEOUT_MS", "1500", 1);
  EXPECT_EQ(read_vulkan_timeout(), std::chrono::milliseconds(1500));
  EXPECT_TRUE(lines().empty());
  for (const char* text : {"1.5", "-1", "1s", "99999999999"}) {
    ::setenv("NNVK_VULKAN_TIMEOUT_MS", text, 1);
    EXPECT_EQ(read_vulkan_timeout(), std::nullopt) << text;
  }
  EXPECT_EQ(lines().size(), 4U);
}

TEST_F(Environment, AModeThatDoesNotExistIsLoggedAndIgnored) {
  ::setenv("NNVK_PARTITION", "three", 1);
  EXPECT_EQ(read_settings().partitioning, Partitioning::kWithFallback);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0].substr(0, 2), "E/");
}

TEST_F(Environment, DetailsAreSwitchedOnByWordsAndComeAtInfoLevel) {
  ::setenv("NNVK_VLOG", "model,compilation: memory", 1);
  read_details();
  EXPECT_TRUE(log_enabled(Detail::kModel));
  EXPECT_TRUE(log_enabled(Detail::kCompilation));
  EXPECT_TRUE(log_enabled(Detail::kMemory));
  EXPECT_FALSE(log_enabled(Detail::kExecution));
  log_line(Detail::kModel, "GraphDump", "shown");
  log_line(Detail::kExecution, "ExecutionBuilder", "hidden");
  EXPECT_EQ(lines(), std::vector<std::string>{"I/GraphDump: shown"});
}

// The stderr output of a process with these settings that logs a line of each level for two tags.
std::string logged_with(const std::string& settings) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("log");
  const std::string command = settings + " " + test::command_to_run(std::filesystem::read_symlink("/proc/self/exe")) +
                              "--gtest_also_run_disabled_tests --gtest_filter=LogFilter.DISABLED_* >/dev/null 2>" + file;
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(LogFilter, DISABLED_LogsALineOfEachLevelForTwoTags) {
  for (const char* tag : {"Vulkan", "Manager"}) {
    for (int level = 0; level < 4; ++level) log_line(static_cast<LogLevel>(level), tag, "text");
  }
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LogFilter, WithoutSettingsWarningsAndErrorsAreWrittenWithTimeProcessAndThread) {
  const std::string text = logged_with("env -u NNVK_LOG -u ANDROID_LOG_TAGS");
  EXPECT_EQ(count(text, "\n"), 4U) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex(R"(^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ E/Vulkan: text\n)"))) << text;
  EXPECT_EQ(count(text, " W/Manager: text\n"), 1U) << text;
}

TEST(LogFilter, ALevelThatDoesNotExistIsAnErrorLine) {
  const std::string text = logged_with("NNVK_LOG=loud");
  EXPECT_EQ(count(text, "\n"), 5U) << text;
  EXPECT_EQ(count(text, "NNVK_LOG=\"loud\" is not"), 1U) << text;
  EXPECT_EQ(count(logged_with("NNVK_LOG=verbose"), "\n"), 8U);
}

TEST(LogFilter, TagsHaveLevelsOfTheirOwn) {
  const std::string text = logged_with("ANDROID_LOG_TAGS='Vulkan:V *:S'");
  EXPECT_EQ(count(text, "/Vulkan: "), 4U) << text;
  EXPECT_EQ(count(text, "/Manager: "), 0U) << text;
  EXPECT_EQ(count(logged_with("NNVK_LOG=info ANDROID_LOG_TAGS='Manager:E'"), "\n"), 4U);
}

TEST_F(Environment, TwoQuotesSwitchDetailsOffAsOnAndroid) {
  ::setenv("NNVK_VLOG", "\"\"", 1);
  read_details();
  EXPECT_FALSE(log_enabled(Detail::kModel));
  EXPECT_TRUE(lines().empty());
}

TEST_F(Environment, AllOrOneSwitchesEverythingOnAndUnknownWordsAreErrors) {
  for (const char* everything : {"all", "1"}) {
    ::setenv("NNVK_VLOG", everything, 1);
    read_details();
    EXPECT_TRUE(log_enabled(Detail::kCpuExecution));
    EXPECT_TRUE(log_enabled(Detail::kDriver));
  }
  EXPECT_TRUE(lines().empty());
  ::setenv("NNVK_VLOG", "manager modle", 1);
  read_details();
  EXPECT_TRUE(log_enabled(Detail::kManager));
  EXPECT_FALSE(log_enabled(Detail::kModel));
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_NE(lines()[0].find("modle"), std::string::npos);
}

}  // namespace
}  // namespace nnvk
