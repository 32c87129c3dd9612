// Parameters of operations with a sliding window: the sets that pooling and convolutions share.
#pragma once

#include <string>
#include <vector>

#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

struct Window {
  std::string name{};
  int32_t implicit_padding = 0;     // 1 SAME, 2 VALID; 0: the four explicit ones
  std::vector<int32_t> paddings{};  // left, right, top, bottom
  int32_t stride_width = 1;
  int32_t stride_height = 1;
  uint32_t filter_width = 2;
  uint32_t filter_height = 3;
  int32_t dilation = 1;
  int32_t dilation_height = 0;  // 0: the same
};

// Returns windows with both forms of padding, equal and unequal strides, filters of 1x1 and more. If `dilated`, some have
// dilation 2.
std::vector<Window> windows(bool dilated);

// Declares the padding and the strides, in the order that all these operations prescribe.
void declare_padding_and_strides(Draft& c, const Window& window);

// Returns {batches, height, width, channels} in the order of the layout.
Dims image_dims(const Dims& nhwc, bool nchw);

// Returns a window of size x size cells, without padding.
Window square_window(uint32_t size);
// Declares the dilations, which are the last operands; omits them if they are 1.
void declare_dilations(Draft& c, const Window& window);

// Returns the shapes of images around tile edges, in NHWC.
std::vector<Dims> image_shapes();

// The combinations of input and filter types that convolutions take.
struct ConvolutionTypes {
  const char* label = "";
  int32_t input = kFloat32;
  int32_t filter = kFloat32;
};
std::vector<ConvolutionTypes> convolution_types();

// Returns the values of the factors of sums of this many products; for long sums, real types get -1 to 1.
Values factor_values(int32_t type, uint64_t products);
// Declares the input, which may be empty, the filter and the bias. With `given_weights`, filter and bias are inputs of the
// execution, else part of the model. The bias of quantized types is INT32, with the scale that the operations prescribe.
void declare_factors(Draft& c, const Tensor& input, const Tensor& filter, uint32_t channels, bool given_weights = false);
// Declares the output. Its tolerance allows an order of additions that differs from the reference's. The range of quantized
// outputs of long sums holds about two standard deviations.
void declare_sum(Draft& c, const Tensor& input, const Tensor& filter, uint64_t products);

}  // namespace nnvk::tools::conformance
