// The process that runs a plugin. The application does not notice its start, and it ends reliably.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// The number of the socket's descriptor in the started process.
inline constexpr int kHostSocket = 3;

struct HostCommand {
  std::string program;                   // an absolute path
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value"; it has no other variables
};

class HostProcess {
 public:
  // Starts the program with `socket` as descriptor kHostSocket and our standard error output. The program gets no other
  // descriptor, no terminal and no signal handling of ours. UNAVAILABLE_DEVICE if the program cannot be started. The process is
  // no child of ours: an application that waits for its children would wait for it or take its exit status, and its end would
  // send an unexpected SIGCHLD. The reaper of orphans (init, or a subreaper) reaps the process; if that is this process, end()
  // does.
  static Result<std::unique_ptr<HostProcess>> start(const HostCommand& command, int socket);
  // Ends the process like end().
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Returns a pidfd. It refers to this process even if the process's number is used again, and is readable when the process has
  // ended.
  int descriptor() const { return handle_.get(); }

  // Kills the process and waits for its end, so that it no longer touches shared memory. Returns false if the kernel has not
  // ended it within several seconds, because a system call of a broken driver hangs.
  bool end();

 private:
  HostProcess(pid_t pid, int handle) : pid_(pid), handle_(handle) {}

  const pid_t pid_;
  FileDescriptor handle_;
  bool has_ended_ = false;
};

}  // namespace nnvk::accelerators
