// Dispatches for devices whose shaders can bind few storage buffers. A dispatch first copies a kernel's inputs into one buffer,
// which the gathered form of the kernel (KernelInfo::gathered) reads. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::vulkan {

// Returns the size of the buffer that holds all inputs of a dispatch of `kernel`; `bound`: its bindings.
uint64_t gathered_bytes(const KernelInfo& kernel, std::span<const BoundBytes> bound);

// Returns dispatches that replace `dispatch` and run one after the other. The last is the gathered form, which the kernel must
// have. `gathered`: a scratch tensor of gathered_bytes(). Fails if the device cannot run these dispatches either.
Result<std::vector<Dispatch>> gather_inputs(const Dispatch& dispatch, std::span<const BoundBytes> bound, TensorId gathered,
                                            const DeviceTraits& traits);

}  // namespace nnvk::vulkan
