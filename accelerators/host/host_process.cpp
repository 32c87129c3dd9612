// Starts the process through an intermediate one, which ends at once and without a signal. Ends the process by pidfd.
#include "accelerators/host/host_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/blocked_signals.h"
#include "core/base/log.h"

namespace nnvk::accelerators {
namespace {

constexpr int kPatienceMilliseconds = 5000;  // for the kernel to end a process

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The file actions and attributes for posix_spawn, which allocates memory for both.
struct SpawnRecipe {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit SpawnRecipe(int socket) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    // The socket may be descriptor 1 or 2 if the application has closed its standard streams, so move it first.
    ::posix_spawn_file_actions_adddup2(&actions, socket, kHostSocket);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const bool has_errors = socket != STDERR_FILENO && ::fcntl(STDERR_FILENO, F_GETFD) >= 0;
    if (!has_errors) ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // stdout is the application's own
    ::posix_spawn_file_actions_addclosefrom_np(&actions, kHostSocket + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    // A session of its own, so that signals typed in the application's terminal do not reach the process.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~SpawnRecipe() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnRecipe(const SpawnRecipe&) = delete;
  SpawnRecipe& operator=(const SpawnRecipe&) = delete;
};

struct Spawn {
  const SpawnRecipe& recipe;
  const char* program;
  char* const* arguments;
  char* const* environment;
  int error = 0;
  pid_t pid = -1;
  int handle = -1;
};

// Starts the host's process. It runs in an intermediate process, which shares memory and descriptors with this process while the
// starting thread waits.
int spawn_in_between(void* argument) {
  auto& spawn = *static_cast<Spawn*>(argument);
  spawn.error = ::posix_spawn(&spawn.pid, spawn.program, &spawn.recipe.actions, &spawn.recipe.attributes, spawn.arguments,
                              spawn.environment);
  if (spawn.error != 0) return 0;
  // The process is not reaped yet, so no other process can have its number.
  spawn.handle = static_cast<int>(::syscall(SYS_pidfd_open, spawn.pid, 0));
  if (spawn.handle < 0) {
    spawn.error = errno;
    ::kill(spawn.pid, SIGKILL);
  }
  return 0;
}

}  // namespace

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer takes a call of clone() for a fork, and then forgets all threads in the memory that both processes share.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);
constexpr auto clone_process = __clone;
#else
constexpr auto clone_process = ::clone;
#endif

Result<std::unique_ptr<HostProcess>> HostProcess::start(const HostCommand& command, int socket) {
  const auto refuse = [&command](const char* what, int error) {
    return fail(Code::kUnavailableDevice, std::string(what) + " " + command.program + " failed: " + std::strerror(error));
  };
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.program);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment = pointers_to(command.environment);
  const SpawnRecipe recipe(socket);
  Spawn spawn{recipe, command.program.c_str(), argument_pointers.data(), environment.data()};

  constexpr size_t kStackBytes = size_t{64} << 10;
  const auto stack = std::make_unique<std::byte[]>(kStackBytes);
  const auto top = (reinterpret_cast<uintptr_t>(stack.get()) + kStackBytes) & ~uintptr_t{63};
  const BlockedSignals no_handler_runs_in_between;
  const int in_between =
      clone_process(spawn_in_between, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | CLONE_FILES, &spawn);
  if (in_between < 0) return refuse("starting the plugin host", errno);
  uninterrupted([in_between] { return ::waitpid(in_between, nullptr, __WCLONE); });
  if (spawn.error != 0) return refuse("starting the plugin host", spawn.error);
  return std::unique_ptr<HostProcess>(new HostProcess(spawn.pid, spawn.handle));
}

HostProcess::~HostProcess() { end(); }

bool HostProcess::end() {
  if (has_ended_) return true;
  ::syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0);
  pollfd entry{handle_.get(), POLLIN, 0};
  if (uninterrupted([&] { return ::poll(&entry, 1, kPatienceMilliseconds); }) <= 0) {
    log_line(LogLevel::kError, "Plugins", "plugin host " + std::to_string(pid_) + " was killed and has not ended");
    return false;
  }
  // Reaps the process if this process reaps orphans; otherwise the process is no child of this one.
  siginfo_t info{};
  ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(handle_.get()), &info, WEXITED | WNOHANG);
  has_ended_ = true;
  return true;
}

}  // namespace nnvk::accelerators
