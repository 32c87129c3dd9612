// 8-bit depthwise convolutions: every channel has its own filter. Results equal the reference's integers to the bit. Kernels read
// the image in place, as unsigned bytes; outside the image they read a pixel of zero points. They multiply and add taps in groups
// of four bytes or two 16-bit numbers (as in quant8_product.h). The taps of a group lie side by side, so that every lane sums up
// one channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/vectors/requantization.h"

namespace nnvk::cpu {

class OptimizedKernel;
struct KernelNode;

struct Quant8DepthwiseForm {
  size_t lanes = 0;                // sums per vector
  size_t vectors = 0;              // of sums per block of channels
  size_t group = 0;                // taps per group
  bool has_byte_weights = false;   // and can multiply by columns
  bool can_share_vectors = false;  // several pixels in one vector
  bool has_wide_shifts = false;    // as in Quant8Form

  size_t block_channels() const { return lanes * vectors; }
};
Quant8DepthwiseForm quant8_depthwise_form();

// Channels that are computed together: vector v of sums holds channels 4v to 4v + 3 of every 16. Blocks may overlap.
struct DepthwiseBlock {
  size_t first = 0;
  size_t count = 0;
  size_t pixels = 1;  // how many share a vector: 1, 2 or 4. Each has block_channels() / pixels places
  size_t parts = 1;   // signed bytes that add up to a weight; more than 1 if weights minus their zero point exceed a byte
};

struct Quant8Depthwise {
  WindowParameters window;             // with as many image channels as there are outputs
  const std::byte* image = nullptr;    // NHWC
  const std::byte* padding = nullptr;  // a pixel of zero points
  std::span<const DepthwiseBlock> blocks;
  const std::byte* weights = nullptr;  // [parts][blocks][groups of taps][vectors][lanes][group], 0 for missing ones.
  // If true, each group of taps is a column of a 3 x 3 window without horizontal dilation, and its fourth weight is 0. If false,
  // groups take the taps row by row.
  bool by_columns = false;
  // If true, all taps of a channel have one weight, and only one group is stored. Taps that fill up the last group have that
  // weight too; they read the zero points, and the bias holds their part.
  bool has_equal_taps = false;
  const int32_t* bias = nullptr;            // [blocks][vectors][lanes], including the image zero point's part of every sum
  const Requantization* results = nullptr;  // in the order of bias
  bool is_signed = false;                   // of image and results
  std::byte* out = nullptr;                 // NHWC

  // Returns how many groups of `group` taps the weights hold for each channel.
  size_t stored_groups(size_t group) const {
    return has_equal_taps ? 1 : (size_t{window.filter_height} * window.filter_width + group - 1) / group;
  }
};
// Computes the output rows [first, end) of all batches.
void quant8_depthwise(const Quant8Depthwise& depthwise, size_t first, size_t end);

// Makes the kernel of an 8-bit depthwise convolution. It supports only 8-bit operands, NHWC and no residual, and packs weights
// that are not constant in each run.
std::unique_ptr<OptimizedKernel> make_quant8_depthwise_kernel(const KernelNode& node, const WindowParameters& p);

}  // namespace nnvk::cpu
