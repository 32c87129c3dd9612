// GATHER, EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, TOPK_V2, RANDOM_MULTINOMIAL and LSH_PROJECTION on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

OperandInfo typed(OperandType type, Shape shape) {
  return is_quant8_asymm(type) ? tensor(type, std::move(shape), 0.5F, 7) : tensor(type, std::move(shape));
}
Shape open(size_t rank) { return Shape(std::vector<uint32_t>(rank, kUnknownDimension)); }
std::pair<OperandInfo, std::vector<std::byte>> indices(Shape shape, const std::vector<int32_t>& values) {
  return {tensor(kTensorInt32, std::move(shape)), raw_values(values)};
}

TEST(GatherKernel, PicksSlicesOfEveryWidthAndAlignment) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const Shape& shape : {Shape{3, 5, 4}, Shape{3, 5, 3}, Shape{5, 7, 1}}) {
      for (int32_t axis = -3; axis < 3; ++axis) {
        OneNode given(OperationCode::kGather);
        const auto [info, bytes] = indices({2, 3}, {2, 0, 1, 2, 2, 0});
        const auto [single, zero] = indices({1}, {0});
        given.random_input(typed(type, shape), 1).scalar(axis).input(info, bytes);
        if (shape[static_cast<size_t>(axis + 3) % 3] >= 3) expect_same_as_reference(given.output(typed(type, open(4))));
        OneNode constant(OperationCode::kGather);
        constant.random_input(typed(type, shape), 1).scalar(axis).constant(single, zero);
        expect_same_as_reference(constant.output(typed(type, open(3))));
      }
    }
  }
}

TEST(GatherKernel, IndicesOutsideTheAxisFailTheExecution) {
  NNVK_REQUIRE_VULKAN();
  for (const int32_t bad : {-1, 5, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
    for (const uint32_t inner : {1U, 4U}) {
      OneNode node(OperationCode::kGather);
      const auto [info, bytes] = indices({3}, {4, bad, 0});
      node.random_input(tensor(kTensorFloat32, {2, 5, inner}), 1).scalar(1).input(info, bytes);
      expect_same_failure(node.output(tensor(kTensorFloat32, {2, 3, inner})));
    }
  }
  OneNode lookup(OperationCode::kEmbeddingLookup);
  const auto [info, bytes] = indices({2}, {0, 3});
  lookup.input(info, bytes).random_input(tensor(kTensorQuant8Asymm, {3, 3}, 1, 0), 1);
  expect_same_failure(lookup.output(tensor(kTensorQuant8Asymm, {2, 3}, 1, 0)));
}

TEST(EmbeddingLookupKernel, CopiesRows) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const uint32_t inner : {1U, 5U, 8U}) {
      OneNode node(OperationCode::kEmbeddingLookup);
      const auto [info, bytes] = indices({5}, {3, 0, 3, 2, 1});
      node.input(info, bytes).random_input(typed(type, {4, inner, 2}), 2);
      expect_same_as_reference(node.output(typed(type, open(3))));
    }
  }
}

TEST(HashtableLookupKernel, FindsKeysAndZeroesTheRest) {
  NNVK_REQUIRE_VULKAN();
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();
  for (const OperandType type : {kTensorFloat32, kTensorInt32, kTensorQuant8Asymm}) {
    for (const uint32_t inner : {1U, 3U, 4U}) {
      for (const std::vector<int32_t>& keys :
           std::vector<std::vector<int32_t>>{{kLow, -3, 0, 7, kHigh}, {5, 5, 5, 6, 6}, {9, 2, 7, 1, 0}}) {
        OneNode node(OperationCode::kHashtableLookup);
        const auto [lookup_info, lookups] = indices({9}, {7, kLow, kHigh, 5, 6, 0, -3, 1, 8});
        const auto [key_info, key_bytes] = indices({5}, keys);
        node.input(lookup_info, lookups).input(key_info, key_bytes).random_input(typed(type, {5, inner}), 3);
        expect_same_as_reference(node.output(typed(type, open(2))).output(tensor(kTensorQuant8Asymm, open(1), 1.0F, 0)));
      }
    }
  }
}

TEST(HashtableLookupKernel, LargeTablesAgree) {
  NNVK_REQUIRE_VULKAN();
  std::vector<int32_t> keys(70001);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = 3 * static_cast<int32_t>(i) - 100000;
  OneNode node(OperationCode::kHashtableLookup);
  const auto [lookup_info, lookups] = indices({5}, {110000, -100000, 109997, 2, 110001});
  const auto [key_info, key_bytes] = indices({70001}, keys);
  node.input(lookup_info, lookups).input(key_info, key_bytes).random_input(tensor(kTensorFloat32, {70001, 2}), 3);
  expect_same_as_reference(node.output(tensor(kTensorFloat32, open(2))).output(tensor(kTensorQuant8Asymm, open(1), 1.0F, 0)));
}

void expect_same_topk(const OperandInfo& info, std::vector<std::byte> bytes, int32_t k) {
  OneNode node(OperationCode::kTopkV2);
  node.input(info, std::move(bytes)).scalar(k);
  OperandInfo values = info;
  values.shape.dims.back() = kUnknownDimension;
  expect_same_as_reference(node.output(values).output(tensor(kTensorInt32, open(info.shape.rank()))), {0.0, 0.0});
}

TEST(TopkKernel, SortsRowsOfEveryTypeAndLength) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const auto& [size, k] :
         {std::pair{1U, 1}, {5U, 5}, {7U, 3}, {256U, 256}, {257U, 1}, {300U, 300}, {1001U, 5}, {1300U, 200}}) {
      const OperandInfo info = typed(type, {3, size});
      expect_same_topk(info, random_values(info, size, 50.0F), k);
    }
  }
}

TEST(TopkKernel, MergesMoreThanOnce) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {20000});
  for (const int32_t k : {1, 10, 3000}) expect_same_topk(info, random_values(info, 4), k);
  const OperandInfo longer = tensor(kTensorFloat32, {1, 140003});
  expect_same_topk(longer, random_values(longer, 5), 70000);
}

TEST(TopkKernel, EqualValuesAndZerosOfBothSignsAreTies) {
  NNVK_REQUIRE_VULKAN();
  std::vector<float> values(700);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 0 ? -0.0F : i % 3 == 1 ? 0.0F : static_cast<float>(i % 2);
  const OperandInfo info = tensor(kTensorFloat32, {2, 350});
  expect_same_topk(info, float_values(kTensorFloat32, values), 350);
}

TEST(TopkKernel, NansInfinitiesAndDenormalsHaveOnePlaceEverywhere) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {kNan, 1, -kInfinity, kInfinity, -kNan, 1e-41F, -1e-41F, 2e-41F, 0, -kNan, kNan};
  for (const OperandType type : {kTensorFloat32, kTensorFloat16}) {
    expect_same_topk(tensor(type, {11}), float_values(type, values), 11);
  }
}

OneNode multinomial(const OperandInfo& info, std::vector<std::byte> logits, int32_t samples, const std::vector<int32_t>& seeds) {
  OneNode node(OperationCode::kRandomMultinomial);
  node.input(info, std::move(logits)).scalar(samples).input(tensor(kTensorInt32, {2}), raw_values(seeds));
  node.output(tensor(kTensorInt32, open(2)));
  return node;
}

TEST(RandomMultinomialKernel, DrawsWhatTheReferenceDraws) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorFloat32, kTensorFloat16}) {
    for (const std::vector<int32_t>& seeds :
         std::vector<std::vector<int32_t>>{{1, 2}, {-7, 0}, {0, -1}, {INT32_MIN, INT32_MAX}}) {
      for (const float range : {0.1F, 3.0F, 60.0F}) {
        const OperandInfo info = tensor(type, {3, 37});
        expect_same_as_reference(multinomial(info, random_values(info, 5, range), 301, seeds));
      }
    }
  }
}

TEST(RandomMultinomialKernel, SumsOfManyClassesAreExact) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {1, 50000});
  expect_same_as_reference(multinomial(info, random_values(info, 6, 0.5F), 5000, {11, 12}));
}

// More classes than an invocation goes through in one dispatch (vulkan/kernels/bounded_work.h); the largest logits come last.
TEST(RandomMultinomialKernel, RowsOfAnyLengthAgree) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {2, 140003});
  std::vector<float> logits(info.shape.element_count());
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(i % 140003) * 4e-5F + static_cast<float>(i % 7) * 0.3F;
  expect_same_as_reference(multinomial(info, float_values(kTensorFloat32, logits), 5000, {3, 14}));
}

TEST(RandomMultinomialKernel, LeavesOutWhatIsNotFinite) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> logits = {kInfinity, -kInfinity, 1,    kNan,  0.5F,       3e38F,   -3e38F, 1e-41F,
                                     kNan,      kInfinity,  kNan, kNan,  -kInfinity, kNan,    kNan,   kNan,
                                     1e-41F,    -1e-41F,    0,    -0.0F, 1e-20F,     -1e-20F, 40,     0.1F};
  const OperandInfo info = tensor(kTensorFloat32, {3, 8});
  expect_same_as_reference(multinomial(info, float_values(kTensorFloat32, logits), 50, {5, 6}));
}

TEST(RandomMultinomialKernel, ZeroSeedsDrawAnewInEveryExecution) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {1, 16});
  const OneNode node = multinomial(info, float_values(kTensorFloat32, std::vector<float>(16, 0.0F)), 100, {0, 0});
  const Shape shapes[] = {{1, 100}};
  const auto first = run_on(*vulkan_device(), node, shapes);
  const auto second = run_on(*vulkan_device(), node, shapes);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->front().bytes, second->front().bytes);
}

TEST(LshProjectionKernel, HashesKeysOfEveryLengthAndType) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType seed_type : {kTensorFloat32, kTensorFloat16}) {
    for (const OperandType type : {kTensorFloat32, kTensorInt32, kTensorQuant8Asymm, kTensorFloat16}) {
      for (const uint32_t length : {1U, 2U, 3U, 5U, 8U, 13U, 15U, 29U, 31U, 61U, 129U, 250U}) {
        const bool dense = length % 2 == 1;
        OneNode node(OperationCode::kLshProjection);
        node.random_input(tensor(seed_type, {3, 7}), length).random_input(typed(type, {5, length}), length + 1);
        if (dense) {
          node.random_input(tensor(seed_type, {5}), length + 2).scalar(2);
        } else {
          node.omitted(seed_type).scalar(length % 4 == 0 ? 3 : 1);
        }
        expect_same_as_reference(node.output(tensor(kTensorInt32, open(1))));
      }
    }
  }
}

TEST(LshProjectionKernel, SignaturesOfThirtyTwoBitsWrapAround) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kLshProjection);
  node.random_input(tensor(kTensorFloat32, {2, 32}), 1).random_input(tensor(kTensorInt32, {2, 2}), 2).omitted(kTensorFloat32);
  expect_same_as_reference(node.scalar(3).output(tensor(kTensorInt32, open(1))));
}

TEST(LshProjectionKernel, WeightsOfEveryMagnitudeRoundLikeDoubles) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> weights = {1e30F, -1e30F, 1e-41F, 3.4e38F, -3.4e38F, 1e-20F, 0, -0.0F, 1.0F, -1.0F,
                                      1.5F,  -0.1F,  1e12F,  -1e12F,  1e-3F,    7,      5, -9,    11,   -1e-30F};
  for (const float special : {0.5F, kInfinity, -kInfinity, kNan}) {
    std::vector<float> row = weights;
    row.push_back(special);
    OneNode node(OperationCode::kLshProjection);
    node.random_input(tensor(kTensorFloat32, {16, 8}), 1);
    node.input(tensor(kTensorInt32, {21, 1}), raw_values(std::vector<int32_t>(21, 7)));  // equal rows: exact cancellation
    node.input(tensor(kTensorFloat32, {21}), float_values(kTensorFloat32, row));
    expect_same_as_reference(node.scalar(2).output(tensor(kTensorInt32, open(1))));
  }
}

// More work than an invocation does in one dispatch (vulkan/kernels/bounded_work.h): a chunk has 351 of these rows.
TEST(LshProjectionKernel, ManyRowsAgree) {
  NNVK_REQUIRE_VULKAN();
  constexpr uint32_t kRows = 800;
  const OperandInfo input = tensor(kTensorFloat32, {kRows, 129});
  OneNode sparse(OperationCode::kLshProjection);
  sparse.random_input(tensor(kTensorFloat32, {2, 32}), 1).random_input(input, 2).omitted(kTensorFloat32).scalar(3);
  expect_same_as_reference(sparse.output(tensor(kTensorInt32, open(1))));
  const OperandInfo weight_info = tensor(kTensorFloat32, {kRows});
  for (const auto& [early, late] : {std::pair{0.5F, 0.5F}, {kInfinity, 0.5F}, {0.5F, -kInfinity}, {kInfinity, kNan}}) {
    std::vector<float> weights(kRows);
    for (uint32_t i = 0; i < kRows; ++i) weights[i] = static_cast<float>(i % 17) - 8.0F;
    weights[10] = early;
    weights[790] = late;
    OneNode dense(OperationCode::kLshProjection);
    dense.random_input(tensor(kTensorFloat32, {3, 9}), 3).random_input(input, 4);
    dense.input(weight_info, float_values(kTensorFloat32, weights)).scalar(2);
    expect_same_as_reference(dense.output(tensor(kTensorInt32, open(1))));
  }
}

TEST(LshProjectionKernel, LongRowsAgree) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kLshProjection);
  node.random_input(tensor(kTensorFloat32, {2, 3}), 1).random_input(tensor(kTensorFloat32, {3, 78001}), 2);
  expect_same_as_reference(node.omitted(kTensorFloat32).scalar(3).output(tensor(kTensorInt32, open(1))));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
