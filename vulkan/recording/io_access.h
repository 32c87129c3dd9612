// Decides how an execution accesses each of its inputs and outputs: kernels use it in place, or somebody copies it. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace nnvk::vulkan {

class IoBuffer;
class BoundImage;

enum class IoAccess : uint8_t {
  kDirect,      // kernels read or write it in place
  kDeviceCopy,  // the device copies between it and the slot
  kHostCopy,    // the host copies
};

// The location of one input or output, and how a run accesses it.
struct IoPlace {
  bool is_output = false;
  uint64_t buffer = 0;              // id of the device's buffer over the memory (IoBuffer::id); 0: the device cannot access it
  uint64_t buffer_size = 0;         // bytes that kernels and copies may touch
  bool host_reaches_it = true;      // false: memory of the device
  bool kernels_may_use_it = true;   // false: the buffer's usage flags do not allow it
  uint64_t offset = 0;              // into the buffer
  uint64_t size = 0;                // of the tensor; 0 if it is omitted
  uint64_t room = 0;                // outputs: bytes from `offset` on that the run may overwrite
  bool size_decided_later = false;  // outputs: the run's data decides the size
  // Set by choose_io_access(). The slot's own memory holds tensors that the host copies.
  IoAccess access = IoAccess::kHostCopy;
  std::string_view reason = {};                      // why not direct; empty if direct
  std::shared_ptr<const IoBuffer> memory = nullptr;  // behind `buffer`; set during a run, unless the host copies
  // Replaces `memory`: an application's image; `buffer` is its unique id. Always kDeviceCopy.
  std::shared_ptr<const BoundImage> image = nullptr;

  // Returns whether descriptors and commands for one place also work for the other.
  bool is_wired_as(const IoPlace& other) const {
    const bool is_in_slot = access == IoAccess::kHostCopy;
    return access == other.access && (is_in_slot || (buffer == other.buffer && offset == other.offset));
  }
};

struct IoLimits {
  uint64_t alignment = 1;  // of offsets, for storage buffers and texel views
  bool near_host = true;   // the device reads host memory as fast as its own
};

// Decides for all inputs and outputs of a run. An output that shares bytes with another input or output is not used in place,
// because the result would depend on the order of the kernels.
void choose_io_access(std::span<IoPlace> places, const IoLimits& limits);

}  // namespace nnvk::vulkan
