// A tensor's bytes whose dimensions stand in another order, which are only put in order when somebody needs them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nnvk {

struct TransposedBytes {
  std::span<const std::byte> source;  // row-major; kept alive by its owner
  size_t element_size = 1;            // bytes
  std::vector<uint32_t> sizes;        // of the tensor's dimensions
  std::vector<uint32_t> order;        // dimension d of the tensor is dimension order[d] of the source
};

// Returns whether the list holds each of the numbers 0 to size - 1 once.
bool is_permutation(std::span<const uint32_t> order);

// Returns the bytes in the order of the tensor's dimensions.
std::vector<std::byte> in_order(const TransposedBytes& bytes);

}  // namespace nnvk
