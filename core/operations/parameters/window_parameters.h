// Geometry of the operations that slide a window over an image: convolutions and poolings. The one place that tells their
// signatures apart and turns padding schemes into paddings; shape functions, reference kernels and GPU emitters all take it from
// here. Pure.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

// A window operation with everything known. Sizes are in elements and do not depend on the layout.
struct WindowParameters {
  // Image before and after; out_height and out_width may be 0 where the specification lets an empty result pass.
  uint32_t batches = 0;
  uint32_t in_height = 0;
  uint32_t in_width = 0;
  uint32_t in_channels = 0;
  uint32_t out_height = 0;
  uint32_t out_width = 0;
  uint32_t out_channels = 0;
  // Window of the filter (or pool), undilated.
  uint32_t filter_height = 1;
  uint32_t filter_width = 1;
  // Cells outside the image; bottom and right are negative only for TRANSPOSE_CONV_2D.
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
  int32_t activation = 0;        // FuseCode 0..3, the values of FusedActivation
  bool nchw = false;             // layout of input 0 and output 0; filters are never affected

  bool operator==(const WindowParameters&) const = default;
};

// Decodes one operation whose shapes and scalars are all known. Errors: OP_FAILED with the operand's name, also when a value is
// still unknown. Rules: specification, "shape_rule" and "constraints" of the operations.
Result<WindowParameters> conv_parameters(const OperationView& operation);            // CONV_2D and GROUPED_CONV_2D
Result<WindowParameters> depthwise_parameters(const OperationView& operation);       // DEPTHWISE_CONV_2D
Result<WindowParameters> pooling_parameters(const OperationView& operation);         // AVERAGE_, MAX_ and L2_POOL_2D
Result<WindowParameters> transpose_conv_parameters(const OperationView& operation);  // TRANSPOSE_CONV_2D

// Output 0 of any of the above from what is known so far: unknown parts give unknown dimensions, contradictions OP_FAILED.
Result<Shape> window_output_shape(const OperationView& operation);

}  // namespace nnvk
