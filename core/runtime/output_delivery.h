// The last step of an execution, the same on every device: delivers computed outputs to the client's bindings. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/runtime/device.h"

namespace nnvk {

// An output to deliver. The shape is a reference, so that executions of fixed sizes copy no shapes.
struct OutputExtent {
  const Shape& shape;
  uint64_t size = 0;      // bytes
  bool is_zeros = false;  // it is empty although a size is declared: deliver zeros instead
};

// An output whose shape was settled after the run.
struct SettledOutput {
  Shape shape;
  uint64_t size = 0;
  bool is_zeros = false;

  operator OutputExtent() const { return {shape, size, is_zeros}; }
};

// Settles output `index`: `agreed.shape` is its declared shape, `computed` its actual one. OP_FAILED when they contradict each
// other.
Result<SettledOutput> settle_output(size_t index, const OperandInfo& agreed, const Shape& computed);

// Bytes that an execution may use of the binding, in host or device memory; 0 when there are none.
size_t available_bytes(const Binding& binding);

// OUTPUT_INSUFFICIENT_SIZE when the client's memory does not hold the output. Omitted or growing outputs always have room.
Status check_room(size_t index, const Binding& binding, OutputExtent output);

// Copies the output from `bytes` to host memory that has room for it, unless it lies there already or is omitted; memory that
// grows gets exactly its size. Returns how many bytes were written.
uint64_t deliver(const Binding& binding, OutputExtent output, const std::byte* bytes);

}  // namespace nnvk
