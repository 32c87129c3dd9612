// One conversion per kind of table.
#include "importers/tflite/file_options.h"

namespace nnvk::importers::tflite {
namespace {

template <class Table>
OperatorOptions activation_options(const format::Operator& op) {
  return ActivationOptions{op.builtin_options_as<Table>()->activation()};
}

template <class Table>
OperatorOptions convolution_options(const format::Operator& op) {
  const auto* t = op.builtin_options_as<Table>();
  ConvolutionOptions options{.padding = t->padding(), .stride_w = t->stride_w(), .stride_h = t->stride_h()};
  options.activation = t->activation();
  if constexpr (!std::is_same_v<Table, format::TransposeConvOptions>) {
    options.dilation_w = t->dilation_w();
    options.dilation_h = t->dilation_h();
  }
  return options;
}

OperatorOptions squeeze_options(const format::Operator& op) {
  SqueezeOptions options;
  if (const auto* axes = op.builtin_options_as_SqueezeOptions()->squeeze_dims()) options.axes.assign(axes->begin(), axes->end());
  return options;
}

template <class Table>
OperatorOptions resize_options(const format::Operator& op) {
  const auto* t = op.builtin_options_as<Table>();
  return ResizeOptions{.align_corners = t->align_corners(), .half_pixel_centers = t->half_pixel_centers()};
}

OperatorOptions picture_options(const format::Operator& op) {
  switch (op.builtin_options_type()) {
    case format::BuiltinOptions_Conv2DOptions:
      return convolution_options<format::Conv2DOptions>(op);
    case format::BuiltinOptions_DepthwiseConv2DOptions:
      return convolution_options<format::DepthwiseConv2DOptions>(op);
    case format::BuiltinOptions_TransposeConvOptions:
      return convolution_options<format::TransposeConvOptions>(op);
    case format::BuiltinOptions_ResizeBilinearOptions:
      return resize_options<format::ResizeBilinearOptions>(op);
    case format::BuiltinOptions_ResizeNearestNeighborOptions:
      return resize_options<format::ResizeNearestNeighborOptions>(op);
    case format::BuiltinOptions_DepthToSpaceOptions:
      return BlockOptions{op.builtin_options_as_DepthToSpaceOptions()->block_size()};
    case format::BuiltinOptions_SpaceToDepthOptions:
      return BlockOptions{op.builtin_options_as_SpaceToDepthOptions()->block_size()};
    case format::BuiltinOptions_MirrorPadOptions:
      return MirrorPadOptions{op.builtin_options_as_MirrorPadOptions()->mode()};
    case format::BuiltinOptions_Pool2DOptions: {
      const auto* t = op.builtin_options_as_Pool2DOptions();
      return PoolOptions{.padding = t->padding(),
                         .stride_w = t->stride_w(),
                         .stride_h = t->stride_h(),
                         .filter_width = t->filter_width(),
                         .filter_height = t->filter_height(),
                         .activation = t->activation()};
    }
    case format::BuiltinOptions_LocalResponseNormalizationOptions: {
      const auto* t = op.builtin_options_as_LocalResponseNormalizationOptions();
      return LocalResponseOptions{.radius = t->radius(), .bias = t->bias(), .alpha = t->alpha(), .beta = t->beta()};
    }
    default:
      return {};
  }
}

OperatorOptions recurrent_options(const format::Operator& op) {
  switch (op.builtin_options_type()) {
    case format::BuiltinOptions_LSTMOptions: {
      const auto* t = op.builtin_options_as_LSTMOptions();
      return RecurrentOptions{.activation = t->activation(),
                              .cell_clip = t->cell_clip(),
                              .projection_clip = t->proj_clip(),
                              .basic_kernel = t->kernel_type() == format::LstmKernel_BASIC};
    }
    case format::BuiltinOptions_UnidirectionalSequenceLSTMOptions: {
      const auto* t = op.builtin_options_as_UnidirectionalSequenceLSTMOptions();
      return RecurrentOptions{.activation = t->activation(),
                              .cell_clip = t->cell_clip(),
                              .projection_clip = t->proj_clip(),
                              .time_major = t->time_major(),
                              .diagonal_recurrent = t->diagonal_recurrent_tensors()};
    }
    case format::BuiltinOptions_BidirectionalSequenceLSTMOptions: {
      const auto* t = op.builtin_options_as_BidirectionalSequenceLSTMOptions();
      return RecurrentOptions{.activation = t->activation(),
                              .cell_clip = t->cell_clip(),
                              .projection_clip = t->proj_clip(),
                              .time_major = t->time_major(),
                              .merge_outputs = t->merge_outputs()};
    }
    case format::BuiltinOptions_SequenceRNNOptions: {
      const auto* t = op.builtin_options_as_SequenceRNNOptions();
      return RecurrentOptions{.activation = t->activation(), .time_major = t->time_major()};
    }
    case format::BuiltinOptions_BidirectionalSequenceRNNOptions: {
      const auto* t = op.builtin_options_as_BidirectionalSequenceRNNOptions();
      return RecurrentOptions{.activation = t->activation(), .time_major = t->time_major(), .merge_outputs = t->merge_outputs()};
    }
    case format::BuiltinOptions_SVDFOptions: {
      const auto* t = op.builtin_options_as_SVDFOptions();
      return SvdfOptions{.rank = t->rank(), .activation = t->activation()};
    }
    default:
      return {};
  }
}

OperatorOptions movement_options(const format::Operator& op) {
  switch (op.builtin_options_type()) {
    case format::BuiltinOptions_ConcatenationOptions: {
      const auto* t = op.builtin_options_as_ConcatenationOptions();
      return AxisOptions{.axis = t->axis(), .activation = t->activation()};
    }
    case format::BuiltinOptions_PackOptions:
      return AxisOptions{.axis = op.builtin_options_as_PackOptions()->axis()};
    case format::BuiltinOptions_UnpackOptions:
      return AxisOptions{.axis = op.builtin_options_as_UnpackOptions()->axis()};
    case format::BuiltinOptions_GatherOptions: {
      const auto* t = op.builtin_options_as_GatherOptions();
      return AxisOptions{.axis = t->axis(), .batch_dims = t->batch_dims()};
    }
    case format::BuiltinOptions_SqueezeOptions:
      return squeeze_options(op);
    case format::BuiltinOptions_SplitOptions:
      return SplitOptions{op.builtin_options_as_SplitOptions()->num_splits()};
    case format::BuiltinOptions_SplitVOptions:
      return SplitOptions{op.builtin_options_as_SplitVOptions()->num_splits()};
    case format::BuiltinOptions_StridedSliceOptions: {
      const auto* t = op.builtin_options_as_StridedSliceOptions();
      return StridedSliceOptions{.begin_mask = t->begin_mask(),
                                 .end_mask = t->end_mask(),
                                 .ellipsis_mask = t->ellipsis_mask(),
                                 .new_axis_mask = t->new_axis_mask(),
                                 .shrink_axis_mask = t->shrink_axis_mask(),
                                 .offset = t->offset()};
    }
    case format::BuiltinOptions_IfOptions: {
      const auto* t = op.builtin_options_as_IfOptions();
      return BranchOptions{.first = t->then_subgraph_index(), .second = t->else_subgraph_index()};
    }
    case format::BuiltinOptions_WhileOptions: {
      const auto* t = op.builtin_options_as_WhileOptions();
      return BranchOptions{.first = t->cond_subgraph_index(), .second = t->body_subgraph_index()};
    }
    default:
      return {};
  }
}

OperatorOptions arithmetic_options(const format::Operator& op) {
  switch (op.builtin_options_type()) {
    case format::BuiltinOptions_AddOptions:
      return activation_options<format::AddOptions>(op);
    case format::BuiltinOptions_SubOptions:
      return activation_options<format::SubOptions>(op);
    case format::BuiltinOptions_MulOptions:
      return activation_options<format::MulOptions>(op);
    case format::BuiltinOptions_DivOptions:
      return activation_options<format::DivOptions>(op);
    case format::BuiltinOptions_L2NormOptions:
      return activation_options<format::L2NormOptions>(op);
    case format::BuiltinOptions_RNNOptions:
      return activation_options<format::RNNOptions>(op);
    case format::BuiltinOptions_SoftmaxOptions:
      return SoftmaxOptions{op.builtin_options_as_SoftmaxOptions()->beta()};
    case format::BuiltinOptions_LeakyReluOptions:
      return LeakyReluOptions{op.builtin_options_as_LeakyReluOptions()->alpha()};
    case format::BuiltinOptions_GeluOptions:
      return GeluOptions{op.builtin_options_as_GeluOptions()->approximate()};
    case format::BuiltinOptions_ReducerOptions:
      return ReduceOptions{op.builtin_options_as_ReducerOptions()->keep_dims()};
    case format::BuiltinOptions_LSHProjectionOptions:
      return LshOptions{op.builtin_options_as_LSHProjectionOptions()->type()};
    case format::BuiltinOptions_FullyConnectedOptions: {
      const auto* t = op.builtin_options_as_FullyConnectedOptions();
      return FullyConnectedOptions{.activation = t->activation(), .weights_format = t->weights_format()};
    }
    case format::BuiltinOptions_BatchMatMulOptions: {
      const auto* t = op.builtin_options_as_BatchMatMulOptions();
      return BatchMatmulOptions{.adjoint_x = t->adj_x(), .adjoint_y = t->adj_y()};
    }
    default:
      return {};
  }
}

}  // namespace

OperatorOptions file_options(const format::Operator& table) {
  if (table.builtin_options() == nullptr) return {};  // a type without a table
  for (auto* family : {arithmetic_options, picture_options, movement_options, recurrent_options}) {
    if (OperatorOptions found = family(table); !std::holds_alternative<std::monostate>(found)) return found;
  }
  return {};
}

}  // namespace nnvk::importers::tflite
