#include "accelerators/host/program/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "accelerators/host/program/namespaces.h"
#include "accelerators/host/program/plugin_output.h"
#include "accelerators/host/program/sandbox.h"
#include "accelerators/host/program/usage.h"
#include "accelerators/protocol/messages.h"
#include "core/base/log.h"

namespace nnvk::accelerators {
namespace {

constexpr std::chrono::milliseconds kWatchPeriod{250};
constexpr std::string_view kConfined = "confined";  // sent by the plugin's process; any other text is the error

using DescriptorPair = std::pair<FileDescriptor, FileDescriptor>;

tl::unexpected<Error> failed(const char* what) {
  return fail(Code::kOpFailed, std::string(what) + " for a plugin: " + std::strerror(errno));
}

template <class Make>
DescriptorPair descriptors(Make make) {
  std::array<int, 2> ends{-1, -1};
  if (make(ends.data()) != 0) return {};
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string receive_text(int fd) {
  std::array<char, 1024> text{};
  const ssize_t size = uninterrupted([&] { return ::read(fd, text.data(), text.size()); });
  return {text.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

bool send_text(int fd, std::string_view text) { return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) >= 0; }

// Runs the supervisor, the process that stays outside the sandbox.
class Supervisor {
 public:
  Supervisor(pid_t plugin, FileDescriptor output, const Protections& protections, const std::string& name)
      : plugin_(plugin),
        handle_(static_cast<int>(::syscall(SYS_pidfd_open, plugin, 0))),
        output_(std::move(output)),
        protections_(protections),
        name_(name) {}

  // Runs until the plugin's process is gone.
  [[noreturn]] void run(int client) {
    for (auto next_look = Clock::now() + kWatchPeriod;;) {
      std::array<pollfd, 4> entries{pollfd{client, POLLRDHUP, 0}, pollfd{output_.get(), POLLIN, 0},
                                    pollfd{handle_.get(), POLLIN, 0},
                                    pollfd{printed_.pending().empty() ? -1 : STDERR_FILENO, POLLOUT, 0}};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look - Clock::now()).count();
      ::poll(entries.data(), entries.size(), static_cast<int>(std::max<int64_t>(left, 0)));
      if (entries[1].revents != 0) read_output();
      if ((entries[3].revents & POLLOUT) != 0) print();
      if (entries[2].revents != 0) end();
      if (entries[0].revents != 0) kill_plugin();
      if (Clock::now() < next_look) continue;
      next_look = Clock::now() + kWatchPeriod;
      if (is_too_much(usage_of(plugin_), protections_)) {
        log_line(LogLevel::kError, "PluginHost",
                 "plugin " + name_ + " is ended: it uses more than " + std::to_string(protections_.memory_bytes >> 20) +
                     " MiB of memory or " + std::to_string(protections_.threads) + " threads");
        kill_plugin();
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void kill_plugin() {
    ::kill(plugin_, SIGKILL);
    reap();
    ::_exit(1);
  }

  void reap() const {
    uninterrupted([this] { return ::waitpid(plugin_, nullptr, 0); });
  }

  // Writes the plugin's last output, as long as the reader takes it, and ends this process.
  [[noreturn]] void end() {
    reap();
    while (output_) read_output();
    pollfd entry{STDERR_FILENO, POLLOUT, 0};
    while (!printed_.pending().empty() && ::poll(&entry, 1, 100) > 0 && (entry.revents & POLLOUT) != 0) print();
    ::_exit(0);
  }

  void read_output() {
    std::array<char, 4096> text{};
    const ssize_t size = ::read(output_.get(), text.data(), text.size());
    if (size > 0) printed_.add({text.data(), static_cast<size_t>(size)});
    if (size == 0 || (size < 0 && errno != EINTR)) output_ = FileDescriptor();
  }

  // Writes output of the plugin, but no more than a pipe takes at once: a slow reader must not delay the supervisor's other
  // tasks.
  void print() {
    const auto text = printed_.pending().substr(0, 512);
    const ssize_t size = ::write(STDERR_FILENO, text.data(), text.size());
    printed_.written(size > 0 ? static_cast<size_t>(size) : text.size());
  }

  const pid_t plugin_;
  const FileDescriptor handle_;
  FileDescriptor output_;
  const Protections protections_;
  const std::string name_;
  PluginOutput printed_;
};

// Confines the plugin's process, in which it runs, and waits until the plugin may be loaded.
Status confine(const Protections& protections, const std::vector<VisiblePath>& visible, FileDescriptor words,
               FileDescriptor output) {
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::dup2(output.get(), standard) < 0) ::_exit(1);
  }
  output = FileDescriptor();
  const Status confined = enter_sandbox(protections, visible);
  send_text(words.get(), confined ? kConfined : std::string_view(confined.error().message));
  // The supervisor reports to the client, and then permits this process to load the plugin.
  if (!confined || receive_text(words.get()).empty()) ::_exit(1);
  return {};
}

}  // namespace

Status enter_supervised_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible,
                                const PacketSocket& socket, const std::string& name) {
  DescriptorPair output = descriptors([](int* ends) { return ::pipe2(ends, O_CLOEXEC); });
  DescriptorPair words = descriptors([](int* ends) { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); });
  if (!output.first || !words.first) return failed("no descriptors are left");
  if (protections.namespaces != NamespaceWay::kNone) NNVK_TRY(separate_children(protections.namespaces));
  const pid_t plugin = ::fork();
  if (plugin < 0) return failed("no process can be started");
  if (plugin == 0) {
    output.first = FileDescriptor();
    words.first = FileDescriptor();
    return confine(protections, visible, std::move(words.second), std::move(output.second));
  }
  output.second = FileDescriptor();
  words.second = FileDescriptor();
  // Denies other processes access to this process's resources, above all to the client's standard error output.
  static_cast<void>(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
  Supervisor supervisor(plugin, std::move(output.first), protections, name);
  const std::string said = receive_text(words.first.get());
  if (said != kConfined) return fail(Code::kOpFailed, "a plugin cannot be confined: " + (said.empty() ? "it ended" : said));
  const Message report = encode_answer<ConfinementReport>(kHelloId, ConfinementReport{in_words(protections)});
  static_cast<void>(socket.send(report.body, {}, PacketSocket::Blocking::kYes));
  send_text(words.first.get(), "go");
  words.first = FileDescriptor();
  supervisor.run(socket.descriptor());
}

}  // namespace nnvk::accelerators
