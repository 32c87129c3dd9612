#include "cpu_fallback/optimized/products/quant8_sums.h"
#include "cpu_fallback/optimized/products/product_split.h"

namespace nnvk::cpu {

Quant8Sums::Quant8Sums(const Matrix& matrix)
    : depth_(matrix.depth),
      operands_(matrix.operands),
      panels_({matrix.outputs, 1, matrix.depth}, matrix.operands),
      weights_(panels_.count * panels_.bytes),
      bias_(step()) {
  Quant8Packing packing;
  packing.shape = {matrix.outputs, 1, matrix.depth};
  packing.operands = matrix.operands;
  packing.filter = matrix.weights;
  packing.output_step = matrix.depth;
  packing.bias = matrix.bias;
  packing.values = weights_.data();
  packing.packed_bias = bias_.data();
  pack_quant8_panels(packing, 0, panels_.count);
}

size_t Quant8Sums::scratch_bytes(size_t rows) const {
  return quant8_form().has_bytes() ? 0 : padded_to_vectors(rows * depth_ * sizeof(int16_t));
}

void Quant8Sums::run(const std::byte* values, size_t rows, std::byte* scratch, int32_t* sums, ThreadPool& threads) const {
  if (!quant8_form().has_bytes()) {
    auto* const wide = reinterpret_cast<int16_t*>(scratch);
    widen_quant8(values, operands_.is_signed_image, operands_.image_zero_point, wide, rows * depth_);
    values = scratch;
  }
  Quant8Product product;
  product.rows = matrix_rows(rows, depth_);
  product.image = values;
  product.weights = weights_.data();
  product.bias = bias_.data();
  product.flips_image = quant8_form().flips(operands_.is_signed_image);
  product.weight_zero_point = panels_.zero_point;
  product.sums = sums;
  product.out_step = step();
  const double nanoseconds = 1.5 + static_cast<double>(rows * depth_ * quant8_form().lanes) / 400 +
                             static_cast<double>(panels_.bytes) / kWeightBytesPerNanosecond;
  threads.parallel_rows(panels_.count, nanoseconds, 1,
                        [&](size_t first, size_t end) { quant8_sums(product, 0, rows, first, end); });
}

}  // namespace nnvk::cpu
