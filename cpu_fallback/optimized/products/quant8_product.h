// Convolutions and matrix products of 8-bit integers, equal to the reference's integers to the bit: exact 32-bit sums, then the
// reference's two roundings (core/base/fixed_point.h). Factors have the form that the processor multiplies faster:
// - Bytes in groups of four, for dot-product instructions. Weights are signed bytes; image bytes are unsigned on x86 and signed
// on Arm. Zero points are subtracted from the sums: the image's by `bias` (pack_quant8_panels()), the weights' by
// `weight_zero_point`.
// - 16-bit pairs: image and weights without their zero points.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_fallback/optimized/products/product_rows.h"
#include "cpu_fallback/optimized/vectors/requantization.h"

namespace nnvk::cpu {

struct Quant8Form {
  size_t lanes = 0;               // channels per panel
  size_t group = 0;               // factors that are multiplied and added together: 4 bytes or 2 16-bit numbers
  bool has_wide_shifts = false;   // of 64-bit numbers, by bits that differ per lane
  bool has_signed_image = false;  // of the byte form: type of the image's bytes
  bool has_pairs_apart = false;   // of pairs: a panel holds all first weights, then all second ones

  bool has_bytes() const { return group == 4; }
  // Returns whether kernels must invert the upper bit of every image byte, because the image's signedness differs from the
  // form's.
  bool flips(bool is_signed_image) const { return has_bytes() && is_signed_image != has_signed_image; }
  size_t element_bytes() const { return has_bytes() ? 1 : 2; }
};
// Returns the form of 8-bit products on this processor.
Quant8Form quant8_form();

struct Quant8Product {
  ProductRows rows;
  const std::byte* image = nullptr;    // uint8_t or int16_t, depending on the form
  const std::byte* weights = nullptr;  // [panels][taps][depth / group, rounded up][lanes][group], aligned
  const int32_t* bias = nullptr;       // [panels * lanes]
  const Requantization* results = nullptr;
  size_t outputs = 0;
  bool flips_image = false;  // the signedness of the image differs from the form's: its bytes' upper bits are inverted
  bool is_signed_result = false;
  bool may_read_behind = false;   // the kernel may read up to 3 bytes behind every run of factors, also the image's last
  int32_t weight_zero_point = 0;  // of the packed weights. Byte form only
  std::byte* out = nullptr;       // channel c of pixel m is out[m * out_step + c]
  int32_t* sums = nullptr;        // likewise, of quant8_sums()
  size_t out_step = 0;
};

// Computes the pixels [first, end) of the channels in panels [first_panel, end_panel).
void quant8_product(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

// Does the same as quant8_product(), but stores the sums in `sums`, in whole panels, instead of scaling them into `out`. The sums
// wrap.
void quant8_sums(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

// Computes to[i] = from[i] - zero_point for the 16-bit form. `from` holds signed bytes if is_signed.
void widen_quant8(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count);

}  // namespace nnvk::cpu
