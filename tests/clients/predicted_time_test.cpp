#include "clients/predicted_time.h"

#include <gtest/gtest.h>

namespace nnvk::clients {
namespace {

constexpr Transfers kInPlace{2e-6, 0, 1e-12};
constexpr Transfers kByCopies{60e-6, 2e-6, 0.25e-9};
constexpr FrameworkSpeed kFramework{.seconds_per_call = 12e-6, .relative_time = {1, 1.1, 2, 0.9, 1.5}};

OperationTimes on_cpu(double seconds, Product product, bool is_fast = true) {
  return {.on_device = seconds, .on_cpu = seconds, .cpu_has_fast_kernel = is_fast, .is_on_cpu = true, .product = product};
}

OperationTimes on_gpu(double seconds, double cpu_seconds) {
  return {.on_device = seconds, .on_cpu = cpu_seconds, .cpu_has_fast_kernel = true, .product = Product::kFloats};
}

TEST(PredictedTime, ASubgraphOfLargeProductsIsWorthTakingOnTheCpu) {
  EXPECT_TRUE(predict({on_cpu(1e-3, Product::kFloats)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, WhatTheFrameworkIsFasterAtStaysThere) {
  EXPECT_TRUE(predict({on_cpu(1e-3, Product::kSigned)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
  EXPECT_FALSE(predict({on_cpu(1e-3, Product::kUnsigned)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
  EXPECT_TRUE(predict({on_cpu(1e-3, Product::kUnsignedGrouped)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, ASmallSubgraphIsNot) {
  EXPECT_FALSE(predict({on_cpu(20e-6, Product::kFloats)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, OperationsWithoutProductsAreNotFasterOnTheCpu) {
  EXPECT_FALSE(predict({on_cpu(1e-3, Product::kNone)}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, AnOperatorOfSeveralOperationsIsOnePassOfTheFramework) {
  const OperationTimes product = on_cpu(1e-3, Product::kFloats);
  OperationTimes first = on_cpu(100e-6, Product::kNone);
  first.origin = 1;
  OperationTimes second = first;
  second.origin = 2;
  EXPECT_TRUE(predict({product, first, second}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
  second.origin = first.origin;
  EXPECT_FALSE(predict({product, first, second}, kInPlace, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, ASlowKernelSpoilsASubgraphOnTheCpu) {
  EXPECT_FALSE(predict({on_cpu(1e-3, Product::kFloats), on_cpu(1e-3, Product::kFloats, false)}, kInPlace, {2, 1000}, kFramework)
                   .is_worth_taking(Share::kAll));
}

TEST(PredictedTime, AGpuMustSaveMoreThanTheTransfers) {
  EXPECT_TRUE(predict({on_gpu(100e-6, 1e-3)}, kByCopies, {2, 600'000}, kFramework).is_worth_taking(Share::kAll));
  EXPECT_FALSE(predict({on_gpu(10e-6, 100e-6)}, kByCopies, {2, 600'000}, kFramework).is_worth_taking(Share::kAll));
  EXPECT_FALSE(
      predict({on_gpu(100e-6, 1e-3)}, kByCopies, {2, 40'000'000}, kFramework).is_worth_taking(Share::kAll));  // 10 ms of copies
}

TEST(PredictedTime, AnOperationThatTheCpuHasNoFigureForDecidesNothingOnAGpu) {
  OperationTimes unknown = on_gpu(5e-3, 0);
  unknown.cpu_has_fast_kernel = false;
  EXPECT_TRUE(predict({on_gpu(100e-6, 1e-3), unknown}, kByCopies, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
  EXPECT_FALSE(predict({unknown}, kByCopies, {2, 1000}, kFramework).is_worth_taking(Share::kAll));
}

TEST(PredictedTime, AWholeGraphMustSaveMoreThanTimesVary) {
  EXPECT_FALSE((ComparedTimes{.on_device = 0.96, .staying = 1}.is_worth_taking(Share::kAll)));
  EXPECT_TRUE((ComparedTimes{.on_device = 0.94, .staying = 1}.is_worth_taking(Share::kAll)));
}

TEST(PredictedTime, APartMustSaveMoreThanTheWholeGraph) {
  const ComparedTimes little{.on_device = 0.8, .staying = 1};
  EXPECT_TRUE(little.is_worth_taking(Share::kAll));
  EXPECT_FALSE(little.is_worth_taking(Share::kPart));
  EXPECT_TRUE((ComparedTimes{.on_device = 0.6, .staying = 1}.is_worth_taking(Share::kPart)));
}

}  // namespace
}  // namespace nnvk::clients
