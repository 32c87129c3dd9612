// The process that a plugin runs in: started without the application noticing, ended for certain.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Where the process finds its socket.
inline constexpr int kHostSocket = 3;

struct HostCommand {
  std::string program;                   // an absolute path
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value"; nothing else is there
};

class HostProcess {
 public:
  // Starts the program with `socket` as descriptor kHostSocket, its standard error output ours, and no other descriptor, no
  // terminal and no signal handling of ours. UNAVAILABLE_DEVICE when it cannot be started.
  //
  // The process is no child of ours. An application that waits for its children would wait for it, or take its exit status
  // from us, and its end would be a SIGCHLD that the application did not ask for. Whoever takes orphans (init, or a subreaper)
  // reaps it: we do where that is this process.
  static Result<std::unique_ptr<HostProcess>> start(const HostCommand& command, int socket);
  // As end().
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Refers to this process whatever becomes of its number; readable when it has ended.
  int descriptor() const { return handle_.get(); }

  // Kills the process and waits until it is gone: nothing of it touches shared memory any more. False when the kernel has not let
  // go of it in several seconds (it is in the middle of a system call of a broken driver).
  bool end();

 private:
  HostProcess(pid_t pid, int handle) : pid_(pid), handle_(handle) {}

  const pid_t pid_;
  FileDescriptor handle_;
  bool has_ended_ = false;
};

}  // namespace nnvk::accelerators
