// Convolutions and poolings: the meaning of operands, paddings and output sizes, hostile numbers.
#include "core/operations/parameters/window_parameters.h"

#include <gtest/gtest.h>

#include "tests/support/single_operation.h"

namespace nnvk {
namespace {

using test::join;
using test::SingleOperation;

constexpr uint32_t kU = kUnknownDimension;
constexpr int32_t kSame = 1;
constexpr int32_t kValid = 2;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

// A convolution of floats; `make_tail` adds the operands after the bias.
template <class MakeTail>
SingleOperation conv(OperationCode code, Shape image, Shape filter, uint32_t channels, MakeTail make_tail) {
  SingleOperation op;
  const TensorId input = op.input(std::move(image));
  const TensorId weights = op.input(std::move(filter));
  const TensorId bias = op.input({channels});
  const std::vector<TensorId> tail = make_tail(op);
  op.takes(code, join({input, weights, bias}, tail), {op.output(Shape::unknown_rank())});
  return op;
}

auto scalars(std::vector<int32_t> values) {
  return [values](SingleOperation& op) { return op.scalars(values); };
}

TEST(ConvParameters, SamePaddingPutsTheOddCellAtTheEnd) {
  auto op = conv(OperationCode::kConv2d, {1, 6, 5, 3}, {8, 3, 2, 3}, 8, scalars({kSame, 2, 2, 1}));
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.out_height, 3U);
  EXPECT_EQ(p.out_width, 3U);
  EXPECT_EQ(p.pad_top, 0);
  EXPECT_EQ(p.pad_bottom, 1);
  EXPECT_EQ(p.pad_left, 0);
  EXPECT_EQ(p.pad_right, 1);
  EXPECT_EQ(p.activation, FusedActivation::kRelu);
  EXPECT_FALSE(p.nchw);
  EXPECT_EQ(op.infer().value()[0], (Shape{1, 3, 3, 8}));
}

TEST(ConvParameters, WidthComesBeforeHeightInTheScalars) {
  auto op = conv(OperationCode::kConv2d, {1, 20, 20, 1}, {1, 3, 3, 1}, 1, scalars({1, 2, 0, 1, 3, 4, 0}));
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.pad_left, 1);
  EXPECT_EQ(p.pad_right, 2);
  EXPECT_EQ(p.pad_top, 0);
  EXPECT_EQ(p.pad_bottom, 1);
  EXPECT_EQ(p.stride_width, 3);
  EXPECT_EQ(p.stride_height, 4);
  EXPECT_EQ(p.out_width, (20U - 3 + 3 + 3) / 3);
  EXPECT_EQ(p.out_height, (20U - 3 + 1 + 4) / 4);
}

TEST(ConvParameters, WithTenInputsTheTypeOfInputSevenTellsThePaddingForm) {
  auto implicit = conv(OperationCode::kConv2d, {1, 9, 9, 1}, {1, 3, 3, 1}, 1, [](SingleOperation& op) {
    return join(join(op.scalars({kValid, 1, 1, 0}), {op.flag(false)}), op.scalars({2, 3}));
  });
  EXPECT_EQ(implicit.check(), Code::kNoError);
  EXPECT_EQ(implicit.feature_level, 3);
  const auto p = window_parameters(implicit.view().view()).value();
  EXPECT_EQ(p.dilation_width, 2);
  EXPECT_EQ(p.dilation_height, 3);
  EXPECT_EQ(p.out_height, 3U);
  EXPECT_EQ(p.out_width, 5U);

  auto explicit_form = conv(OperationCode::kConv2d, {1, 9, 9, 1}, {1, 3, 3, 1}, 1, scalars({1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(explicit_form.check(), Code::kNoError);
  EXPECT_EQ(explicit_form.feature_level, 3) << "the output's unknown rank needs it";
  explicit_form.raw().tensors[explicit_form.raw().outputs[0]].info.shape = Shape{1, 9, 9, 1};
  EXPECT_EQ(explicit_form.check(), Code::kNoError);
  EXPECT_EQ(explicit_form.feature_level, 1);
  EXPECT_EQ(explicit_form.infer().value()[0], (Shape{1, 9, 9, 1}));
}

TEST(ConvParameters, ChannelsFirstAffectsImagesButNotFilters) {
  auto op = conv(OperationCode::kConv2d, {2, 3, 8, 10}, {4, 3, 5, 3}, 4, [](SingleOperation& o) {
    return join(o.scalars({kValid, 1, 1, 0}), {o.flag(true)});
  });
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.in_channels, 3U);
  EXPECT_EQ(p.in_height, 8U);
  EXPECT_EQ(p.filter_height, 3U);
  EXPECT_EQ(p.filter_width, 5U);
  EXPECT_EQ(op.infer().value()[0], (Shape{2, 4, 6, 6}));
}

TEST(ConvParameters, AnEmptyBatchIsFineAnEmptyImageIsNot) {
  auto empty_batch = conv(OperationCode::kConv2d, {0, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({kValid, 1, 1, 0}));
  EXPECT_EQ(empty_batch.infer().value()[0], (Shape{0, 2, 2, 1}));
  auto empty_image = conv(OperationCode::kConv2d, {1, 0, 4, 1}, {1, 3, 3, 1}, 1, scalars({kValid, 1, 1, 0}));
  EXPECT_EQ(empty_image.infer_code(), Code::kOpFailed);
}

TEST(ConvParameters, ContradictionsBetweenFilterImageAndBiasFail) {
  EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 2}, {1, 3, 3, 3}, 1, scalars({kValid, 1, 1, 0})).infer_code(),
            Code::kOpFailed);
  EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 2}, {1, 3, 3, 2}, 2, scalars({kValid, 1, 1, 0})).infer_code(),
            Code::kOpFailed);
  EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4}, {1, 3, 3, 2}, 1, scalars({kValid, 1, 1, 0})).check(), Code::kBadData);
}

TEST(ConvParameters, HostileScalarsFailWithoutOverflow) {
  for (const int32_t bad : {kMin, -1, 0}) {
    EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({kSame, bad, 1, 0})).infer_code(),
              Code::kOpFailed)
        << "stride " << bad;
  }
  for (const int32_t bad : {kMin, -1, 4, kMax}) {
    EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({kSame, 1, 1, bad})).infer_code(),
              Code::kOpFailed)
        << "activation " << bad;
  }
  for (const int32_t bad : {kMin, 0, 3, kMax}) {
    EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({bad, 1, 1, 0})).infer_code(), Code::kOpFailed)
        << "padding scheme " << bad;
  }
  for (const int32_t bad : {kMin, -1, 3, kMax}) {
    EXPECT_EQ(conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({bad, 0, 0, 0, 1, 1, 0})).infer_code(),
              Code::kOpFailed)
        << "padding " << bad;
  }
  auto dilated = conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, [](SingleOperation& op) {
    return join(join(op.scalars({kSame, 1, 1, 0}), {op.flag(false)}), op.scalars({kMax, kMax}));
  });
  EXPECT_EQ(dilated.infer_code(), Code::kOpFailed);
  auto huge_stride = conv(OperationCode::kConv2d, {1, 4, 4, 1}, {1, 3, 3, 1}, 1, scalars({kSame, kMax, kMax, 0}));
  EXPECT_EQ(huge_stride.infer().value()[0], (Shape{1, 1, 1, 1}));
}

TEST(ConvParameters, UnknownPartsGiveUnknownDimensionsAndNoError) {
  auto unknown_size = conv(OperationCode::kConv2d, {kU, kU, 9, 3}, {8, 3, 3, kU}, 8, scalars({kSame, 1, 1, 0}));
  EXPECT_EQ(unknown_size.infer().value()[0], (Shape{kU, kU, 9, 8}));
  EXPECT_EQ(window_parameters(unknown_size.view().view()).error().code, Code::kOpFailed);
  auto unknown_rank = conv(OperationCode::kConv2d, Shape::unknown_rank(), {8, 3, 3, 3}, 8, scalars({kSame, 1, 1, 0}));
  EXPECT_EQ(unknown_rank.infer().value()[0], (Shape{kU, kU, kU, 8}));
  auto unknown_stride = conv(OperationCode::kConv2d, {1, 9, 9, 3}, {8, 3, 3, 3}, 8, [](SingleOperation& op) {
    return std::vector<TensorId>{op.scalar(kSame), op.unknown_scalar(), op.scalar(1), op.scalar(0)};
  });
  EXPECT_EQ(unknown_stride.infer().value()[0], (Shape{1, 9, kU, 8}));
  auto unknown_layout = conv(OperationCode::kConv2d, {1, 9, 9, 9}, {8, 3, 3, 9}, 8, [](SingleOperation& op) {
    return join(op.scalars({kSame, 1, 1, 0}), {op.unknown_scalar(OperandType::kBool)});
  });
  EXPECT_EQ(unknown_layout.infer().value()[0], (Shape{1, kU, kU, kU}));
}

TEST(ConvParameters, TheBiasScaleIsTheProductOfTheOtherScales) {
  const auto quantized = [](float bias_scale) {
    SingleOperation op;
    const TensorId input = op.input({1, 4, 4, 1}, OperandType::kTensorQuant8Asymm, 0.5F, 128);
    const TensorId filter = op.input({1, 1, 1, 1}, OperandType::kTensorQuant8Asymm, 0.25F, 128);
    const TensorId bias = op.input({1}, OperandType::kTensorInt32, bias_scale);
    op.takes(OperationCode::kConv2d, join({input, filter, bias}, op.scalars({kSame, 1, 1, 0})),
             {op.output({1, 4, 4, 1}, OperandType::kTensorQuant8Asymm, 1.0F, 0)});
    return op.infer_code();
  };
  EXPECT_EQ(quantized(0.125F), Code::kNoError);
  EXPECT_EQ(quantized(0.126F), Code::kOpFailed);
  EXPECT_EQ(quantized(0.0F), Code::kOpFailed);
}

TEST(ConvParameters, OutputScalesUpToTheProductOfTheOthersNeedFeatureLevelThree) {
  for (const auto& [output_scale, level] : {std::pair{0.25F, 1}, {0.125F, 3}}) {
    SingleOperation op;
    const TensorId input = op.input({1, 4, 4, 1}, OperandType::kTensorQuant8Asymm, 0.5F, 128);
    const TensorId filter = op.input({1, 1, 1, 1}, OperandType::kTensorQuant8Asymm, 0.25F, 128);
    const TensorId bias = op.input({1}, OperandType::kTensorInt32, 0.125F);
    op.takes(OperationCode::kConv2d, join({input, filter, bias}, op.scalars({kSame, 1, 1, 0})),
             {op.output({1, 4, 4, 1}, OperandType::kTensorQuant8Asymm, output_scale, 0)});
    EXPECT_EQ(op.check(), Code::kNoError);
    EXPECT_EQ(op.feature_level, level) << output_scale;
  }
}

TEST(ConvParameters, PerChannelFiltersNeedTheirParametersAlongTheRightDimension) {
  const auto with_channel_dim = [](std::optional<uint32_t> channel_dim) {
    SingleOperation op;
    const TensorId input = op.input({1, 4, 4, 2}, OperandType::kTensorQuant8Asymm, 0.5F, 128);
    const TensorId filter = op.input({2, 1, 1, 2}, OperandType::kTensorQuant8SymmPerChannel);
    if (channel_dim) {
      op.raw().tensors[filter].info.channel_quant =
          std::make_shared<const ChannelQuant>(ChannelQuant{*channel_dim, {0.5F, 0.25F}});
    }
    const TensorId bias = op.input({2}, OperandType::kTensorInt32);
    op.takes(OperationCode::kConv2d, join({input, filter, bias}, op.scalars({kSame, 1, 1, 0})),
             {op.output({1, 4, 4, 2}, OperandType::kTensorQuant8Asymm, 1.0F, 0)});
    return op.check();
  };
  EXPECT_EQ(with_channel_dim(0), Code::kNoError);
  EXPECT_EQ(with_channel_dim(3), Code::kBadData);
  EXPECT_EQ(with_channel_dim(std::nullopt), Code::kBadData);
}

TEST(GroupedConvParameters, GroupsDivideInputAndOutputChannels) {
  auto op = conv(OperationCode::kGroupedConv2d, {1, 5, 5, 4}, {6, 3, 3, 2}, 6, [](SingleOperation& o) {
    return join(o.scalars({kValid, 1, 1, 2, 0}), {o.flag(false)});
  });
  EXPECT_EQ(op.check(), Code::kNoError);
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.groups, 2);
  EXPECT_EQ(op.infer().value()[0], (Shape{1, 3, 3, 6}));
  for (const int32_t groups : {kMin, 0, 3, 4}) {
    auto bad = conv(OperationCode::kGroupedConv2d, {1, 5, 5, 4}, {6, 3, 3, 2}, 6, [groups](SingleOperation& o) {
      return join(o.scalars({0, 0, 0, 0, 1, 1, groups, 0}), {o.flag(false)});
    });
    EXPECT_EQ(bad.infer_code(), Code::kOpFailed) << groups;
  }
}

TEST(DepthwiseParameters, TheMultiplierTimesTheChannelsIsTheFilterDepth) {
  auto op = conv(OperationCode::kDepthwiseConv2d, {1, 8, 8, 3}, {1, 3, 3, 6}, 6, scalars({kSame, 1, 1, 2, 3}));
  EXPECT_EQ(op.check(), Code::kNoError);
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.depth_multiplier, 2);
  EXPECT_EQ(p.activation, FusedActivation::kRelu6);
  EXPECT_EQ(p.out_channels, 6U);
  EXPECT_EQ(op.infer().value()[0], (Shape{1, 8, 8, 6}));
  for (const int32_t multiplier : {kMin, 0, 1, kMax}) {
    EXPECT_EQ(
        conv(OperationCode::kDepthwiseConv2d, {1, 8, 8, 3}, {1, 3, 3, 6}, 6, scalars({kSame, 1, 1, multiplier, 0})).infer_code(),
        Code::kOpFailed)
        << multiplier;
  }
  EXPECT_EQ(conv(OperationCode::kDepthwiseConv2d, {1, 8, 8, 3}, {2, 3, 3, 6}, 6, scalars({kSame, 1, 1, 2, 0})).infer_code(),
            Code::kOpFailed);
}

TEST(PoolingParameters, TheWindowComesFromTheScalarsWidthFirst) {
  SingleOperation op;
  const TensorId input = op.input({2, 7, 9, 5});
  op.takes(OperationCode::kMaxPool2d, join({input}, op.scalars({kValid, 2, 1, 4, 3, 0})), {op.output(Shape::unknown_rank())});
  EXPECT_EQ(op.check(), Code::kNoError);
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.filter_width, 4U);
  EXPECT_EQ(p.filter_height, 3U);
  EXPECT_EQ(p.stride_width, 2);
  EXPECT_EQ(op.infer().value()[0], (Shape{2, 5, 3, 5}));
}

TEST(PoolingParameters, PaddingMustBeSmallerThanTheWindow) {
  const auto pooled = [](int32_t padding, int32_t window) {
    SingleOperation op;
    const TensorId input = op.input({1, 8, 8, 1});
    op.takes(OperationCode::kAveragePool2d, join({input}, op.scalars({padding, 0, 0, 0, 1, 1, window, window, 0})),
             {op.output(Shape::unknown_rank())});
    return op.infer_code();
  };
  EXPECT_EQ(pooled(1, 2), Code::kNoError);
  EXPECT_EQ(pooled(2, 2), Code::kOpFailed);
  EXPECT_EQ(pooled(0, 0), Code::kOpFailed);
  EXPECT_EQ(pooled(0, kMin), Code::kOpFailed);
  EXPECT_EQ(pooled(kMax, kMax), Code::kOpFailed);
}

TEST(PoolingParameters, QuantizationOfTheOutputIsThatOfTheInput) {
  const auto pooled = [](float output_scale) {
    SingleOperation op;
    const TensorId input = op.input({1, 8, 8, 1}, OperandType::kTensorQuant8Asymm, 0.5F, 3);
    op.takes(OperationCode::kMaxPool2d, join({input}, op.scalars({kSame, 1, 1, 2, 2, 0})),
             {op.output({1, 8, 8, 1}, OperandType::kTensorQuant8Asymm, output_scale, 3)});
    return op.infer_code();
  };
  EXPECT_EQ(pooled(0.5F), Code::kNoError);
  EXPECT_EQ(pooled(0.25F), Code::kOpFailed);
}

template <class MakeTail>
SingleOperation transposed(Shape image, Shape filter, MakeTail make_tail) {
  return conv(OperationCode::kTransposeConv2d, std::move(image), filter, filter[0], make_tail);
}

auto wanted_shape(std::vector<int32_t> shape, int32_t scheme, int32_t stride) {
  return [=](SingleOperation& op) {
    const TensorId wanted = op.constant<int32_t>({4}, OperandType::kTensorInt32, shape);
    return join(join({wanted}, op.scalars({scheme, stride, stride, 0})), {op.flag(false)});
  };
}

TEST(TransposeConvParameters, SamePaddingFollowsFromTheWantedSize) {
  auto op = transposed({1, 2, 2, 1}, {3, 3, 3, 1}, wanted_shape({1, 4, 3, 3}, kSame, 2));
  EXPECT_EQ(op.check(), Code::kNoError);
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.out_height, 4U);
  EXPECT_EQ(p.pad_top, 0);
  EXPECT_EQ(p.pad_bottom, 1);
  EXPECT_EQ(p.out_width, 3U);
  EXPECT_EQ(p.pad_left, 1);
  EXPECT_EQ(p.pad_right, 1);
}

TEST(TransposeConvParameters, ValidPaddingIgnoresTheWantedSize) {
  auto op = transposed({1, 2, 2, 1}, {3, 3, 3, 1}, wanted_shape({9, 9, 9, 9}, kValid, 2));
  EXPECT_EQ(op.infer().value()[0], (Shape{1, 5, 5, 3}));
}

TEST(TransposeConvParameters, TheTailPaddingMayBeNegative) {
  auto op = transposed({1, 2, 2, 1}, {1, 1, 1, 1}, wanted_shape({1, 4, 4, 1}, kSame, 2));
  const auto p = window_parameters(op.view().view()).value();
  EXPECT_EQ(p.pad_bottom, -1);
  EXPECT_EQ(p.out_height, 4U);
}

TEST(TransposeConvParameters, HostileWantedSizesAndPaddingsFail) {
  for (const int32_t size : {kMin, -1, 0}) {
    EXPECT_EQ(transposed({1, 2, 2, 1}, {1, 3, 3, 1}, wanted_shape({1, size, 4, 1}, kSame, 2)).infer_code(), Code::kOpFailed);
  }
  const auto padded = [](int32_t head, int32_t tail) {
    return transposed({1, 2, 2, 1}, {1, 3, 3, 1},
                      [=](SingleOperation& op) {
                        return join(op.scalars({head, tail, 0, 0, 1, 1, 0}), {op.flag(false)});
                      })
        .infer_code();
  };
  EXPECT_EQ(padded(0, 0), Code::kNoError);
  EXPECT_EQ(padded(-1, 0), Code::kOpFailed);
  EXPECT_EQ(padded(kMax, 0), Code::kOpFailed);
  EXPECT_EQ(padded(0, kMax), Code::kOpFailed);
  EXPECT_EQ(padded(0, -2), Code::kNoError);
}

TEST(TransposeConvParameters, AnUnknownWantedSizeGivesUnknownDimensions) {
  auto op = transposed({1, 2, 2, 1}, {1, 3, 3, 1}, [](SingleOperation& o) {
    const TensorId wanted = o.input({4}, OperandType::kTensorInt32);
    return join(join({wanted}, o.scalars({kSame, 2, 2, 0})), {o.flag(false)});
  });
  EXPECT_EQ(op.infer().value()[0], (Shape{1, kU, kU, 1}));
}

}  // namespace
}  // namespace nnvk
