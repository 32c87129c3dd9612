// Checks whether a graph supports pictures of any size, and computes the new shapes.
#include "importers/tflite/picture_size.h"

#include <fmt/format.h>

#include <algorithm>

namespace nnvk::importers::tflite {
namespace {

// Returns whether the operator treats all positions of the picture alike, and its output size is proportional to its input size.
bool is_local(const Operator& op) {
  switch (op.code) {
    case format::BuiltinOperator_ADD:
    case format::BuiltinOperator_SUB:
    case format::BuiltinOperator_MUL:
    case format::BuiltinOperator_RELU:
    case format::BuiltinOperator_RELU6:
    case format::BuiltinOperator_RELU_N1_TO_1:
    case format::BuiltinOperator_QUANTIZE:
    case format::BuiltinOperator_DEQUANTIZE:
    case format::BuiltinOperator_DEPTH_TO_SPACE:
      return true;
    case format::BuiltinOperator_CONCATENATION: {
      const auto* settings = std::get_if<AxisOptions>(&op.options);
      return settings && (settings->axis == 3 || settings->axis == -1);
    }
    case format::BuiltinOperator_CONV_2D:
    case format::BuiltinOperator_DEPTHWISE_CONV_2D: {
      const auto* settings = std::get_if<ConvolutionOptions>(&op.options);
      return settings && settings->padding == format::Padding_SAME && settings->stride_w == 1 && settings->stride_h == 1;
    }
    default:
      return false;
  }
}

// Returns the distance in pixels to which a convolution's kernel of `size` and `dilation` reads on either side.
uint32_t half(uint32_t size, int32_t dilation) { return size / 2 * static_cast<uint32_t>(std::max(1, dilation)); }

bool is_picture(const Tensor& tensor) { return tensor.dimensions.size() == 4 && tensor.dimensions[0] == 1; }

}  // namespace

Status set_picture_size(Graph& graph, uint32_t height, uint32_t width) {
  if (height == 0 || width == 0) return fail("a picture must have at least one pixel");
  if (graph.inputs.size() != 1)
    return fail(fmt::format("the model must have one input, a picture, but has {} inputs", graph.inputs.size()));
  const std::vector<uint32_t> from = graph.tensors[static_cast<size_t>(graph.inputs[0])].dimensions;
  if (from.size() != 4 || from[0] != 1 || from[1] == 0 || from[2] == 0)
    return fail("the model's input must be a picture, [1, height, width, channels]");
  for (const auto& op : graph.operators) {
    if (!is_local(op)) return fail(op.where + ": the operator depends on the size of pictures, so the model takes no other size");
    for (const int output : op.outputs) {
      Tensor& tensor = graph.tensors[static_cast<size_t>(output)];
      if (!is_picture(tensor) || tensor.dimensions[1] % from[1] != 0 || tensor.dimensions[2] % from[2] != 0) {
        return fail(op.where + ": the size of its result must be a multiple of the input's size");
      }
      tensor.dimensions[1] = tensor.dimensions[1] / from[1] * height;
      tensor.dimensions[2] = tensor.dimensions[2] / from[2] * width;
    }
  }
  auto& input = graph.tensors[static_cast<size_t>(graph.inputs[0])].dimensions;
  input[1] = height;
  input[2] = width;
  return {};
}

uint32_t reach(const Graph& graph) {
  uint32_t sum = 0;  // an upper bound: assumes that all convolutions are in one chain
  for (const auto& op : graph.operators) {
    const auto* settings = std::get_if<ConvolutionOptions>(&op.options);
    if (!settings || op.inputs.size() < 2 || op.inputs[1] < 0) continue;  // an error when it is imported
    const auto& kernel = graph.tensors[static_cast<size_t>(op.inputs[1])].dimensions;
    if (kernel.size() != 4) continue;  // an error when it is imported
    sum += std::max(half(kernel[1], settings->dilation_h), half(kernel[2], settings->dilation_w));
  }
  return sum;
}

}  // namespace nnvk::importers::tflite
