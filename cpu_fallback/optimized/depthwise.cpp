// DEPTHWISE_CONV_2D.
#include <cstring>

#include "cpu_fallback/optimized/channels_first.h"
#include "cpu_fallback/optimized/depthwise_rows.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/float_depthwise.h"
#include "cpu_fallback/optimized/float_product.h"
#include "cpu_fallback/optimized/packed_weights.h"
#include "cpu_fallback/optimized/window_image.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

// With as many image channels as there are outputs: a multiplier repeats every channel of the copy.
WindowParameters one_channel_each(WindowParameters p) {
  p.in_channels = p.out_channels;
  p.groups = 1;
  return p;
}

// Geometry.
class DepthwiseKernel : public OptimizedKernel {
 protected:
  DepthwiseKernel(const WindowParameters& p, bool converts_image, size_t element)
      : p_(one_channel_each(p)),
        multiplier_(static_cast<size_t>(p.depth_multiplier)),
        image_(p_, converts_image || p.depth_multiplier > 1),
        image_bytes_(image_.copied_elements() * element) {
    for (size_t i = 0; i < p.filter_height; ++i) {
      for (size_t j = 0; j < p.filter_width; ++j) {
        taps_.push_back(i * static_cast<size_t>(p.dilation_height) * image_.row_step() +
                        j * static_cast<size_t>(p.dilation_width) * image_.pixel_step());
      }
    }
  }
  size_t scratch_bytes() const override { return image_bytes_; }
  DepthwiseRows rows() const {
    const ProductRows window = image_.rows();
    return {window.width, window.height, window.x_step, window.y_step, window.batch_step, taps_, p_.out_channels};
  }
  // compute(first row, end)
  template <class Compute>
  void split(ThreadPool& threads, double nanoseconds_per_product, const Compute& compute) const {
    const double products = static_cast<double>(p_.out_width) * p_.out_channels * static_cast<double>(taps_.size());
    threads.parallel_rows(size_t{p_.batches} * p_.out_height, products * nanoseconds_per_product, 1, compute);
  }

  const WindowParameters p_;
  const size_t multiplier_;
  const WindowImage image_;
  const size_t image_bytes_;
  std::vector<size_t> taps_;
};

// Repeats every channel of `pixels` pixels.
void repeat_channels(const float* from, size_t values, size_t repeats, float* to) {
  for (size_t i = 0; i < values; ++i) to = std::fill_n(to, repeats, from[i]);
}

class FloatDepthwiseKernel final : public OptimizedKernel {
 public:
  FloatDepthwiseKernel(const KernelNode& node, const WindowParameters& p)
      : window_(one_channel_each(p)),
        repeats_(static_cast<size_t>(p.depth_multiplier)),
        finish_(float_finish(p.activation, node.node.fused_activation, node.node.residual != kNoTensor)),
        padded_((p.out_channels + float_lanes() - 1) / float_lanes() * float_lanes()),
        is_packed_(has_constant_weights(node.operation)) {
    if (!is_packed_) return;
    weights_ = AlignedBuffer<float>(packed_elements());
    pack(node.operation.inputs[kFilter].value.data(), node.operation.inputs[kBias].value.data(), weights_.data());
  }

  size_t scratch_bytes() const override { return image_bytes() + (is_packed_ ? 0 : packed_elements() * sizeof(float)); }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto* image = reinterpret_cast<const float*>(memory.inputs[kImage]);
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
    const float* packed = weights_.data();
    if (!is_packed_) {
      auto* const to = reinterpret_cast<float*>(memory.scratch + image_bytes());
      pack(memory.inputs[kFilter], memory.inputs[kBias], to);
      packed = to;
    }
    call.weights = packed;
    call.bias = packed + taps() * padded_;
    call.finish = finish_;
    call.finish.residual = reinterpret_cast<const float*>(memory.residual);
    call.out = reinterpret_cast<float*>(memory.outputs[kOutput]);
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
  const size_t padded_;           // channels in whole vectors
  const bool is_packed_;          // else the weights are tensors, and packed in each run
  AlignedBuffer<float> weights_;  // [taps][padded], then the bias
};

class Quant8DepthwiseKernel final : public DepthwiseKernel {
 public:
  Quant8DepthwiseKernel(const KernelNode& node, const WindowParameters& p)
      : DepthwiseKernel(p, true, sizeof(int16_t)), operands_(quant8_operands(node.operation)) {
    const Requantization natural =
        product_requantization(node.operation, p.activation, node.node.fused_activation, {0, p.out_channels});
    const auto values = node.operation.inputs[kFilter].value;
    const auto* const bias = reinterpret_cast<const int32_t*>(node.operation.inputs[kBias].value.data());
    const size_t block = depthwise_block();
    const size_t blocks = (p.out_channels + block - 1) / block;
    const size_t pairs = (taps_.size() + 1) / 2;
    weights_ = AlignedBuffer<int16_t>(blocks * pairs * block * 2);
    std::fill_n(weights_.data(), weights_.size(), int16_t{0});
    bias_ = AlignedBuffer<int32_t>(blocks * block);
    results_.zero_point = natural.zero_point;
    results_.bounds = natural.bounds;
    for (size_t i = 0; i < blocks * block; ++i) {
      const size_t channel = i / block * block + depthwise_channel(i % block);
      const bool is_there = channel < p.out_channels;
      bias_[i] = is_there ? bias[channel] : 0;
      results_.mantissas.push_back(is_there ? natural.mantissas[channel] : 0);
      results_.left_shifts.push_back(is_there ? natural.left_shifts[channel] : 0);
      results_.right_shifts.push_back(is_there ? natural.right_shifts[channel] : 0);
      for (size_t t = 0; is_there && t < taps_.size(); ++t) {
        const std::byte byte = values[t * p.out_channels + channel];
        const int32_t weight = operands_.are_signed_weights ? static_cast<int8_t>(byte) : static_cast<uint8_t>(byte);
        weights_[((i / block * pairs + t / 2) * block + i % block) * 2 + t % 2] =
            static_cast<int16_t>(weight - operands_.weight_zero_point);
      }
    }
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    auto* const copy = reinterpret_cast<int16_t*>(memory.scratch);
    image_.copy_widened(memory.inputs[kImage], copy, operands_, threads, multiplier_);
    Quant8Depthwise call;
    call.rows = rows();
    call.image = copy;
    call.weights = weights_.data();
    call.bias = bias_.data();
    call.results = &results_;
    call.is_signed = operands_.is_signed_image;
    call.out = memory.outputs[kOutput];
    split(threads, 0.01, [&](size_t first, size_t end) { quant8_depthwise(call, first, end); });
  }
  const char* name() const override { return "8-bit depthwise"; }

 private:
  const Quant8Operands operands_;
  AlignedBuffer<int16_t> weights_;
  AlignedBuffer<int32_t> bias_;
  Requantization results_;  // permuted as the blocks are
};

std::unique_ptr<OptimizedKernel> make_depthwise_kernel(const KernelNode& node, const WindowParameters& p) {
  const OperationView& operation = node.operation;
  const OperandType type = operation.input(kImage).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatDepthwiseKernel>(node, p);
  if (!has_constant_weights(operation)) return nullptr;
  if (is_quant8_asymm(type) && node.node.residual == kNoTensor) return std::make_unique<Quant8DepthwiseKernel>(node, p);
  return nullptr;
}

std::unique_ptr<OptimizedKernel> depthwise_conv_2d(const KernelNode& node) {
  const auto p = window_parameters(node.operation);
  return p ? make_in_either_layout(node, *p, make_depthwise_kernel) : nullptr;
}

constexpr OptimizedRow kRows[] = {{OperationCode::kDepthwiseConv2d, depthwise_conv_2d}};

}  // namespace

std::span<const OptimizedRow> optimized_depthwise_kernels() { return kRows; }

}  // namespace nnvk::cpu
