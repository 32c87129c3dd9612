// Packs the weights of 8-bit depthwise convolutions in blocks of channels, and splits the work over threads.
#include "cpu_fallback/optimized/products/quant8_depthwise.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "cpu_fallback/optimized/packed_constants.h"
#include "cpu_fallback/optimized/products/depthwise_multiplier.h"
#include "cpu_fallback/optimized/products/packed_weights.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

// Divides this number of channels into blocks.
std::vector<DepthwiseBlock> depthwise_blocks(size_t channels, const Quant8DepthwiseForm& form) {
  const size_t block = form.block_channels();
  std::vector<DepthwiseBlock> blocks;
  for (size_t c = 0; c + block <= channels; c += block) blocks.push_back({c, block, 1});
  const size_t rest = channels % block;
  if (rest == 0) return blocks;
  if (form.can_share_vectors) {
    const size_t pixels = 4 * rest <= block ? 4 : 2 * rest <= block ? 2 : 1;
    blocks.push_back({channels - rest, rest, pixels});
  } else if (channels > block) {
    blocks.push_back({channels - block, block, 1});  // some channels twice: cheaper than a vector that is not whole
  } else {
    blocks.push_back({0, rest, 1});
  }
  return blocks;
}

size_t depthwise_channel(const DepthwiseBlock& block, const Quant8DepthwiseForm& form, size_t vector, size_t lane) {
  if (form.vectors == 1) return lane;
  const size_t sixteens = form.lanes / 4 / block.pixels;  // per pixel
  return lane / 4 % sixteens * 16 + vector * 4 + lane % 4;
}

// Returns the value of Quant8Depthwise::by_columns.
bool depthwise_by_columns(const WindowParameters& w, const Quant8DepthwiseForm& form) {
  return form.has_byte_weights && w.filter_height == 3 && w.filter_width == 3 && w.dilation_width == 1 && w.stride_width <= 2;
}

// Properties of a channel's sums that follow from its weights.
struct DepthwiseSum {
  int64_t largest = 0;
  size_t parts = 1;
};

struct PackedDepthwise {
  AlignedBuffer<std::byte> weights;
  AlignedBuffer<int32_t> bias;
  std::vector<DepthwiseSum> sums;
};

class Quant8DepthwiseKernel final : public OptimizedKernel {
 public:
  Quant8DepthwiseKernel(const KernelNode& node, const WindowParameters& p)
      : p_(one_channel_each(p)),
        multiplier_(static_cast<size_t>(p.depth_multiplier)),
        operands_(quant8_operands(node.operation)),
        blocks_(depthwise_blocks(p.out_channels, form_)),
        by_columns_(depthwise_by_columns(p, form_)),
        is_packed_(has_constant_weights(node.operation)),
        has_equal_taps_(is_packed_ && !by_columns_ && are_taps_equal(node.operation.inputs[kFilter].value)),
        padding_(p.out_channels) {
    std::fill_n(padding_.data(), padding_.size(), static_cast<std::byte>(operands_.image_zero_point));
    if (form_.has_byte_weights) parts_ = is_packed_ ? most_parts(node.operation.inputs[kFilter].value) : most_parts_of_any();
    part_bytes_ = sums() * groups() * 4;
    // The largest possible sum, because the weights are not known yet.
    constexpr int64_t kLargestProduct = int64_t{255} * 255;
    const int64_t largest = (int64_t{1} << 31) + kLargestProduct * static_cast<int64_t>(taps());
    if (is_packed_) {
      packed_ = PackedConstants::of<PackedDepthwise>(node, {sums(), taps(), parts_, by_columns_, has_equal_taps_},
                                                     [&] { return pack(node.operation); });
    }
    if (node.only_asks) return;
    std::vector<ChannelScale> scales(sums(), {channel_multiplier(node.operation, blocks_.front().first), 0});
    for (size_t i = 0; i < sums(); ++i) {
      DepthwiseBlock& block = blocks_[i / form_.block_channels()];
      const std::optional<size_t> channel = channel_of(i);
      const DepthwiseSum sum = is_packed_ ? packed_->sums[i] : DepthwiseSum{largest, parts_};
      block.parts = std::max(block.parts, sum.parts);
      if (channel) scales[i] = {channel_multiplier(node.operation, *channel), sum.largest};
    }
    const OperandInfo& out = node.operation.output(kOutput);
    results_ = make_requantization(scales, out.zero_point, bounds_of_both(p.activation, node.node.fused_activation, out),
                                   form_.lanes, form_.has_wide_shifts);
  }

  size_t scratch_bytes() const override {
    return image_bytes() + (is_packed_ ? 0 : padded_to_vectors(parts_ * part_bytes_) + sums() * sizeof(int32_t));
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    Quant8Depthwise call;
    call.window = p_;
    call.image = memory.inputs[kImage];
    if (multiplier_ > 1) {
      const std::byte* const from = memory.inputs[kImage];
      const size_t channels = p_.in_channels / multiplier_;
      constexpr double kNanosecondsPerElement = 0.5;
      threads.parallel_rows(image_pixels(), kNanosecondsPerElement * p_.in_channels, 1, [&](size_t first, size_t end) {
        repeat_channels(from + first * channels, (end - first) * channels, multiplier_, memory.scratch + first * p_.in_channels);
      });
      call.image = memory.scratch;
    }
    call.padding = padding_.data();
    call.blocks = blocks_;
    if (is_packed_) {
      call.weights = packed_->weights.data();
      call.bias = packed_->bias.data();
    } else {
      std::byte* const weights = memory.scratch + image_bytes();
      const Destination packed{weights, reinterpret_cast<int32_t*>(weights + padded_to_vectors(parts_ * part_bytes_))};
      std::fill_n(packed.weights, parts_ * part_bytes_, std::byte{0});
      for (size_t i = 0; i < sums(); ++i) pack_sum(memory.inputs[kFilter], memory.inputs[kBias], i, packed);
      call.weights = packed.weights;
      call.bias = packed.bias;
    }
    call.by_columns = by_columns_;
    call.has_equal_taps = has_equal_taps_;
    call.results = &results_;
    call.is_signed = operands_.is_signed_image;
    call.out = memory.outputs[kOutput];
    constexpr double kNanosecondsPerProduct = 0.03;
    const double products = static_cast<double>(p_.out_width) * p_.out_channels * static_cast<double>(taps());
    threads.parallel_rows(size_t{p_.batches} * p_.out_height, products * kNanosecondsPerProduct, 1,
                          [&](size_t first, size_t end) { quant8_depthwise(call, first, end); });
  }
  const char* name() const override { return "8-bit depthwise"; }

 private:
  size_t taps() const { return size_t{p_.filter_height} * p_.filter_width; }
  size_t window_groups() const { return (taps() + form_.group - 1) / form_.group; }
  size_t groups() const { return has_equal_taps_ ? 1 : window_groups(); }  // that are stored
  // Returns the position of tap t among the taps of all groups.
  size_t place_of(size_t t) const { return by_columns_ ? t % 3 * form_.group + t / 3 : t; }
  size_t image_pixels() const { return size_t{p_.batches} * p_.in_height * p_.in_width; }

  size_t sums() const { return blocks_.size() * form_.block_channels(); }
  size_t image_bytes() const { return multiplier_ > 1 ? padded_to_vectors(image_pixels() * p_.in_channels) : 0; }

  // The destination of weights and bias.
  struct Destination {
    std::byte* weights;  // zeros
    int32_t* bias;
  };
  PackedDepthwise pack(const OperationView& operation) const {
    PackedDepthwise packed{AlignedBuffer<std::byte>(parts_ * part_bytes_), AlignedBuffer<int32_t>(sums()), {}};
    std::fill_n(packed.weights.data(), packed.weights.size(), std::byte{0});
    const Destination to{packed.weights.data(), packed.bias.data()};
    for (size_t i = 0; i < sums(); ++i) {
      packed.sums.push_back(pack_sum(operation.inputs[kFilter].value.data(), operation.inputs[kBias].value.data(), i, to));
    }
    return packed;
  }

  // Returns the channel of sum i, numbered through all blocks as in the bias; nothing for a sum that only fills up its block.
  std::optional<size_t> channel_of(size_t i) const {
    const size_t of_block = form_.block_channels();
    const DepthwiseBlock& block = blocks_[i / of_block];
    const size_t within = depthwise_channel(block, form_, i % of_block / form_.lanes, i % form_.lanes);
    return within < block.count ? std::optional(block.first + within) : std::nullopt;
  }

  DepthwiseSum pack_sum(const std::byte* filter, const std::byte* bias, size_t i, const Destination& to) const {
    to.bias[i] = 0;
    const std::optional<size_t> channel = channel_of(i);
    if (!channel) return {};
    const size_t of_block = form_.block_channels();
    DepthwiseSum result;
    int32_t sum = 0;
    int64_t magnitude = 0;
    const size_t stored = has_equal_taps_ ? form_.group : taps();
    for (size_t t = 0; t < stored; ++t) {
      const int32_t weight = weight_of(filter[t % taps() * p_.out_channels + *channel]);
      sum = wrapping_add(sum, weight);
      magnitude += std::abs(weight);
      const size_t group = (i / of_block * groups() + place_of(t) / form_.group) * of_block + i % of_block;
      set_weight(group * form_.group + place_of(t) % form_.group, weight, to.weights);
      if (form_.has_byte_weights) result.parts = std::max(result.parts, byte_parts(weight));
    }
    int32_t value = 0;
    std::memcpy(&value, bias + *channel * sizeof value, sizeof value);
    const int32_t zero_point = operands_.image_zero_point + (operands_.is_signed_image ? 128 : 0);  // as bytes are read
    const auto repeats = static_cast<int32_t>(window_groups() / groups());
    to.bias[i] = wrapping_subtract(value, wrapping_multiply(zero_point, wrapping_multiply(sum, repeats)));
    result.largest = largest_sum(value, magnitude * repeats);
    return result;
  }
  void set_weight(size_t at, int32_t weight, std::byte* weights) const {
    if (!form_.has_byte_weights) {
      const auto wide = static_cast<int16_t>(weight);
      std::memcpy(weights + at * sizeof wide, &wide, sizeof wide);
      return;
    }
    for (size_t part = 0; part < parts_; ++part) {
      const int32_t stored = clamp_int(weight, -128, 127);
      weights[part * part_bytes_ + at] = static_cast<std::byte>(stored);
      weight -= stored;
    }
  }
  // Returns the weight that the byte stores, minus the zero point.
  int32_t weight_of(std::byte byte) const {
    const int32_t stored = operands_.are_signed_weights ? static_cast<int8_t>(byte) : static_cast<uint8_t>(byte);
    return stored - operands_.weight_zero_point;
  }
  // Returns the number of signed bytes whose sum is the weight.
  static size_t byte_parts(int32_t weight) {
    const int32_t parts = weight > 0 ? (weight + 126) / 127 : (127 - weight) / 128;
    return static_cast<size_t>(std::max(parts, 1));
  }
  bool are_taps_equal(std::span<const std::byte> filter) const {
    return std::ranges::equal(filter.subspan(p_.out_channels), filter.first(filter.size() - p_.out_channels));
  }
  size_t most_parts(std::span<const std::byte> filter) const {
    size_t parts = 1;
    for (const std::byte byte : filter) parts = std::max(parts, byte_parts(weight_of(byte)));
    return parts;
  }
  size_t most_parts_of_any() const {
    size_t parts = 1;
    for (int byte = 0; byte < 256; ++byte) parts = std::max(parts, byte_parts(weight_of(static_cast<std::byte>(byte))));
    return parts;
  }

  const Quant8DepthwiseForm form_ = quant8_depthwise_form();
  const WindowParameters p_;
  const size_t multiplier_;
  const Quant8Operands operands_;
  std::vector<DepthwiseBlock> blocks_;
  const bool by_columns_;
  const bool is_packed_;       // else the weights are tensors, and packed in each run
  const bool has_equal_taps_;  // as in Quant8Depthwise
  AlignedBuffer<std::byte> padding_;
  std::shared_ptr<const PackedDepthwise> packed_;
  size_t parts_ = 1;  // the most of any block
  size_t part_bytes_ = 0;
  Requantization results_;
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_quant8_depthwise_kernel(const KernelNode& node, const WindowParameters& p) {
  return std::make_unique<Quant8DepthwiseKernel>(node, p);
}

}  // namespace nnvk::cpu
