// One line per attack. The calls go directly to the kernel, without the checks of the C library.
#include "tests/accelerators/host/hostile/attacks.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "accelerators/host/host_process.h"

namespace nnvk::test {
namespace {

using accelerators::kHostSocket;
using V = const Victim&;

int failure(long result) { return result < 0 ? errno : 0; }

template <class... Arguments>
int call(long number, Arguments... arguments) {
  return failure(::syscall(number, arguments...));
}

// An open descriptor for the duration of an attack.
struct Open {
  explicit Open(long fd) : fd(static_cast<int>(fd)), error(fd < 0 ? errno : 0) {}
  ~Open() {
    if (fd >= 0) ::close(fd);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  const int fd;
  const int error;
};

int open_file(const std::string& path, int flags, mode_t mode = 0) {
  const Open file(::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, mode));
  return file.error;
}

std::string proc(V v, const char* name) { return "/proc/" + std::to_string(v.client) + "/" + name; }

// Calls `use` with the reading and the writing end of a pipe.
template <class Use>
int with_pipe(Use use) {
  std::array<int, 2> ends{};
  if (::syscall(SYS_pipe2, ends.data(), 0) != 0) return errno;
  const int error = use(ends[0], ends[1]);
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

template <class Use>
int with_pair(int type, Use use) {
  std::array<int, 2> ends{};
  if (::syscall(SYS_socketpair, AF_UNIX, type, 0, ends.data()) != 0) return errno;
  const int error = use(ends[0]);
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

// Tries to make a process, which ends at once.
template <class Fork>
int with_process(Fork fork) {
  const long child = fork();
  if (child == 0) ::syscall(SYS_exit_group, 0);
  if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  return failure(child);
}

// A pidfd of the client, obtained from the socket.
int peer_handle() {
  constexpr int kPeerPidfd = 77;  // SO_PEERPIDFD
  int handle = -1;
  socklen_t size = sizeof handle;
  return ::getsockopt(kHostSocket, SOL_SOCKET, kPeerPidfd, &handle, &size) == 0 ? handle : -1;
}

sockaddr_un somewhere(const char* name, bool is_abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path + (is_abstract ? 1 : 0), name, sizeof address.sun_path - 2);
  return address;
}

int new_socket(int family, int type) { return Open(::syscall(SYS_socket, family, type, 0)).error; }

int send_message(int fd, int passed, const sockaddr_un* to) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  char byte = 'x';
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (to != nullptr) {
    message.msg_name = const_cast<sockaddr_un*>(to);
    message.msg_namelen = sizeof *to;
  }
  if (passed >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    *rights = {CMSG_LEN(sizeof passed), SOL_SOCKET, SCM_RIGHTS};
    std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
  }
  return call(SYS_sendmsg, fd, &message, MSG_NOSIGNAL);
}

// How many mebibytes `take` allocates, piece by piece, until it returns false. Stops at 64 GiB.
template <class Take>
int mebibytes(size_t piece, Take take) {
  size_t got = 0;
  while (got < (size_t{1} << 36) && take()) got += piece;
  return static_cast<int>(got >> 20);
}

int mapped_mebibytes(int flags) {
  constexpr size_t kPiece = size_t{64} << 20;
  std::vector<void*> pieces;
  pieces.reserve(1 << 14);
  const int got = mebibytes(kPiece, [&] {
    void* const piece = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (piece != MAP_FAILED) pieces.push_back(piece);
    return piece != MAP_FAILED;
  });
  for (void* const piece : pieces) ::munmap(piece, kPiece);
  return got;
}

// Maps writable memory and then makes it read-only, so that it no longer counts as data.
int read_only_mebibytes(V) {
  constexpr size_t kPiece = size_t{64} << 20;
  std::vector<void*> pieces;
  pieces.reserve(1 << 14);
  const int got = mebibytes(kPiece, [&] {
    void* const piece = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (piece == MAP_FAILED) return false;
    pieces.push_back(piece);
    return ::mprotect(piece, kPiece, PROT_READ) == 0;
  });
  for (void* const piece : pieces) ::munmap(piece, kPiece);
  return got;
}

int threads_started(V) {
  static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  constexpr size_t kMost = 1000;
  std::vector<pthread_t> threads;
  threads.reserve(kMost);
  pthread_attr_t small;
  ::pthread_attr_init(&small);
  ::pthread_attr_setstacksize(&small, size_t{64} << 10);
  const auto wait = [](void*) -> void* {
    ::pthread_mutex_lock(&held);
    ::pthread_mutex_unlock(&held);
    return nullptr;
  };
  ::pthread_mutex_lock(&held);
  for (pthread_t thread{}; threads.size() < kMost && ::pthread_create(&thread, &small, wait, nullptr) == 0;)
    threads.push_back(thread);
  ::pthread_mutex_unlock(&held);
  for (const pthread_t thread : threads) ::pthread_join(thread, nullptr);
  return static_cast<int>(threads.size());
}

int descriptors_opened(V) {
  std::vector<int> opened;
  opened.reserve(1 << 17);
  for (int fd = 0; opened.size() < (1 << 17) && (fd = ::dup(0)) >= 0;) opened.push_back(fd);
  for (const int fd : opened) ::close(fd);
  return static_cast<int>(opened.size());
}

int inherited_descriptors(V) {
  int count = 0;
  for (int fd = 4; fd < 4096; ++fd) {
    struct stat facts {};
    // The client's shared memory has no name; the host must not hold any other file.
    if (::fstat(fd, &facts) == 0 && !(S_ISREG(facts.st_mode) && facts.st_nlink == 0)) ++count;
  }
  return count;
}

int foreign_variables(V) {
  int count = 0;
  for (char** variable = ::environ; *variable != nullptr; ++variable)
    count += std::strncmp(*variable, "NNVK_TEST_SECRET=", 17) == 0;
  return count;
}

// How many names in the folder are visible that are not those of libraries.
int names_in(const std::string& folder) {
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = ::readdir(entries))
    count += entry->d_name[0] != '.' && std::strstr(entry->d_name, ".so") == nullptr;
  ::closedir(entries);
  return count;
}

// Calls `use` with the client's memory, by the descriptor that the host holds.
template <class Use>
int with_shared_memory(Use use) {
  for (int fd = 4; fd < 64; ++fd) {
    struct stat facts {};
    if (::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_nlink == 0 && facts.st_size > 0) return use(fd);
  }
  return ENOENT;  // none is shared yet
}

#ifdef __x86_64__
// If the kernel lacks the system calls of this architecture, the instruction ends in a fault.
sigjmp_buf after_fault;
int i386_getpid(V) {
  struct sigaction jump {};
  struct sigaction before {};
  jump.sa_handler = [](int) { siglongjmp(after_fault, 1); };
  ::sigaction(SIGSEGV, &jump, &before);
  long result = -ENOSYS;
  if (sigsetjmp(after_fault, 1) == 0) asm volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
  ::sigaction(SIGSEGV, &before, nullptr);
  return result < 0 ? static_cast<int>(-result) : 0;
}
int x32_getpid(V) { return call(0x40000000 + SYS_getpid); }
#else
int i386_getpid(V) { return ENOSYS; }
int x32_getpid(V) { return ENOSYS; }
#endif

int clone_with(unsigned long flags) {
  return with_process([flags] { return ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr); });
}

int timer_for_client(V v) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL | 4;  // SIGEV_THREAD_ID
  event.sigev_signo = SIGKILL;
  event._sigev_un._tid = v.client;
  int timer = 0;
  return call(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer);
}

int raise_limit(V) {
  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
  return call(SYS_prlimit64, 0, RLIMIT_AS, &more, nullptr);
}

int capabilities(V) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  data.fill({~0U, ~0U, ~0U});
  return call(SYS_capset, &header, data.data());
}

int owner_of_pipe(V v) {
  return with_pipe([&](int reading, int writing) {
    const int owned = call(SYS_fcntl, reading, F_SETOWN, v.client);
    static_cast<void>(call(SYS_fcntl, reading, F_SETSIG, SIGKILL));
    static_cast<void>(call(SYS_fcntl, reading, F_SETFL, O_ASYNC | O_NONBLOCK));
    static_cast<void>(!::write(writing, "x", 1));
    return owned;
  });
}

int owner_of_pipe_ex(V v) {
  return with_pipe([&](int reading, int) {
    const std::array<int, 2> owner{1, v.client};  // F_OWNER_PID
    return call(SYS_fcntl, reading, 15, owner.data());
  });
}

int size_of_memfd(V) {
  const Open file(::syscall(SYS_memfd_create, "x", 0));
  return file.fd < 0 ? file.error : failure(::ftruncate(file.fd, off_t{1} << 40));
}

// clang-format off
constexpr Attack kAttacks[] = {
    // Signals
    {"kill(client, SIGKILL)", [](V v) { return call(SYS_kill, v.client, SIGKILL); }},
    {"kill(-1, SIGKILL)", [](V) { return call(SYS_kill, -1, SIGKILL); }},
    {"kill(0, SIGKILL)", [](V) { return call(SYS_kill, 0, SIGKILL); }},
    {"tkill(client)", [](V v) { return call(SYS_tkill, v.client, SIGKILL); }},
    {"tgkill(client)", [](V v) { return call(SYS_tgkill, v.client, v.client, SIGKILL); }},
    {"rt_sigqueueinfo(client)", [](V v) { siginfo_t info{}; return call(SYS_rt_sigqueueinfo, v.client, SIGKILL, &info); }},
    {"rt_tgsigqueueinfo(client)", [](V v) { siginfo_t info{}; return call(SYS_rt_tgsigqueueinfo, v.client, v.client, SIGKILL, &info); }},
    {"pidfd_open(client)", [](V v) { return Open(::syscall(SYS_pidfd_open, v.client, 0)).error; }},
    {"getsockopt(SO_PEERPIDFD)", [](V) { return Open(peer_handle()).error; }},
    {"pidfd_send_signal", [](V) { const Open peer(peer_handle()); return call(SYS_pidfd_send_signal, peer.fd, SIGKILL, nullptr, 0); }},
    {"fcntl(F_SETOWN, client), F_SETSIG, O_ASYNC, write", owner_of_pipe},
    {"fcntl(F_SETOWN_EX, client)", owner_of_pipe_ex},
    {"fcntl(F_SETSIG)", [](V) { return with_pipe([](int fd, int) { return call(SYS_fcntl, fd, F_SETSIG, SIGKILL); }); }},
    {"fcntl(F_SETFL, O_ASYNC)", [](V) { return with_pipe([](int fd, int) { return call(SYS_fcntl, fd, F_SETFL, O_ASYNC); }); }},
    {"fcntl(F_SETLEASE)", [](V) { return call(SYS_fcntl, 0, F_SETLEASE, F_RDLCK); }},
    {"fcntl(F_NOTIFY)", [](V) { return call(SYS_fcntl, 0, F_NOTIFY, 1); }},
    {"ioctl(FIOSETOWN, client)", [](V v) { return with_pair(SOCK_STREAM, [&](int fd) { return call(SYS_ioctl, fd, 0x8901, &v.client); }); }},
    {"ioctl(SIOCSPGRP, client)", [](V v) { return with_pair(SOCK_STREAM, [&](int fd) { return call(SYS_ioctl, fd, 0x8902, &v.client); }); }},
    {"ioctl(FIOASYNC)", [](V) { return with_pipe([](int fd, int) { int on = 1; return call(SYS_ioctl, fd, FIOASYNC, &on); }); }},
    {"timer_create(SIGEV_THREAD_ID, client)", timer_for_client},
    {"setpgid", [](V v) { return call(SYS_setpgid, 0, v.client); }},
    {"setsid", [](V) { return call(SYS_setsid); }},
    {"ioctl(TIOCSTI)", [](V) { return call(SYS_ioctl, 2, TIOCSTI, "x"); }},
    {"ioctl(TIOCSCTTY)", [](V) { return call(SYS_ioctl, 2, TIOCSCTTY, 1); }},
    // Others' memory and descriptors
    {"ptrace(PTRACE_ATTACH, client)", [](V v) { return call(SYS_ptrace, PTRACE_ATTACH, v.client, nullptr, nullptr); }},
    {"ptrace(PTRACE_SEIZE, client)", [](V v) { return call(SYS_ptrace, PTRACE_SEIZE, v.client, nullptr, nullptr); }},
    {"ptrace(PTRACE_TRACEME)", [](V) { return call(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {"process_vm_readv(client)", [](V v) { char c = 0; iovec io{&c, 1}; return call(SYS_process_vm_readv, v.client, &io, 1, &io, 1, 0); }},
    {"process_vm_writev(client)", [](V v) { char c = 0; iovec io{&c, 1}; return call(SYS_process_vm_writev, v.client, &io, 1, &io, 1, 0); }},
    {"process_madvise", [](V) { const Open peer(peer_handle()); iovec io{nullptr, 0}; return call(SYS_process_madvise, peer.fd, &io, 1, 20, 0); }},
    {"pidfd_getfd", [](V) { const Open peer(peer_handle()); return Open(::syscall(SYS_pidfd_getfd, peer.fd, 0, 0)).error; }},
    {"open /proc/<client>/mem for reading", [](V v) { return open_file(proc(v, "mem"), O_RDONLY); }},
    {"open /proc/<client>/mem for writing", [](V v) { return open_file(proc(v, "mem"), O_RDWR); }},
    {"open /proc/<client>/environ", [](V v) { return open_file(proc(v, "environ"), O_RDONLY); }},
    {"open /proc/<client>/maps", [](V v) { return open_file(proc(v, "maps"), O_RDONLY); }},
    {"open /proc/<client>/fd/0", [](V v) { return open_file(proc(v, "fd/0"), O_RDONLY); }},
    {"open etc/passwd below /proc/<client>/root", [](V v) { return open_file(proc(v, "root/etc/passwd"), O_RDONLY); }},
    {"open /proc/1/environ", [](V) { return open_file("/proc/1/environ", O_RDONLY); }},
    {"open /proc/self/mem", [](V) { return open_file("/proc/self/mem", O_RDWR); }},
    {"kcmp(client)", [](V v) { return call(SYS_kcmp, ::getpid(), v.client, 0, 0, 0); }},
    {"get_robust_list(client)", [](V v) { void* h = nullptr; size_t n = 0; return call(SYS_get_robust_list, v.client, &h, &n); }},
    {"perf_event_open(client)", [](V v) { std::array<char, 128> a{}; return call(SYS_perf_event_open, a.data(), v.client, -1, -1, 0); }},
    {"userfaultfd", [](V) { return Open(::syscall(SYS_userfaultfd, 0)).error; }},
    {"bpf", [](V) { std::array<char, 128> a{}; return call(SYS_bpf, 0, a.data(), a.size()); }},
    {"add_key", [](V) { return call(SYS_add_key, "user", "x", "x", 1, -3); }},
    {"request_key", [](V) { return call(SYS_request_key, "user", "x", nullptr, 0); }},
    {"keyctl", [](V) { return call(SYS_keyctl, 0, -3, 0); }},
    {"io_uring_setup", [](V) { std::array<char, 256> p{}; return Open(::syscall(425, 8, p.data())).error; }},
    {"ftruncate of the client's memory", [](V) { return with_shared_memory([](int fd) { return failure(::ftruncate(fd, 0)); }); }},
    {"fcntl(F_ADD_SEALS) on the client's memory", [](V) { return with_shared_memory([](int fd) { return call(SYS_fcntl, fd, F_ADD_SEALS, 0x10); }); }},
    {"fcntl(F_SETFL, O_APPEND) on the client's memory", [](V) { return with_shared_memory([](int fd) { return call(SYS_fcntl, fd, F_SETFL, O_APPEND); }); }},
    // Files
    {"read the user's file beside the library", [](V v) { return open_file(v.secret, O_RDONLY); }},
    {"write the user's file", [](V v) { return open_file(v.secret, O_WRONLY | O_TRUNC); }},
    {"truncate the user's file", [](V v) { return call(SYS_truncate, v.secret.c_str(), 0); }},
    {"chmod of the user's file", [](V v) { return call(SYS_fchmodat, AT_FDCWD, v.secret.c_str(), 0777); }},
    {"chown of the user's file", [](V v) { return call(SYS_fchownat, AT_FDCWD, v.secret.c_str(), 1, 1, 0); }},
    {"utimensat of the user's file", [](V v) { return call(SYS_utimensat, AT_FDCWD, v.secret.c_str(), nullptr, 0); }},
    {"unlink of the user's file", [](V v) { return call(SYS_unlinkat, AT_FDCWD, v.secret.c_str(), 0); }},
    {"rename of the user's file", [](V v) { return call(SYS_renameat2, AT_FDCWD, v.secret.c_str(), AT_FDCWD, (v.secret + "x").c_str(), 0); }},
    {"setxattr of the user's file", [](V v) { return call(SYS_setxattr, v.secret.c_str(), "user.x", "x", 1, 0); }},
    {"link to the user's file", [](V v) { return call(SYS_linkat, AT_FDCWD, v.secret.c_str(), AT_FDCWD, (v.secret + "x").c_str(), 0); }},
    {"names in the folder of the library", [](V v) { return names_in(v.secret_folder); }, Outcome::kAtMost, 0, Outcome::kHarmless},
    {"create a file beside the library", [](V v) { return open_file(v.secret_folder + "/new", O_CREAT | O_WRONLY, 0600); }, Outcome::kRefused, 0, Outcome::kHarmless},
    {"open the own library for writing", [](V v) { return open_file(v.own_library, O_RDWR); }},
    {"read /etc/passwd", [](V) { return open_file("/etc/passwd", O_RDONLY); }},
    {"read /etc/shadow", [](V) { return open_file("/etc/shadow", O_RDONLY); }},
    {"openat2", [](V) { std::array<uint64_t, 3> how{}; return call(437, AT_FDCWD, "/etc/passwd", how.data(), sizeof how); }},
    {"list /root", [](V) { return open_file("/root", O_RDONLY | O_DIRECTORY); }},
    {"list /home", [](V) { return open_file("/home", O_RDONLY | O_DIRECTORY); }},
    {"create a file in /tmp", [](V) { return open_file("/tmp/nnvk_hostile", O_CREAT | O_WRONLY, 0600); }, Outcome::kRefused, 0, Outcome::kHarmless},
    {"create a file in /dev/shm", [](V) { return open_file("/dev/shm/nnvk_hostile", O_CREAT | O_RDWR, 0600); }},
    {"create a file in /", [](V) { return open_file("/nnvk_hostile", O_CREAT | O_WRONLY, 0600); }},
    {"create a nameless file (O_TMPFILE)", [](V) { return open_file("/var/tmp", O_TMPFILE | O_RDWR, 0600); }},
    {"mkdir", [](V) { return call(SYS_mkdirat, AT_FDCWD, "/nnvk_hostile", 0700); }},
    {"symlink", [](V) { return call(SYS_symlinkat, "/etc", AT_FDCWD, "/tmp/nnvk_link"); }},
    {"mknod", [](V) { return call(SYS_mknodat, AT_FDCWD, "/tmp/nnvk_node", S_IFCHR | 0600, 0x101); }},
    {"open /dev/mem", [](V) { return open_file("/dev/mem", O_RDWR); }},
    {"open /dev/kvm", [](V) { return open_file("/dev/kvm", O_RDWR); }},
    {"open /dev/vda or sda", [](V) { const int error = open_file("/dev/vda", O_RDONLY); return error == 0 ? 0 : open_file("/dev/sda", O_RDONLY); }},
    {"open /dev/tty", [](V) { return open_file("/dev/tty", O_RDWR); }},
    {"open_by_handle_at", [](V) { std::array<char, 160> h{}; return call(SYS_open_by_handle_at, 0, h.data(), O_RDONLY); }},
    {"name_to_handle_at", [](V) { std::array<char, 160> h{}; int id = 0; return call(SYS_name_to_handle_at, AT_FDCWD, "/lib", h.data(), &id, 0); }},
    {"mount", [](V) { return call(SYS_mount, "x", "/", "tmpfs", 0, nullptr); }},
    {"umount2", [](V) { return call(SYS_umount2, "/", MNT_DETACH); }},
    {"open_tree", [](V) { return Open(::syscall(428, AT_FDCWD, "/", 1)).error; }},
    {"fsopen", [](V) { return Open(::syscall(430, "proc", 0)).error; }},
    {"pivot_root", [](V) { return call(SYS_pivot_root, "/", "/"); }},
    {"chroot", [](V) { return call(SYS_chroot, "/"); }},
    {"fchdir", [](V) { return call(SYS_fchdir, 0); }},
    {"unshare(CLONE_NEWUSER)", [](V) { return call(SYS_unshare, CLONE_NEWUSER); }},
    {"unshare(CLONE_FILES)", [](V) { return call(SYS_unshare, CLONE_FILES); }},
    {"close_range(CLOSE_RANGE_UNSHARE)", [](V) { return call(436, 4000, 4001, 2); }},
    {"setns", [](V) { return call(SYS_setns, 0, 0); }},
    {"inotify_init1", [](V) { return Open(::syscall(SYS_inotify_init1, 0)).error; }},
    {"fanotify_init", [](V) { return Open(::syscall(SYS_fanotify_init, 0, 0)).error; }},
    // Sockets
    {"socket(AF_UNIX)", [](V) { return new_socket(AF_UNIX, SOCK_DGRAM); }},
    {"socket(AF_INET)", [](V) { return new_socket(AF_INET, SOCK_STREAM); }},
    {"socket(AF_NETLINK)", [](V) { return new_socket(AF_NETLINK, SOCK_RAW); }},
    {"socket(AF_ALG)", [](V) { return new_socket(38, SOCK_SEQPACKET); }},
    {"socket(AF_VSOCK)", [](V) { return new_socket(40, SOCK_STREAM); }},
    {"socketpair(SOCK_DGRAM)", [](V) { return with_pair(SOCK_DGRAM, [](int) { return 0; }); }},
    {"socketpair(SOCK_SEQPACKET)", [](V) { return with_pair(SOCK_SEQPACKET, [](int) { return 0; }); }},
    {"sendto with a path", [](V) { return with_pair(SOCK_STREAM, [](int fd) { const auto to = somewhere("/run/systemd/journal/socket", false); return call(SYS_sendto, fd, "x", 1, 0, &to, sizeof to); }); }},
    {"sendto with an abstract name", [](V) { return with_pair(SOCK_STREAM, [](int fd) { const auto to = somewhere("nnvk_hostile", true); return call(SYS_sendto, fd, "x", 1, 0, &to, sizeof to); }); }},
    {"connect", [](V) { return with_pair(SOCK_STREAM, [](int fd) { const auto to = somewhere("nnvk_hostile", true); return call(SYS_connect, fd, &to, sizeof to); }); }},
    {"bind", [](V) { return with_pair(SOCK_STREAM, [](int fd) { const auto to = somewhere("nnvk_hostile", true); return call(SYS_bind, fd, &to, sizeof to); }); }},
    {"sendmsg with a descriptor to the client", [](V) { return send_message(kHostSocket, 2, nullptr); }},
    {"sendmsg with a descriptor to itself", [](V) { return with_pair(SOCK_STREAM, [](int fd) { return send_message(fd, 2, nullptr); }); }},
    {"sendmmsg", [](V) { return call(SYS_sendmmsg, kHostSocket, nullptr, 0, 0); }},
    {"getsockopt(SO_PEERCRED)", [](V) { std::array<int, 3> c{}; socklen_t n = sizeof c; return failure(::getsockopt(kHostSocket, SOL_SOCKET, SO_PEERCRED, c.data(), &n)); }},
    {"setsockopt(SO_PASSCRED)", [](V) { int on = 1; return failure(::setsockopt(kHostSocket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on)); }},
    // Processes and rights
    {"fork", [](V) { return clone_with(SIGCHLD); }},
    {"clone(CLONE_VM)", [](V) { return clone_with(CLONE_VM | CLONE_VFORK | SIGCHLD); }},
    {"clone(CLONE_NEWUSER)", [](V) { return clone_with(CLONE_NEWUSER | SIGCHLD); }},
    {"clone(CLONE_PARENT)", [](V) { return clone_with(CLONE_PARENT | SIGCHLD); }},
    {"clone of a thread with descriptors of its own", [](V) { return clone_with(CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD); }},
    {"clone3", [](V) { std::array<uint64_t, 11> a{}; a[4] = SIGCHLD; return with_process([&] { return ::syscall(435, a.data(), sizeof a); }); }},
    {"execve", [](V) { char* none[] = {nullptr}; return call(SYS_execve, "/bin/true", none, none); }},
    {"execveat", [](V) { char* none[] = {nullptr}; return call(SYS_execveat, AT_FDCWD, "/lib64/ld-linux-x86-64.so.2", none, none, 0); }},
    {"setuid(0)", [](V) { return call(SYS_setuid, 0); }},
    {"setresuid", [](V) { return call(SYS_setresuid, 0, 0, 0); }},
    {"setgroups", [](V) { return call(SYS_setgroups, 0, nullptr); }},
    {"capset", capabilities},
    {"prctl(PR_SET_PTRACER)", [](V) { return call(SYS_prctl, 0x59616D61, -1, 0, 0, 0); }},
    {"prctl(PR_SET_PDEATHSIG, 0)", [](V) { return call(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0); }},
    {"prctl(PR_SET_DUMPABLE)", [](V) { return call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0); }},
    {"prctl(PR_SET_CHILD_SUBREAPER)", [](V) { return call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }},
    {"prctl(PR_SET_MM)", [](V) { return call(SYS_prctl, PR_SET_MM, 1, 0, 0, 0); }},
    {"prctl(PR_SET_SECUREBITS)", [](V) { return call(SYS_prctl, PR_SET_SECUREBITS, 1, 0, 0, 0); }},
    {"prlimit64(client)", [](V v) { const rlimit none{0, 0}; return call(SYS_prlimit64, v.client, RLIMIT_NOFILE, &none, nullptr); }},
    {"prlimit64 of its own memory", raise_limit},
    {"setpriority(client)", [](V v) { return call(SYS_setpriority, PRIO_PROCESS, v.client, 19); }},
    {"setpriority of the user", [](V) { return call(SYS_setpriority, PRIO_USER, 0, 19); }},
    {"ioprio_set(client)", [](V v) { return call(SYS_ioprio_set, 1, v.client, 0x6000); }},
    {"sched_setaffinity(client)", [](V v) { uint64_t mask = 1; return call(SYS_sched_setaffinity, v.client, sizeof mask, &mask); }},
    {"sched_setscheduler(client)", [](V v) { sched_param p{}; return call(SYS_sched_setscheduler, v.client, SCHED_IDLE, &p); }},
    {"sched_setattr(client)", [](V v) { std::array<uint32_t, 14> a{56, 5}; return call(SYS_sched_setattr, v.client, a.data(), 0); }},
    {"sched_setscheduler(0, SCHED_FIFO)", [](V) { sched_param p{1}; return call(SYS_sched_setscheduler, 0, SCHED_FIFO, &p); }},
    {"migrate_pages(client)", [](V v) { return call(SYS_migrate_pages, v.client, 0, nullptr, nullptr); }},
    {"move_pages(client)", [](V v) { return call(SYS_move_pages, v.client, 0, nullptr, nullptr, nullptr, 0); }},
    {"i386 system call", i386_getpid},
    {"x32 system call", x32_getpid},
    {"personality", [](V) { return call(SYS_personality, 0x0040000); }},
    {"seccomp with a listener", [](V) { std::array<char, 16> p{}; return Open(::syscall(SYS_seccomp, 1, 8, p.data())).error; }},
    {"syslog", [](V) { std::array<char, 16> b{}; return call(SYS_syslog, 3, b.data(), b.size()); }},
    {"reboot", [](V) { return call(SYS_reboot, 0, 0, 0, nullptr); }},
    {"sethostname", [](V) { return call(SYS_sethostname, "x", 1); }},
    {"clock_settime", [](V) { const timespec t{}; return call(SYS_clock_settime, CLOCK_REALTIME, &t); }},
    // Memory and other limited resources
    {"shmget", [](V) { return call(SYS_shmget, 0, 4096, 0600); }},
    {"msgget", [](V) { return call(SYS_msgget, 0, 0600); }},
    {"semget", [](V) { return call(SYS_semget, 0, 1, 0600); }},
    {"mq_open", [](V) { return call(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, nullptr); }},
    {"a memfd of 1 TiB", size_of_memfd},
    {"memfd_create", [](V) { return Open(::syscall(SYS_memfd_create, "x", 0)).error; }, Outcome::kRefused, 0, Outcome::kHarmless},
    {"memfd_secret", [](V) { return Open(::syscall(447, 0)).error; }},
    {"MiB of private memory", [](V) { return mapped_mebibytes(MAP_PRIVATE); }, Outcome::kAtMost, 1024},
    {"MiB of shared memory", [](V) { return mapped_mebibytes(MAP_SHARED); }, Outcome::kAtMost, 1024, Outcome::kHarmless},
    {"MiB of memory that grows downwards", [](V) { return mapped_mebibytes(MAP_PRIVATE | MAP_GROWSDOWN); }, Outcome::kAtMost, 1024, Outcome::kHarmless},
    {"MiB of memory made read-only afterwards", read_only_mebibytes, Outcome::kAtMost, 1024, Outcome::kHarmless},
    {"mlockall", [](V) { return call(SYS_mlockall, 3); }},
    {"threads", threads_started, Outcome::kAtMost, 200},
    {"descriptors", descriptors_opened, Outcome::kAtMost, 4096},
    {"fcntl(F_SETPIPE_SZ)", [](V) { return with_pipe([](int fd, int) { return call(SYS_fcntl, fd, 1031, 1 << 20); }); }},
    {"pipe2(O_NOTIFICATION_PIPE)", [](V) { std::array<int, 2> e{}; return call(SYS_pipe2, e.data(), O_EXCL); }},
    {"vmsplice", [](V) { return call(SYS_vmsplice, 1, nullptr, 0, 0); }},
    {"descriptors that it inherits", inherited_descriptors, Outcome::kAtMost, 0},
    {"the client's variables", foreign_variables, Outcome::kAtMost, 0},
    {"size of core dumps", [](V) { rlimit limit{}; ::getrlimit(RLIMIT_CORE, &limit); return limit.rlim_max == 0 ? 0 : 1; }, Outcome::kAtMost, 0},
};
// clang-format on

}  // namespace

std::span<const Attack> all_attacks() { return kAttacks; }

}  // namespace nnvk::test
