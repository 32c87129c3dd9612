// One conversion per struct of TensorFlow Lite.
#include "clients/tflite_delegate/live_options.h"

#include <tensorflow/lite/builtin_ops.h>
#include <tensorflow/lite/c/builtin_op_data.h>

#include <string>

namespace nnvk::clients::tflite {
namespace {

using namespace importers::tflite;  // the options, whose names say what they belong to

// The first versions of operators whose structs have a field that older runtimes do not allocate.
constexpr int kSliceWithOffset = 8;
constexpr int kTransposeConvWithActivation = 4;
constexpr int kLstmWithDiagonals = 4;

Result<format::Activation> activation_of(TfLiteFusedActivation activation) {
  if (activation < kTfLiteActNone || activation > kTfLiteActSignBit) {
    return fail("the fused activation " + std::to_string(activation) + " is unknown");
  }
  return static_cast<format::Activation>(activation);  // both have the numbers of the public format
}

Result<format::Padding> padding_of(TfLitePadding padding) {
  if (padding == kTfLitePaddingSame) return format::Padding_SAME;
  if (padding == kTfLitePaddingValid) return format::Padding_VALID;
  return fail("the padding " + std::to_string(padding) + " is unknown");
}

template <class Params>
const Params& params_of(const TfLiteNode& node) {
  return *static_cast<const Params*>(node.builtin_data);
}

template <class Params>
Result<OperatorOptions> activation_options(const TfLiteNode& node) {
  TOOLS_ASSIGN(const auto activation, activation_of(params_of<Params>(node).activation));
  return ActivationOptions{activation};
}

// Returns the options of a convolution. `activation` is an argument because an older TRANSPOSE_CONV has none.
template <class Params>
Result<OperatorOptions> convolution_options(const Params& params, TfLiteFusedActivation fused) {
  ConvolutionOptions options{.stride_w = params.stride_width, .stride_h = params.stride_height};
  TOOLS_ASSIGN(options.padding, padding_of(params.padding));
  TOOLS_ASSIGN(options.activation, activation_of(fused));
  if constexpr (!std::is_same_v<Params, TfLiteTransposeConvParams>) {
    options.dilation_w = params.dilation_width_factor;
    options.dilation_h = params.dilation_height_factor;
  }
  return options;
}

Result<OperatorOptions> pool_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLitePoolParams>(node);
  PoolOptions options{.stride_w = params.stride_width,
                      .stride_h = params.stride_height,
                      .filter_width = params.filter_width,
                      .filter_height = params.filter_height};
  TOOLS_ASSIGN(options.padding, padding_of(params.padding));
  TOOLS_ASSIGN(options.activation, activation_of(params.activation));
  return options;
}

Result<OperatorOptions> fully_connected_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteFullyConnectedParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return FullyConnectedOptions{.activation = activation,
                               .weights_format = params.weights_format == kTfLiteFullyConnectedWeightsFormatDefault
                                                     ? format::WeightsFormat_DEFAULT
                                                     : format::WeightsFormat_SHUFFLED4x16INT8};
}

Result<OperatorOptions> concatenation_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteConcatenationParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return AxisOptions{.axis = params.axis, .activation = activation};
}

template <class Params>
OperatorOptions resize_options(const TfLiteNode& node) {
  const auto& params = params_of<Params>(node);
  return ResizeOptions{.align_corners = params.align_corners, .half_pixel_centers = params.half_pixel_centers};
}

Result<OperatorOptions> squeeze_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteSqueezeParams>(node);
  if (params.num_squeeze_dims < 0 || static_cast<size_t>(params.num_squeeze_dims) > std::size(params.squeeze_dims)) {
    return fail("it squeezes " + std::to_string(params.num_squeeze_dims) + " dimensions");
  }
  SqueezeOptions options;
  options.axes.assign(params.squeeze_dims, params.squeeze_dims + params.num_squeeze_dims);
  return options;
}

OperatorOptions strided_slice_options(const TfLiteNode& node, int version) {
  const auto& params = params_of<TfLiteStridedSliceParams>(node);
  return StridedSliceOptions{.begin_mask = params.begin_mask,
                             .end_mask = params.end_mask,
                             .ellipsis_mask = params.ellipsis_mask,
                             .new_axis_mask = params.new_axis_mask,
                             .shrink_axis_mask = params.shrink_axis_mask,
                             .offset = version >= kSliceWithOffset && params.offset};
}

Result<OperatorOptions> mirror_pad_options(const TfLiteNode& node) {
  const auto mode = params_of<TfLiteMirrorPaddingParams>(node).mode;
  if (mode == kTfLiteMirrorPaddingReflect) return MirrorPadOptions{format::MirrorPadMode_REFLECT};
  if (mode == kTfLiteMirrorPaddingSymmetric) return MirrorPadOptions{format::MirrorPadMode_SYMMETRIC};
  return fail("the mirror mode " + std::to_string(mode) + " is unknown");
}

Result<OperatorOptions> lsh_options(const TfLiteNode& node) {
  const auto type = params_of<TfLiteLSHProjectionParams>(node).type;
  if (type < kTfLiteLshProjectionUnknown || type > kTfLiteLshProjectionDense) {
    return fail("the projection " + std::to_string(type) + " is unknown");
  }
  return LshOptions{static_cast<format::LshType>(type)};
}

Result<OperatorOptions> svdf_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteSVDFParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return SvdfOptions{.rank = params.rank, .activation = activation};
}

Result<OperatorOptions> lstm_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteLSTMParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return RecurrentOptions{.activation = activation,
                          .cell_clip = params.cell_clip,
                          .projection_clip = params.proj_clip,
                          .basic_kernel = params.kernel_type == kTfLiteLSTMBasicKernel};
}

Result<OperatorOptions> sequence_lstm_options(const TfLiteNode& node, int version) {
  const auto& params = params_of<TfLiteUnidirectionalSequenceLSTMParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return RecurrentOptions{.activation = activation,
                          .cell_clip = params.cell_clip,
                          .projection_clip = params.proj_clip,
                          .time_major = params.time_major,
                          .diagonal_recurrent = version >= kLstmWithDiagonals && params.diagonal_recurrent_tensors};
}

Result<OperatorOptions> bidirectional_lstm_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteBidirectionalSequenceLSTMParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return RecurrentOptions{.activation = activation,
                          .cell_clip = params.cell_clip,
                          .projection_clip = params.proj_clip,
                          .time_major = params.time_major,
                          .merge_outputs = params.merge_outputs};
}

Result<OperatorOptions> sequence_rnn_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteSequenceRNNParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return RecurrentOptions{.activation = activation, .time_major = params.time_major};
}

Result<OperatorOptions> bidirectional_rnn_options(const TfLiteNode& node) {
  const auto& params = params_of<TfLiteBidirectionalSequenceRNNParams>(node);
  TOOLS_ASSIGN(const auto activation, activation_of(params.activation));
  return RecurrentOptions{.activation = activation, .time_major = params.time_major, .merge_outputs = params.merge_outputs};
}

Result<OperatorOptions> layer_options(const TfLiteNode& node, const TfLiteRegistration& registration) {
  switch (registration.builtin_code) {
    case kTfLiteBuiltinConv2d: {
      const auto& params = params_of<TfLiteConvParams>(node);
      return convolution_options(params, params.activation);
    }
    case kTfLiteBuiltinDepthwiseConv2d: {
      const auto& params = params_of<TfLiteDepthwiseConvParams>(node);
      return convolution_options(params, params.activation);
    }
    case kTfLiteBuiltinTransposeConv: {
      const auto& params = params_of<TfLiteTransposeConvParams>(node);
      return convolution_options(params,
                                 registration.version >= kTransposeConvWithActivation ? params.activation : kTfLiteActNone);
    }
    case kTfLiteBuiltinAveragePool2d:
    case kTfLiteBuiltinMaxPool2d:
    case kTfLiteBuiltinL2Pool2d:
      return pool_options(node);
    case kTfLiteBuiltinFullyConnected:
      return fully_connected_options(node);
    case kTfLiteBuiltinBatchMatmul: {
      const auto& params = params_of<TfLiteBatchMatMulParams>(node);
      return BatchMatmulOptions{.adjoint_x = params.adj_x, .adjoint_y = params.adj_y};
    }
    case kTfLiteBuiltinResizeBilinear:
      return resize_options<TfLiteResizeBilinearParams>(node);
    case kTfLiteBuiltinResizeNearestNeighbor:
      return resize_options<TfLiteResizeNearestNeighborParams>(node);
    case kTfLiteBuiltinLocalResponseNormalization: {
      const auto& params = params_of<TfLiteLocalResponseNormParams>(node);
      return LocalResponseOptions{.radius = params.radius, .bias = params.bias, .alpha = params.alpha, .beta = params.beta};
    }
    case kTfLiteBuiltinSvdf:
      return svdf_options(node);
    case kTfLiteBuiltinLstm:
      return lstm_options(node);
    case kTfLiteBuiltinUnidirectionalSequenceLstm:
      return sequence_lstm_options(node, registration.version);
    case kTfLiteBuiltinBidirectionalSequenceLstm:
      return bidirectional_lstm_options(node);
    case kTfLiteBuiltinUnidirectionalSequenceRnn:
      return sequence_rnn_options(node);
    case kTfLiteBuiltinBidirectionalSequenceRnn:
      return bidirectional_rnn_options(node);
    default:
      return OperatorOptions();
  }
}

Result<OperatorOptions> arithmetic_options(const TfLiteNode& node, const TfLiteRegistration& registration) {
  switch (registration.builtin_code) {
    case kTfLiteBuiltinAdd:
      return activation_options<TfLiteAddParams>(node);
    case kTfLiteBuiltinSub:
      return activation_options<TfLiteSubParams>(node);
    case kTfLiteBuiltinMul:
      return activation_options<TfLiteMulParams>(node);
    case kTfLiteBuiltinDiv:
      return activation_options<TfLiteDivParams>(node);
    case kTfLiteBuiltinL2Normalization:
      return activation_options<TfLiteL2NormParams>(node);
    case kTfLiteBuiltinRnn:
      return activation_options<TfLiteRNNParams>(node);
    case kTfLiteBuiltinSoftmax:
      return SoftmaxOptions{params_of<TfLiteSoftmaxParams>(node).beta};
    case kTfLiteBuiltinLeakyRelu:
      return LeakyReluOptions{params_of<TfLiteLeakyReluParams>(node).alpha};
    case kTfLiteBuiltinGelu:
      return GeluOptions{params_of<TfLiteGeluParams>(node).approximate};
    case kTfLiteBuiltinMean:
    case kTfLiteBuiltinSum:
    case kTfLiteBuiltinReduceProd:
    case kTfLiteBuiltinReduceMax:
    case kTfLiteBuiltinReduceMin:
    case kTfLiteBuiltinReduceAny:
    case kTfLiteBuiltinReduceAll:
      return ReduceOptions{params_of<TfLiteReducerParams>(node).keep_dims};
    case kTfLiteBuiltinLshProjection:
      return lsh_options(node);
    default:
      return OperatorOptions();
  }
}

Result<OperatorOptions> movement_options(const TfLiteNode& node, const TfLiteRegistration& registration) {
  switch (registration.builtin_code) {
    case kTfLiteBuiltinConcatenation:
      return concatenation_options(node);
    case kTfLiteBuiltinPack:
      return AxisOptions{.axis = params_of<TfLitePackParams>(node).axis};
    case kTfLiteBuiltinUnpack:
      return AxisOptions{.axis = params_of<TfLiteUnpackParams>(node).axis};
    case kTfLiteBuiltinGather: {
      const auto& params = params_of<TfLiteGatherParams>(node);
      return AxisOptions{.axis = params.axis, .batch_dims = params.batch_dims};
    }
    case kTfLiteBuiltinSqueeze:
      return squeeze_options(node);
    case kTfLiteBuiltinSplit:
      return SplitOptions{params_of<TfLiteSplitParams>(node).num_splits};
    case kTfLiteBuiltinSplitV:
      return SplitOptions{params_of<TfLiteSplitVParams>(node).num_splits};
    case kTfLiteBuiltinStridedSlice:
      return strided_slice_options(node, registration.version);
    case kTfLiteBuiltinDepthToSpace:
      return BlockOptions{params_of<TfLiteDepthToSpaceParams>(node).block_size};
    case kTfLiteBuiltinSpaceToDepth:
      return BlockOptions{params_of<TfLiteSpaceToDepthParams>(node).block_size};
    case kTfLiteBuiltinMirrorPad:
      return mirror_pad_options(node);
    default:
      return OperatorOptions();
  }
}

}  // namespace

Result<OperatorOptions> live_options(const TfLiteNode& node, const TfLiteRegistration& registration) {
  if (node.builtin_data == nullptr) return OperatorOptions();
  for (auto* const family : {layer_options, arithmetic_options, movement_options}) {
    TOOLS_ASSIGN(OperatorOptions found, family(node, registration));
    if (!std::holds_alternative<std::monostate>(found)) return found;
  }
  return OperatorOptions();
}

}  // namespace nnvk::clients::tflite
