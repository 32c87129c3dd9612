#include "cpu_fallback/optimized/products/packed_weights.h"

#include <algorithm>
#include <cstring>

#include "cpu_fallback/optimized/products/float_product.h"

namespace nnvk::cpu {
namespace {

size_t rounded_up(size_t count, size_t step) { return (count + step - 1) / step; }

// Returns how much lower unsigned weights are stored: 128 in the byte form, because it stores weights as signed bytes.
int32_t weight_shift(const Quant8Operands& operands) {
  return quant8_form().has_bytes() && !operands.are_signed_weights ? -128 : 0;
}

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
        // A client's constants may lie at any address.
        for (size_t i = 0; i < count; ++i) std::memcpy(values + i, factors + i * filter.output_step, sizeof(float));
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

Quant8Panels::Quant8Panels(const FilterShape& shape, const Quant8Operands& operands) {
  const Quant8Form form = quant8_form();
  count = rounded_up(shape.outputs, form.lanes);
  bytes = shape.taps * rounded_up(shape.depth, form.group) * form.lanes * form.group * form.element_bytes();
  zero_point = form.has_bytes() ? operands.weight_zero_point + weight_shift(operands) : 0;
}

void pack_quant8_panels(const Quant8Packing& packing, size_t first, size_t end) {
  const Quant8Form form = quant8_form();
  const Quant8Operands& operands = packing.operands;
  const FilterShape& shape = packing.shape;
  const Quant8Panels panels(shape, operands);
  const bool bytes = form.has_bytes();
  const int32_t shift = weight_shift(operands);
  // The kernel reads the image 128 higher or lower if its signedness differs from the form's.
  const int32_t image_shift = (operands.is_signed_image ? 128 : 0) - (form.has_signed_image ? 128 : 0);
  const auto image_zero = static_cast<uint32_t>(operands.image_zero_point + image_shift);
  std::memset(packing.values + first * panels.bytes, 0, (end - first) * panels.bytes);
  for (size_t output = first * form.lanes; output < end * form.lanes; ++output) {
    packing.packed_bias[output] = 0;
    if (output >= shape.outputs) continue;
    const std::byte* from = packing.filter + output * packing.output_step;
    std::byte* group = packing.values + output / form.lanes * panels.bytes;
    uint32_t sum = 0;  // of the packed weights; unsigned: sums wrap
    int64_t magnitude = 0;
    for (size_t tap = 0; tap < shape.taps; ++tap) {
      for (size_t k = 0; k < shape.depth; k += form.group, group += form.lanes * form.group * form.element_bytes()) {
        for (size_t i = 0; i < std::min(form.group, shape.depth - k); ++i, from += packing.depth_step) {
          const int32_t value = operands.are_signed_weights ? static_cast<int8_t>(*from) : static_cast<uint8_t>(*from);
          magnitude += std::abs(value - operands.weight_zero_point);
          const size_t lane = output % form.lanes;
          const size_t at = !bytes && form.has_pairs_apart ? i * form.lanes + lane : lane * form.group + i;
          if (bytes) {
            group[at] = static_cast<std::byte>(value + shift);
            sum += static_cast<uint32_t>(value + shift);
          } else {
            const auto wide = static_cast<int16_t>(value - operands.weight_zero_point);
            std::memcpy(group + at * sizeof wide, &wide, sizeof wide);
          }
        }
      }
    }
    const int32_t bias = packing.bias != nullptr ? packing.bias[output] : 0;
    auto total = static_cast<uint32_t>(bias);
    if (bytes) {
      const auto count = static_cast<uint32_t>(shape.taps * shape.depth);
      total += count * image_zero * static_cast<uint32_t>(panels.zero_point) - image_zero * sum;
    }
    packing.packed_bias[output] = static_cast<int32_t>(total);
    if (packing.largest_sums != nullptr) packing.largest_sums[output] = largest_sum(bias, magnitude);
  }
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
  std::vector<ChannelScale> channels(rounded_up(largest_sums.size(), form.lanes) * form.lanes,
                                     {channel_multiplier(operation, first_channel), 0});
  for (size_t i = 0; i < largest_sums.size(); ++i) {
    channels[i] = {channel_multiplier(operation, first_channel + i), largest_sums[i]};
  }
  const OperandInfo& out = operation.output(convolution::kOutput);
  return make_requantization(channels, out.zero_point, bounds_of_both(own, fused, out), form.lanes, form.has_wide_shifts);
}

}  // namespace nnvk::cpu
