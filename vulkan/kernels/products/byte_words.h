// 8-bit inputs and weights in the form that kernels of dot products and of matrices of bytes read: signed bytes, four to a word
// (shaders/dot_convolution_params.h).
#pragma once

#include <cstdint>
#include <string>

#include "dot_convolution_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The input of a product: its original tensor, or a copy in words of signed bytes.
struct WordImage {
  TensorId tensor = kNoTensor;
  int32_t sign_flip = 0;   // the bits of a word to flip, so that its bytes are signed
  int32_t zero_point = 0;  // of its bytes once they are signed
  Strides strides;         // in words
  bool wide = false;       // the kernel reads four words at once
  Strides read_strides() const { return {strides.pixel / lanes(), strides.channel, strides.group / lanes()}; }
  TensorBinding binding() const { return read_elements(tensor, OperandType::kTensorInt32, wide); }
  uint32_t lanes() const { return wide ? 4 : 1; }
};

// Returns the bytes of a copy whose pixels have `group_words` words for each group of channels.
uint64_t word_image_bytes(const ProductShape& shape, uint32_t group_words);
// Returns whether a kernel may read four words of the input, or of its copy, at once.
bool reads_four_words(const ProductShape& shape, uint32_t group_words);
// Returns the original input if its channels form whole words. Else adds the dispatch that copies it into words; returns the
// copy.
Result<WordImage> input_in_words(const EmitContext& context, const Product& product, uint32_t group_words);

// signed_zero_point() returns the zero point of weights after conversion to signed bytes, sign_flip() the bits of a word that
// convert it.
int32_t signed_zero_point(const WeightSource& source);
int32_t sign_flip(const WeightSource& source);

// Returns the bias, or for a product without one a tensor that the kernel never reads.
TensorBinding integer_bias(const Product& product);

// Packed words: rows of `columns` vectors, then corrections, then scales.
struct PackedWords {
  TensorId tensor = kNoTensor;
  std::string name;            // distinguishes the weights of one node
  uint32_t columns = 0;        // per group: output channels in vectors of four
  uint32_t group_rows = 0;     // of all taps
  uint32_t row_bytes = 0;      // input channels of a row, including padding
  uint64_t corrections = 0;    // vectors
  uint32_t scale_vectors = 0;  // mantissas and exponents
};

// Adds the dispatch that writes corrections and scales after the weights.
template <class Shape>
Status add_constants(const EmitContext& context, TypedKernel<Shape> kernel, const Product& product, const PackedWords& packed,
                     const WordImage& image) {
  DotConstantsParams params{};
  params.corrections = static_cast<uint32_t>(packed.corrections);
  params.scales = packed.scale_vectors;
  params.columns = packed.columns;
  params.group_rows = packed.group_rows;
  params.in_zero_point = image.zero_point;
  params.weight_offset = static_cast<int32_t>(packed.row_bytes * packed.group_rows) * signed_zero_point(product.source);
  auto dispatch = make_dispatch(context, kernel, {},
                                {.in_scales = read_words(product.scales.tensor), .packed = read_write(packed.tensor)}, params);
  dispatch.label = operation_name(context.node.code) + " " + packed.name + ", corrections";
  return add_flat(context, std::move(dispatch), packed.corrections + packed.scale_vectors);
}

}  // namespace nnvk::vulkan
