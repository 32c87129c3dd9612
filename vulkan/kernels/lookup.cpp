// GATHER, EMBEDDING_LOOKUP and HASHTABLE_LOOKUP. Indices that the host knows were checked with the shapes; the others are checked
// by the shader, which reports through a status word.
#include <string>

#include "core/operations/rules/shape_rules.h"
#include "lookup_kernels.h"
#include "shaders/lookup_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// Slices of `values` along an axis, picked by `indices`, into output 0.
struct Gathering {
  TensorId values = kNoTensor;
  size_t axis = 0;
  TensorId indices = kNoTensor;
  uint64_t count = 0;
  TensorId status = kNoTensor;
  bool zero_if_negative = false;
};

Status emit_gathering(const EmitContext& context, const Gathering& gathering, DispatchList& dispatches) {
  const OperandInfo& values = context.resolution.infos[gathering.values];
  NNVK_TRY(check_addressable(values));
  NNVK_TRY(check_addressable(context.output(0)));
  const uint64_t elements = element_count(context.output(0));
  uint64_t inner = 1;
  for (size_t d = gathering.axis + 1; d < values.shape.rank(); ++d) inner *= values.shape[d];
  const uint64_t unit = inner % 4 == 0 ? 4 : 1;
  const OperandType raw = raw_element_type(values.type);
  Dispatch dispatch;
  dispatch.kernel = unit == 4 ? kernels::kGatherQuads : kernels::kGatherElements;
  dispatch.specialization = {{0, element_type(raw)}, {1, gathering.zero_if_negative ? 1U : 0U}};
  dispatch.bindings = {unit == 4 ? read_quads(gathering.values, raw) : read_scalars(gathering.values, raw),
                       read_scalars(gathering.indices, OperandType::kTensorInt32), write_words(context.output_id(0)),
                       write_words(gathering.status)};
  dispatch.set_params(GatherParams{static_cast<uint>(elements / unit), static_cast<uint>(inner / unit),
                                   values.shape[gathering.axis], static_cast<uint>(gathering.count)});
  return add_flat_dispatch(context, std::move(dispatch), divide_up(elements, 4), dispatches);
}

// A word for the shader to report a bad index in; nobody reads it when the host has checked them all.
TensorId index_status(const EmitContext& context, TensorId indices, uint32_t size, DispatchList& dispatches) {
  if (context.resolution.host_values[indices].data() != nullptr) return dispatches.scratch(sizeof(uint32_t));
  const TensorId status = dispatches.status(1);
  dispatches.fail_if_set(status, 0,
                         context.plan.describe(context.node) + ": an index is outside [0, " + std::to_string(size) + ")");
  return status;
}

Status emit_gather(const EmitContext& context, DispatchList& dispatches) {
  const Shape& input = context.input(0).shape;
  NNVK_ASSIGN(const uint32_t axis, normalize_axis(context.scalar<int32_t>(1, 0), input.rank(), Code::kOpFailed));
  const TensorId indices = context.input_id(2);
  const TensorId status = index_status(context, indices, input[axis], dispatches);
  return emit_gathering(context, {context.input_id(0), axis, indices, element_count(context.input(2)), status, false},
                        dispatches);
}

Status emit_embedding_lookup(const EmitContext& context, DispatchList& dispatches) {
  const TensorId indices = context.input_id(0);
  const TensorId status = index_status(context, indices, context.input(1).shape[0], dispatches);
  return emit_gathering(context, {context.input_id(1), 0, indices, element_count(context.input(0)), status, false}, dispatches);
}

Status emit_hashtable_lookup(const EmitContext& context, DispatchList& dispatches) {
  const uint64_t lookups = element_count(context.input(0));
  const TensorId rows = dispatches.scratch(divide_up(lookups, 4) * 4 * sizeof(int32_t));
  Dispatch find;
  find.kernel = kernels::kFindKeys;
  find.bindings = {read_scalars(context.input_id(0), OperandType::kTensorInt32),
                   read_scalars(context.input_id(1), OperandType::kTensorInt32), write_words(rows),
                   write_words(context.output_id(1))};
  find.set_params(FindKeysParams{static_cast<uint>(lookups), context.input(1).shape[0]});
  NNVK_TRY(add_flat_dispatch(context, std::move(find), divide_up(lookups, 4), dispatches));
  const TensorId no_status = dispatches.scratch(sizeof(uint32_t));
  return emit_gathering(context, {context.input_id(2), 0, rows, lookups, no_status, true}, dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kGather, nullptr, emit_gather},
    {OperationCode::kEmbeddingLookup, nullptr, emit_embedding_lookup},
    {OperationCode::kHashtableLookup, nullptr, emit_hashtable_lookup},
};

}  // namespace

std::span<const KernelEmitter> lookup_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
