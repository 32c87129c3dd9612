// Runs a part of the program in a child process: the library has its own environment there, and a crash becomes a result. A child
// never outlives its parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/case_queue.h"
#include "tools/nnapi/result.h"

namespace nnvk::tools {

using ChildEnd = conformance::ProcessEnd;
// Variables that a child sets.
using Environment = std::vector<std::pair<std::string, std::string>>;

// A child process, with a socket to talk to it. The library must not have been used before. The child ignores SIGINT, which a
// terminal sends to it as well: the parent decides how to react.
class ChildProcess {
 public:
  // Forks, sets the variables, runs `body` with the child's end of the socket, and ends the child with its return value.
  static Result<ChildProcess> start(const Environment& environment, const std::function<int(int channel)>& body);
  // Kills the child if it has not ended.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Returns the parent's end of the socket, which does not block.
  int channel() const { return channel_; }
  // Sends all of a short text. If the child is gone, nothing happens, and ended() will report it.
  void send(const std::string& text) const;
  // Appends the bytes that the child has sent. Returns false at their end: the child has closed its end, or is gone.
  bool receive(std::string& bytes) const;
  // Lets the child see the end of what it reads.
  void finish_sending() const;
  void kill() const;
  // Returns how the child ended; nothing while it runs.
  std::optional<ChildEnd> ended();
  // Returns how long the child's threads have computed or waited for a processor; 0 where the kernel does not tell. Threads that
  // have ended do not count.
  std::chrono::nanoseconds busy_time() const;
  // Closes the parent's end of the socket, in another child that has inherited it.
  void close_channel();

 private:
  ChildProcess(pid_t process, int channel) : process_(process), channel_(channel) {}

  pid_t process_ = -1;
  int channel_ = -1;
  std::optional<ChildEnd> end_;
};

struct Answer {
  std::string text;
  ChildEnd end;
};

// Runs `body` in a child and returns the text that it writes to the channel. Kills the child after `limit`, or when `is_stopped`
// returns true; either is an error.
Result<Answer> ask_child(const Environment& environment, const std::function<int(int channel)>& body,
                         std::chrono::milliseconds limit, const std::function<bool()>& is_stopped);

// Writes all of a text to the channel; the child calls it. The parent's end is the child's end as well, so that errors do not
// matter.
void write_to_channel(int channel, const std::string& text);

}  // namespace nnvk::tools
