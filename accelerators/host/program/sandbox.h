// What a plugin's code may ask of the kernel: limits of the process, and profiles of system calls that manifests name. Whatever a
// profile does not let through fails with EPERM; nothing kills the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace nnvk::accelerators {

enum class SandboxProfile : uint8_t {
  kStrict,      // computes: memory, threads, clocks. No files, no sockets, no processes, no new code
  kGpu,         // a GPU's driver: also files, ioctl, and code that it compiles. No sockets, no processes
  kUnconfined,  // all that the user may do; only privileges cannot be gained
};

// "strict", "gpu", "unconfined". BAD_DATA lists them.
Result<SandboxProfile> sandbox_profile(std::string_view name);

// Before the plugin's library is loaded: no core dumps, no new privileges, and the system calls of loading a library (files are
// only read) beside those of the profile. For good, for all threads. OP_FAILED when the kernel or libseccomp cannot.
Status enter_sandbox(SandboxProfile profile);

// Once it is loaded: the profile alone.
Status close_sandbox(SandboxProfile profile);

}  // namespace nnvk::accelerators
