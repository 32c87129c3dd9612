// fork, waitpid, and the sockets between parent and child.
#include "tools/command/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace nnvk::tools {
namespace {

using namespace std::chrono_literals;

ChildEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Ties the life of this child to its parent's.
void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the call above
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const Environment& environment, const std::function<int(int channel)>& body) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(fmt::format("cannot make a socket for a process: {}", std::strerror(errno)));
  }
  std::fflush(nullptr);  // else the child would write the buffered text again
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return fail(fmt::format("cannot start a process: {}", std::strerror(error)));
  }
  if (child == 0) {
    end_with_parent(parent);
    ::close(ends[0]);
    std::signal(SIGINT, SIG_IGN);
    for (const int signal : {SIGTERM, SIGHUP}) {
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup started the program
    }
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::exit(body(ends[1]));
  }
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(child, ends[0]);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0 && !ended()) kill();
  close_channel();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), channel_(std::exchange(other.channel_, -1)), end_(other.end_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(channel_, other.channel_);
  std::swap(end_, other.end_);
  return *this;
}

void ChildProcess::send(const std::string& text) const {
  // The socket's buffer is much larger than the few short lines that a child has not read yet.
  while (::send(channel_, text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::receive(std::string& bytes) const {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::recv(channel_, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
}

void ChildProcess::finish_sending() const { ::shutdown(channel_, SHUT_WR); }

void ChildProcess::kill() const {
  if (!end_) ::kill(process_, SIGKILL);
}

std::optional<ChildEnd> ChildProcess::ended() {
  int status = 0;
  if (!end_ && ::waitpid(process_, &status, WNOHANG) == process_) end_ = end_of(status);
  return end_;
}

std::chrono::nanoseconds ChildProcess::busy_time() const {
  std::chrono::nanoseconds busy{};
  std::error_code error;  // the child may end at any time
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process_), error), last; !error && thread != last;
       thread.increment(error)) {
    std::ifstream schedule(thread->path() / "schedstat");
    int64_t computing = 0;
    int64_t waiting = 0;
    if (schedule >> computing >> waiting) busy += std::chrono::nanoseconds(computing + waiting);
  }
  return busy;
}

void ChildProcess::close_channel() {
  if (channel_ >= 0) ::close(channel_);
  channel_ = -1;
}

Result<Answer> ask_child(const Environment& environment, const std::function<int(int channel)>& body,
                         std::chrono::milliseconds limit, const std::function<bool()>& is_stopped) {
  const auto end = std::chrono::steady_clock::now() + limit;
  TOOLS_ASSIGN(auto child, ChildProcess::start(environment, body));
  Answer answer;
  bool is_open = true;
  for (;;) {
    pollfd waiting{is_open ? child.channel() : -1, POLLIN, 0};
    ::poll(&waiting, 1, is_open ? 100 : 5);
    if (is_open) is_open = child.receive(answer.text);
    if (const auto ended = child.ended()) {
      if (is_open) child.receive(answer.text);  // its last words
      answer.end = *ended;
      return answer;
    }
    if (is_stopped()) return fail("the command was stopped");
    if (std::chrono::steady_clock::now() > end) return fail(fmt::format("the process gave no answer within {} s", limit / 1s));
  }
}

void write_to_channel(int channel, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::send(channel, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<size_t>(count);
  }
}

}  // namespace nnvk::tools
