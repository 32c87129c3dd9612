// Matrix products, image resizing and control flow: shapes, unknown parts, hostile values.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/single_operation.h"

namespace nnvk {
namespace {

using test::join;
using test::SingleOperation;

constexpr uint32_t kU = kUnknownDimension;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

SingleOperation fully_connected(Shape input, Shape weights, Shape bias) {
  SingleOperation op;
  const std::vector<TensorId> tensors{op.input(std::move(input)), op.input(std::move(weights)), op.input(std::move(bias))};
  op.takes(OperationCode::kFullyConnected, join(tensors, {op.scalar(0)}), {op.output(Shape::unknown_rank())});
  return op;
}

TEST(FullyConnected, FlattensTheInputToRowsOfTheInputSize) {
  EXPECT_EQ(fully_connected({2, 3, 4}, {5, 12}, {5}).infer().value()[0], (Shape{2, 5}));
  EXPECT_EQ(fully_connected({2, 3, 4}, {5, 6}, {5}).infer().value()[0], (Shape{4, 5}));
  EXPECT_EQ(fully_connected({0, 12}, {5, 12}, {5}).infer().value()[0], (Shape{0, 5}));
  EXPECT_EQ(fully_connected({kU, 12}, {5, 12}, {5}).infer().value()[0], (Shape{kU, 5}));
  EXPECT_EQ(fully_connected({2, 12}, {kU, 12}, {5}).infer().value()[0], (Shape{2, 5}));
}

TEST(FullyConnected, SizesThatDoNotFitFailAlreadyWhenAdded) {
  EXPECT_EQ(fully_connected({2, 13}, {5, 12}, {5}).check(), Code::kBadData);
  EXPECT_EQ(fully_connected({2, 12}, {5, 12}, {4}).check(), Code::kBadData);
  EXPECT_EQ(fully_connected({12}, {5, 12}, {5}).check(), Code::kBadData);
  EXPECT_EQ(fully_connected(Shape::unknown_rank(), {5, 12}, {4}).check(), Code::kNoError);
  EXPECT_EQ(fully_connected(Shape::unknown_rank(), {5, 12}, {4}).infer_code(), Code::kOpFailed);
}

TEST(FullyConnected, HugeDimensionsDoNotOverflow) {
  const uint32_t huge = 0x7FFFFFFF;
  EXPECT_EQ(fully_connected({huge, huge, huge, huge}, {1, 1}, {1}).infer_code(), Code::kOpFailed);
}

SingleOperation batch_matmul(Shape x, Shape y, bool adjoint_x, bool adjoint_y) {
  SingleOperation op;
  const TensorId a = op.input(std::move(x));
  const TensorId b = op.input(std::move(y));
  op.takes(OperationCode::kBatchMatmul, {a, b, op.flag(adjoint_x), op.flag(adjoint_y)}, {op.output(Shape::unknown_rank())});
  return op;
}

TEST(BatchMatmul, TransposesEitherSide) {
  EXPECT_EQ(batch_matmul({2, 3, 4}, {2, 4, 5}, false, false).infer().value()[0], (Shape{2, 3, 5}));
  EXPECT_EQ(batch_matmul({2, 4, 3}, {2, 5, 4}, true, true).infer().value()[0], (Shape{2, 3, 5}));
  EXPECT_EQ(batch_matmul({2, 3, 4}, {2, 5, 5}, false, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(batch_matmul({2, 3, 4}, {1, 4, 5}, false, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(batch_matmul({3, 4}, {1, 4, 5}, false, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(batch_matmul({kU, 3, kU}, {2, 4, 5}, false, false).infer().value()[0], (Shape{2, 3, 5}));
  EXPECT_EQ(batch_matmul(Shape::unknown_rank(), {2, 4, 5}, false, false).infer().value()[0], (Shape{2, kU, 5}));
}

SingleOperation resize_to(Shape image, int32_t width, int32_t height) {
  SingleOperation op;
  const TensorId input = op.input(std::move(image));
  op.takes(OperationCode::kResizeBilinear, {input, op.scalar(width), op.scalar(height)}, {op.output(Shape::unknown_rank())});
  return op;
}

TEST(Resize, TakesWidthBeforeHeight) {
  EXPECT_EQ(resize_to({1, 4, 4, 3}, 7, 5).infer().value()[0], (Shape{1, 5, 7, 3}));
  EXPECT_EQ(resize_to({0, 4, 4, 3}, 7, 5).infer().value()[0], (Shape{0, 5, 7, 3}));
  EXPECT_EQ(resize_to({kU, kU, 4, 3}, 7, 5).infer().value()[0], (Shape{kU, 5, 7, 3}));
  for (const int32_t bad : {kMin, -1, 0}) EXPECT_EQ(resize_to({1, 4, 4, 3}, bad, 5).infer_code(), Code::kOpFailed) << bad;
  EXPECT_EQ(resize_to({1, 4, 4, 3}, kMax, kMax).infer_code(), Code::kOpFailed);
  EXPECT_EQ(resize_to({1, 4, 0, 3}, 7, 5).infer_code(), Code::kOpFailed);
}

TEST(Resize, ScalesRoundDownAndHostileOnesFail) {
  const auto scaled = [](float factor) {
    SingleOperation op;
    const TensorId input = op.input({1, 5, 4, 3});
    op.takes(OperationCode::kResizeNearestNeighbor, {input, op.float_scalar(factor), op.float_scalar(factor), op.flag(false)},
             {op.output(Shape::unknown_rank())});
    return op;
  };
  EXPECT_EQ(scaled(1.5F).infer().value()[0], (Shape{1, 7, 6, 3}));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {0.0F, 0.1F, -1.0F, infinity, -infinity, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(scaled(bad).infer_code(), Code::kOpFailed) << bad;
  }
}

TEST(Resize, TheFlagsExcludeEachOtherAndNeedFeatureLevelFour) {
  const auto flagged = [](bool align_corners, bool half_pixel_centers) {
    SingleOperation op;
    const TensorId input = op.input({1, 4, 4, 1});
    op.takes(OperationCode::kResizeBilinear,
             {input, op.scalar(2), op.scalar(2), op.flag(false), op.flag(align_corners), op.flag(half_pixel_centers)},
             {op.output(Shape::unknown_rank())});
    return op;
  };
  auto fine = flagged(true, false);
  EXPECT_EQ(fine.check(), Code::kNoError);
  EXPECT_EQ(fine.feature_level, 4);
  EXPECT_EQ(fine.infer_code(), Code::kNoError);
  EXPECT_EQ(flagged(true, true).infer_code(), Code::kOpFailed);
}

TEST(ControlFlow, ConditionAndModelsHaveTheirTypes) {
  const auto branch = [](Shape condition, OperandType type, OperandType model) {
    SingleOperation op;
    const TensorId flag = op.input(std::move(condition), type);
    op.takes(OperationCode::kIf, {flag, op.input({}, model), op.input({}, model), op.input({3})}, {op.output({3})});
    return op.check();
  };
  EXPECT_EQ(branch({1}, OperandType::kTensorBool8, OperandType::kModel), Code::kNoError);
  EXPECT_EQ(branch({2}, OperandType::kTensorBool8, OperandType::kModel), Code::kBadData);
  EXPECT_EQ(branch({1}, OperandType::kTensorInt32, OperandType::kModel), Code::kBadData);
  EXPECT_EQ(branch({1}, OperandType::kTensorBool8, OperandType::kTensorFloat32), Code::kBadData);
}

TEST(ControlFlow, AWhileNeedsAnInitialValue) {
  SingleOperation without;
  const TensorId condition = without.input({}, OperandType::kModel);
  const TensorId body = without.input({}, OperandType::kModel);
  without.takes(OperationCode::kWhile, {condition, body}, {without.output({1})});
  EXPECT_EQ(without.check(), Code::kBadData);
  without.takes(OperationCode::kWhile, {condition, body, without.input({1})}, {without.output({1})});
  EXPECT_EQ(without.check(), Code::kNoError);
  EXPECT_EQ(without.infer().value()[0], (Shape{1}));
}

}  // namespace
}  // namespace nnvk
