#include "core/base/transposed_bytes.h"

#include <cstring>

namespace nnvk {
namespace {

// Copies rows of elements of this size. Weights have millions of elements, so the innermost loop knows its step.
template <size_t kSize>
void copy_rows(const std::byte* from, std::byte* to, size_t rows, std::span<const uint32_t> sizes,
               std::span<const size_t> steps) {
  const size_t last = sizes.size() - 1;
  std::vector<size_t> at(last);
  size_t source = 0;
  for (; rows > 0; --rows) {
    const std::byte* element = from + source;
    for (size_t i = 0; i < sizes[last]; ++i, element += steps[last], to += kSize) std::memcpy(to, element, kSize);
    for (size_t d = last; d-- > 0;) {
      source += steps[d];
      if (++at[d] < sizes[d]) break;
      source -= sizes[d] * steps[d];
      at[d] = 0;
    }
  }
}

}  // namespace

bool is_permutation(std::span<const uint32_t> order) {
  std::vector<bool> has(order.size());
  for (const uint32_t dimension : order) {
    if (dimension >= order.size() || has[dimension]) return false;
    has[dimension] = true;
  }
  return true;
}

std::vector<std::byte> in_order(const TransposedBytes& bytes) {
  const size_t rank = bytes.sizes.size();
  if (rank == 0 || bytes.source.empty()) return {bytes.source.begin(), bytes.source.end()};
  std::vector<size_t> source_sizes(rank);
  for (size_t d = 0; d < rank; ++d) source_sizes[bytes.order[d]] = bytes.sizes[d];
  std::vector<size_t> source_steps(rank, bytes.element_size);  // bytes between neighbours
  for (size_t d = rank - 1; d > 0; --d) source_steps[d - 1] = source_steps[d] * source_sizes[d];
  std::vector<size_t> steps(rank);
  for (size_t d = 0; d < rank; ++d) steps[d] = source_steps[bytes.order[d]];
  std::vector<std::byte> ordered(bytes.source.size());
  const size_t rows = ordered.size() / (bytes.element_size * bytes.sizes[rank - 1]);
  const auto copy = bytes.element_size == 1 ? copy_rows<1> : bytes.element_size == 2 ? copy_rows<2> : copy_rows<4>;
  copy(bytes.source.data(), ordered.data(), rows, bytes.sizes, steps);
  return ordered;
}

}  // namespace nnvk
