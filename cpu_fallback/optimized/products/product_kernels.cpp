// Splits a product over threads, and prepares its image if it cannot be read in place.
#include "cpu_fallback/optimized/products/product_kernels.h"

#include "cpu_fallback/optimized/packed_constants.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/products/product_split.h"
#include "cpu_fallback/optimized/products/quant8_product.h"
#include "cpu_fallback/optimized/products/window_image.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

// The number of bytes behind a copied image that kernels may read.
constexpr size_t kReadBehind = 4;

// The common part of float and 8-bit products: geometry and groups.
class ProductKernel : public OptimizedKernel {
 protected:
  ProductKernel(const KernelNode& node, const WindowParameters& p, bool converts_image, size_t image_element)
      : is_packed_(has_constant_weights(node.operation)),
        p_(p),
        image_(p, converts_image),
        image_bytes_(padded_to_vectors(image_.copied_elements() * image_element + kReadBehind)) {}

  size_t scratch_bytes() const override { return image_bytes_; }
  bool reads(size_t input) const override { return !is_packed_ || input != kFilter; }
  size_t group_inputs() const { return p_.in_channels / static_cast<size_t>(p_.groups); }
  size_t group_outputs() const { return p_.out_channels / static_cast<size_t>(p_.groups); }
  size_t groups() const { return static_cast<size_t>(p_.groups); }
  FilterShape filter_shape() const {
    const ProductRows rows = image_.rows();
    return {group_outputs(), rows.taps.size(), rows.depth};
  }

  const bool is_packed_;  // else the weights are tensors, and packed in each run
  const WindowParameters p_;
  const WindowImage image_;
  const size_t image_bytes_;
};

struct PackedFloats {
  AlignedBuffer<float> weights;
  AlignedBuffer<float> bias;
};

class FloatProductKernel final : public ProductKernel {
 public:
  FloatProductKernel(const KernelNode& node, const WindowParameters& p)
      : ProductKernel(node, p, false, sizeof(float)),
        panels_(filter_shape()),
        finish_(float_finish(p.activation, node.node.fused_activation, node.node.residual != kNoTensor)) {
    if (!is_packed_) return;
    const auto* const filter = reinterpret_cast<const float*>(node.operation.inputs[kFilter].value.data());
    const auto* const bias = reinterpret_cast<const float*>(node.operation.inputs[kBias].value.data());
    const FilterShape shape = filter_shape();
    packed_ = PackedConstants::of<PackedFloats>(node, {groups(), shape.outputs, shape.taps, shape.depth}, [&] {
      PackedFloats packed{AlignedBuffer<float>(groups() * panels_.count * panels_.values),
                          AlignedBuffer<float>(groups() * panels_.count * float_lanes())};
      for (size_t g = 0; g < groups(); ++g) pack(g, filter, bias, {packed.weights.data(), packed.bias.data()}, nullptr);
      return packed;
    });
  }

  size_t scratch_bytes() const override {
    return image_bytes_ + (is_packed_ ? 0 : groups() * panels_.count * (panels_.values + float_lanes()) * sizeof(float));
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto* image = memory.input<float>(kImage);
    if (image_.is_copied()) {
      auto* const copy = reinterpret_cast<float*>(memory.scratch);
      image_.copy_values(image, copy, 0.0F, threads);
      image = copy;
    }
    const float* weights = nullptr;
    const float* bias = nullptr;
    if (is_packed_) {
      weights = packed_->weights.data();
      bias = packed_->bias.data();
    } else {
      auto* const values = reinterpret_cast<float*>(memory.scratch + image_bytes_);
      const Packed packed{values, values + groups() * panels_.count * panels_.values};
      for (size_t g = 0; g < groups(); ++g) {
        pack(g, memory.input<float>(kFilter), memory.input<float>(kBias), packed, &threads);
      }
      weights = packed.values;
      bias = packed.bias;
    }
    for (size_t g = 0; g < groups(); ++g) {
      FloatProduct product;
      product.rows = image_.rows();
      product.image = image + g * group_inputs();
      product.weights = weights + g * panels_.count * panels_.values;
      product.bias = bias + g * panels_.count * float_lanes();
      product.outputs = group_outputs();
      product.finish = finish_;
      product.out = memory.output<float>(kOutput) + g * group_outputs();
      product.out_step = p_.out_channels;
      if (memory.residual != nullptr) {
        product.finish.residual = reinterpret_cast<const float*>(memory.residual) + g * group_outputs();
      }
      const double nanoseconds = static_cast<double>(panels_.values) / 60;
      split_product(threads, {image_.pixels(), panels_.count, nanoseconds, panels_.values * sizeof(float)},
                    [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                      float_product(product, first, end, first_panel, end_panel);
                    });
    }
  }
  const char* name() const override { return is_packed_ ? "float product" : "float product, packing weights"; }

 private:
  struct Packed {
    float* values;
    float* bias;
  };
  // Packs the weights of one group. `threads` is null while the kernel is made.
  void pack(size_t group, const float* filter, const float* bias, Packed to, ThreadPool* threads) const {
    const FilterShape shape = filter_shape();
    const size_t depth = shape.taps * shape.depth;
    const FloatFilter group_filter{filter + group * shape.outputs * depth, shape.outputs, depth, depth, 1};
    float* const values = to.values + group * panels_.count * panels_.values;
    const auto pack_panels = [&](size_t first, size_t end) { pack_float_panels(group_filter, first, end, values); };
    if (threads == nullptr) {
      pack_panels(0, panels_.count);
    } else {
      threads->parallel_rows(panels_.count, 0.5 * static_cast<double>(panels_.values), 1, pack_panels);
    }
    pack_float_bias(bias + group * shape.outputs, shape, to.bias + group * panels_.count * float_lanes());
  }

  const FloatPanels panels_;  // of one group
  const FloatFinish finish_;
  std::shared_ptr<const PackedFloats> packed_;
};

struct PackedQuant8 {
  AlignedBuffer<std::byte> values;
  AlignedBuffer<int32_t> bias;
  std::vector<std::vector<int64_t>> largest_sums;  // per group, per output
};

class Quant8ProductKernel final : public ProductKernel {
 public:
  Quant8ProductKernel(const KernelNode& node, const WindowParameters& p)
      : ProductKernel(node, p, !quant8_form().has_bytes(), quant8_form().element_bytes()),
        operands_(quant8_operands(node.operation)),
        panels_(filter_shape(), operands_) {
    const FilterShape shape = filter_shape();
    if (is_packed_) {
      const std::vector<size_t> form{groups(), shape.outputs, shape.taps, shape.depth};
      packed_ = PackedConstants::of<PackedQuant8>(node, form, [&] { return pack(node.operation); });
    }
    if (node.only_asks) return;
    // The largest possible sum, because the weights are not known yet.
    constexpr int64_t kLargestProduct = int64_t{255} * 255;
    const std::vector<int64_t> unknown(shape.outputs,
                                       (int64_t{1} << 31) + kLargestProduct * static_cast<int64_t>(shape.taps * shape.depth));
    for (size_t g = 0; g < groups(); ++g) {
      results_.push_back(product_requantization(node.operation, p.activation, node.node.fused_activation, g * shape.outputs,
                                                is_packed_ ? packed_->largest_sums[g] : unknown));
    }
  }

  size_t scratch_bytes() const override { return image_bytes_ + (is_packed_ ? 0 : values_bytes() + bias_bytes()); }

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
    const std::byte* values = nullptr;
    const int32_t* bias = nullptr;
    if (is_packed_) {
      values = packed_->values.data();
      bias = packed_->bias.data();
    } else {
      std::byte* const packed = memory.scratch + image_bytes_;
      auto* const packed_bias = reinterpret_cast<int32_t*>(packed + values_bytes());
      for (size_t g = 0; g < groups(); ++g) {
        Quant8Packing packing = packing_of(g, memory.inputs[kFilter], memory.inputs[kBias]);
        place(g, packed, packed_bias, packing);
        threads.parallel_rows(panels_.count, static_cast<double>(panels_.bytes), 1,
                              [&](size_t first, size_t end) { pack_quant8_panels(packing, first, end); });
      }
      values = packed;
      bias = packed_bias;
    }
    for (size_t g = 0; g < groups(); ++g) {
      Quant8Product product;
      product.rows = image_.rows();
      product.image = image + g * group_inputs() * quant8_form().element_bytes();
      product.weights = values + g * panels_.count * panels_.bytes;
      product.bias = bias + g * panels_.count * quant8_form().lanes;
      product.results = &results_[g];
      product.outputs = group_outputs();
      product.flips_image = quant8_form().flips(operands_.is_signed_image);
      product.is_signed_result = operands_.is_signed_image;
      product.may_read_behind = image_.is_copied();
      product.out = memory.outputs[kOutput] + g * group_outputs();
      product.out_step = p_.out_channels;
      const double depth = static_cast<double>(product.rows.taps.size() * product.rows.depth);
      product.weight_zero_point = panels_.zero_point;
      const auto lanes = static_cast<double>(quant8_form().lanes);
      split_product(threads, {image_.pixels(), panels_.count, 1.5 + depth * lanes / 400, panels_.bytes},
                    [&](size_t first, size_t end, size_t first_panel, size_t end_panel) {
                      quant8_product(product, first, end, first_panel, end_panel);
                    });
    }
  }
  const char* name() const override { return quant8_form().has_bytes() ? "8-bit product, dot products" : "8-bit product, pairs"; }

 private:
  size_t values_bytes() const { return padded_to_vectors(groups() * panels_.count * panels_.bytes); }
  size_t bias_bytes() const { return groups() * panels_.count * quant8_form().lanes * sizeof(int32_t); }

  PackedQuant8 pack(const OperationView& operation) const {
    PackedQuant8 packed{AlignedBuffer<std::byte>(groups() * panels_.count * panels_.bytes),
                        AlignedBuffer<int32_t>(groups() * panels_.count * quant8_form().lanes),
                        {}};
    for (size_t g = 0; g < groups(); ++g) {
      Quant8Packing packing = packing_of(g, operation.inputs[kFilter].value.data(), operation.inputs[kBias].value.data());
      place(g, packed.values.data(), packed.bias.data(), packing);
      packing.largest_sums = packed.largest_sums.emplace_back(packing.shape.outputs).data();
      pack_quant8_panels(packing, 0, panels_.count);
    }
    return packed;
  }
  Quant8Packing packing_of(size_t group, const std::byte* filter, const std::byte* bias) const {
    Quant8Packing packing;
    packing.shape = filter_shape();
    packing.operands = operands_;
    packing.output_step = packing.shape.taps * packing.shape.depth;
    packing.filter = filter + group * packing.shape.outputs * packing.output_step;
    packing.bias = reinterpret_cast<const int32_t*>(bias) + group * packing.shape.outputs;
    return packing;
  }
  // Sets the destination of a group's weights, behind those of the groups before it.
  void place(size_t group, std::byte* values, int32_t* bias, Quant8Packing& packing) const {
    packing.values = values + group * panels_.count * panels_.bytes;
    packing.packed_bias = bias + group * panels_.count * quant8_form().lanes;
  }

  const Quant8Operands operands_;
  const Quant8Panels panels_;  // of one group
  std::shared_ptr<const PackedQuant8> packed_;
  std::vector<Requantization> results_;  // per group
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_product_kernel(const KernelNode& node, const WindowParameters& p) {
  const OperationView& operation = node.operation;
  const OperandType type = operation.input(kImage).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatProductKernel>(node, p);
  if (is_quant8_asymm(type) && node.node.residual == kNoTensor) return std::make_unique<Quant8ProductKernel>(node, p);
  return nullptr;
}

}  // namespace nnvk::cpu
