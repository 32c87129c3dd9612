#include "accelerators/host/program/limits.h"

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
#include <cstring>

namespace nnvk::accelerators {
namespace {

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

}  // namespace

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

Status become_nobody() {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
      ::setresuid(kNobody, kNobody, kNobody) != 0) {
    return failed("becoming nobody");
  }
  static_cast<void>(::unshare(CLONE_NEWUSER));
  return {};
}

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

}  // namespace nnvk::accelerators
