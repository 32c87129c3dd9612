// The options of operators as plain data, whatever they come from: the tables of a file (file_options.h), or the structs of a
// TensorFlow Lite context. Enumerations have the numbers of the public format.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "tflite_subset_generated.h"

namespace nnvk::importers::tflite {

// The options of CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV. Strides and dilations count elements.
struct ConvolutionOptions {
  format::Padding padding = format::Padding_SAME;
  int32_t stride_w = 0, stride_h = 0;
  int32_t dilation_w = 1, dilation_h = 1;
  format::Activation activation = format::Activation_NONE;
};

// The options of the pools; sizes and strides count elements.
struct PoolOptions {
  format::Padding padding = format::Padding_SAME;
  int32_t stride_w = 0, stride_h = 0;
  int32_t filter_width = 0, filter_height = 0;
  format::Activation activation = format::Activation_NONE;
};

struct FullyConnectedOptions {
  format::Activation activation = format::Activation_NONE;
  format::WeightsFormat weights_format = format::WeightsFormat_DEFAULT;
};

// The options of ADD, SUB, MUL, DIV, L2_NORMALIZATION and RNN.
struct ActivationOptions {
  format::Activation activation = format::Activation_NONE;
};

// The options of CONCATENATION, PACK, UNPACK and GATHER. Negative axes count from the end.
struct AxisOptions {
  int32_t axis = 0;
  int32_t batch_dims = 0;                                   // GATHER only
  format::Activation activation = format::Activation_NONE;  // CONCATENATION only
};

struct SoftmaxOptions {
  float beta = 0;
};

struct LeakyReluOptions {
  float alpha = 0;
};

struct GeluOptions {
  bool approximate = false;
};

struct ResizeOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

struct ReduceOptions {
  bool keep_dims = false;
};

struct SqueezeOptions {
  std::vector<int32_t> axes;  // empty: all dimensions of size 1
};

// The masks have one bit per dimension.
struct StridedSliceOptions {
  int32_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool offset = false;  // ends are relative to begins
};

// The options of DEPTH_TO_SPACE and SPACE_TO_DEPTH.
struct BlockOptions {
  int32_t block_size = 0;
};

// The options of SPLIT and SPLIT_V.
struct SplitOptions {
  int32_t parts = 0;
};

struct MirrorPadOptions {
  format::MirrorPadMode mode = format::MirrorPadMode_REFLECT;
};

struct LocalResponseOptions {
  int32_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};

struct BatchMatmulOptions {
  bool adjoint_x = false, adjoint_y = false;  // whether the last two dimensions of that input are exchanged
};

// The options of LSTM and of the LSTMs and RNNs over sequences. A clip of 0 bounds nothing.
struct RecurrentOptions {
  format::Activation activation = format::Activation_NONE;
  float cell_clip = 0, projection_clip = 0;
  bool time_major = false;
  bool merge_outputs = false;
  bool basic_kernel = false;        // LSTM: the older form with five inputs
  bool diagonal_recurrent = false;  // recurrent weights are diagonals
};

struct SvdfOptions {
  int32_t rank = 0;
  format::Activation activation = format::Activation_NONE;
};

struct LshOptions {
  format::LshType type = format::LshType_UNKNOWN;
};

// The subgraphs of IF (then and else) or WHILE (condition and body), by their numbers in the whole model.
struct BranchOptions {
  int32_t first = 0, second = 0;
};

// The options of one operator; monostate if it has none, or none that a translation reads.
using OperatorOptions =
    std::variant<std::monostate, ConvolutionOptions, PoolOptions, FullyConnectedOptions, ActivationOptions, AxisOptions,
                 SoftmaxOptions, LeakyReluOptions, GeluOptions, ResizeOptions, ReduceOptions, SqueezeOptions, StridedSliceOptions,
                 BlockOptions, SplitOptions, MirrorPadOptions, LocalResponseOptions, BatchMatmulOptions, RecurrentOptions,
                 SvdfOptions, LshOptions, BranchOptions>;

}  // namespace nnvk::importers::tflite
