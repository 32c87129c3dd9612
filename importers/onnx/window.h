// The attributes of operators that slide a window over an image, for one and two dimensions.
#pragma once

#include <array>

#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {

// A pair of numbers: index 0 is the height, 1 the width. One-dimensional windows have height 1.
using Pair = std::array<int64_t, 2>;

struct Window {
  Pair kernel{1, 1};
  Pair strides{1, 1};
  Pair dilations{1, 1};
  Pair before{0, 0};
  Pair after{0, 0};
  Pair output_padding{0, 0};
  bool same = false;  // SAME_UPPER over open dimensions, which NNAPI's padding scheme resolves at execution

  int64_t extent(size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
  bool dilated() const { return dilations[0] != 1 || dilations[1] != 1; }
  bool padded() const { return before[0] != 0 || before[1] != 0 || after[0] != 0 || after[1] != 0; }
  // Returns NNAPI's operands that all window operations have: left, right, top, bottom, stride width, height; or scheme, stride
  // width, height.
  std::vector<Argument> arguments() const;
};

// Emits the input as an image in NCHW; an input with one spatial dimension gets a height of 1. Inputs with other numbers of
// spatial dimensions are an error.
Result<Tensor> as_image(Emitter& emitter, const Tensor& input);
// Emits the result in the rank of the operator's input.
Result<Tensor> from_image(Emitter& emitter, const Tensor& result, size_t rank);
// Reads a list attribute as height and width; both are `missing` if there is none.
Result<Pair> pair_attribute(const OperatorCall& call, const char* name, size_t spatial, int64_t missing);

// Reads strides, dilations, pads and auto_pad. `image`: NCHW. `spatial`: the operator's number of spatial dimensions.
Result<Window> read_window(const OperatorCall& call, const Tensor& image, size_t spatial, Pair kernel);
// Returns the size of dimension d of the result, or -1 if it is open.
int64_t window_result(const Window& window, int64_t size, size_t d);
Status check_window(const Window& window);

}  // namespace nnvk::importers::onnx
