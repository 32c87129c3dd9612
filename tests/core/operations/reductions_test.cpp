// Reductions, softmax, normalizations, arg, top-k, random: axes, quantization, unknown and hostile values.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/single_operation.h"

namespace nnvk {
namespace {

using test::SingleOperation;

constexpr uint32_t kU = kUnknownDimension;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

SingleOperation mean(Shape shape, std::vector<int32_t> axes, int32_t keep_dims) {
  SingleOperation op;
  const TensorId input = op.input(std::move(shape));
  const TensorId axis = op.constant<int32_t>({static_cast<uint32_t>(axes.size())}, OperandType::kTensorInt32, axes);
  op.takes(OperationCode::kMean, {input, axis, op.scalar(keep_dims)}, {op.output(Shape::unknown_rank())});
  return op;
}

TEST(Reduce, RemovesOrKeepsTheAxes) {
  EXPECT_EQ(mean({2, 3, 4}, {1}, 0).infer().value()[0], (Shape{2, 4}));
  EXPECT_EQ(mean({2, 3, 4}, {-2}, 1).infer().value()[0], (Shape{2, 1, 4}));
  EXPECT_EQ(mean({2, 3, 4}, {0, 1, 2, -1}, 0).infer().value()[0], (Shape{1}));
  EXPECT_EQ(mean({2, kU, 4}, {0}, 0).infer().value()[0], (Shape{kU, 4}));
}

TEST(Reduce, AxesOutsideTheRankFail) {
  for (const int32_t axis : {kMin, -4, 3, kMax}) {
    EXPECT_EQ(mean({2, 3, 4}, {axis}, 1).infer_code(), Code::kOpFailed) << axis;
  }
}

TEST(Reduce, AnEmptyAxisListIsAnEmptyInput) { EXPECT_EQ(mean({2, 3}, {}, 1).infer_code(), Code::kBadData); }

TEST(Reduce, RankIsLimitedToFour) { EXPECT_EQ(mean({1, 1, 1, 1, 1}, {0}, 1).check(), Code::kBadData); }

TEST(Reduce, UnknownAxesLeaveTheShapeOpen) {
  SingleOperation op;
  const TensorId input = op.input({2, 3});
  const TensorId axes = op.input({1}, OperandType::kTensorInt32);
  op.takes(OperationCode::kReduceSum, {input, axes, op.flag(true)}, {op.output(Shape::unknown_rank())});
  EXPECT_EQ(op.check(), Code::kNoError);
  EXPECT_EQ(op.infer().value()[0], (Shape{kU, kU}));
}

SingleOperation softmax(Shape shape, float beta, std::optional<int32_t> axis) {
  SingleOperation op;
  std::vector<TensorId> inputs{op.input(shape), op.float_scalar(beta)};
  if (axis) inputs.push_back(op.scalar(*axis));
  op.takes(OperationCode::kSoftmax, inputs, {op.output(shape)});
  return op;
}

TEST(Softmax, KeepsTheShapeAndChecksBetaAndAxis) {
  EXPECT_EQ(softmax({2, 5}, 1.0F, {}).infer().value()[0], (Shape{2, 5}));
  EXPECT_EQ(softmax({0, 5}, 1.0F, {}).infer().value()[0], (Shape{0, 5}));
  EXPECT_EQ(softmax({2, 5}, 1.0F, -2).infer_code(), Code::kNoError);
  EXPECT_EQ(softmax({2, 5}, 0.0F, {}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(softmax({2, 5}, std::numeric_limits<float>::quiet_NaN(), {}).infer_code(), Code::kOpFailed);
  for (const int32_t axis : {kMin, -3, 2, kMax}) EXPECT_EQ(softmax({2, 5}, 1.0F, axis).infer_code(), Code::kOpFailed) << axis;
}

TEST(Softmax, TheAxisNeedsFeatureLevelThree) {
  auto without = softmax({2, 5}, 1.0F, {});
  EXPECT_EQ(without.check(), Code::kNoError);
  EXPECT_EQ(without.feature_level, 1);
  auto with = softmax({2, 5}, 1.0F, 1);
  EXPECT_EQ(with.check(), Code::kNoError);
  EXPECT_EQ(with.feature_level, 3);
}

TEST(Softmax, RanksOtherThanTwoAndFourNeedFeatureLevelThree) {
  for (const auto& [shape, level] : {std::pair{Shape{5}, 3}, {Shape{2, 5}, 1}, {Shape{1, 2, 5}, 3}, {Shape{1, 1, 2, 5}, 1}}) {
    auto op = softmax(shape, 1.0F, {});
    EXPECT_EQ(op.check(), Code::kNoError);
    EXPECT_EQ(op.feature_level, level) << shape.to_string();
  }
}

TEST(Softmax, QuantizedOutputsHaveAFixedScale) {
  const auto quantized = [](OperandType type, float input_scale, float scale, int32_t zero_point) {
    SingleOperation op;
    const TensorId input = op.input({1, 4}, type, input_scale, 0);
    op.takes(OperationCode::kSoftmax, {input, op.float_scalar(1.0F)}, {op.output({1, 4}, type, scale, zero_point)});
    return op.infer_code();
  };
  EXPECT_EQ(quantized(OperandType::kTensorQuant8Asymm, 0.5F, 1.0F / 256, 0), Code::kNoError);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8AsymmSigned, 0.5F, 1.0F / 256, -128), Code::kNoError);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8AsymmSigned, 0.5F, 1.0F / 256, 0), Code::kOpFailed);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8Asymm, 0.5F, 1.0F / 128, 0), Code::kOpFailed);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8Asymm, 1e-9F, 1.0F / 256, 0), Code::kOpFailed);
}

TEST(Normalization, L2OutputsHaveAFixedScale) {
  const auto quantized = [](OperandType type, int32_t zero_point) {
    SingleOperation op;
    const TensorId input = op.input({1, 4}, type, 0.5F, 3);
    op.takes(OperationCode::kL2Normalization, {input}, {op.output({1, 4}, type, 1.0F / 128, zero_point)});
    return op.infer_code();
  };
  EXPECT_EQ(quantized(OperandType::kTensorQuant8Asymm, 128), Code::kNoError);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8AsymmSigned, 0), Code::kNoError);
  EXPECT_EQ(quantized(OperandType::kTensorQuant8Asymm, 0), Code::kOpFailed);
}

TEST(Normalization, RanksOtherThanFourNeedFeatureLevelThree) {
  for (const auto& [shape, level] : {std::pair{Shape{2, 5}, 3}, {Shape{1, 2, 3, 5}, 1}}) {
    SingleOperation op;
    const TensorId input = op.input(shape);
    op.takes(OperationCode::kL2Normalization, {input}, {op.output(shape)});
    EXPECT_EQ(op.check(), Code::kNoError);
    EXPECT_EQ(op.feature_level, level) << shape.to_string();
  }
}

TEST(Normalization, LocalResponseNeedsARadiusAndNoEmptyInput) {
  const auto local = [](Shape shape, int32_t radius) {
    SingleOperation op;
    const TensorId input = op.input(shape);
    op.takes(OperationCode::kLocalResponseNormalization,
             {input, op.scalar(radius), op.float_scalar(1), op.float_scalar(1), op.float_scalar(1)}, {op.output(shape)});
    return op.infer_code();
  };
  EXPECT_EQ(local({1, 2, 3, 4}, 2), Code::kNoError);
  EXPECT_EQ(local({1, 2, 3, 4}, -1), Code::kOpFailed);
  EXPECT_EQ(local({0, 2, 3, 4}, 1), Code::kOpFailed);
}

SingleOperation argmax(Shape shape, int32_t axis) {
  SingleOperation op;
  const TensorId input = op.input(std::move(shape));
  op.takes(OperationCode::kArgmax, {input, op.scalar(axis)}, {op.output(Shape::unknown_rank(), OperandType::kTensorInt32)});
  return op;
}

TEST(Arg, RemovesTheAxis) {
  EXPECT_EQ(argmax({2, 3, 4}, 1).infer().value()[0], (Shape{2, 4}));
  EXPECT_EQ(argmax({2, 3, 4}, -1).infer().value()[0], (Shape{2, 3}));
  EXPECT_EQ(argmax({7}, 0).infer().value()[0], (Shape{1}));
  EXPECT_EQ(argmax({2, 3}, 2).infer_code(), Code::kOpFailed);
  EXPECT_EQ(argmax({2, 3}, kMin).infer_code(), Code::kOpFailed);
  EXPECT_EQ(argmax({2, 0}, 0).infer_code(), Code::kBadData);
}

TEST(Topk, BothOutputsHaveKInTheLastDimension) {
  const auto topk = [](Shape shape, int32_t k) {
    SingleOperation op;
    const TensorId input = op.input(std::move(shape));
    op.takes(OperationCode::kTopkV2, {input, op.scalar(k)},
             {op.output(Shape::unknown_rank()), op.output(Shape::unknown_rank(), OperandType::kTensorInt32)});
    return op;
  };
  EXPECT_EQ(topk({2, 5}, 3).infer().value(), (std::vector<Shape>{{2, 3}, {2, 3}}));
  EXPECT_EQ(topk({2, kU}, 3).infer().value(), (std::vector<Shape>{{2, 3}, {2, 3}}));
  for (const int32_t k : {kMin, 0, 6, kMax}) EXPECT_EQ(topk({2, 5}, k).infer_code(), Code::kOpFailed) << k;
}

TEST(RandomMultinomial, NeedsTwoSeedsAndANonNegativeSampleCount) {
  const auto sampled = [](int32_t samples, uint32_t seeds) {
    SingleOperation op;
    const TensorId logits = op.input({2, 5});
    const TensorId seed = op.input({seeds}, OperandType::kTensorInt32);
    op.takes(OperationCode::kRandomMultinomial, {logits, op.scalar(samples), seed},
             {op.output(Shape::unknown_rank(), OperandType::kTensorInt32)});
    return op;
  };
  EXPECT_EQ(sampled(9, 2).infer().value()[0], (Shape{2, 9}));
  EXPECT_EQ(sampled(-1, 2).infer_code(), Code::kOpFailed);
  EXPECT_EQ(sampled(9, 1).infer_code(), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk
