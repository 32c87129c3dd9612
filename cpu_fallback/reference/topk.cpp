// TOPK_V2: the largest elements of every row and their positions.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/sort_key.h"
#include "core/operations/parameters/topk_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"

namespace nnvk::cpu {
namespace {
using namespace topk;

// Returns keys whose order is the sort order of the elements.
std::vector<uint32_t> sort_keys(const KernelContext& context) {
  std::vector<uint32_t> keys;
  with_input(context, kInput, [&](auto values) {
    keys.reserve(values.size());
    for (const auto value : values) keys.push_back(sort_key(value));
  });
  return keys;
}

// Sorts each row: larger value first, and among equal values the larger index.
Status topk(KernelContext& context) {
  const OperandInfo& in = context.operation.input(kInput);
  const size_t size = in.shape.dims.back();
  const size_t k = context.outputs[kIndices].info.shape.dims.back();
  const size_t width = element_size(in.type);
  const std::vector<uint32_t> keys = sort_keys(context);
  const auto indices = context.output<int32_t>(kIndices);
  std::vector<int32_t> order(size);
  DeadlineWatch watch;
  for (size_t row = 0; row < keys.size() / size; ++row) {
    watch.look();
    const uint32_t* const key = keys.data() + row * size;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(k), order.end(),
                      [&](int32_t a, int32_t b) { return key[a] != key[b] ? key[a] > key[b] : a > b; });
    for (size_t i = 0; i < k; ++i) {
      indices[row * k + i] = order[i];
      std::memcpy(context.outputs[kValues].data.data() + (row * k + i) * width,
                  input_bytes(context, kInput) + (row * size + static_cast<size_t>(order[i])) * width, width);
    }
  }
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kTopkV2, topk}};

}  // namespace

std::span<const KernelRow> topk_kernels() { return kRows; }

}  // namespace nnvk::cpu
