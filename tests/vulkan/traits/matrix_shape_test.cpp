// Which of the cooperative matrices that drivers offer are used. The lists are those of real drivers. No GPU.
#include "vulkan/traits/matrix_shape.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnvk::vulkan {
namespace {

// Vulkan's numbers for types and scopes.
constexpr int32_t kHalf = 0;
constexpr int32_t kFloat = 1;
constexpr int32_t kInt8 = 3;
constexpr int32_t kInt32 = 5;
constexpr int32_t kUint8 = 7;
constexpr int32_t kUint32 = 9;
constexpr int32_t kDevice = 1;
constexpr int32_t kSubgroup = 3;

CooperativeMatrices products(MatrixShape shape, int32_t sides, int32_t sums, int32_t scope = kSubgroup) {
  return {shape, sides, sides, sums, sums, false, scope};
}
MatrixShape halves(const std::vector<CooperativeMatrices>& offered) {
  return choose_matrix_shape(offered, MatrixElements::kHalves);
}
MatrixShape bytes(const std::vector<CooperativeMatrices>& offered) {
  return choose_matrix_shape(offered, MatrixElements::kSignedBytes);
}

TEST(MatrixShape, SumsAreFloatsOrSignedIntegersOf32Bits) {
  const MatrixShape square{16, 16, 16};
  EXPECT_EQ(halves({products(square, kHalf, kFloat)}), square);
  EXPECT_FALSE(halves({products(square, kHalf, kHalf)}).exists());
  EXPECT_FALSE(halves({products(square, kInt8, kInt32)}).exists());
  EXPECT_EQ(bytes({products(square, kUint8, kUint32), products(square, kInt8, kInt32)}), square);
  EXPECT_FALSE(bytes({products(square, kUint8, kUint32), products(square, kUint8, kInt32)}).exists());
  EXPECT_FALSE(bytes({}).exists());
}

TEST(MatrixShape, SidesOfTwoTypesSaturatingSumsAndOtherScopesAreNotUsed) {
  CooperativeMatrices mixed = products({16, 16, 16}, kInt8, kInt32);
  mixed.right_type = kUint8;
  CooperativeMatrices saturating = products({16, 16, 16}, kInt8, kInt32);
  saturating.saturating = true;
  EXPECT_FALSE(bytes({mixed, saturating, products({16, 16, 16}, kInt8, kInt32, kDevice)}).exists());
}

TEST(MatrixShape, TheLargestOfSeveralIsTaken) {
  EXPECT_EQ(
      halves({products({16, 8, 8}, kHalf, kFloat), products({16, 16, 16}, kHalf, kFloat), products({16, 8, 16}, kHalf, kFloat)}),
      (MatrixShape{16, 16, 16}));
  EXPECT_EQ(bytes({products({16, 8, 32}, kInt8, kInt32), products({16, 16, 32}, kInt8, kInt32)}), (MatrixShape{16, 16, 32}));
  EXPECT_EQ(bytes({products({8, 16, 32}, kInt8, kInt32)}), (MatrixShape{8, 16, 32}));
  EXPECT_EQ(bytes({products({8, 8, 8}, kInt8, kInt32)}), (MatrixShape{8, 8, 8}));
}

TEST(MatrixShape, TheDepthDividesWhatAKernelHoldsOfAPixel) {
  EXPECT_EQ(halves({products({16, 16, 32}, kHalf, kFloat)}).depth, 32U) << "64 bytes";
  EXPECT_FALSE(halves({products({16, 16, 64}, kHalf, kFloat)}).exists());
  EXPECT_FALSE(halves({products({16, 16, 12}, kHalf, kFloat)}).exists());
  EXPECT_FALSE(bytes({products({8, 8, 4}, kInt8, kInt32)}).exists()) << "half a unit of shared memory";
  EXPECT_FALSE(halves({products({16, 6, 16}, kHalf, kFloat)}).exists()) << "results are finished four channels at a time";
  EXPECT_FALSE(halves({products({128, 16, 16}, kHalf, kFloat)}).exists());
}

}  // namespace
}  // namespace nnvk::vulkan
