// The lists of system calls, and libseccomp.
#include "accelerators/host/program/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <memory>

namespace nnvk::accelerators {
namespace {

// Memory, threads, clocks, and what is open already: what computing takes.
constexpr std::initializer_list<const char*> kComputing = {"read",
                                                           "write",
                                                           "readv",
                                                           "writev",
                                                           "pread64",
                                                           "pwrite64",
                                                           "lseek",
                                                           "close",
                                                           "fstat",
                                                           "fstatfs",
                                                           "fcntl",
                                                           "dup",
                                                           "dup2",
                                                           "dup3",
                                                           "poll",
                                                           "ppoll",
                                                           "select",
                                                           "pselect6",
                                                           "epoll_create1",
                                                           "epoll_ctl",
                                                           "epoll_wait",
                                                           "epoll_pwait",
                                                           "epoll_pwait2",
                                                           "eventfd2",
                                                           "timerfd_create",
                                                           "timerfd_settime",
                                                           "timerfd_gettime",
                                                           "pipe2",
                                                           "sendmsg",
                                                           "recvmsg",
                                                           "sendto",
                                                           "recvfrom",
                                                           "shutdown",
                                                           "getsockopt",
                                                           "munmap",
                                                           "mremap",
                                                           "madvise",
                                                           "brk",
                                                           "msync",
                                                           "mincore",
                                                           "memfd_create",
                                                           "ftruncate",
                                                           "futex",
                                                           "futex_waitv",
                                                           "membarrier",
                                                           "rseq",
                                                           "set_robust_list",
                                                           "get_robust_list",
                                                           "set_tid_address",
                                                           "arch_prctl",
                                                           "sched_yield",
                                                           "sched_getaffinity",
                                                           "sched_setaffinity",
                                                           "sched_getparam",
                                                           "sched_getscheduler",
                                                           "sched_get_priority_max",
                                                           "sched_get_priority_min",
                                                           "getpriority",
                                                           "getcpu",
                                                           "nanosleep",
                                                           "clock_nanosleep",
                                                           "clock_gettime",
                                                           "clock_getres",
                                                           "gettimeofday",
                                                           "time",
                                                           "times",
                                                           "getrusage",
                                                           "getpid",
                                                           "gettid",
                                                           "getppid",
                                                           "getuid",
                                                           "geteuid",
                                                           "getgid",
                                                           "getegid",
                                                           "sysinfo",
                                                           "uname",
                                                           "getrandom",
                                                           "rt_sigaction",
                                                           "rt_sigprocmask",
                                                           "rt_sigreturn",
                                                           "rt_sigtimedwait",
                                                           "rt_sigsuspend",
                                                           "sigaltstack",
                                                           "restart_syscall",
                                                           "exit",
                                                           "exit_group"};

// Finding and reading the files of libraries.
constexpr std::initializer_list<const char*> kReadingFiles = {"stat",      "lstat",      "newfstatat", "statx",      "access",
                                                              "faccessat", "faccessat2", "readlink",   "readlinkat", "getdents64",
                                                              "getcwd",    "statfs",     "fadvise64"};

// What drivers of GPUs and their compilers do besides: caches on disk, memory that is pinned, threads with priorities.
constexpr std::initializer_list<const char*> kGpuDriver = {"ioctl",
                                                           "openat",
                                                           "open",
                                                           "mmap",
                                                           "mprotect",
                                                           "mkdir",
                                                           "mkdirat",
                                                           "unlink",
                                                           "unlinkat",
                                                           "rename",
                                                           "renameat",
                                                           "renameat2",
                                                           "fallocate",
                                                           "fsync",
                                                           "fdatasync",
                                                           "flock",
                                                           "chmod",
                                                           "fchmod",
                                                           "fchmodat",
                                                           "utimensat",
                                                           "umask",
                                                           "mlock",
                                                           "mlock2",
                                                           "munlock",
                                                           "set_mempolicy",
                                                           "get_mempolicy",
                                                           "mbind",
                                                           "sched_setscheduler",
                                                           "sched_setattr",
                                                           "sched_getattr",
                                                           "setpriority",
                                                           "kcmp",
                                                           "prctl",
                                                           "inotify_init1",
                                                           "inotify_add_watch",
                                                           "inotify_rm_watch",
                                                           "setsockopt",
                                                           "pipe",
                                                           "eventfd",
                                                           "pidfd_open"};

// Whoever loads a library also closes the sandbox afterwards.
constexpr std::initializer_list<const char*> kLoading = {"mmap", "mprotect", "seccomp", "prctl"};

class Filter {
 public:
  Filter() : filter_(::seccomp_init(SCMP_ACT_ERRNO(EPERM)), &::seccomp_release) {}

  void allow(std::initializer_list<const char*> names) {
    for (const char* name : names) add(SCMP_ACT_ALLOW, name, {});
  }
  void allow_if(const char* name, std::initializer_list<scmp_arg_cmp> conditions) { add(SCMP_ACT_ALLOW, name, conditions); }
  // The C library takes the older way then, whose arguments a filter can see.
  void pretend_missing(const char* name) { add(SCMP_ACT_ERRNO(ENOSYS), name, {}); }

  Status load() {
    // All threads at once: constructors of the plugin may have started some.
    if (error_ == 0) error_ = ::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    if (error_ == 0) error_ = ::seccomp_load(filter_.get());
    if (error_ == 0) return {};
    return fail(Code::kOpFailed, std::string("the sandbox of the plugin host cannot be closed: ") + std::strerror(-error_));
  }

 private:
  void add(uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    if (filter_ == nullptr && error_ == 0) error_ = -ENOMEM;
    const int number = ::seccomp_syscall_resolve_name(name);
    if (error_ != 0 || number < 0) return;  // not on this processor
    const int error =
        ::seccomp_rule_add_array(filter_.get(), action, number, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (error != -EEXIST) error_ = error;  // what is in two lists is there once
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> filter_;
  int error_ = 0;  // the first; negative errno
};

// Conditions on an argument of a call: these bits of it are a value, none of them is set, it is a value.
scmp_arg_cmp masked(unsigned argument, uint64_t bits, uint64_t value) { return {argument, SCMP_CMP_MASKED_EQ, bits, value}; }
scmp_arg_cmp without(unsigned argument, uint64_t bits) { return masked(argument, bits, 0); }
scmp_arg_cmp equals(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }

// What every profile lets through.
void allow_computing(Filter& filter) {
  filter.allow(kComputing);
  // Threads, and no processes.
  filter.allow_if("clone", {masked(0, CLONE_THREAD, CLONE_THREAD)});
  filter.pretend_missing("clone3");
  // abort() and faults; no signals to others.
  filter.allow_if("tgkill", {equals(0, static_cast<uint64_t>(::getpid()))});
  // To look at limits, not to change them.
  filter.allow_if("prlimit64", {equals(2, 0)});
  // Fences of this library are pairs of sockets.
  filter.allow_if("socketpair", {equals(0, AF_UNIX)});
}

Status load_filter(SandboxProfile profile, bool is_loading) {
  if (profile == SandboxProfile::kUnconfined) return {};
  Filter filter;
  allow_computing(filter);
  const bool is_gpu = profile == SandboxProfile::kGpu;
  if (is_gpu) {
    filter.allow(kGpuDriver);
    filter.allow(kReadingFiles);
  }
  if (is_loading) {
    filter.allow(kReadingFiles);
    filter.allow(kLoading);
  }
  if (!is_gpu) {
    if (is_loading) {
      constexpr uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
      filter.allow_if("openat", {without(2, kWriting)});
      filter.allow_if("open", {without(1, kWriting)});
    } else {
      filter.allow_if("mmap", {without(2, PROT_EXEC)});
      filter.allow_if("mprotect", {without(2, PROT_EXEC)});
      filter.allow_if("prctl", {equals(0, PR_SET_NAME)});
      filter.allow_if("prctl", {equals(0, PR_GET_NAME)});
      // fstat() of newer C libraries; files cannot be opened by it.
      filter.allow({"newfstatat"});
    }
    for (const unsigned long request : {DMA_BUF_IOCTL_SYNC, SYNC_IOC_FILE_INFO, static_cast<unsigned long>(FIONREAD)}) {
      filter.allow_if("ioctl", {masked(1, UINT32_MAX, request)});
    }
  }
  return filter.load();
}

}  // namespace

Result<SandboxProfile> sandbox_profile(std::string_view name) {
  if (name == "strict") return SandboxProfile::kStrict;
  if (name == "gpu") return SandboxProfile::kGpu;
  if (name == "unconfined") return SandboxProfile::kUnconfined;
  return fail(Code::kBadData, "seccomp profile \"" + std::string(name) + "\" is unknown; there are strict, gpu and unconfined");
}

Status enter_sandbox(SandboxProfile profile) {
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return fail(Code::kOpFailed, std::string("setrlimit: ") + std::strerror(errno));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(Code::kOpFailed, std::string("no-new-privs: ") + std::strerror(errno));
  }
  return load_filter(profile, true);
}

Status close_sandbox(SandboxProfile profile) { return load_filter(profile, false); }

}  // namespace nnvk::accelerators
