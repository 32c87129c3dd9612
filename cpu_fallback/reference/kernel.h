// A reference kernel defines the meaning of one operation in scalar, exact, readable code; tests compare the shaders with it. The
// file of each family has a row per operation; find_reference_kernel() looks it up.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"
#include "core/operations/checked_operation.h"

namespace nnvk::cpu {

// An output to fill. `info.shape` is final on entry, except for sizes that depend on data, which the kernel narrows.
struct OutputTensor {
  OperandInfo info;
  std::span<std::byte> data;  // at least byte_size(info); for data-dependent sizes, the upper bound
  bool wanted = true;         // false: the client omitted this output; do not write
};

struct KernelContext {
  CheckedOperation operation;  // every present input's `value` holds its bytes
  std::span<OutputTensor> outputs;

  template <class T>
  std::span<const T> input(size_t i) const {
    const auto bytes = operation.inputs[i].value;
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> output(size_t i) const {
    return {reinterpret_cast<T*>(outputs[i].data.data()), outputs[i].data.size() / sizeof(T)};
  }
};

using ReferenceKernel = Status (*)(KernelContext& context);

// Returns the kernel of an operation; null when the CPU device does not run it.
ReferenceKernel find_reference_kernel(OperationCode code);

}  // namespace nnvk::cpu
