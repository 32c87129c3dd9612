// Writes the parameters of CONVERT_PIXELS as constants of its node, and reads them back.
#include "core/operations/parameters/pixel_conversion.h"

#include <string>

namespace nnvk {
namespace {

constexpr size_t kIntegerCount = 5 + PixelConversion::kMostChannels;
constexpr size_t kRealCount = 2 * PixelConversion::kMostChannels;

// Calls `visit` with every whole number of the parameters, in the order in which the operation's constant holds them.
template <class Conversion, class Visit>
void visit_integers(Conversion& conversion, Visit visit) {
  visit(conversion.pixels);
  visit(conversion.from.channels);
  visit(conversion.from.is_planar);
  visit(conversion.to.channels);
  visit(conversion.to.is_planar);
  for (auto& source : conversion.source) visit(source);
}

bool is_channel_count(uint32_t channels) { return channels >= 1 && channels <= PixelConversion::kMostChannels; }

}  // namespace

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
  for (uint32_t c = 0; c < conversion.to.channels; ++c) {
    const uint32_t source = conversion.source[c];
    if (source < conversion.from.channels || source == PixelConversion::kNoSource) continue;
    return fail(Code::kBadData, "channel " + std::to_string(c) + " of CONVERT_PIXELS comes from channel " +
                                    std::to_string(source) + " of " + std::to_string(conversion.from.channels));
  }
  const uint64_t from = operation.shape(convert_pixels::kFrom).element_count();
  const uint64_t to = operation.output(convert_pixels::kTo).shape.element_count();
  if (from != uint64_t{conversion.pixels} * conversion.from.channels ||
      to != uint64_t{conversion.pixels} * conversion.to.channels) {
    return fail(Code::kBadData, "CONVERT_PIXELS of " + std::to_string(conversion.pixels) + " pixels has " + std::to_string(from) +
                                    " elements on one side and " + std::to_string(to) + " on the other");
  }
  return conversion;
}

}  // namespace nnvk
