#include "core/base/transposed_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nnvk {
namespace {

// Computes each element from its coordinates.
template <class T>
std::vector<T> expected(const std::vector<T>& source, const std::vector<uint32_t>& sizes, const std::vector<uint32_t>& order) {
  const size_t rank = sizes.size();
  std::vector<uint32_t> source_sizes(rank);
  for (size_t d = 0; d < rank; ++d) source_sizes[order[d]] = sizes[d];
  std::vector<T> result(source.size());
  for (size_t i = 0; i < result.size(); ++i) {
    std::vector<size_t> at(rank);
    size_t rest = i;
    for (size_t d = rank; d-- > 0; rest /= sizes[d]) at[order[d]] = rest % sizes[d];
    size_t from = 0;
    for (size_t d = 0; d < rank; ++d) from = from * source_sizes[d] + at[d];
    result[i] = source[from];
  }
  return result;
}

template <class T>
void check_all_orders(const std::vector<uint32_t>& sizes) {
  const size_t count = std::accumulate(sizes.begin(), sizes.end(), size_t{1}, std::multiplies<>());
  std::vector<T> source(count);
  std::iota(source.begin(), source.end(), T{1});
  std::vector<uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    const std::vector<std::byte> bytes = in_order({std::as_bytes(std::span(source)), sizeof(T), sizes, order});
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    EXPECT_EQ(values, expected(source, sizes, order)) << testing::PrintToString(order);
  } while (std::ranges::next_permutation(order).found);
}

TEST(TransposedBytes, EveryOrderOfUpToFourDimensionsAndEveryWidth) {
  for (const std::vector<uint32_t>& sizes : {std::vector<uint32_t>{7}, {3, 5}, {4, 1, 6}, {2, 3, 4, 5}, {1, 1, 1, 1}}) {
    check_all_orders<uint8_t>(sizes);
    check_all_orders<uint16_t>(sizes);
    check_all_orders<uint32_t>(sizes);
  }
}

TEST(TransposedBytes, AnOrderNamesEveryDimensionOnce) {
  EXPECT_TRUE(is_permutation(std::vector<uint32_t>{}));
  EXPECT_TRUE(is_permutation(std::vector<uint32_t>{2, 0, 1}));
  EXPECT_FALSE(is_permutation(std::vector<uint32_t>{0, 0, 1}));
  EXPECT_FALSE(is_permutation(std::vector<uint32_t>{0, 1, 3}));
}

}  // namespace
}  // namespace nnvk
