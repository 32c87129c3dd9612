#include "accelerators/host/program/sandbox.h"

#include <sys/prctl.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "accelerators/host/program/landlock.h"
#include "accelerators/host/program/limits.h"
#include "accelerators/host/program/namespaces.h"
#include "accelerators/host/program/system_call_filter.h"

namespace nnvk::accelerators {
namespace {

constexpr uint64_t kScratchBytes = uint64_t{64} << 20;  // of an empty /tmp, for drivers of GPUs

FilterSurroundings surroundings_of(const Protections& protections, bool is_loading) {
  return {is_loading, protections.namespaces != NamespaceWay::kNone};
}

Status gain_no_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) return {};
  return fail(Code::kOpFailed, std::string("no-new-privs: ") + std::strerror(errno));
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
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return fail(Code::kOpFailed, std::string("death signal: ") + std::strerror(errno));
  return filter_system_calls(protections.profile, surroundings_of(protections, true));
}

Status close_sandbox(const Protections& protections) {
  return filter_system_calls(protections.profile, surroundings_of(protections, false));
}

}  // namespace nnvk::accelerators
