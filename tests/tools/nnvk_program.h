// The nnvk program as a user runs it.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/support/child_process.h"

namespace nnvk::test {

struct Finished {
  int code = -1;
  std::string text;  // stdout, and stderr unless it is redirected
};

// Runs a command of the shell.
inline Finished finished(const std::string& command) {
  Finished result;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.text.append(buffer, count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// `settings`: environment variables, "NAME=VALUE NAME=VALUE".
inline Finished nnvk(const std::string& arguments, const std::string& redirection = "2>&1", const std::string& settings = "") {
  return finished(settings + " " + command_to_run(NNVK_BINARY) + arguments + " " + redirection);
}

}  // namespace nnvk::test
