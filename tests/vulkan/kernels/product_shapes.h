// Shared by the tests of the forms of products: the choice of a row of the table, and shapes by their numbers.
#pragma once

#include "vulkan/kernels/products/forms.h"

namespace nnvk::vulkan::test {

// The choice of the form whose emitter takes a `Choice`, with all conditions of its row.
template <class Choice>
std::optional<Choice> choose_form(const ProductShape& shape, const DeviceTraits& traits) {
  return choose(std::get<ProductForm<Choice>>(kProductForms), shape, traits);
}

// A float product of `pixels` with `columns` vectors of output channels, in which each sum covers `channels` input channels.
inline ProductShape product_of(uint64_t pixels, uint32_t columns, uint32_t channels = 64) {
  ProductShape shape;
  shape.type = OperandType::kTensorFloat32;
  shape.filter.in_channels = channels;
  shape.filter.columns = columns;
  shape.pixels = pixels;
  return shape;
}

}  // namespace nnvk::vulkan::test
