// Chooses and describes the kernel features that isolate a plugin's code from the rest of the machine. The choice depends on the
// kernel's features and the manifest's request. Pure; sandbox.h applies the choice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nnvk::accelerators {

enum class SandboxProfile : uint8_t {
  kStrict,      // computes: memory, threads, clocks; reads libraries. No devices, no sockets, no processes
  kGpu,         // a driver with a device node: also ioctl, memfds, and a cache folder of its own. No sockets, no processes
  kUnconfined,  // all that the user may do; it only cannot gain privileges
};

// Returns the profile named "strict", "gpu" or "unconfined". BAD_DATA lists these names.
Result<SandboxProfile> sandbox_profile(std::string_view name);

// The request of the manifest, which the host receives as arguments.
struct SandboxRequest {
  SandboxProfile profile = SandboxProfile::kStrict;
  uint64_t memory_bytes = 0;  // 0: see default_memory()
  unsigned threads = 0;       // 0: kDefaultThreads
  // Absolute paths of files and folders that the plugin needs besides its own library and the system's libraries.
  std::vector<std::string> readable = {};
  std::vector<std::string> writable = {};
  std::vector<std::string> devices = {};
};

inline constexpr unsigned kDefaultThreads = 512;
inline constexpr unsigned kMostDescriptors = 4096;

// Returns the default memory limit: half of the machine's memory, 8 GiB at most.
uint64_t default_memory(uint64_t machine_bytes);

// The way to create new namespaces.
enum class NamespaceWay : uint8_t {
  kNone,
  kAsRoot,  // with the rights of root: without a user namespace
  kAsUser,  // in a new user namespace, which gives the rights for the others
};

// Features of the kernel, and rights of this process. kernel_traits.h finds them out by trying.
struct KernelTraits {
  NamespaceWay namespaces = NamespaceWay::kNone;
  std::string why_no_namespaces = {};  // with kNone
  int landlock = 0;                    // version of its interface; 0: there is none
  bool is_root = false;
  bool has_thread_counts = false;  // RLIMIT_NPROC counts each user namespace on its own (Linux 5.14)
  bool is_sanitized = false;       // this program was built with a sanitizer, which needs address space without limit
  uint64_t machine_bytes = 0;
};

struct Protections {
  SandboxProfile profile = SandboxProfile::kStrict;
  NamespaceWay namespaces = NamespaceWay::kNone;  // processes, mounts with a root of its own, network, IPC, host name
  std::string why_no_namespaces = {};
  int landlock = 0;
  bool drops_root = false;      // the plugin runs as nobody
  bool limits_threads = false;  // by RLIMIT_NPROC; else the watch counts them
  unsigned threads = 0;
  bool limits_address_space = false;  // RLIMIT_AS
  bool limits_data = false;           // RLIMIT_DATA
  uint64_t memory_bytes = 0;          // for the limits, and for the watch
  uint64_t file_bytes = 0;            // RLIMIT_FSIZE
};

// Chooses the protections. UNAVAILABLE_DEVICE if no feature of the kernel keeps a confined plugin from the user's files.
Result<Protections> protections_to_use(const KernelTraits& kernel, const SandboxRequest& request);

// Returns a line of text that names the protections in force and the missing ones.
std::string in_words(const Protections& protections);

}  // namespace nnvk::accelerators
