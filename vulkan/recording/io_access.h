// How an execution gets at one of its inputs or outputs: kernels use it where it lies, or it is copied. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace nnvk::vulkan {

class IoBuffer;
struct BoundImage;

enum class IoAccess : uint8_t {
  kDirect,      // kernels read or write it in place
  kDeviceCopy,  // the device copies between it and the slot
  kHostCopy,    // the host does
};

// Where one input or output lies, and how a run gets at it.
struct IoPlace {
  bool is_output = false;
  uint64_t buffer = 0;              // identity of the device's buffer over the memory; 0: the device does not reach it
  uint64_t buffer_size = 0;         // bytes that may be touched
  bool host_reaches_it = true;      // false: memory of the device
  bool kernels_may_use_it = true;   // false: the buffer was made for less
  uint64_t offset = 0;              // into the buffer
  uint64_t size = 0;                // of the tensor; 0 when it is omitted
  uint64_t room = 0;                // outputs: bytes from `offset` on that may be overwritten
  bool size_decided_later = false;  // outputs: by the data, in the run
  // Decided by choose_io_access(). What the host copies lies in the slot's own memory meanwhile.
  IoAccess access = IoAccess::kHostCopy;
  std::string_view reason = {};                      // why not direct; empty when it is
  std::shared_ptr<const IoBuffer> memory = nullptr;  // behind `buffer`, during a run that does not leave it to the host
  // In the place of `memory`: an image of the application, which `buffer` tells from everything else. kDeviceCopy then.
  std::shared_ptr<const BoundImage> image = nullptr;

  // Whether descriptors and commands for one serve the other.
  bool is_wired_as(const IoPlace& other) const {
    const bool is_in_slot = access == IoAccess::kHostCopy;
    return access == other.access && (is_in_slot || (buffer == other.buffer && offset == other.offset));
  }
};

struct IoLimits {
  uint64_t alignment = 1;  // of offsets, for storage buffers and texel views alike
  bool near_host = true;   // the device reads host memory as fast as its own
};

// Decides for all inputs and outputs of a run. An output that shares bytes with another input or output is not used in place:
// what such an execution computes would depend on the order of its kernels.
void choose_io_access(std::span<IoPlace> places, const IoLimits& limits);

}  // namespace nnvk::vulkan
