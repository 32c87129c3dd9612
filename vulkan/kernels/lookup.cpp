// Core checks indices that the host knows. The shader checks all other indices and reports errors in a status word.
#include <string>

#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/lookup_parameters.h"
#include "lookup_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// The source of output 0: slices of `values` along an axis, selected by `count` numbers in `indices`.
struct Gathering {
  TensorId values = kNoTensor;
  size_t axis = 0;
  TensorId indices = kNoTensor;
  uint64_t count = 0;
  TensorId status = kNoTensor;
  bool zero_if_negative = false;
};

Status emit_gathering(const EmitContext& context, const Gathering& gathering) {
  const OperandInfo& values = context.resolution.infos[gathering.values];
  NNVK_TRY(check_addressable(values));
  NNVK_TRY(check_addressable(context.output(lookup::kOutput)));
  const uint64_t elements = element_count(context.output(lookup::kOutput));
  const uint64_t inner = split_at_axis(values.shape, gathering.axis).inner;
  const uint64_t unit = inner % 4 == 0 ? 4 : 1;
  const OperandType raw = raw_element_type(values.type);
  TensorBinding table = read_elements(gathering.values, raw, unit == 4);
  table.moved = elements * element_size(raw);  // the rows that indices select
  auto dispatch = make_dispatch(context, unit == 4 ? kernels::kGatherQuads : kernels::kGatherElements,
                                {.type = element_type(raw), .zero_if_negative = gathering.zero_if_negative},
                                {.in_x = table,
                                 .in_indices = read_scalars(gathering.indices, OperandType::kTensorInt32),
                                 .out_y = write_words(context.output_id(lookup::kOutput)),
                                 .out_status = write_words(gathering.status)},
                                {static_cast<uint>(elements / unit), static_cast<uint>(inner / unit),
                                 values.shape[gathering.axis], static_cast<uint>(gathering.count)});
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

// Returns the status word in which the shader reports a bad index, or an unused scratch tensor if the host has checked all
// indices.
TensorId index_status(const EmitContext& context, TensorId indices, uint32_t size) {
  if (context.resolution.host_values[indices].data() != nullptr) return context.dispatches.scratch(sizeof(uint32_t));
  const TensorId status = context.dispatches.status(1);
  context.dispatches.fail_if_set(status, 0,
                                 context.plan.describe(context.node) + ": an index is outside [0, " + std::to_string(size) + ")");
  return status;
}

// Emits GATHER or EMBEDDING_LOOKUP.
Status emit_gather(const EmitContext& context) {
  NNVK_ASSIGN(const GatherParameters gather, context.decode(gather_parameters));
  const TensorId indices = context.input_id(gather.indices);
  const TensorId status = index_status(context, indices, context.input(gather.values).shape[gather.axis]);
  const uint64_t count = element_count(context.input(gather.indices));
  return emit_gathering(context, {context.input_id(gather.values), gather.axis, indices, count, status, false});
}

Status emit_hashtable_lookup(const EmitContext& context) {
  using namespace hashtable_lookup;
  const uint64_t lookups = element_count(context.input(kLookups));
  const TensorId rows = context.dispatches.scratch(divide_up(lookups, 4) * 4 * sizeof(int32_t));
  auto find = make_dispatch(context, kernels::kFindKeys, {},
                            {.in_lookups = read_scalars(context.input_id(kLookups), OperandType::kTensorInt32),
                             .in_keys = read_scalars(context.input_id(kKeys), OperandType::kTensorInt32),
                             .out_rows = write_words(rows),
                             .out_hits = write_words(context.output_id(kHits))},
                            {static_cast<uint>(lookups), context.input(kKeys).shape[0]});
  NNVK_TRY(add_flat(context, std::move(find), divide_up(lookups, 4)));
  const TensorId no_status = context.dispatches.scratch(sizeof(uint32_t));
  return emit_gathering(context, {context.input_id(kValues), 0, rows, lookups, no_status, true});
}

}  // namespace

constinit const EmitterRows lookup_emitters = {
    {OperationCode::kGather, nullptr, emit_gather},
    {OperationCode::kEmbeddingLookup, nullptr, emit_gather},
    {OperationCode::kHashtableLookup, nullptr, emit_hashtable_lookup},
};

}  // namespace nnvk::vulkan
