// Parameters of operations that slide a window: the sets that pooling and the convolutions share.
#pragma once

#include <string>
#include <vector>

#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

struct Window {
  std::string name;
  int32_t implicit_padding = 0;     // 1 SAME, 2 VALID; 0: the four explicit ones
  std::vector<int32_t> paddings{};  // left, right, top, bottom
  int32_t stride_width = 1;
  int32_t stride_height = 1;
  uint32_t filter_width = 2;
  uint32_t filter_height = 3;
  int32_t dilation = 1;
};

// Both forms of padding, strides of 1, 2 and unequal ones, filters of 1x1 and more. With `dilated`, some with a dilation of 2.
std::vector<Window> windows(bool dilated);

// Declares the padding and the strides, in the order that all these operations have.
void declare_padding_and_strides(Draft& c, const Window& window);

// {batches, height, width, channels} in the order of the layout.
Dims image_dims(const Dims& nhwc, bool nchw);

// Inputs around tile edges, NHWC.
std::vector<Dims> image_shapes();

// The tensor of a bias for this input and filter: INT32 for quantized types, with the scale that the operations prescribe.
Tensor bias_for(const Tensor& input, const Tensor& filter, uint32_t channels);

// The combinations of input and filter types that convolutions take.
struct ConvolutionTypes {
  std::string label;
  int32_t input;
  int32_t filter;
};
std::vector<ConvolutionTypes> convolution_types();

// A quantized output for sums of products; floats stay as they are.
Tensor sum_output(int32_t type);

}  // namespace nnvk::tools::conformance
