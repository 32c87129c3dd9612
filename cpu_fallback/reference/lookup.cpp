// GATHER, EMBEDDING_LOOKUP and HASHTABLE_LOOKUP: rows picked by index or key.
#include <algorithm>
#include <cstring>

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"

namespace nnvk::cpu {
namespace {

// Copies slice indices[k] of the axis to slice k of the output, for every position outside the axis.
Status gather_slices(KernelContext& context, size_t input, size_t axis, std::span<const int32_t> indices) {
  const OperandInfo& in = context.operation.input(input);
  const AxisSplit split = split_at_axis(in.shape, axis);
  const size_t slice = split.inner * element_size(in.type);
  const std::byte* from = input_bytes(context, input);
  std::byte* to = context.outputs[0].data.data();
  for (size_t outer = 0; outer < split.outer; ++outer) {
    for (size_t k = 0; k < indices.size(); ++k, to += slice) {
      const int32_t index = indices[k];
      if (index < 0 || static_cast<size_t>(index) >= split.size) {
        return fail(Code::kOpFailed, "index " + std::to_string(k) + " = " + std::to_string(index) + " is outside [0, " +
                                         std::to_string(split.size) + ")");
      }
      std::memcpy(to, from + (outer * split.size + static_cast<size_t>(index)) * slice, slice);
    }
  }
  return {};
}

Status gather(KernelContext& context) {
  NNVK_ASSIGN(const uint32_t axis, normalize_axis(context.operation.scalar<int32_t>(1).value_or(0),
                                                  context.operation.shape(0).rank(), Code::kOpFailed));
  return gather_slices(context, 0, axis, context.input<int32_t>(2));
}

Status embedding_lookup(KernelContext& context) { return gather_slices(context, 1, 0, context.input<int32_t>(0)); }

// A missing key gives a row of zero bytes. Of equal keys the first counts. Keys out of order are searched all the same.
Status hashtable_lookup(KernelContext& context) {
  const auto lookups = context.input<int32_t>(0);
  const auto keys = context.input<int32_t>(1);
  const auto hits = context.output<uint8_t>(1);
  const size_t row = context.operation.inputs[2].value.size() / keys.size();
  std::byte* to = context.outputs[0].data.data();
  for (size_t k = 0; k < lookups.size(); ++k, to += row) {
    size_t low = 0;
    for (size_t high = keys.size(); low < high;) {
      const size_t middle = (low + high) / 2;
      if (keys[middle] < lookups[k]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool found = low < keys.size() && keys[low] == lookups[k];
    hits[k] = found ? 1 : 0;
    if (found) {
      std::memcpy(to, input_bytes(context, 2) + low * row, row);
    } else {
      std::memset(to, 0, row);
    }
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kGather, gather},
    {OperationCode::kEmbeddingLookup, embedding_lookup},
    {OperationCode::kHashtableLookup, hashtable_lookup},
};

}  // namespace

std::span<const KernelRow> lookup_kernels() { return kRows; }

}  // namespace nnvk::cpu
