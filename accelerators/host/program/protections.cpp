#include "accelerators/host/program/protections.h"

#include <algorithm>

namespace nnvk::accelerators {
namespace {

constexpr std::string_view kProfileNames[] = {"strict", "gpu", "unconfined"};  // by SandboxProfile
constexpr uint64_t kMiB = uint64_t{1} << 20;
// The size limit of each file under "strict". Plugins write caches of compiled models into memfds of the client.
constexpr uint64_t kFileBytesOfStrict = 1024 * kMiB;

}  // namespace

Result<SandboxProfile> sandbox_profile(std::string_view name) {
  const auto found = std::ranges::find(kProfileNames, name);
  if (found != std::end(kProfileNames)) return static_cast<SandboxProfile>(found - kProfileNames);
  return fail(Code::kBadData, "seccomp profile \"" + std::string(name) + "\" is unknown; there are strict, gpu and unconfined");
}

uint64_t default_memory(uint64_t machine_bytes) { return std::min(machine_bytes / 2, 8192 * kMiB); }

Result<Protections> protections_to_use(const KernelTraits& kernel, const SandboxRequest& request) {
  Protections use;
  use.profile = request.profile;
  if (request.profile == SandboxProfile::kUnconfined) return use;
  use.namespaces = kernel.namespaces;
  use.why_no_namespaces = kernel.why_no_namespaces;
  use.landlock = kernel.landlock;
  if (use.namespaces == NamespaceWay::kNone && use.landlock == 0) {
    return fail(Code::kUnavailableDevice,
                "this kernel has nothing that keeps a plugin from the user's files: no Landlock, and no new namespaces (" +
                    kernel.why_no_namespaces +
                    "). Allow either, or say \"seccomp\": \"unconfined\" in the manifest of a plugin " +
                    "that you trust with everything");
  }
  const bool is_strict = request.profile == SandboxProfile::kStrict;
  // GPU drivers need files that belong to root: device nodes and cache folders.
  use.drops_root = is_strict && use.namespaces == NamespaceWay::kAsRoot;
  use.threads = request.threads != 0 ? request.threads : kDefaultThreads;
  // The kernel never refuses threads to root. Without a user namespace, the limit would count all processes of the user.
  const bool runs_as_root = kernel.is_root && !use.drops_root;
  use.limits_threads = kernel.has_thread_counts && use.namespaces != NamespaceWay::kNone && !runs_as_root;
  use.memory_bytes = request.memory_bytes != 0 ? request.memory_bytes : default_memory(kernel.machine_bytes);
  // GPU drivers reserve address space that they never fill, so only the strict profile limits it.
  use.limits_address_space = is_strict && !kernel.is_sanitized;
  use.limits_data = !is_strict && !kernel.is_sanitized;
  use.file_bytes = is_strict ? std::min(kFileBytesOfStrict, use.memory_bytes) : use.memory_bytes;
  return use;
}

std::string in_words(const Protections& protections) {
  const std::string name(kProfileNames[static_cast<size_t>(protections.profile)]);
  if (protections.profile == SandboxProfile::kUnconfined) {
    return name + ": nothing is in force but that privileges cannot be gained; it may do all that its user may";
  }
  std::string words = name + ": system calls filtered; ";
  if (protections.namespaces != NamespaceWay::kNone) {
    words += "own processes, root folder, network and IPC; ";
  } else {
    words += "NOT in force: own processes, root folder, network and IPC (" + protections.why_no_namespaces + "); ";
  }
  if (protections.landlock > 0) {
    words += "Landlock " + std::to_string(protections.landlock);
    if (protections.namespaces == NamespaceWay::kNone)
      words += " (names and sizes of other files can be seen, not their contents)";
  } else {
    words += "NOT in force: Landlock";
  }
  if (protections.drops_root) words += "; runs as nobody";
  words += "; memory " + std::to_string(protections.memory_bytes / kMiB) + " MiB by ";
  if (protections.limits_address_space) words += "address space and watch";
  if (protections.limits_data) words += "private data and watch";
  if (!protections.limits_address_space && !protections.limits_data) words += "watch";
  words += "; threads " + std::to_string(protections.threads) + (protections.limits_threads ? "" : " by watch");
  return words;
}

}  // namespace nnvk::accelerators
