// fork and waitpid.
#include "tools/command/child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nnvk::tools {

Result<ChildEnd> run_in_child(const std::vector<std::pair<std::string, std::string>>& environment,
                              const std::function<int()>& body) {
  std::fflush(nullptr);  // else the child would write the buffered text again
  const pid_t child = fork();
  if (child < 0) return fail(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::exit(body());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(fmt::format("waiting for a process: {}", std::strerror(errno)));
  }
  if (WIFSIGNALED(status)) return ChildEnd{0, WTERMSIG(status)};
  return ChildEnd{WEXITSTATUS(status), 0};
}

}  // namespace nnvk::tools
