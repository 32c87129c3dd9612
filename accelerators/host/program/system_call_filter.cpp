#include "accelerators/host/program/system_call_filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/seccomp.h>
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

// clang-format off
// Calls for computing: memory, threads, clocks and open files. None of these names another process, a path or an address.
constexpr std::initializer_list<const char*> kComputing = {
    "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "fstatfs", "dup", "dup2", "dup3",
    "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
    "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime", "recvmsg", "recvfrom", "shutdown",
    "munmap", "mremap", "madvise", "brk", "msync", "mincore", "ftruncate",
    "futex", "futex_waitv", "membarrier", "rseq", "set_robust_list", "set_tid_address", "arch_prctl",
    "sched_yield", "sched_get_priority_max", "sched_get_priority_min", "getcpu",
    "pause", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage",
    "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "sysinfo", "uname", "getrandom",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "restart_syscall",
    "exit", "exit_group"};

// Calls for finding and reading the library files that the process can see.
constexpr std::initializer_list<const char*> kReadingFiles = {
    "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd",
    "statfs", "fadvise64"};

// Further calls of GPU drivers and their compilers: caches on disk, pinned memory. They reach only paths that the process can
// see. The list has no chmod and the like, because Landlock does not cover them.
constexpr std::initializer_list<const char*> kGpuDriver = {
    "ioctl", "openat", "open", "mprotect", "mkdir", "mkdirat", "unlink", "unlinkat", "rename", "renameat", "renameat2",
    "fallocate", "fsync", "fdatasync", "flock", "umask", "mlock", "mlock2", "munlock", "set_mempolicy", "get_mempolicy", "mbind",
    "pipe", "eventfd"};
// clang-format on

// Each function makes a condition on an argument of a call: the masked bits equal `value`, none of the bits is set, or the
// argument equals `value`.
scmp_arg_cmp masked(unsigned argument, uint64_t bits, uint64_t value) { return {argument, SCMP_CMP_MASKED_EQ, bits, value}; }
scmp_arg_cmp without(unsigned argument, uint64_t bits) { return masked(argument, bits, 0); }
scmp_arg_cmp equals(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }

class Filter {
 public:
  // The filter applies `otherwise` to calls that match no rule: no rule names them, or their arguments fit no condition.
  explicit Filter(uint32_t otherwise) : filter_(::seccomp_init(otherwise), &::seccomp_release) {}

  void allow(std::initializer_list<const char*> names) {
    for (const char* name : names) add(SCMP_ACT_ALLOW, name, {});
  }
  void allow_if(const char* name, std::initializer_list<scmp_arg_cmp> conditions) { add(SCMP_ACT_ALLOW, name, conditions); }
  void refuse_if(const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    add(SCMP_ACT_ERRNO(EPERM), name, conditions);
  }
  // Makes the call fail with ENOSYS: the C library then uses the older call, whose arguments a filter can check.
  void pretend_missing(const char* name) { add(SCMP_ACT_ERRNO(ENOSYS), name, {}); }

  Status load() {
    if (filter_ == nullptr && error_ == 0) error_ = -ENOMEM;
    set(SCMP_FLTATR_CTL_TSYNC, 1);  // for all threads: constructors of the plugin may have started some
    set(SCMP_FLTATR_CTL_NNP, 0);    // already set
    set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
    // Refuses calls of other architectures, because their numbers mean other calls.
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    if (error_ == 0) error_ = ::seccomp_load(filter_.get());
    if (error_ == 0) return {};
    return fail(Code::kOpFailed, std::string("the system calls of a plugin cannot be filtered: ") + std::strerror(-error_));
  }

 private:
  void set(scmp_filter_attr attribute, uint32_t value) {
    if (error_ == 0) error_ = ::seccomp_attr_set(filter_.get(), attribute, value);
  }
  void add(uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (filter_ == nullptr || error_ != 0 || number < 0) return;  // not on this processor
    const int error =
        ::seccomp_rule_add_array(filter_.get(), action, number, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (error != -EEXIST) error_ = error;  // a call may be in two lists
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> filter_;
  int error_ = 0;  // the first; negative errno
};

// Permits clone() with the flags of pthread_create: a thread that shares everything. A thread with descriptors of its own could
// hide files there.
void allow_threads(Filter& filter) {
  constexpr uint64_t kAlways = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  constexpr uint64_t kPerhaps =
      CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED;
  filter.allow_if("clone", {masked(0, ~kPerhaps, kAlways)});
  filter.pretend_missing("clone3");
}

// Permits the fcntl commands that copy descriptors, read or set their flags, or read seals. GPU drivers may also add seals. No
// permitted command sets an owner (who would receive signals), a lease, a lock or the size of a pipe.
void allow_fcntl(Filter& filter, bool is_gpu) {
  for (const int command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_GET_SEALS}) {
    filter.allow_if("fcntl", {equals(1, static_cast<uint64_t>(command))});
  }
  // Not O_ASYNC, which sends signals, nor O_APPEND, which would affect the client as well.
  constexpr uint64_t kFlags = O_NONBLOCK | O_ACCMODE | O_CLOEXEC | 0100000;  // 0100000: O_LARGEFILE, which is 0 in headers
  filter.allow_if("fcntl", {equals(1, F_SETFL), without(2, ~kFlags)});
  // GPU drivers may seal their own memfds; only their profile may make memfds.
  if (is_gpu)
    filter.allow_if("fcntl", {equals(1, F_ADD_SEALS), without(2, ~uint64_t{F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL})});
}

// Permits calls that name a process or thread. In its own PID namespace, the process may name any thread in the first five calls,
// otherwise only 0, the calling thread. In all later calls it may name only itself.
void allow_questions(Filter& filter, bool has_own_processes) {
  for (const char* name : {"sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "get_robust_list"}) {
    has_own_processes ? filter.allow({name}) : filter.allow_if(name, {equals(0, 0)});
  }
  filter.allow_if("getpriority", {equals(0, PRIO_PROCESS), equals(1, 0)});
  filter.allow_if("prlimit64", {equals(0, 0), equals(2, 0)});  // to read limits, not to change them
  // Permits abort() and faults to signal this process; signals to others are refused.
  filter.allow_if("tgkill", {equals(0, static_cast<uint64_t>(::getpid()))});
}

// Permits the calls that every profile permits.
void allow_computing(Filter& filter, const FilterSurroundings& surroundings, bool is_gpu) {
  filter.allow(kComputing);
  allow_threads(filter);
  allow_fcntl(filter, is_gpu);
  allow_questions(filter, surroundings.has_own_processes);
  filter.allow_if("pipe2", {without(1, O_EXCL)});  // O_EXCL: a queue of the kernel's notifications
  // Fences of this library are pairs of connected streams. Datagrams are refused, because they can be sent to any address.
  filter.allow_if("socketpair", {equals(0, AF_UNIX), masked(1, 0xF, SOCK_STREAM), equals(2, 0)});
  filter.allow_if("sendto", {equals(4, 0)});
  for (const int option : {SO_TYPE, SO_ERROR, SO_DOMAIN}) {  // not the identity of the other end
    filter.allow_if("getsockopt", {equals(1, SOL_SOCKET), equals(2, static_cast<uint64_t>(option))});
  }
  for (const int option : {PR_SET_NAME, PR_GET_NAME}) filter.allow_if("prctl", {equals(0, static_cast<uint64_t>(option))});
  filter.allow_if("newfstatat", {equals(3, AT_EMPTY_PATH)});  // fstat() of newer C libraries
}

void allow_gpu(Filter& filter, const FilterSurroundings& surroundings) {
  filter.allow(kGpuDriver);
  filter.allow(kReadingFiles);
  filter.allow_if("mmap", {without(3, MAP_HUGETLB)});
  filter.allow_if("memfd_create", {without(1, MFD_HUGETLB)});
  for (const char* name : {"sched_setscheduler", "sched_setattr", "sched_getattr"}) {
    surroundings.has_own_processes ? filter.allow({name}) : filter.allow_if(name, {equals(0, 0)});
  }
  filter.allow_if("setpriority", {equals(0, PRIO_PROCESS), equals(1, 0)});
  const auto own = static_cast<uint64_t>(::getpid());
  filter.allow_if("kcmp", {equals(0, own), equals(1, own)});
  filter.allow_if("prctl", {equals(0, 0x53564D41)});  // PR_SET_VMA: names of memory
}

void allow_strict(Filter& filter, bool is_loading) {
  if (is_loading) {
    constexpr uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
    filter.allow_if("openat", {without(2, kWriting)});
    filter.allow_if("open", {without(1, kWriting)});
    filter.allow({"mmap", "mprotect"});
  } else {
    filter.allow_if("mmap", {without(2, PROT_EXEC)});
    filter.allow_if("mprotect", {without(2, PROT_EXEC)});
  }
  for (const unsigned long request : {DMA_BUF_IOCTL_SYNC, SYNC_IOC_FILE_INFO, static_cast<unsigned long>(FIONREAD)}) {
    filter.allow_if("ioctl", {masked(1, UINT32_MAX, request)});
  }
}

// Refuses requests (ioctl) to terminals, which can type for the user, and to files and sockets, which can direct signals to other
// processes. This filter is separate, because one filter cannot permit a call and refuse some of its arguments.
Status refuse_requests_to_others() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const uint64_t kind : {uint64_t{0x54}, uint64_t{0x89}, uint64_t{0xFF}}) {  // 'T', sockets, processes
    filter.refuse_if("ioctl", {masked(1, 0xFF00, kind << 8)});
  }
  return filter.load();
}

}  // namespace

Status filter_system_calls(SandboxProfile profile, const FilterSurroundings& surroundings) {
  if (profile == SandboxProfile::kUnconfined) return {};
  const bool is_gpu = profile == SandboxProfile::kGpu;
  if (is_gpu && surroundings.is_loading) NNVK_TRY(refuse_requests_to_others());
  Filter filter(SCMP_ACT_ERRNO(EPERM));
  allow_computing(filter, surroundings, is_gpu);
  is_gpu ? allow_gpu(filter, surroundings) : allow_strict(filter, surroundings.is_loading);
  if (surroundings.is_loading) {
    filter.allow(kReadingFiles);
    filter.allow_if("seccomp", {equals(0, SECCOMP_SET_MODE_FILTER),
                                without(1, ~uint64_t{SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH})});
  }
  return filter.load();
}

}  // namespace nnvk::accelerators
