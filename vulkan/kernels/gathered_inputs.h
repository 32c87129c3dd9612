// Dispatches for devices whose shaders reach few storage buffers: what a kernel reads is copied into one buffer first, and the
// gathered form of the kernel (KernelInfo::gathered) reads that. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::vulkan {

// Bytes of the buffer for a dispatch of `kernel`; `bound` are its bindings.
uint64_t gathered_bytes(const KernelInfo& kernel, std::span<const BoundBytes> bound);

// Dispatches that do what `dispatch` does, one after the other; the last is the kernel's gathered form. `gathered`: a scratch
// tensor of gathered_bytes(). Errors where the device cannot run them either. The kernel has a gathered form.
Result<std::vector<Dispatch>> gather_inputs(const Dispatch& dispatch, std::span<const BoundBytes> bound, TensorId gathered,
                                            const DeviceTraits& traits);

}  // namespace nnvk::vulkan
