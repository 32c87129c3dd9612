// A child process tries to make namespaces and a root folder. Interfaces of the kernel tell the other facts.
#include "accelerators/host/program/kernel_traits.h"

#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "accelerators/host/program/landlock.h"
#include "accelerators/host/program/namespaces.h"
#include "accelerators/host/program/own_root.h"
#include "core/base/file_descriptor.h"

namespace nnvk::accelerators {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

// Takes all steps of a plugin's process; it runs in the child process. The error names a step that failed.
Status try_namespaces(NamespaceWay way) {
  NNVK_TRY(separate_children(way));
  const pid_t first = ::fork();
  if (first < 0) return fail(Code::kOpFailed, "a process cannot be started in a new namespace");
  if (first == 0) {
    const bool is_done = separate_surroundings() && enter_own_root({{"/dev/null"}, {"/proc/cpuinfo"}}, 0);
    ::_exit(is_done ? 0 : 1);
  }
  int status = -1;
  uninterrupted([&] { return ::waitpid(first, &status, 0); });
  if (status != 0) return fail(Code::kOpFailed, "new namespaces do not give the right to mount in them");
  return {};
}

// Returns the reason why namespaces are not available; empty if they are.
std::string why_no_namespaces(NamespaceWay way) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no descriptor is left";
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return "no process can be started";
  if (child == 0) {
    const Status tried = try_namespaces(way);
    const std::string why = tried ? "yes" : tried.error().message;
    static_cast<void>(!::write(writing.get(), why.data(), why.size()));
    ::_exit(0);
  }
  writing = FileDescriptor();
  std::array<char, 512> text{};
  const ssize_t size = uninterrupted([&] { return ::read(reading.get(), text.data(), text.size()); });
  uninterrupted([child] { return ::waitpid(child, nullptr, 0); });
  const std::string why(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  if (why == "yes") return {};
  return why.empty() ? "trying it ended early" : why;
}

// Returns whether the kernel is Linux 5.14 or later, which counts limits of processes per user namespace.
bool is_5_14_or_later() {
  utsname name{};
  unsigned major = 0;
  unsigned minor = 0;
  if (::uname(&name) != 0 || std::sscanf(name.release, "%u.%u", &major, &minor) != 2) return false;
  return major > 5 || (major == 5 && minor >= 14);
}

}  // namespace

KernelTraits probe_kernel() {
  KernelTraits kernel;
  kernel.landlock = landlock_version();
  kernel.is_root = ::geteuid() == 0;
  kernel.has_thread_counts = is_5_14_or_later();
  kernel.is_sanitized = kIsSanitized;
  kernel.machine_bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const NamespaceWay way : {NamespaceWay::kAsRoot, NamespaceWay::kAsUser}) {
    if (way == NamespaceWay::kAsRoot && !kernel.is_root) continue;
    kernel.why_no_namespaces = why_no_namespaces(way);
    if (!kernel.why_no_namespaces.empty()) continue;
    kernel.namespaces = way;
    break;
  }
  return kernel;
}

}  // namespace nnvk::accelerators
