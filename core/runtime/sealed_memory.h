// Memory that other processes can map as well: mapped memfds that no process can shorten or extend.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk {

// Returns writable memory of `size` >= 1 bytes, all 0. RESOURCE_EXHAUSTED_TRANSIENT: no descriptor; OUT_OF_MEMORY: no memory.
Result<std::unique_ptr<MappedMemory>> make_sealed_memory(uint64_t size);

}  // namespace nnvk
