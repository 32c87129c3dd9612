// How an execution gets at one of its inputs or outputs: kernels use it where it lies, or it is copied. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnvk::vulkan {

enum class IoAccess : uint8_t {
  kDirect,      // kernels read or write it in place
  kDeviceCopy,  // the device copies between it and the slot
  kHostCopy,    // the host does
};

// One used input or output.
struct IoFacts {
  bool is_output = false;
  uint64_t buffer = 0;              // identity of the device's buffer over the memory; 0: the device does not reach it
  uint64_t buffer_size = 0;         // bytes that may be touched
  bool host_reaches_it = true;      // false: memory of the device
  uint64_t offset = 0;              // into the buffer
  uint64_t size = 0;                // of the tensor
  uint64_t room = 0;                // outputs: bytes from `offset` on that may be overwritten
  bool size_decided_later = false;  // outputs: by the data, in the run
};

struct IoLimits {
  uint64_t alignment = 1;  // of offsets, for storage buffers and texel views alike
  bool near_host = true;   // the device reads host memory as fast as its own
};

struct IoChoice {
  IoAccess access = IoAccess::kHostCopy;
  std::string_view reason;  // why not direct; empty when it is
};

// One choice per input or output. An output that shares bytes with another input or output is not used in place: what such an
// execution computes would depend on the order of its kernels.
std::vector<IoChoice> choose_io_access(std::span<const IoFacts> facts, const IoLimits& limits);

}  // namespace nnvk::vulkan
