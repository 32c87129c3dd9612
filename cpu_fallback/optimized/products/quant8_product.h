// Convolutions and matrix products of 8-bit integers, with the reference's integers to the bit: exact 32-bit sums, then the
// reference's two roundings (core/base/fixed_point.h).
//
// Two forms of factors, by what the processor multiplies fastest:
// - bytes in groups of four (dot-product instructions): the weights as signed bytes, the image as the instructions want it, as
//   unsigned bytes (x86) or signed ones (Arm). The zero points are taken out of the sums afterwards: of the image in `bias`
//   (pack_quant8_weights()), of the weights by `weight_zero_point`.
// - 16-bit pairs: image and weights without their zero points.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_fallback/optimized/products/product_rows.h"
#include "cpu_fallback/optimized/vectors/requantization.h"

namespace nnvk::cpu {

struct Quant8Form {
  size_t lanes = 0;               // channels per panel
  size_t group = 0;               // factors that are multiplied and added at once: 4 bytes or 2 16-bit numbers
  bool has_wide_shifts = false;   // of 64-bit numbers, by bits that differ per lane
  bool has_signed_image = false;  // of the byte form: how the bytes of the image are read
  bool has_pairs_apart = false;   // of pairs: the weights of a panel are all first ones, then all second ones

  bool has_bytes() const { return group == 4; }
  // Whether the upper bits of the bytes of an image are turned over.
  bool flips(bool is_signed_image) const { return has_bytes() && is_signed_image != has_signed_image; }
  size_t element_bytes() const { return has_bytes() ? 1 : 2; }
};
// The form that products have on this processor.
Quant8Form quant8_form();

struct Quant8Product {
  ProductRows rows;
  const std::byte* image = nullptr;    // uint8_t or int16_t, as the form wants it
  const std::byte* weights = nullptr;  // [panels][taps][depth / group, rounded up][lanes][group], aligned
  const int32_t* bias = nullptr;       // [panels * lanes]
  const Requantization* results = nullptr;
  size_t outputs = 0;
  bool flips_image = false;  // the bytes of the image are not signed as the form's are: their upper bits are turned over
  bool is_signed_result = false;
  bool may_read_behind = false;   // up to 3 bytes behind a run of factors, also behind the image's last one
  int32_t weight_zero_point = 0;  // of the packed weights. Byte form only
  std::byte* out = nullptr;       // channel c of pixel m is out[m * out_step + c]
  int32_t* sums = nullptr;        // likewise, of quant8_sums()
  size_t out_step = 0;
};

// Computes the pixels [first, end) of the channels in panels [first_panel, end_panel).
void quant8_product(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

// The same sums as they are, without `results` and without `out`, in whole panels. They wrap.
void quant8_sums(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

// to[i] = from[i] - zero_point for the 16-bit form. `from` holds signed bytes where is_signed.
void widen_quant8(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count);

}  // namespace nnvk::cpu
