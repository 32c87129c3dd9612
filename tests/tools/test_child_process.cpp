// Child processes: environment, exit codes, crashes, and how long they compute.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "tools/command/child_process.h"

namespace nnvk::tools {
namespace {

// Runs `body` in a child and returns how the child ended.
Result<ChildEnd> end_of_child(const Environment& environment, const std::function<int()>& body) {
  TOOLS_ASSIGN(const auto answer,
               ask_child(
                   environment, [&](int /*channel*/) { return body(); }, std::chrono::minutes(5), [] { return false; }));
  return answer.end;
}

TEST(ChildProcess, ReturnsItsExitCodeAndSeesItsEnvironment) {
  const auto end = end_of_child({{"NNVK_TEST_VARIABLE", "here"}}, [] {
    const char* value = std::getenv("NNVK_TEST_VARIABLE");
    return value != nullptr && std::string(value) == "here" ? 7 : 1;
  });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(end->signal, 0);
  EXPECT_EQ(std::getenv("NNVK_TEST_VARIABLE"), nullptr) << "the parent's environment stays";
}

// Runs `work` in a child and returns how long the child was busy.
std::chrono::nanoseconds busy_time_of(void (*work)()) {
  auto child = ChildProcess::start({}, [&](int channel) {
    work();
    write_to_channel(channel, "done");
    std::this_thread::sleep_for(std::chrono::seconds(100));
    return 0;
  });
  EXPECT_TRUE(child);
  std::string text;
  while (text.empty() && child->receive(text)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return child->busy_time();
}

TEST(ChildProcess, IsBusyWhileItComputesAndNotWhileItSleeps) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel keeps no such times";
  static constexpr auto kWork = std::chrono::milliseconds(500);
  const auto computing = busy_time_of([] {
    for (const auto end = std::chrono::steady_clock::now() + kWork; std::chrono::steady_clock::now() < end;) {
    }
  });
  EXPECT_GT(computing, kWork * 0.8);
  EXPECT_LT(busy_time_of([] { std::this_thread::sleep_for(kWork); }), computing / 2);
}

TEST(ChildProcess, ACrashIsAResult) {
  const auto end = end_of_child({}, [] { return std::raise(SIGKILL); });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

}  // namespace
}  // namespace nnvk::tools
