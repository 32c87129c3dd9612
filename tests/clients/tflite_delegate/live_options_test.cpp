// The options of live operators.
#include "clients/tflite_delegate/live_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorflow/lite/builtin_ops.h>
#include <tensorflow/lite/c/builtin_op_data.h>

namespace nnvk::clients::tflite {
namespace {

using namespace importers::tflite;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Params>
Result<OperatorOptions> options_of(int code, Params& params, int version = 1) {
  TfLiteNode node{};
  node.builtin_data = &params;
  TfLiteRegistration registration{};
  registration.builtin_code = code;
  registration.version = version;
  return live_options(node, registration);
}

TEST(LiveOptions, OfAConvolution) {
  TfLiteConvParams params{kTfLitePaddingValid, 2, 3, kTfLiteActRelu6, 4, 5};
  const auto found = options_of(kTfLiteBuiltinConv2d, params);
  ASSERT_TRUE(found) << found.error().message;
  const auto& options = std::get<ConvolutionOptions>(*found);
  EXPECT_EQ(options.padding, format::Padding_VALID);
  EXPECT_EQ(options.stride_w, 2);
  EXPECT_EQ(options.stride_h, 3);
  EXPECT_EQ(options.dilation_w, 4);
  EXPECT_EQ(options.dilation_h, 5);
  EXPECT_EQ(options.activation, format::Activation_RELU6);
}

TEST(LiveOptions, OfAPool) {
  TfLitePoolParams params{kTfLitePaddingSame, 1, 2, 3, 4, kTfLiteActNone, {}};
  const auto found = options_of(kTfLiteBuiltinMaxPool2d, params);
  ASSERT_TRUE(found) << found.error().message;
  const auto& options = std::get<PoolOptions>(*found);
  EXPECT_EQ(options.padding, format::Padding_SAME);
  EXPECT_EQ(options.stride_w, 1);
  EXPECT_EQ(options.stride_h, 2);
  EXPECT_EQ(options.filter_width, 3);
  EXPECT_EQ(options.filter_height, 4);
}

TEST(LiveOptions, ReadFieldsOfNewVersionsOnlyThere) {
  TfLiteStridedSliceParams slice{1, 2, 4, 8, 16, true};
  EXPECT_FALSE(std::get<StridedSliceOptions>(*options_of(kTfLiteBuiltinStridedSlice, slice, 7)).offset);
  EXPECT_TRUE(std::get<StridedSliceOptions>(*options_of(kTfLiteBuiltinStridedSlice, slice, 8)).offset);
  EXPECT_EQ(std::get<StridedSliceOptions>(*options_of(kTfLiteBuiltinStridedSlice, slice, 1)).shrink_axis_mask, 16);
  TfLiteTransposeConvParams transposed{kTfLitePaddingSame, 2, 2, kTfLiteActRelu};
  EXPECT_EQ(std::get<ConvolutionOptions>(*options_of(kTfLiteBuiltinTransposeConv, transposed, 3)).activation,
            format::Activation_NONE);
  EXPECT_EQ(std::get<ConvolutionOptions>(*options_of(kTfLiteBuiltinTransposeConv, transposed, 4)).activation,
            format::Activation_RELU);
}

TEST(LiveOptions, OfSequencesKeepTheirOwnOrderOfFields) {
  TfLiteUnidirectionalSequenceLSTMParams lstm{kTfLiteActTanh, 1.5f, 2.5f, true, false, true};
  const auto unidirectional = std::get<RecurrentOptions>(*options_of(kTfLiteBuiltinUnidirectionalSequenceLstm, lstm, 4));
  EXPECT_EQ(unidirectional.activation, format::Activation_TANH);
  EXPECT_EQ(unidirectional.cell_clip, 1.5f);
  EXPECT_EQ(unidirectional.projection_clip, 2.5f);
  EXPECT_TRUE(unidirectional.time_major);
  EXPECT_TRUE(unidirectional.diagonal_recurrent);
  TfLiteBidirectionalSequenceLSTMParams both{kTfLiteActTanh, 1, 2, true, false, false};
  const auto bidirectional = std::get<RecurrentOptions>(*options_of(kTfLiteBuiltinBidirectionalSequenceLstm, both));
  EXPECT_TRUE(bidirectional.merge_outputs);
  EXPECT_FALSE(bidirectional.time_major);
}

TEST(LiveOptions, OfASqueezeAreItsDimensions) {
  TfLiteSqueezeParams params{{1, -1}, 2};
  EXPECT_THAT(std::get<SqueezeOptions>(*options_of(kTfLiteBuiltinSqueeze, params)).axes, ElementsAre(1, -1));
  params.num_squeeze_dims = 9;
  EXPECT_FALSE(options_of(kTfLiteBuiltinSqueeze, params)) << "there is room for 8";
}

TEST(LiveOptions, WithUnknownNumbersAreErrorsThatNameThem) {
  TfLiteConvParams params{kTfLitePaddingUnknown, 1, 1, kTfLiteActNone, 1, 1};
  EXPECT_THAT(options_of(kTfLiteBuiltinConv2d, params).error().message, HasSubstr("padding 0"));
  TfLiteAddParams add{kTfLiteActSigmoid, false};
  EXPECT_THAT(options_of(kTfLiteBuiltinAdd, add).error().message, HasSubstr("activation 6"));
  TfLiteMirrorPaddingParams mirror{kTfLiteMirrorPaddingUnknown};
  EXPECT_THAT(options_of(kTfLiteBuiltinMirrorPad, mirror).error().message, HasSubstr("mirror mode 0"));
}

TEST(LiveOptions, AreNoneForOperatorsWithoutAStruct) {
  TfLiteRegistration registration{};
  registration.builtin_code = kTfLiteBuiltinConv2d;
  const TfLiteNode node{};
  const auto found = live_options(node, registration);
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*found));
}

}  // namespace
}  // namespace nnvk::clients::tflite
