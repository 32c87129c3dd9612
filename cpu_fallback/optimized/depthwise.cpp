#include <algorithm>
#include <cstring>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/channels_first.h"
#include "cpu_fallback/optimized/packed_constants.h"
#include "cpu_fallback/optimized/products/depthwise_multiplier.h"
#include "cpu_fallback/optimized/products/float_depthwise.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/products/quant8_depthwise.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

struct PackedTaps {
  AlignedBuffer<float> values;  // [taps][padded], then the bias
};

class FloatDepthwiseKernel final : public OptimizedKernel {
 public:
  FloatDepthwiseKernel(const KernelNode& node, const WindowParameters& p)
      : window_(one_channel_each(p)),
        repeats_(static_cast<size_t>(p.depth_multiplier)),
        finish_(float_finish(p.activation, node.node.fused_activation, node.node.residual != kNoTensor)),
        padded_((p.out_channels + float_lanes() - 1) / float_lanes() * float_lanes()),
        is_packed_(has_constant_weights(node.operation)) {
    if (!is_packed_) return;
    packed_ = PackedConstants::of<PackedTaps>(node, {taps(), padded_}, [&] {
      PackedTaps packed{AlignedBuffer<float>(packed_elements())};
      pack(node.operation.inputs[kFilter].value.data(), node.operation.inputs[kBias].value.data(), packed.values.data());
      return packed;
    });
  }

  size_t scratch_bytes() const override { return image_bytes() + (is_packed_ ? 0 : packed_elements() * sizeof(float)); }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto* image = memory.input<float>(kImage);
    if (repeats_ > 1) {
      auto* const copy = reinterpret_cast<float*>(memory.scratch);
      const size_t channels = window_.in_channels / repeats_;
      threads.parallel_rows(image_pixels(), 0.2 * window_.in_channels, 1, [&](size_t first, size_t end) {
        repeat_channels(image + first * channels, (end - first) * channels, repeats_, copy + first * window_.in_channels);
      });
      image = copy;
    }
    FloatDepthwise call;
    call.window = &window_;
    call.image = image;
    const float* packed = nullptr;
    if (is_packed_) {
      packed = packed_->values.data();
    } else {
      auto* const to = reinterpret_cast<float*>(memory.scratch + image_bytes());
      pack(memory.inputs[kFilter], memory.inputs[kBias], to);
      packed = to;
    }
    call.weights = packed;
    call.bias = packed + taps() * padded_;
    call.finish = finish_;
    call.finish.residual = reinterpret_cast<const float*>(memory.residual);
    call.out = memory.output<float>(kOutput);
    const double products = static_cast<double>(window_.out_width) * window_.out_channels * static_cast<double>(taps());
    constexpr double kNanosecondsPerProduct = 0.015;
    threads.parallel_rows(size_t{window_.batches} * window_.out_height, products * kNanosecondsPerProduct, 1,
                          [&](size_t first, size_t end) { float_depthwise(call, first, end); });
  }
  const char* name() const override { return "float depthwise"; }

 private:
  size_t packed_elements() const { return (taps() + 1) * padded_; }
  size_t image_bytes() const {
    return repeats_ > 1 ? padded_to_vectors(image_pixels() * window_.in_channels * sizeof(float)) : 0;
  }
  void pack(const std::byte* filter, const std::byte* bias, float* to) const {
    const size_t row = window_.out_channels * sizeof(float);
    for (size_t t = 0; t <= taps(); ++t, to += padded_) {
      std::memcpy(to, t < taps() ? filter + t * row : bias, row);
      std::fill_n(to + window_.out_channels, padded_ - window_.out_channels, 0.0F);
    }
  }
  size_t taps() const { return size_t{window_.filter_height} * window_.filter_width; }
  size_t image_pixels() const { return size_t{window_.batches} * window_.in_height * window_.in_width; }

  const WindowParameters window_;
  const size_t repeats_;  // of every channel of the image
  const FloatFinish finish_;
  const size_t padded_;   // channels in whole vectors
  const bool is_packed_;  // else the weights are tensors, and packed in each run
  std::shared_ptr<const PackedTaps> packed_;
};

std::unique_ptr<OptimizedKernel> make_depthwise_kernel(const KernelNode& node, const WindowParameters& p) {
  const OperationView& operation = node.operation;
  const OperandType type = operation.input(kImage).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatDepthwiseKernel>(node, p);
  if (is_quant8_asymm(type) && node.node.residual == kNoTensor) return make_quant8_depthwise_kernel(node, p);
  return nullptr;
}

std::unique_ptr<OptimizedKernel> depthwise_conv_2d(const KernelNode& node) {
  return make_in_either_layout(node, make_depthwise_kernel);
}

constexpr auto kRows = rounding_halves_once({{OperationCode::kDepthwiseConv2d, depthwise_conv_2d}});

}  // namespace

std::span<const OptimizedRow> optimized_depthwise_kernels() { return kRows; }

}  // namespace nnvk::cpu
