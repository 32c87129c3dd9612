// FULLY_CONNECTED is a convolution of one-pixel images. BATCH_MATMUL packs its right matrices like weights, in each run.
#include "core/operations/parameters/matmul_parameters.h"

#include <limits>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/transpose.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/products/product_kernels.h"
#include "cpu_fallback/optimized/products/product_split.h"

namespace nnvk::cpu {
namespace {

using namespace batch_matmul;

std::unique_ptr<OptimizedKernel> fully_connected_layer(const KernelNode& node) {
  const auto layer = fully_connected_parameters(node.operation);
  if (!layer) return nullptr;
  WindowParameters p;
  p.batches = 1;
  p.in_height = p.out_height = 1;
  p.in_width = p.out_width = layer->batches;
  p.in_channels = layer->input_size;
  p.out_channels = layer->units;
  p.activation = layer->activation;
  return make_product_kernel(node, p);
}

// The common part of float and 8-bit BATCH_MATMUL: geometry, left matrices row by row, threads.
class MatmulKernel : public OptimizedKernel {
 protected:
  MatmulKernel(const BatchMatmulParameters& p, size_t element)
      : p_(p), element_(element), left_bytes_(is_left_turned() ? padded_to_vectors(p.batches * left_elements() * element) : 0) {}

  bool is_left_turned() const { return p_.left.column_stride != 1; }
  size_t left_elements() const { return size_t{p_.left.rows} * p_.left.columns; }
  size_t right_elements() const { return size_t{p_.right.rows} * p_.right.columns; }
  FilterShape right_shape() const { return {p_.right.columns, 1, p_.left.columns}; }

  // Returns the left matrices row by row; if necessary, transposes them into the first left_bytes_ of the scratch memory.
  const std::byte* left_rows(const KernelMemory& memory, ThreadPool& threads) const {
    if (!is_left_turned()) return memory.inputs[kLeft];
    transpose_matrices(memory.inputs[kLeft], memory.scratch, {p_.batches, p_.left.columns, p_.left.rows}, element_, threads);
    return memory.scratch;
  }
  // Calls pack(batch, panel, panel + 1) for all panels of all batches.
  template <class Pack>
  void pack_panels(ThreadPool& threads, size_t panels, const Pack& pack) const {
    threads.parallel_blocks(p_.batches, panels, 1, static_cast<double>(p_.left.columns * float_lanes()), pack);
  }
  // Calls multiply(batch, first row, end, first panel, end).
  template <class Multiply>
  void multiply_all(ThreadPool& threads, size_t panels, double nanoseconds_per_row, const Multiply& multiply) const {
    const size_t rows = p_.left.rows;
    if (p_.batches == 1) {
      return split_product(threads, {rows, panels, nanoseconds_per_row},
                           [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                             multiply(size_t{0}, first, end, first_panel, end_panel);
                           });
    }
    threads.parallel_rows(p_.batches, nanoseconds_per_row * static_cast<double>(rows * panels), 1, [&](size_t first, size_t end) {
      for (size_t batch = first; batch < end; ++batch) multiply(batch, size_t{0}, rows, size_t{0}, panels);
    });
  }
  ProductRows rows() const { return matrix_rows(p_.left.rows, p_.left.columns); }

  const BatchMatmulParameters p_;
  const size_t element_;
  const size_t left_bytes_;
};

// Returns the limits of results. Only a fused activation limits them: the operation has no activation of its own and keeps
// infinities.
FloatFinish matmul_finish(FusedActivation fused) {
  FloatFinish finish;
  finish.own = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  if (fused != FusedActivation::kNone) finish.own = float_activation_bounds(fused);
  return finish;
}

class FloatMatmulKernel final : public MatmulKernel {
 public:
  FloatMatmulKernel(const BatchMatmulParameters& p, FusedActivation fused)
      : MatmulKernel(p, sizeof(float)),
        panels_(right_shape()),
        finish_(matmul_finish(fused)),
        bias_(panels_.count * float_lanes()) {
    std::fill_n(bias_.data(), bias_.size(), 0.0F);
  }

  size_t scratch_bytes() const override { return left_bytes_ + p_.batches * panels_.count * panels_.values * sizeof(float); }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto* const left = reinterpret_cast<const float*>(left_rows(memory, threads));
    const auto* const right = memory.input<float>(kRight);
    auto* const packed = reinterpret_cast<float*>(memory.scratch + left_bytes_);
    auto* const out = memory.output<float>(kOutput);
    pack_panels(threads, panels_.count, [&](size_t batch, size_t panel, size_t end) {
      const FloatFilter matrix{right + batch * right_elements(), p_.right.columns, p_.left.columns, p_.right.column_stride,
                               p_.right.row_stride};
      pack_float_panels(matrix, panel, end, packed + batch * panels_.count * panels_.values);
    });
    multiply_all(threads, panels_.count, static_cast<double>(panels_.values) / 60,
                 [&](size_t batch, size_t first, size_t end, size_t first_panel, size_t end_panel) {
                   FloatProduct product;
                   product.rows = rows();
                   product.image = left + batch * left_elements();
                   product.weights = packed + batch * panels_.count * panels_.values;
                   product.bias = bias_.data();
                   product.outputs = p_.right.columns;
                   product.finish = finish_;
                   product.out = out + batch * p_.left.rows * p_.right.columns;
                   product.out_step = p_.right.columns;
                   float_product(product, first, end, first_panel, end_panel);
                 });
  }
  const char* name() const override { return "float product, packing matrices"; }

 private:
  const FloatPanels panels_;  // of one right matrix
  const FloatFinish finish_;
  AlignedBuffer<float> bias_;  // zeros
};

class Quant8MatmulKernel final : public MatmulKernel {
 public:
  Quant8MatmulKernel(const KernelNode& node, const BatchMatmulParameters& p)
      : MatmulKernel(p, 1), operands_(quant8_operands(node.operation)), panels_(right_shape(), operands_) {
    const std::vector<int64_t> largest(p.right.columns, largest_sum(0, int64_t{255} * p.left.columns));
    results_ = product_requantization(node.operation, FusedActivation::kNone, node.node.fused_activation, 0, largest);
  }

  size_t scratch_bytes() const override {
    return left_bytes_ + wide_bytes() + values_bytes() + p_.batches * bias_elements() * sizeof(int32_t);
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const std::byte* left = left_rows(memory, threads);
    const size_t element = quant8_form().element_bytes();
    if (!quant8_form().has_bytes()) {
      auto* const wide = reinterpret_cast<int16_t*>(memory.scratch + left_bytes_);
      threads.parallel_rows(p_.batches * left_elements(), 0.1, 64, [&](size_t first, size_t end) {
        widen_quant8(left + first, operands_.is_signed_image, operands_.image_zero_point, wide + first, end - first);
      });
      left = memory.scratch + left_bytes_;
    }
    std::byte* const values = memory.scratch + left_bytes_ + wide_bytes();
    auto* const bias = reinterpret_cast<int32_t*>(values + values_bytes());
    pack_panels(threads, panels_.count, [&](size_t batch, size_t panel, size_t end) {
      Quant8Packing packing;
      packing.shape = right_shape();
      packing.operands = operands_;
      packing.filter = memory.inputs[kRight] + batch * right_elements();
      packing.output_step = p_.right.column_stride;
      packing.depth_step = p_.right.row_stride;
      packing.values = values + batch * panels_.count * panels_.bytes;
      packing.packed_bias = bias + batch * bias_elements();
      pack_quant8_panels(packing, panel, end);
    });
    const double nanoseconds = 1.5 + static_cast<double>(p_.left.columns * quant8_form().lanes) / 400;
    multiply_all(threads, panels_.count, nanoseconds,
                 [&](size_t batch, size_t first, size_t end, size_t first_panel, size_t end_panel) {
                   Quant8Product product;
                   product.rows = rows();
                   product.image = left + batch * left_elements() * element;
                   product.weights = values + batch * panels_.count * panels_.bytes;
                   product.bias = bias + batch * bias_elements();
                   product.results = &results_;
                   product.outputs = p_.right.columns;
                   product.flips_image = quant8_form().flips(operands_.is_signed_image);
                   product.is_signed_result = operands_.is_signed_image;
                   product.weight_zero_point = panels_.zero_point;
                   product.out = memory.outputs[kOutput] + batch * p_.left.rows * p_.right.columns;
                   product.out_step = p_.right.columns;
                   quant8_product(product, first, end, first_panel, end_panel);
                 });
  }
  const char* name() const override { return "8-bit product, packing matrices"; }

 private:
  // Returns how many bytes left matrices take as 16-bit numbers, if the form needs those.
  size_t wide_bytes() const {
    return quant8_form().has_bytes() ? 0 : padded_to_vectors(p_.batches * left_elements() * sizeof(int16_t));
  }
  size_t values_bytes() const { return padded_to_vectors(p_.batches * panels_.count * panels_.bytes); }
  size_t bias_elements() const { return panels_.count * quant8_form().lanes; }

  const Quant8Operands operands_;
  const Quant8Panels panels_;  // of one right matrix
  Requantization results_;
};

std::unique_ptr<OptimizedKernel> batch_matmul_layer(const KernelNode& node) {
  const auto p = batch_matmul_parameters(node.operation);
  if (!p || node.node.residual != kNoTensor) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatMatmulKernel>(*p, node.node.fused_activation);
  if (is_quant8_asymm(type)) return std::make_unique<Quant8MatmulKernel>(node, *p);
  return nullptr;
}

constexpr auto kRows = rounding_halves_once(
    {{OperationCode::kFullyConnected, fully_connected_layer}, {OperationCode::kBatchMatmul, batch_matmul_layer}});

}  // namespace

std::span<const OptimizedRow> optimized_matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
