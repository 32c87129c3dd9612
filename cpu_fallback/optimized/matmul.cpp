// FULLY_CONNECTED, a convolution of images of one pixel; BATCH_MATMUL.
#include "core/operations/parameters/matmul_parameters.h"

#include <limits>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/float_product.h"
#include "cpu_fallback/optimized/packed_weights.h"
#include "cpu_fallback/optimized/product_kernels.h"
#include "cpu_fallback/optimized/product_split.h"
#include "cpu_fallback/optimized/transpose.h"

namespace nnvk::cpu {
namespace {

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

// The operation has no activation, and leaves infinities what they are.
FloatFinish matmul_finish(FusedActivation fused) {
  FloatFinish finish;
  finish.own = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  if (fused != FusedActivation::kNone) finish.own = float_activation_bounds(fused);
  return finish;
}

// The right matrices are packed in each run, as if they were weights.
class FloatMatmulKernel final : public OptimizedKernel {
 public:
  FloatMatmulKernel(const BatchMatmulParameters& p, FusedActivation fused)
      : p_(p),
        panels_({p.right.columns, 1, p.left.columns}),
        finish_(matmul_finish(fused)),
        bias_(panels_.count * float_lanes()),
        left_bytes_(is_left_turned() ? padded_to_vectors(size_t{p.batches} * left_elements() * sizeof(float)) : 0) {
    std::fill_n(bias_.data(), bias_.size(), 0.0F);
  }

  size_t scratch_bytes() const override {
    return left_bytes_ + size_t{p_.batches} * panels_.count * panels_.values * sizeof(float);
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    using namespace batch_matmul;
    const auto* left = reinterpret_cast<const float*>(memory.inputs[kLeft]);
    if (is_left_turned()) {
      transpose_matrices(memory.inputs[kLeft], memory.scratch, {p_.batches, p_.left.columns, p_.left.rows}, sizeof(float),
                         threads);
      left = reinterpret_cast<const float*>(memory.scratch);
    }
    const auto* const right = reinterpret_cast<const float*>(memory.inputs[kRight]);
    auto* const packed = reinterpret_cast<float*>(memory.scratch + left_bytes_);
    auto* const out = reinterpret_cast<float*>(memory.outputs[kOutput]);
    pack(right, packed, threads);
    const size_t no_taps[] = {0};
    const auto product_of = [&](size_t batch) {
      FloatProduct product;
      product.rows.width = p_.left.rows;
      product.rows.x_step = p_.left.columns;
      product.rows.taps = no_taps;
      product.rows.depth = p_.left.columns;
      product.image = left + batch * left_elements();
      product.weights = packed + batch * panels_.count * panels_.values;
      product.bias = bias_.data();
      product.outputs = p_.right.columns;
      product.finish = finish_;
      product.out = out + batch * p_.left.rows * p_.right.columns;
      product.out_step = p_.right.columns;
      return product;
    };
    const double nanoseconds = static_cast<double>(panels_.values) / 60;
    if (p_.batches == 1) {
      const FloatProduct product = product_of(0);
      return split_product(threads, p_.left.rows, panels_.count, nanoseconds,
                           [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                             float_product(product, first, end, first_panel, end_panel);
                           });
    }
    threads.parallel_rows(p_.batches, nanoseconds * static_cast<double>(p_.left.rows * panels_.count), 1,
                          [&](size_t first, size_t end) {
                            for (size_t batch = first; batch < end; ++batch)
                              float_product(product_of(batch), 0, p_.left.rows, 0, panels_.count);
                          });
  }
  const char* name() const override { return "float product, packing matrices"; }

 private:
  bool is_left_turned() const { return p_.left.column_stride != 1; }
  size_t left_elements() const { return size_t{p_.left.rows} * p_.left.columns; }

  void pack(const float* right, float* to, ThreadPool& threads) const {
    const size_t depth = p_.left.columns;
    threads.parallel_rows(p_.batches * panels_.count, 0.4 * static_cast<double>(panels_.values), 1,
                          [&](size_t first, size_t end) {
                            for (size_t i = first; i < end; ++i) {
                              const size_t batch = i / panels_.count;
                              const size_t panel = i % panels_.count;
                              const FloatFilter matrix{right + batch * depth * p_.right.columns, p_.right.columns, depth,
                                                       p_.right.column_stride, p_.right.row_stride};
                              pack_float_panels(matrix, panel, panel + 1, to + batch * panels_.count * panels_.values);
                            }
                          });
  }

  const BatchMatmulParameters p_;
  const FloatPanels panels_;  // of one right matrix
  const FloatFinish finish_;
  AlignedBuffer<float> bias_;  // none
  const size_t left_bytes_;
};

std::unique_ptr<OptimizedKernel> batch_matmul_layer(const KernelNode& node) {
  const auto p = batch_matmul_parameters(node.operation);
  if (!p || node.node.residual != kNoTensor) return nullptr;
  if (node.operation.output(batch_matmul::kOutput).type != OperandType::kTensorFloat32) return nullptr;
  return std::make_unique<FloatMatmulKernel>(*p, node.node.fused_activation);
}

constexpr OptimizedRow kRows[] = {{OperationCode::kFullyConnected, fully_connected_layer},
                                  {OperationCode::kBatchMatmul, batch_matmul_layer}};

}  // namespace

std::span<const OptimizedRow> optimized_matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
