// Weights and images in the word format of integer dot products (shaders/dot_convolution_params.h).
#pragma once

#include <cstdint>
#include <string>

#include "dot_convolution_kernels.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/dot_choice.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// The 8-bit input of a layer: the original tensor, or its copy in words.
struct DotImage {
  TensorId tensor = kNoTensor;
  OperandType type{};
  int32_t zero_point = 0;
  int32_t sign_flip() const;          // to make its words signed
  int32_t signed_zero_point() const;  // of its bytes once they are signed
};

// The zero point of weights once they are signed, and the bit flip that makes a word of them signed.
int32_t signed_zero_point(const WeightSource& source);
int32_t sign_flip(const WeightSource& source);

// The packed data of one layer.
struct DotWeights {
  WeightSource source;
  FilterLayout filter;
  DotLayout layout;
  TensorBinding scales;  // a table of layout.scale_vectors
  std::string name;      // distinguishes the weights of one node
};

// Weights, corrections for the zero point of `image`, and scales in one tensor. Packed once when the weights are constant.
Result<TensorId> packed_dot_weights(const EmitContext& context, const DotWeights& weights, const DotImage& image);

// Parameters for copying an image whose pixels have `groups` groups of channels, `words` each.
DotImageParams image_in_words(const WindowParameters& window, uint32_t groups, uint32_t words);

// The same for the left side of a product, `words` to a row.
DotImageParams rows_in_words(const ProductRows& rows, uint32_t words);

// Adds the dispatch that copies the image into words of signed bytes. Sets count and sign_flip; `params` holds the rest.
Result<DotImage> copied_into_words(const EmitContext& context, const DotImage& image, uint64_t bytes, DotImageParams params);

}  // namespace nnvk::vulkan
