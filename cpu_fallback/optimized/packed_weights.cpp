#include "cpu_fallback/optimized/packed_weights.h"

#include <algorithm>
#include <cstring>

#include "cpu_fallback/optimized/float_product.h"

namespace nnvk::cpu {
namespace {

size_t rounded_up(size_t count, size_t step) { return (count + step - 1) / step; }

}  // namespace

bool has_constant_weights(const OperationView& operation) {
  return operation.inputs[convolution::kFilter].value.data() != nullptr &&
         operation.inputs[convolution::kBias].value.data() != nullptr;
}

FloatPanels::FloatPanels(const FilterShape& shape)
    : count(rounded_up(shape.outputs, float_lanes())), values(shape.taps * shape.depth * float_lanes()) {}

void pack_float_panels(const FloatFilter& filter, size_t first, size_t end, float* to) {
  const size_t lanes = float_lanes();
  for (size_t panel = first; panel < end; ++panel) {
    const float* const from = filter.values + panel * lanes * filter.output_step;
    const size_t count = std::min(lanes, filter.outputs - panel * lanes);
    float* values = to + panel * filter.depth * lanes;
    for (size_t k = 0; k < filter.depth; ++k, values += lanes) {
      const float* const factors = from + k * filter.depth_step;
      if (filter.output_step == 1) {
        std::copy_n(factors, count, values);
      } else {
        for (size_t i = 0; i < count; ++i) values[i] = factors[i * filter.output_step];
      }
      std::fill_n(values + count, lanes - count, 0.0F);
    }
  }
}

void pack_float_bias(const float* bias, const FilterShape& shape, float* to) {
  std::copy_n(bias, shape.outputs, to);
  std::fill_n(to + shape.outputs, FloatPanels(shape).count * float_lanes() - shape.outputs, 0.0F);
}

Quant8Operands quant8_operands(const OperationView& operation) {
  const OperandInfo& image = operation.input(convolution::kImage);
  const OperandInfo& filter = operation.input(convolution::kFilter);
  return {image.type == OperandType::kTensorQuant8AsymmSigned, image.zero_point, filter.type != OperandType::kTensorQuant8Asymm,
          filter.type == OperandType::kTensorQuant8SymmPerChannel ? 0 : filter.zero_point};
}

Quant8Weights pack_quant8_weights(std::span<const std::byte> filter, std::span<const int32_t> bias, const FilterShape& shape,
                                  const Quant8Operands& operands) {
  const Quant8Form form = quant8_form();
  const size_t groups = rounded_up(shape.depth, form.group);
  const size_t panel_bytes = shape.taps * groups * form.lanes * form.group * form.element_bytes();
  // Signed bytes: unsigned weights are stored 128 lower. The image is read as unsigned: signed ones 128 higher.
  const bool bytes = form.has_bytes();
  const int32_t shift = bytes && !operands.are_signed_weights ? -128 : 0;
  const auto image_zero = static_cast<uint32_t>(operands.image_zero_point + (operands.is_signed_image ? 128 : 0));
  Quant8Weights packed;
  packed.zero_point = bytes ? operands.weight_zero_point + shift : 0;
  packed.panels = rounded_up(shape.outputs, form.lanes);
  packed.values = AlignedBuffer<std::byte>(packed.panels * panel_bytes);
  packed.bias = AlignedBuffer<int32_t>(packed.panels * form.lanes);
  packed.largest_sums.resize(shape.outputs);
  std::memset(packed.values.data(), 0, packed.values.size());
  for (size_t output = 0; output < packed.panels * form.lanes; ++output) {
    packed.bias[output] = 0;
    if (output >= shape.outputs) continue;
    std::byte* const panel = packed.values.data() + output / form.lanes * panel_bytes;
    uint32_t sum = 0;  // of the packed weights; unsigned: sums wrap
    int64_t magnitude = 0;
    for (size_t tap = 0; tap < shape.taps; ++tap) {
      for (size_t k = 0; k < shape.depth; ++k) {
        const std::byte byte = filter[(output * shape.taps + tap) * shape.depth + k];
        const int32_t value = operands.are_signed_weights ? static_cast<int8_t>(byte) : static_cast<uint8_t>(byte);
        magnitude += std::abs(value - operands.weight_zero_point);
        const size_t at = ((tap * groups + k / form.group) * form.lanes + output % form.lanes) * form.group + k % form.group;
        if (bytes) {
          panel[at] = static_cast<std::byte>(value + shift);
          sum += static_cast<uint32_t>(value + shift);
        } else {
          const auto wide = static_cast<int16_t>(value - operands.weight_zero_point);
          std::memcpy(panel + at * sizeof wide, &wide, sizeof wide);
        }
      }
    }
    auto total = static_cast<uint32_t>(bias[output]);
    if (bytes) {
      const auto count = static_cast<uint32_t>(shape.taps * shape.depth);
      total += count * image_zero * static_cast<uint32_t>(packed.zero_point) - image_zero * sum;
    }
    packed.bias[output] = static_cast<int32_t>(total);
    packed.largest_sums[output] = largest_sum(bias[output], magnitude);
  }
  return packed;
}

QuantizedBounds bounds_of_both(FusedActivation own, FusedActivation fused, const OperandInfo& out) {
  const QuantizedBounds inner = quantized_activation_bounds(own, out.type, out.scale, out.zero_point);
  const QuantizedBounds outer = quantized_activation_bounds(fused, out.type, out.scale, out.zero_point);
  return {clamp_int(inner.lo, outer.lo, outer.hi), clamp_int(inner.hi, outer.lo, outer.hi)};
}

int64_t largest_sum(int32_t bias, int64_t weights) { return std::abs(int64_t{bias}) + 255 * weights; }

FixedPointMultiplier channel_multiplier(const OperationView& operation, size_t channel) {
  const OperandInfo& filter = operation.input(convolution::kFilter);
  const float scale = filter.channel_quant != nullptr ? filter.channel_quant->scales[channel] : filter.scale;
  const float product = operation.input(convolution::kImage).scale * scale;
  return decompose_multiplier(static_cast<double>(product) / operation.output(convolution::kOutput).scale);
}

Requantization product_requantization(const OperationView& operation, FusedActivation own, FusedActivation fused,
                                      size_t first_channel, std::span<const int64_t> largest_sums) {
  const Quant8Form form = quant8_form();
  std::vector<ChannelScale> channels(rounded_up(largest_sums.size(), form.lanes) * form.lanes);
  for (size_t i = 0; i < largest_sums.size(); ++i) {
    channels[i] = {channel_multiplier(operation, first_channel + i), largest_sums[i]};
  }
  const OperandInfo& out = operation.output(convolution::kOutput);
  return make_requantization(channels, out.zero_point, bounds_of_both(own, fused, out), form.lanes, form.has_wide_shifts);
}

}  // namespace nnvk::cpu
