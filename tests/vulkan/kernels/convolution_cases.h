// Builds one-node convolutions for the kernel tests: CONV_2D, GROUPED_, DEPTHWISE_ and TRANSPOSE_CONV_2D with explicit padding,
// in all types, with quantization parameters that use the whole range of the output.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {

struct ConvolutionCase {
  uint32_t batches = 1;
  uint32_t height = 5;
  uint32_t width = 5;
  uint32_t in_channels = 4;
  uint32_t out_channels = 4;  // DEPTHWISE_CONV_2D: a multiple of in_channels
  uint32_t groups = 1;        // GROUPED_CONV_2D: divides both
  uint32_t filter_height = 1;
  uint32_t filter_width = 1;
  int32_t stride_height = 1;
  int32_t stride_width = 1;
  int32_t dilation_height = 1;
  int32_t dilation_width = 1;
  int32_t pad_top = 0;
  int32_t pad_bottom = 0;
  int32_t pad_left = 0;
  int32_t pad_right = 0;
  int32_t activation = 0;
  bool nchw = false;
  bool per_channel = false;
  bool constant_weights = true;  // false: filter and bias are execution inputs
};

inline const std::vector<OperandType>& convolution_types() {
  static const std::vector<OperandType> types = {OperandType::kTensorFloat32, OperandType::kTensorFloat16,
                                                 OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned};
  return types;
}

inline Shape image_shape(bool nchw, uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
  return nchw ? Shape{n, c, h, w} : Shape{n, h, w, c};
}

// Channels differ in scale by up to a factor of eight.
inline std::vector<float> channel_scales(uint32_t count) {
  std::vector<float> scales(count);
  for (uint32_t k = 0; k < count; ++k) scales[k] = 0.002F * static_cast<float>(1 + k % 8);
  return scales;
}

// Output quantization whose range holds about two standard deviations of sums of `products` products of uniform bytes.
inline float output_scale(float input_scale, float filter_scale, uint64_t products) {
  return input_scale * filter_scale * 85.0F * std::sqrt(static_cast<float>(products)) / 2.0F;
}

inline OneNode convolution(OperationCode code, OperandType type, const ConvolutionCase& c) {
  const bool depthwise = code == OperationCode::kDepthwiseConv2d;
  const bool integer = !is_float(type);
  const bool is_signed = type == OperandType::kTensorQuant8AsymmSigned;
  constexpr float kInputScale = 0.03F;
  constexpr float kFilterScale = 0.01F;
  const Shape filter_shape = depthwise ? Shape{1, c.filter_height, c.filter_width, c.out_channels}
                                       : Shape{c.out_channels, c.filter_height, c.filter_width, c.in_channels / c.groups};
  const OperandInfo input = tensor(type, image_shape(c.nchw, c.batches, c.height, c.width, c.in_channels),
                                   integer ? kInputScale : 0.0F, integer ? (is_signed ? -9 : 121) : 0);
  OperandInfo filter = tensor(type, filter_shape, integer ? kFilterScale : 0.0F, integer ? (is_signed ? 7 : 140) : 0);
  if (integer && c.per_channel) filter = per_channel(filter_shape, depthwise ? 3 : 0, channel_scales(c.out_channels));
  const OperandInfo bias = tensor(integer ? OperandType::kTensorInt32 : type, {c.out_channels},
                                  integer && !c.per_channel ? kInputScale * kFilterScale : 0.0F);
  const uint64_t products = uint64_t{c.filter_height} * c.filter_width * (depthwise ? 1 : c.in_channels / c.groups);
  const OperandInfo output =
      tensor(type, Shape{kUnknownDimension, kUnknownDimension, kUnknownDimension, kUnknownDimension},
             integer ? output_scale(kInputScale, kFilterScale, products) : 0.0F, integer ? (is_signed ? 4 : 120) : 0);
  // Float sums stay near one, so that activations cut some results and not all.
  const float range = 1.0F;
  OneNode node(code);
  node.random_input(input, 11, range);
  if (c.constant_weights) {
    node.random_constant(filter, 12, range).random_constant(bias, 13, integer ? 2000.0F : range);
  } else {
    node.random_input(filter, 12, range).random_input(bias, 13, integer ? 2000.0F : range);
  }
  node.scalar(c.pad_left).scalar(c.pad_right).scalar(c.pad_top).scalar(c.pad_bottom);
  node.scalar(c.stride_width).scalar(c.stride_height);
  if (depthwise) node.scalar(static_cast<int32_t>(c.out_channels / c.in_channels));
  if (code == OperationCode::kGroupedConv2d) node.scalar(static_cast<int32_t>(c.groups));
  node.scalar(c.activation).scalar(c.nchw);
  const bool dilates = code == OperationCode::kConv2d || depthwise;
  if (dilates) node.scalar(c.dilation_width).scalar(c.dilation_height);
  return node.output(output);
}

// Sums of many products may round differently in another order.
inline Tolerance sum_tolerance(OperandType type, uint64_t products) {
  if (type != OperandType::kTensorFloat32) return kHalfTolerance;
  return {1e-6 * std::max<double>(10.0, static_cast<double>(products)), 5.0 / (1 << 23)};
}

// Runs the case in every type (8-bit types also with per-channel filters) on both kernel variants against the reference.
inline void expect_convolution_agrees(OperationCode code, ConvolutionCase c) {
  const uint64_t products =
      uint64_t{c.filter_height} * c.filter_width * (code == OperationCode::kDepthwiseConv2d ? 1 : c.in_channels);
  for (const OperandType type : convolution_types()) {
    for (const bool per_channel : {false, true}) {
      if (per_channel && is_float(type)) continue;
      c.per_channel = per_channel;
      expect_same_as_reference(convolution(code, type, c), sum_tolerance(type, products));
    }
  }
}

}  // namespace nnvk::vulkan::rig
