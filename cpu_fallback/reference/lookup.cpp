// GATHER, EMBEDDING_LOOKUP and HASHTABLE_LOOKUP: rows picked by index or key.
#include <cstring>

#include "core/operations/parameters/lookup_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Computes GATHER and EMBEDDING_LOOKUP: copies slice indices[k] of the axis to slice k of the output, for every position outside
// the axis.
Status gather_slices(KernelContext& context) {
  NNVK_ASSIGN(const GatherParameters parameters, gather_parameters(context.operation));
  const OperandInfo& in = context.operation.input(parameters.values);
  const auto indices = context.input<int32_t>(parameters.indices);
  const AxisSplit split = split_at_axis(in.shape, parameters.axis);
  const size_t slice = split.inner * element_size(in.type);
  const std::byte* from = input_bytes(context, parameters.values);
  std::byte* to = context.outputs[lookup::kOutput].data.data();
  for (size_t outer = 0; outer < split.outer; ++outer) {
    for (size_t k = 0; k < indices.size(); ++k, to += slice) {
      const int32_t index = read_once(indices, k);
      if (index < 0 || static_cast<size_t>(index) >= split.size) return fail(index_outside(k, index, split.size));
      std::memcpy(to, from + (outer * split.size + static_cast<size_t>(index)) * slice, slice);
    }
  }
  return {};
}

// Copies the row of each key. A missing key gives a row of zero bytes. Of equal keys the first counts. The search does not need
// sorted keys.
Status hashtable_lookup(KernelContext& context) {
  using namespace hashtable_lookup;
  const auto lookups = context.input<int32_t>(kLookups);
  const auto keys = context.input<int32_t>(kKeys);
  const auto hits = context.output<uint8_t>(kHits);
  const size_t row = context.operation.inputs[kValues].value.size() / keys.size();
  std::byte* to = context.outputs[lookup::kOutput].data.data();
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
      std::memcpy(to, input_bytes(context, kValues) + low * row, row);
    } else {
      std::memset(to, 0, row);
    }
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kGather, gather_slices},
    {OperationCode::kEmbeddingLookup, gather_slices},
    {OperationCode::kHashtableLookup, hashtable_lookup},
};

}  // namespace

std::span<const KernelRow> lookup_kernels() { return kRows; }

}  // namespace nnvk::cpu
