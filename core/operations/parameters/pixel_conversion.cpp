// Writes the parameters of CONVERT_PIXELS as constants of its node, and reads them back.
#include "core/operations/parameters/pixel_conversion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/base/half.h"

namespace nnvk {
namespace {

// The bits of a packed channel in the pixel's word.
struct PackedBits {
  uint32_t first;
  uint32_t count;
  uint32_t most() const { return (1U << count) - 1; }
};
constexpr PackedBits kFloatBits[] = {{0, 11}, {11, 11}, {22, 10}};
constexpr PackedBits kIntegerBits[] = {{0, 10}, {10, 10}, {20, 10}, {30, 2}};

// Returns the float without sign, of 5 bits of exponent and `mantissa_bits`, that is nearest to `value`. The exponents are those
// of halves.
uint32_t float_without_sign(float value, uint32_t mantissa_bits) {
  const uint32_t infinity = 31U << mantissa_bits;
  if (std::isnan(value)) return infinity | 1U << (mantissa_bits - 1);
  if (!(value > 0)) return 0;
  if (std::isinf(value)) return infinity;
  // Adding this number rounds to the unit of the smallest values, whose exponent is 0.
  const float unit = std::ldexp(1.0F, 9 - static_cast<int>(mantissa_bits));
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value < 0x1.0p-14F) return std::bit_cast<uint32_t>(value + unit) - std::bit_cast<uint32_t>(unit);
  const uint32_t dropped = 23 - mantissa_bits;
  const uint32_t rebased = bits - (112U << 23);
  const uint32_t rounded = (rebased + (1U << (dropped - 1)) - 1 + (rebased >> dropped & 1U)) >> dropped;
  return std::min(rounded, infinity - 1);
}

constexpr size_t kIntegerCount = 6 + PixelConversion::kMostChannels;
constexpr size_t kRealCount = 2 * PixelConversion::kMostChannels;

// Calls `visit` with every whole number of the parameters, in the order in which the operation's constant holds them.
template <class Conversion, class Visit>
void visit_integers(Conversion& conversion, Visit visit) {
  visit(conversion.pixels);
  visit(conversion.packing);
  visit(conversion.from.channels);
  visit(conversion.from.is_planar);
  visit(conversion.to.channels);
  visit(conversion.to.is_planar);
  for (auto& source : conversion.source) visit(source);
}

// Returns the number of elements of a side.
uint64_t elements_of(const PixelConversion& conversion, const PixelConversion::Side& side, const OperandInfo& tensor) {
  return uint64_t{conversion.pixels} * (tensor.type == OperandType::kTensorInt32 ? 1 : side.channels);
}

bool is_channel_count(uint32_t channels) { return channels >= 1 && channels <= PixelConversion::kMostChannels; }

}  // namespace

float unpacked(PixelPacking packing, uint32_t word, uint32_t channel) {
  const PackedBits& at = packing == PixelPacking::kFloats11And10 ? kFloatBits[channel] : kIntegerBits[channel];
  const uint32_t number = word >> at.first & at.most();
  if (packing == PixelPacking::kIntegers10And2) return static_cast<float>(number);
  return half_to_float(static_cast<uint16_t>(number << (15 - at.count)));
}

uint32_t packed(PixelPacking packing, const std::array<float, 4>& values) {
  uint32_t word = 0;
  if (packing == PixelPacking::kFloats11And10) {
    for (size_t c = 0; c < 3; ++c) word |= float_without_sign(values[c], kFloatBits[c].count - 5) << kFloatBits[c].first;
    return word;
  }
  for (size_t c = 0; c < 4; ++c) {
    const float nearest = std::floor(values[c] + 0.5F);
    const float most = static_cast<float>(kIntegerBits[c].most());
    word |= static_cast<uint32_t>(nearest >= 0 ? std::min(nearest, most) : 0.0F) << kIntegerBits[c].first;
  }
  return word;
}

ByteRange byte_range(OperandType type) {
  return type == OperandType::kTensorQuant8AsymmSigned ? ByteRange{-128.0F, 127.0F} : ByteRange{0.0F, 255.0F};
}

std::vector<int32_t> pixel_integers(const PixelConversion& conversion) {
  std::vector<int32_t> integers;
  visit_integers(conversion, [&](auto number) { integers.push_back(static_cast<int32_t>(number)); });
  return integers;
}

std::vector<float> pixel_reals(const PixelConversion& conversion) {
  std::vector<float> reals(conversion.factor.begin(), conversion.factor.end());
  reals.insert(reals.end(), conversion.offset.begin(), conversion.offset.end());
  return reals;
}

Result<PixelConversion> pixel_conversion(const OperationView& operation) {
  const auto integers = operation.values<int32_t>(convert_pixels::kIntegers).value_or(std::vector<int32_t>());
  const auto reals = operation.values<float>(convert_pixels::kReals).value_or(std::vector<float>());
  if (integers.size() != kIntegerCount || reals.size() != kRealCount) {
    return fail(Code::kBadData, "CONVERT_PIXELS has " + std::to_string(integers.size()) + " integers and " +
                                    std::to_string(reals.size()) + " reals as parameters");
  }
  PixelConversion conversion;
  visit_integers(conversion, [next = integers.begin()](auto& number) mutable {
    number = static_cast<std::decay_t<decltype(number)>>(*next++);
  });
  std::copy_n(reals.begin(), PixelConversion::kMostChannels, conversion.factor.begin());
  std::copy_n(reals.begin() + PixelConversion::kMostChannels, PixelConversion::kMostChannels, conversion.offset.begin());
  if (!is_channel_count(conversion.from.channels) || !is_channel_count(conversion.to.channels)) {
    return fail(Code::kBadData, "the sides of CONVERT_PIXELS have 1 to 4 channels");
  }
  const bool has_words = operation.input(convert_pixels::kFrom).type == OperandType::kTensorInt32 ||
                         operation.output(convert_pixels::kTo).type == OperandType::kTensorInt32;
  const auto least = has_words ? PixelPacking::kFloats11And10 : PixelPacking::kNone;
  const auto most = has_words ? PixelPacking::kIntegers10And2 : PixelPacking::kNone;
  if (conversion.packing < least || conversion.packing > most) {
    return fail(Code::kBadData, "CONVERT_PIXELS has the packing " + std::to_string(static_cast<uint32_t>(conversion.packing)) +
                                    (has_words ? " of words" : " without words"));
  }
  for (uint32_t c = 0; c < conversion.to.channels; ++c) {
    const uint32_t source = conversion.source[c];
    if (source < conversion.from.channels || source == PixelConversion::kNoSource) continue;
    return fail(Code::kBadData, "channel " + std::to_string(c) + " of CONVERT_PIXELS comes from channel " +
                                    std::to_string(source) + " of " + std::to_string(conversion.from.channels));
  }
  const uint64_t from = operation.shape(convert_pixels::kFrom).element_count();
  const uint64_t to = operation.output(convert_pixels::kTo).shape.element_count();
  if (from != elements_of(conversion, conversion.from, operation.input(convert_pixels::kFrom)) ||
      to != elements_of(conversion, conversion.to, operation.output(convert_pixels::kTo))) {
    return fail(Code::kBadData, "CONVERT_PIXELS of " + std::to_string(conversion.pixels) + " pixels has " + std::to_string(from) +
                                    " elements on one side and " + std::to_string(to) + " on the other");
  }
  return conversion;
}

}  // namespace nnvk
