// The geometry of operations that slide a window over an image: convolutions and poolings. Only this file distinguishes their
// signatures and computes paddings from padding schemes; shape functions, reference kernels and GPU emitters all use it. Pure.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {

// The operands of CONV_2D, GROUPED_CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV_2D. WindowOperands has the scalars behind them.
namespace convolution {
enum Input : size_t { kImage, kFilter, kBias };
enum Output : size_t { kOutput };
}  // namespace convolution

// TRANSPOSE_CONV_2D alone: with implicit padding, this input is the wanted shape; with explicit padding, it is a scalar.
namespace transpose_convolution {
enum Input : size_t { kOutputShape = convolution::kBias + 1 };
}  // namespace transpose_convolution

// The operands of AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. WindowOperands has the scalars behind them.
namespace pooling {
enum Input : size_t { kImage };
enum Output : size_t { kOutput };
}  // namespace pooling

// ANEURALNETWORKS_PADDING_SAME and ANEURALNETWORKS_PADDING_VALID.
inline constexpr int32_t kPaddingSame = 1;
inline constexpr int32_t kPaddingValid = 2;

// The numbers of the inputs that hold scalars; kAbsent means that the signature has no such input. A signature may end before an
// input named here.
struct WindowOperands {
  static constexpr size_t kAbsent = SIZE_MAX / 2;  // beyond every list of inputs, even with a small offset added
  size_t output_shape = kAbsent;
  size_t padding = kAbsent;  // the scheme of implicit padding
  size_t pads = kAbsent;     // of explicit padding: left, right, top, bottom
  size_t strides = kAbsent;  // width, height
  size_t window = kAbsent;   // width, height
  size_t multiplier = kAbsent;
  size_t groups = kAbsent;
  size_t activation = kAbsent;
  size_t nchw = kAbsent;
  size_t dilations = kAbsent;  // width, height

  bool is_implicit() const { return padding != kAbsent; }
};
WindowOperands window_operands(const OperationView& operation);

// The parameters of a window operation, all known. Sizes are in elements and do not depend on the layout.
struct WindowParameters {
  // The image before and after the operation; out_height and out_width may be 0 if the specification allows an empty result.
  uint32_t batches = 0;
  uint32_t in_height = 0;
  uint32_t in_width = 0;
  uint32_t in_channels = 0;
  uint32_t out_height = 0;
  uint32_t out_width = 0;
  uint32_t out_channels = 0;
  // The window of the filter or pool, without dilation.
  uint32_t filter_height = 1;
  uint32_t filter_width = 1;
  // The cells outside the image; bottom and right are negative only for TRANSPOSE_CONV_2D.
  int32_t pad_top = 0;
  int32_t pad_bottom = 0;
  int32_t pad_left = 0;
  int32_t pad_right = 0;
  int32_t stride_height = 1;
  int32_t stride_width = 1;
  int32_t dilation_height = 1;
  int32_t dilation_width = 1;
  int32_t depth_multiplier = 1;  // DEPTHWISE_CONV_2D: outputs per input channel
  int32_t groups = 1;            // GROUPED_CONV_2D
  FusedActivation activation = FusedActivation::kNone;
  bool nchw = false;  // layout of image and output; filters are never affected
};

// Decodes a convolution or pooling whose shapes and scalars are known, by the specification's "shape_rule" and "constraints".
// Returns OP_FAILED, with the operand's name, for invalid and for unknown values.
Result<WindowParameters> window_parameters(const OperationView& operation);

// Serves as infer() of convolutions and poolings: unknown parts give unknown dimensions, contradictions OP_FAILED.
Result<std::vector<Shape>> infer_window(const OperationView& operation);

}  // namespace nnvk
