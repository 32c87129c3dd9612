// Tests in child processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace nnvk::test {

// Runs `body` in a child, which ends with exit(0) unless `body` ends it. Returns the child's wait status: 0 after exit(0).
inline int in_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // a hang is a failure as well
    body();
    std::exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// The shell command that runs the program `path`, with the emulator if tests are built for another machine.
inline std::string command_to_run(const std::string& path) {
#ifdef NNVK_EMULATOR
  return NNVK_EMULATOR " '" + path + "' ";
#else
  return "'" + path + "' ";
#endif
}

}  // namespace nnvk::test
