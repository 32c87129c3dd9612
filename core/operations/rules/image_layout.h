// Tells how operations depend on the layout of images: NHWC (channels last) or NCHW (channels first).
#pragma once

#include <optional>
#include <vector>

#include "core/operations/operation_definition.h"

namespace nnvk {

// The changes that a node in NCHW needs to run in NHWC.
struct LayoutUse {
  std::vector<size_t> images = {};            // inputs that have the layout of the output: of rank 4, or constants that broadcast
  std::optional<size_t> flag = std::nullopt;  // the input that selects NCHW; no value: the operation works in any layout
  std::optional<size_t> sizes = std::nullopt;  // the input with the dimensions of the output
  std::optional<size_t> axes = std::nullopt;   // the input with indexes of dimensions, each in [-4, 4)
  bool joins = false;                          // moving some images into the other layout only pays if all others are there
  bool gives_image = true;                     // false: the output is the same in both layouts
  bool gains = false;                          // kernels are so much faster in NHWC that transpositions around the node pay
};

// Returns how a node in NCHW can run in NHWC. Returns nullopt if it cannot, or if its flag does not select NCHW or is unknown at
// compilation. Images and output have a type that TRANSPOSE takes, and rank 4; constants may have fewer dimensions. `operation`
// has its declared shapes.
std::optional<LayoutUse> layout_use(const OperationView& operation);

// Functions for OperationDefinition::layout. layout_use() checks the images and the flag.
namespace layout {

std::optional<LayoutUse> fixed(const OperationView& operation);  // the operation cannot run in another layout
std::optional<LayoutUse> any(const OperationView& operation);    // works on single elements of its first input
std::optional<LayoutUse> broadcast(
    const OperationView& operation);  // of two operands, each an image, a constant or a single element
std::optional<LayoutUse> joined(const OperationView& operation);       // images, along an axis
std::optional<LayoutUse> reduced(const OperationView& operation);      // an image, along axes
std::optional<LayoutUse> convolution(const OperationView& operation);  // has a flag, and gains
std::optional<LayoutUse> pooling(const OperationView& operation);      // has a flag

// Serves operations whose input kFlag selects NCHW for the first input.
template <size_t kFlag>
std::optional<LayoutUse> flagged(const OperationView&) {
  return LayoutUse{.images = {kFirstInput}, .flag = kFlag};
}

}  // namespace layout

// Returns the dimensions in NHWC of a tensor that has these dimensions in NCHW. Leading dimensions that are missing are 1.
Shape channels_last_shape(const Shape& nchw);
// Returns the NHWC index of a dimension with the NCHW index `nchw`, in [-4, 4).
int32_t channels_last_axis(int32_t nchw);

}  // namespace nnvk
