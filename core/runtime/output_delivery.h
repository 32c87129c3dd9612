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

// Settles output `index` from its declared shape, `agreed.shape`, and its actual one, `computed`. OP_FAILED if they contradict.
Result<SettledOutput> settle_output(size_t index, const OperandInfo& agreed, const Shape& computed);

// Returns the bytes of the binding that an execution may use, in host or device memory; 0 if there are none.
size_t available_bytes(const Binding& binding);

// Returns OUTPUT_INSUFFICIENT_SIZE if the client's memory is too small for the output. Omitted or growing outputs always have
// room.
Status check_room(size_t index, const Binding& binding, OutputExtent output);

// Copies the output from `bytes` to host memory that has room for it, unless it is already there or omitted; memory that grows
// gets exactly its size. Returns how many bytes it wrote.
uint64_t deliver(const Binding& binding, OutputExtent output, const std::byte* bytes);

}  // namespace nnvk
