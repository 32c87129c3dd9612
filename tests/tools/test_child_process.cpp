// run_in_child(): environment, exit codes and crashes.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "tools/command/child_process.h"

namespace nnvk::tools {
namespace {

TEST(ChildProcess, ReturnsItsExitCodeAndSeesItsEnvironment) {
  const auto end = run_in_child({{"NNVK_TEST_VARIABLE", "here"}}, [] {
    const char* value = std::getenv("NNVK_TEST_VARIABLE");
    return value != nullptr && std::string(value) == "here" ? 7 : 1;
  });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(end->signal, 0);
  EXPECT_EQ(std::getenv("NNVK_TEST_VARIABLE"), nullptr) << "the parent's environment stays";
}

TEST(ChildProcess, ACrashIsAResult) {
  const auto end = run_in_child({}, [] { return std::raise(SIGKILL); });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

}  // namespace
}  // namespace nnvk::tools
