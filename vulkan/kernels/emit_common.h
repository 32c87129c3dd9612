// Small pure decisions that emitters of several families share: the view of a tensor, the work groups of a flat dispatch, the
// bounds of a fused activation.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/model/operand.h"
#include "core/plan/plan.h"
#include "shaders/include/shared_types.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/kernels/typed_kernel.h"

namespace nnvk::vulkan {

// Returns the value of element-type specialization constants: kElementFloat32 and so on. `type` is a tensor type with elements of
// 1, 2 or 4 bytes; BOOL8 counts as kElementUint8.
uint element_type(OperandType type);

// Each function makes a binding for macros of the shaders. read_scalars() reads one element per fetch (NNVK_FLOAT_INPUT,
// NNVK_INT_INPUT), read_quads() four (NNVK_FLOAT4_INPUT, NNVK_INT4_INPUT).
TensorBinding read_scalars(TensorId tensor, OperandType type);
TensorBinding read_quads(TensorId tensor, OperandType type);
TensorBinding read_elements(TensorId tensor, OperandType type, bool by_quads);  // one of those two
TensorBinding read_bytes16(TensorId tensor);                                    // NNVK_UINT4_INPUT
TensorBinding read_words(TensorId tensor);                                      // NNVK_TABLE
TensorBinding write_words(TensorId tensor);                                     // NNVK_OUTPUT
TensorBinding read_write(TensorId tensor);                                      // NNVK_INOUT

// Returns the number of elements of a final shape; 0 when the tensor is empty.
uint64_t element_count(const OperandInfo& info);
constexpr uint64_t divide_up(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }

// Returns work groups for `invocations` of a kernel that numbers its invocations with nnvk_invocation(). Uses x and y if x alone
// is too small; RESOURCE_EXHAUSTED_PERSISTENT if even both are.
Result<std::array<uint32_t, 3>> flat_groups(uint64_t invocations, uint32_t local_size, const DeviceTraits& traits);

// Returns the bounds that result from the node's own activation followed by the fused one, for float outputs and for 8-bit
// outputs.
ActivationBounds combined_float_bounds(FusedActivation own, FusedActivation fused);
QuantizedBounds combined_quantized_bounds(FusedActivation own, FusedActivation fused, const OperandInfo& output);

// Returns a text for Dispatch::label, "ADD 1x56x56x24": operation name and the output's dimensions.
std::string dispatch_label(const EmitContext& context);

// A dispatch of a generated kernel for the node of `context`. Sets kernel, label, specialization and bindings, but not work
// groups. Without `params`, call set_params() before you add the dispatch. Example:
//   auto dispatch = make_dispatch(context, kernels::kFoo, {.type = element_type(x.type)},
//                                 {.in_x = read_quads(...), .out_y = write_words(...)}, params);
template <class Shape>
DispatchOf<typename Shape::Params> make_dispatch(const EmitContext& context, TypedKernel<Shape> kernel,
                                                 const typename Shape::Specialization& specialization,
                                                 const typename Shape::Bindings& bindings) {
  DispatchOf<typename Shape::Params> dispatch;
  dispatch.kernel = kernel.id;
  dispatch.label = dispatch_label(context);
  dispatch.specialization = specialization.in_order();
  dispatch.bindings = bindings.in_order();
  return dispatch;
}
template <class Shape>
DispatchOf<typename Shape::Params> make_dispatch(const EmitContext& context, TypedKernel<Shape> kernel,
                                                 const typename Shape::Specialization& specialization,
                                                 const typename Shape::Bindings& bindings, const typename Shape::Params& params) {
  auto dispatch = make_dispatch(context, kernel, specialization, bindings);
  dispatch.set_params(params);
  return dispatch;
}

Status set_flat_groups(const EmitContext& context, uint64_t invocations, Dispatch& dispatch);
// Sets the work groups and adds the dispatch.
Status add_flat(const EmitContext& context, Dispatch dispatch, uint64_t invocations);

// Adds the dispatch once for each of `steps`, with `invocations` in a flat dispatch. Stores the step in params.begin, params.end
// and, if the struct has it, params.steps.
template <class Params>
Status add_steps(const EmitContext& context, DispatchOf<Params> dispatch, Params params, uint64_t invocations,
                 const std::vector<SliceStep>& steps) {
  NNVK_TRY(set_flat_groups(context, invocations, dispatch));
  for (const SliceStep& step : steps) {
    params.begin = step.begin;
    params.end = step.end;
    if constexpr (requires { params.steps; }) params.steps = step.flags;
    dispatch.set_params(params);
    context.dispatches.add(dispatch);
  }
  return {};
}

// Returns RESOURCE_EXHAUSTED_PERSISTENT if a storage buffer cannot hold `bytes`. `what` begins the message: "the filter 3x3,
// packed,".
Status check_storage(const std::string& what, uint64_t bytes, const DeviceTraits& traits);

// Returns the bytes of a vector of trivially copyable values, for DispatchList::table().
template <class T>
std::vector<std::byte> to_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace nnvk::vulkan
