// Splits a product over threads, and prepares its image where it cannot be read in place.
#include "cpu_fallback/optimized/product_kernels.h"

#include "cpu_fallback/optimized/float_product.h"
#include "cpu_fallback/optimized/packed_weights.h"
#include "cpu_fallback/optimized/quant8_product.h"
#include "cpu_fallback/optimized/window_image.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

// Pixels of a tile: parts of the work are multiples.
constexpr size_t kTileRows = 24;

// Calls compute(first pixel, end, first panel, end): over parts of the pixels, or of the panels where pixels are few.
template <class Compute>
void split_product(ThreadPool& threads, size_t pixels, size_t panels, double nanoseconds_per_tile_row, const Compute& compute) {
  if (pixels >= 4 * kTileRows * threads.threads() || panels < threads.threads()) {
    threads.parallel_rows(pixels, nanoseconds_per_tile_row * static_cast<double>(panels), kTileRows,
                          [&](size_t first, size_t end) { compute(first, end, size_t{0}, panels); });
  } else {
    threads.parallel_rows(panels, nanoseconds_per_tile_row * static_cast<double>(pixels), 3,
                          [&](size_t first, size_t end) { compute(size_t{0}, pixels, first, end); });
  }
}

// What float and 8-bit products have in common: geometry and groups.
class ProductKernel : public OptimizedKernel {
 protected:
  ProductKernel(const WindowParameters& p, bool converts_image, size_t image_element)
      : p_(p), image_(p, converts_image), image_bytes_(padded_to_vectors(image_.copied_elements() * image_element)) {}

  size_t scratch_bytes() const override { return image_bytes_; }
  size_t group_inputs() const { return p_.in_channels / static_cast<size_t>(p_.groups); }
  size_t group_outputs() const { return p_.out_channels / static_cast<size_t>(p_.groups); }
  size_t groups() const { return static_cast<size_t>(p_.groups); }
  FilterShape filter_shape() const {
    const ProductRows rows = image_.rows();
    return {group_outputs(), rows.taps.size(), rows.depth};
  }

  const WindowParameters p_;
  const WindowImage image_;
  const size_t image_bytes_;
};

class FloatProductKernel final : public ProductKernel {
 public:
  FloatProductKernel(const KernelNode& node, const WindowParameters& p)
      : ProductKernel(p, false, sizeof(float)),
        finish_(float_finish(p.activation, node.node.fused_activation, node.node.residual != kNoTensor)) {
    const auto filter = floats(node.operation.inputs[kFilter].value);
    const auto bias = floats(node.operation.inputs[kBias].value);
    const FilterShape shape = filter_shape();
    for (size_t g = 0; g < groups(); ++g) {
      const size_t first = g * shape.outputs;
      weights_.push_back(pack_float_weights(filter.subspan(first * shape.taps * shape.depth), bias.subspan(first), shape));
    }
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto* image = reinterpret_cast<const float*>(memory.inputs[kImage]);
    if (image_.is_copied()) {
      auto* const copy = reinterpret_cast<float*>(memory.scratch);
      image_.copy_values(image, copy, 0.0F, threads);
      image = copy;
    }
    for (size_t g = 0; g < groups(); ++g) {
      FloatProduct product;
      product.rows = image_.rows();
      product.image = image + g * group_inputs();
      product.weights = weights_[g].values.data();
      product.bias = weights_[g].bias.data();
      product.outputs = group_outputs();
      product.finish = finish_;
      product.out = reinterpret_cast<float*>(memory.outputs[kOutput]) + g * group_outputs();
      product.out_step = p_.out_channels;
      if (memory.residual != nullptr) product.finish.residual = reinterpret_cast<const float*>(memory.residual) + g * group_outputs();
      const double multiply_adds = static_cast<double>(product.rows.taps.size() * product.rows.depth * float_lanes());
      split_product(threads, image_.pixels(), weights_[g].panels, multiply_adds / 60,
                    [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                      float_product(product, first, end, first_panel, end_panel);
                    });
    }
  }
  const char* name() const override { return "float product"; }

 private:
  static std::span<const float> floats(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  const FloatFinish finish_;
  std::vector<FloatWeights> weights_;  // per group
};

class Quant8ProductKernel final : public ProductKernel {
 public:
  Quant8ProductKernel(const KernelNode& node, const WindowParameters& p)
      : ProductKernel(p, !quant8_form().has_bytes(), quant8_form().element_bytes()),
        operands_(quant8_operands(node.operation)) {
    const auto values = node.operation.inputs[kFilter].value;
    const auto bias_bytes = node.operation.inputs[kBias].value;
    const std::span bias(reinterpret_cast<const int32_t*>(bias_bytes.data()), bias_bytes.size() / sizeof(int32_t));
    const FilterShape shape = filter_shape();
    for (size_t g = 0; g < groups(); ++g) {
      const size_t first = g * shape.outputs;
      weights_.push_back(
          pack_quant8_weights(values.subspan(first * shape.taps * shape.depth), bias.subspan(first), shape, operands_));
      results_.push_back(
          product_requantization(node.operation, p.activation, node.node.fused_activation, {first, shape.outputs}));
    }
  }

  size_t scratch_bytes() const override {
    return ProductKernel::scratch_bytes() + (needs_sums() ? padded_to_vectors(image_.pixels() * sizeof(int32_t)) : 0);
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const std::byte* image = memory.inputs[kImage];
    if (image_.is_copied()) {
      if (quant8_form().has_bytes()) {
        image_.copy_values(image, memory.scratch, static_cast<std::byte>(operands_.image_zero_point), threads);
      } else {
        image_.copy_widened(image, reinterpret_cast<int16_t*>(memory.scratch), operands_, threads);
      }
      image = memory.scratch;
    }
    for (size_t g = 0; g < groups(); ++g) {
      Quant8Product product;
      product.rows = image_.rows();
      product.image = image + g * group_inputs() * quant8_form().element_bytes();
      product.weights = weights_[g].values.data();
      product.bias = weights_[g].bias.data();
      product.results = &results_[g];
      product.outputs = group_outputs();
      product.is_signed_image = quant8_form().has_bytes() && operands_.is_signed_image;
      product.out = memory.outputs[kOutput] + g * group_outputs();
      product.out_step = p_.out_channels;
      const double depth = static_cast<double>(product.rows.taps.size() * product.rows.depth);
      if (needs_sums()) {
        auto* const sums = reinterpret_cast<int32_t*>(memory.scratch + image_bytes_);
        threads.parallel_rows(image_.pixels(), 5 + depth / 60, kTileRows,
                              [&](size_t first, size_t end) { quant8_sums(product, first, end, sums); });
        product.sums = sums;
        product.weight_zero_point = weights_[g].zero_point;
      }
      const auto lanes = static_cast<double>(quant8_form().lanes);
      split_product(threads, image_.pixels(), weights_[g].panels, 2 + depth * lanes / 200,
                    [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                      quant8_product(product, first, end, first_panel, end_panel);
                    });
    }
  }
  const char* name() const override { return quant8_form().has_bytes() ? "8-bit product, dot products" : "8-bit product, pairs"; }

 private:
  bool needs_sums() const { return weights_.front().zero_point != 0; }

  const Quant8Operands operands_;
  std::vector<Quant8Weights> weights_;  // per group
  std::vector<Requantization> results_;
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_product_kernel(const KernelNode& node, const WindowParameters& p) {
  const OperationView& operation = node.operation;
  if (!has_constant_weights(operation)) return nullptr;
  const OperandType type = operation.input(kImage).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatProductKernel>(node, p);
  if (is_quant8_asymm(type) && node.node.residual == kNoTensor) return std::make_unique<Quant8ProductKernel>(node, p);
  return nullptr;
}

}  // namespace nnvk::cpu
