// Memory that other processes can map as well: mapped memfds that no process can shorten or extend.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk {

// Writable memory of `size` bytes, filled with zeros. `size` is at least 1. RESOURCE_EXHAUSTED_TRANSIENT without descriptors,
// OUT_OF_MEMORY without memory.
Result<std::unique_ptr<MappedMemory>> make_sealed_memory(uint64_t size);

}  // namespace nnvk
