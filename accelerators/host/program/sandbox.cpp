#include "accelerators/host/program/sandbox.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "accelerators/host/program/landlock.h"
#include "accelerators/host/program/namespaces.h"
#include "accelerators/host/program/system_call_filter.h"

namespace nnvk::accelerators {
namespace {

constexpr uint64_t kScratchBytes = uint64_t{64} << 20;  // of an empty /tmp, for drivers of GPUs
constexpr unsigned kNobody = 65534;
constexpr rlim_t kMostQueuedSignals = 64;

tl::unexpected<Error> failed(const std::string& what) { return fail(Code::kOpFailed, what + ": " + std::strerror(errno)); }

// Sets a limit of this process, but never above the former limit.
Status limit(__rlimit_resource resource, const char* name, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return failed(name);
  const rlim_t value = std::min(most, now.rlim_max);
  const rlimit wanted{value, value};
  if (::setrlimit(resource, &wanted) != 0) return failed(name);
  return {};
}

// Sets the limits of this process for good: memory, threads, files, descriptors, locks, signals, priorities, core dumps.
// OP_FAILED names the limit that the kernel refuses.
Status set_limits(const Protections& protections) {
  NNVK_TRY(limit(RLIMIT_CORE, "forbidding core dumps", 0));
  if (protections.profile == SandboxProfile::kUnconfined) return {};
  NNVK_TRY(limit(RLIMIT_FSIZE, "limiting the sizes of files", protections.file_bytes));
  NNVK_TRY(limit(RLIMIT_NOFILE, "limiting descriptors", kMostDescriptors));
  NNVK_TRY(limit(RLIMIT_MSGQUEUE, "forbidding message queues", 0));
  NNVK_TRY(limit(RLIMIT_SIGPENDING, "limiting queued signals", kMostQueuedSignals));
  NNVK_TRY(limit(RLIMIT_RTPRIO, "forbidding real-time priorities", 0));
  NNVK_TRY(limit(RLIMIT_NICE, "forbidding raised priorities", 0));
  if (protections.profile == SandboxProfile::kStrict) NNVK_TRY(limit(RLIMIT_MEMLOCK, "forbidding locked memory", 0));
  if (protections.limits_threads) NNVK_TRY(limit(RLIMIT_NPROC, "limiting threads", protections.threads));
  if (protections.limits_address_space) NNVK_TRY(limit(RLIMIT_AS, "limiting memory", protections.memory_bytes));
  if (protections.limits_data) NNVK_TRY(limit(RLIMIT_DATA, "limiting memory", protections.memory_bytes));
  return {};
}

// Makes this process, which must have root's rights, run as user nobody. OP_FAILED if the kernel refuses. If the kernel permits
// it, the process is then alone in a user namespace, so that nobody's other processes do not count against its limits.
Status become_nobody() {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
      ::setresuid(kNobody, kNobody, kNobody) != 0) {
    return failed("becoming nobody");
  }
  static_cast<void>(::unshare(CLONE_NEWUSER));
  return {};
}

// Gives up all capabilities of this process for good. OP_FAILED if it has any afterwards.
Status give_up_capabilities() {
  static_cast<void>(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));  // older kernels have none
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    static_cast<void>(::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0));  // without CAP_SETPCAP there is nothing to give up
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capset, &header, data.data()) != 0) return failed("giving up capabilities");
  return {};
}

FilterSurroundings surroundings_of(const Protections& protections, bool is_loading) {
  return {is_loading, protections.namespaces != NamespaceWay::kNone};
}

Status gain_no_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) return {};
  return failed("no-new-privs");
}

}  // namespace

Status enter_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible) {
  std::signal(SIGXFSZ, SIG_IGN);  // the call that exceeds a file's limit fails instead
  if (protections.profile == SandboxProfile::kUnconfined) {
    NNVK_TRY(set_limits(protections));
    return gain_no_privileges();
  }
  const bool is_gpu = protections.profile == SandboxProfile::kGpu;
  if (protections.namespaces != NamespaceWay::kNone) {
    NNVK_TRY(separate_surroundings());
    NNVK_TRY(enter_own_root(visible, is_gpu ? kScratchBytes : 0));
  }
  if (protections.drops_root) NNVK_TRY(become_nobody());
  NNVK_TRY(set_limits(protections));
  NNVK_TRY(gain_no_privileges());
  if (protections.landlock > 0) {
    std::vector<VisiblePath> reachable = visible;
    // Without a PID namespace, /proc would show the processes of others.
    if (protections.namespaces == NamespaceWay::kNone)
      std::erase_if(reachable, [](const auto& path) { return path.path == "/proc"; });
    if (is_gpu && protections.namespaces != NamespaceWay::kNone) reachable.push_back({"/tmp", FileAccess::kWrite});
    NNVK_TRY(restrict_to(reachable, protections.landlock));
  }
  NNVK_TRY(give_up_capabilities());
  // The signal is set here, because changes of user and capabilities would undo it. It arrives when the process that started this
  // one ends; that process waits in its only thread.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return failed("death signal");
  return filter_system_calls(protections.profile, surroundings_of(protections, true));
}

Status close_sandbox(const Protections& protections) {
  return filter_system_calls(protections.profile, surroundings_of(protections, false));
}

}  // namespace nnvk::accelerators
