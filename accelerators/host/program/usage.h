// How much of the machine a plugin's process uses, for what no limit of the kernel counts: memory in files without a name, and
// threads of root.
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

// What /proc/<pid>/status says. Lines that are not there count nothing.
Usage usage_in(std::string_view status);

// Nothing where the process is gone or cannot be looked at.
Usage usage_of(pid_t process);

// Whether it is more than what the protections promise. Open files may be the mapped ones: the larger of both counts.
bool is_too_much(const Usage& usage, const Protections& protections);

}  // namespace nnvk::accelerators
