// Blocks of tensors that broadcast: every element meets its partner, wherever a thread begins.
#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace nnvk::cpu {
namespace {

class BroadcastBlocksTest : public ::testing::Test {
 protected:
  uint32_t pick(uint32_t lo, uint32_t hi) { return std::uniform_int_distribution<uint32_t>(lo, hi)(random_); }

  // Repeats `result` along some dimensions.
  Shape smaller(const Shape& result, bool may_drop) {
    Shape shape = result;
    for (uint32_t& dim : shape.dims) dim = pick(0, 1) == 0 ? 1 : dim;
    if (may_drop) shape.dims.erase(shape.dims.begin(), shape.dims.begin() + pick(0, static_cast<uint32_t>(shape.rank())));
    return shape;
  }
  // Which element of `shape` belongs to element `at` of `result`.
  static size_t partner(const Shape& shape, const Shape& result, size_t at) {
    size_t found = 0;
    size_t step = 1;
    for (size_t d = result.rank(); d-- > 0; at /= result[d]) {
      const size_t missing = result.rank() - shape.rank();
      if (d < missing) continue;
      const uint32_t size = shape[d - missing];
      if (size > 1) found += at % result[d] * step;
      step *= size;
    }
    return found;
  }

  std::mt19937 random_{11};
};

TEST_F(BroadcastBlocksTest, HoldThePartnersOfEveryElement) {
  for (int round = 0; round < 2000; ++round) {
    Shape result;
    const uint32_t rank = pick(0, 6);
    for (uint32_t d = 0; d < rank; ++d) result.dims.push_back(pick(1, 4));
    if (rank > 0 && pick(0, 2) == 0) result.dims[pick(0, rank - 1)] = pick(10, 5000);
    if (result.element_count() > 100000) continue;
    const Shape first = pick(0, 1) == 0 ? result : smaller(result, false);
    Shape second = smaller(result, true);
    for (size_t d = 0; d < rank; ++d) {  // every dimension occurs in an operand
      const size_t missing = rank - second.rank();
      const uint32_t other = d < missing ? 1 : second[d - missing];
      result.dims[d] = std::max(first[d], other);
    }
    // Elements of 4 bytes hold their own position.
    const BroadcastBlocks::Operand operands[] = {{first, sizeof(uint32_t)}, {second, sizeof(uint32_t)}};
    const auto blocks = BroadcastBlocks::make(operands, result, sizeof(uint32_t));
    ASSERT_TRUE(blocks);
    std::vector<uint32_t> a(first.element_count());
    std::vector<uint32_t> b(second.element_count());
    std::iota(a.begin(), a.end(), 0U);
    std::iota(b.begin(), b.end(), 0U);
    const size_t begin = pick(0, static_cast<uint32_t>(blocks->count()) - 1);
    size_t next = begin == 0 ? 0 : SIZE_MAX;
    const std::byte* const data[] = {reinterpret_cast<const std::byte*>(a.data()), reinterpret_cast<const std::byte*>(b.data())};
    blocks->for_each(data, begin, blocks->count(), [&](const BroadcastBlocks::Block& block) {
      ASSERT_TRUE(next == SIZE_MAX || next == block.at);
      next = block.at + block.count;
      for (size_t i = 0; i < block.count; ++i) {
        uint32_t x = 0;
        uint32_t y = 0;
        std::memcpy(&x, block.operands[0] + i * sizeof x, sizeof x);
        std::memcpy(&y, block.operands[1] + i * sizeof y, sizeof y);
        ASSERT_EQ(x, partner(first, result, block.at + i)) << first.to_string() << second.to_string();
        ASSERT_EQ(y, partner(second, result, block.at + i)) << first.to_string() << second.to_string();
      }
    });
    ASSERT_EQ(next, result.element_count());
  }
}

// More dimensions than a walk supports: such operations run on the reference.
TEST_F(BroadcastBlocksTest, DeclineTooManyDimensions) {
  const Shape result(std::vector<uint32_t>(12, 2));
  Shape second = result;
  for (size_t d = 0; d < second.rank(); d += 2) second.dims[d] = 1;
  const BroadcastBlocks::Operand different[] = {{result, 4}, {second, 4}};
  const BroadcastBlocks::Operand alike[] = {{result, 4}, {result, 4}};
  EXPECT_FALSE(BroadcastBlocks::make(different, result, 4));
  EXPECT_TRUE(BroadcastBlocks::make(alike, result, 4));
}

}  // namespace
}  // namespace nnvk::cpu
