// Measures the resources of a plugin's process that no kernel limit counts: memory in unnamed files, and threads of root.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

struct Usage {
  uint64_t private_bytes = 0;  // in memory or swapped out
  uint64_t shared_bytes = 0;   // mapped memory files
  uint64_t file_bytes = 0;     // memory files that are open, mapped or not
  unsigned threads = 0;
};

// Parses /proc/<pid>/status. Missing lines count as zero.
Usage usage_in(std::string_view status);

// Returns the usage of a process; zeros if it is gone or unreadable.
Usage usage_of(pid_t process);

// Returns whether usage exceeds the limits. Open files may be mapped too, so only the larger of both numbers counts.
bool is_too_much(const Usage& usage, const Protections& protections);

}  // namespace nnvk::accelerators
