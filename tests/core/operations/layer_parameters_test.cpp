// Decoders that both devices share: the meaning of operands, defaults of short signatures, hostile values. Softmax,
// normalisations, resizes, matrix products, and the operands of convolutions and poolings.
#include <gtest/gtest.h>

#include <limits>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/activation.h"
#include "core/operations/parameters/matmul_parameters.h"
#include "core/operations/parameters/normalization_parameters.h"
#include "core/operations/parameters/resize_parameters.h"
#include "core/operations/parameters/softmax_parameters.h"
#include "tests/support/operation_fixture.h"

namespace nnvk {
namespace {

using test::OperationFixture;
using enum OperandType;

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

template <class T>
Code code_of(const Result<T>& result) {
  return result ? Code::kNoError : result.error().code;
}

TEST(AxisSplit, NumbersTheSlicesFromTheOutermostDimension) {
  const AxisSplit split = split_at_axis({2, 3, 4}, 1);
  EXPECT_EQ(split, (AxisSplit{2, 3, 4}));
  EXPECT_EQ(split.slices(), 8U);
  EXPECT_EQ(split.first_of(3), 3U);
  EXPECT_EQ(split.first_of(5), 13U);  // the second slice after the first plane of 12 elements
}

TEST(ActivationParameter, IsOneOfFourCodesThatAreKnown) {
  EXPECT_EQ(activation_parameter(OperationFixture(OperationCode::kAdd).scalar(3).view(), 0).value(), FusedActivation::kRelu6);
  for (const int32_t bad : {kMin, -1, 4, kMax}) {
    EXPECT_EQ(code_of(activation_parameter(OperationFixture(OperationCode::kAdd).scalar(bad).view(), 0)), Code::kOpFailed) << bad;
  }
  EXPECT_EQ(code_of(activation_parameter(OperationFixture(OperationCode::kAdd).unknown_scalar().view(), 0)), Code::kOpFailed);
}

TEST(SoftmaxParameters, TheAxisIsTheLastOneUnlessGiven) {
  OperationFixture softmax(OperationCode::kSoftmax);
  softmax.tensor({2, 3, 4}).scalar(0.5F);
  EXPECT_EQ(softmax_parameters(softmax.view())->beta, 0.5F);
  EXPECT_EQ(softmax_parameters(softmax.view())->split, (AxisSplit{6, 4, 1}));
  EXPECT_EQ(softmax_parameters(softmax.scalar(-2).view())->split, (AxisSplit{2, 3, 4}));
}

TEST(SoftmaxParameters, NeedABetaAndAnAxisInsideTheRank) {
  EXPECT_EQ(code_of(softmax_parameters(OperationFixture(OperationCode::kSoftmax).tensor({2, 3}).unknown_scalar(kFloat32).view())),
            Code::kOpFailed);
  for (const int32_t bad : {kMin, -3, 2, kMax}) {
    OperationFixture softmax(OperationCode::kLogSoftmax);
    EXPECT_EQ(code_of(softmax_parameters(softmax.tensor({2, 3}).scalar(1.0F).scalar(bad).view())), Code::kOpFailed) << bad;
  }
}

TEST(NormalizationParameters, L2NormalizationRunsAlongTheLastAxisUnlessGiven) {
  OperationFixture l2(OperationCode::kL2Normalization);
  l2.tensor({2, 3, 4});
  EXPECT_EQ(l2_normalization_slices(l2.view()).value(), (AxisSplit{6, 4, 1}));
  EXPECT_EQ(l2_normalization_slices(l2.scalar(0).view()).value(), (AxisSplit{1, 2, 12}));
}

TEST(NormalizationParameters, LocalResponseTakesRadiusBiasAlphaBetaInThisOrder) {
  const auto decoded = [](int32_t radius) {
    OperationFixture operation(OperationCode::kLocalResponseNormalization);
    operation.tensor({1, 2, 2, 5}).scalar(radius).scalar(1.0F).scalar(2.0F).scalar(3.0F);
    return local_response_parameters(operation.view()).value();
  };
  EXPECT_EQ(decoded(2).radius, 2U);
  EXPECT_EQ(decoded(2).bias, 1.0F);
  EXPECT_EQ(decoded(2).alpha, 2.0F);
  EXPECT_EQ(decoded(2).beta, 3.0F);
  EXPECT_EQ(decoded(2).slices, (AxisSplit{4, 5, 1}));
  for (const int32_t far : {6, kMax, kMin}) EXPECT_EQ(decoded(far).radius, 5U) << far;
}

TEST(NormalizationParameters, InstancesAreChannelsOfImagesInEitherLayout) {
  const auto decoded = [](bool nchw) {
    OperationFixture operation(OperationCode::kInstanceNormalization);
    operation.tensor({2, 3, 4, 5}).scalar(1.5F).scalar(2.5F).scalar(0.25F).flag(nchw);
    return instance_normalization_parameters(operation.view()).value();
  };
  EXPECT_EQ(decoded(false).slices, (AxisSplit{2, 12, 5}));
  EXPECT_EQ(decoded(true).slices, (AxisSplit{6, 20, 1}));
  EXPECT_EQ(decoded(true).gamma, 1.5F);
  EXPECT_EQ(decoded(true).beta, 2.5F);
  EXPECT_EQ(decoded(true).epsilon, 0.25F);
}

TEST(ResizeParameters, FlagsThatASignatureEndsBeforeAreFalse) {
  OperationFixture resize(OperationCode::kResizeBilinear);
  resize.tensor({1, 2, 2, 1}).scalar(4).scalar(4);
  EXPECT_FALSE(resize_parameters(resize.view())->nchw);
  resize.flag(true).flag(false);
  EXPECT_TRUE(resize_parameters(resize.view())->nchw);
  EXPECT_FALSE(resize_parameters(resize.view())->mapping.align_corners);
  EXPECT_TRUE(resize_parameters(resize.flag(true).view())->mapping.half_pixel_centers);
  OperationFixture unknown(OperationCode::kResizeBilinear);
  unknown.tensor({1, 2, 2, 1}).scalar(4).scalar(4).unknown_scalar(kBool);
  EXPECT_EQ(code_of(resize_parameters(unknown.view())), Code::kOpFailed);
}

TEST(MatmulParameters, AFullyConnectedLayerFlattensItsInputToBatches) {
  OperationFixture layer(OperationCode::kFullyConnected);
  layer.tensor({2, 3, 4}).tensor({5, 6}).tensor({5}).scalar(1);
  const auto p = fully_connected_parameters(layer.view()).value();
  EXPECT_EQ(p.batches, 4U);
  EXPECT_EQ(p.input_size, 6U);
  EXPECT_EQ(p.units, 5U);
  EXPECT_EQ(p.activation, FusedActivation::kRelu);
}

TEST(MatmulParameters, AdjointSidesAreReadColumnByColumn) {
  OperationFixture product(OperationCode::kBatchMatmul);
  product.tensor({2, 3, 4, 5}).tensor({2, 3, 6, 5}).flag(false).flag(true);
  const auto p = batch_matmul_parameters(product.view()).value();
  EXPECT_EQ(p.batches, 6U);
  EXPECT_EQ(p.left, (BatchedMatrix{4, 5, 5, 1}));
  EXPECT_EQ(p.right, (BatchedMatrix{5, 6, 1, 5}));
}

// Inputs of a signature with `count` scalars after `tensors` tensors; scalar `flag` is the layout.
WindowOperands operands_of(OperationCode code, size_t tensors, size_t count, size_t flag) {
  OperationFixture operation(code);
  for (size_t i = 0; i < tensors; ++i) operation.tensor({1});
  for (size_t i = 0; i < count; ++i) i == flag ? operation.flag(false) : operation.scalar(1);
  return window_operands(operation.view());
}

TEST(WindowOperands, StandWhereEachSignatureHasThem) {
  constexpr size_t kNone = WindowOperands::kAbsent;
  const auto list = [](const WindowOperands& at) {
    return std::vector<size_t>{at.output_shape, at.padding, at.pads,       at.strides, at.window,
                               at.multiplier,   at.groups,  at.activation, at.nchw,    at.dilations};
  };
  using enum OperationCode;
  using List = std::vector<size_t>;
  EXPECT_EQ(list(operands_of(kConv2d, 3, 7, 4)), (List{kNone, 3, kNone, 4, kNone, kNone, kNone, 6, 7, 8}));
  EXPECT_EQ(list(operands_of(kConv2d, 3, 10, 7)), (List{kNone, kNone, 3, 7, kNone, kNone, kNone, 9, 10, 11}));
  EXPECT_EQ(list(operands_of(kDepthwiseConv2d, 3, 8, 5)), (List{kNone, 3, kNone, 4, kNone, 6, kNone, 7, 8, 9}));
  EXPECT_EQ(list(operands_of(kDepthwiseConv2d, 3, 8, 8)), (List{kNone, kNone, 3, 7, kNone, 9, kNone, 10, 11, 12}));
  EXPECT_EQ(list(operands_of(kGroupedConv2d, 3, 6, 5)), (List{kNone, 3, kNone, 4, kNone, kNone, 6, 7, 8, kNone}));
  EXPECT_EQ(list(operands_of(kTransposeConv2d, 3, 6, 5)), (List{3, 4, kNone, 5, kNone, kNone, kNone, 7, 8, kNone}));
  EXPECT_EQ(list(operands_of(kTransposeConv2d, 3, 8, 7)), (List{kNone, kNone, 3, 7, kNone, kNone, kNone, 9, 10, kNone}));
  EXPECT_EQ(list(operands_of(kMaxPool2d, 1, 7, 6)), (List{kNone, 1, kNone, 2, 4, kNone, kNone, 6, 7, kNone}));
  EXPECT_EQ(list(operands_of(kMaxPool2d, 1, 9, 9)), (List{kNone, kNone, 1, 5, 7, kNone, kNone, 9, 10, kNone}));
}

}  // namespace
}  // namespace nnvk
