#include <algorithm>

#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "core/operations/rules/shape_rules.h"
#include "pixels_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

template <class Enumerator>
constexpr bool same(uint number, Enumerator enumerator) {
  return number == static_cast<uint>(enumerator);
}
static_assert(kNoSource == PixelConversion::kNoSource);
static_assert(same(kFloats11And10, PixelPacking::kFloats11And10) && same(kIntegers10And2, PixelPacking::kIntegers10And2));
static_assert(same(kEncodedByte, ComponentEncoding::kByte) && same(kEncodedHalf, ComponentEncoding::kHalf));
static_assert(same(kEncodedFloat, ComponentEncoding::kFloat));
static_assert(same(kEncodedFloats11And10, ComponentEncoding::kFloats11And10));
static_assert(kGatheredTapWords == gathering_words::kTapWords && gathering_words::kChannelWords == 8);

Status emit_pixels(const EmitContext& context) {
  using namespace convert_pixels;
  NNVK_ASSIGN(const PixelConversion conversion, context.decode(pixel_conversion));
  const OperandInfo& from = context.input(kFrom);
  const OperandInfo& to = context.output(kTo);
  const ByteRange range = byte_range(to.type);
  PixelsParams params{};
  params.elements = static_cast<uint>(element_count(to));
  params.pixels = conversion.pixels;
  std::ranges::copy(conversion.source, params.source);
  std::ranges::copy(conversion.factor, params.factor);
  std::ranges::copy(conversion.offset, params.offset);
  params.lowest = range.lowest;
  params.highest = range.highest;
  auto dispatch = make_dispatch(
      context, is_float_tensor(from.type) ? kernels::kPixelsFromFloats : kernels::kPixelsFromIntegers,
      {.from = element_type(from.type),
       .to = element_type(to.type),
       .from_channels = conversion.from.channels,
       .to_channels = conversion.to.channels,
       .from_planar = conversion.from.is_planar,
       .to_planar = conversion.to.is_planar,
       .packing = static_cast<uint>(conversion.packing)},
      {.in_x = read_scalars(context.input_id(kFrom), from.type), .out_y = write_words(context.output_id(kTo))}, params);
  return add_flat(context, std::move(dispatch), divide_up(params.elements, 4));
}

Status emit_gathering(const EmitContext& context) {
  using namespace gather_pixels;
  const OperandInfo& tensor = context.output(kTensor);
  const bool is_planar =
      context.decode([](const OperationView& view) { return view.scalar<uint8_t>(kIsPlanar); }).value_or(0) != 0;
  const LayoutAxes axes = layout_axes(is_planar);
  const ByteRange range = byte_range(tensor.type);
  GatherPixelsParams params{};
  params.elements = static_cast<uint>(element_count(tensor));
  params.width = tensor.shape[axes.width];
  params.pixels = tensor.shape[axes.height] * params.width;
  params.channels = tensor.shape[axes.channels];
  params.lowest = range.lowest;
  params.highest = range.highest;
  auto dispatch = make_dispatch(context, kernels::kGatherPixels, {.to = element_type(tensor.type), .planar = is_planar},
                                {.in_x = read_words(context.input_id(kPixels)),
                                 .in_table = read_words(context.input_id(kTable)),
                                 .out_y = write_words(context.output_id(kTensor))},
                                params);
  return add_flat(context, std::move(dispatch), divide_up(params.elements, 4));
}

}  // namespace

constinit const EmitterRows pixels_emitters = {{kConvertPixels, nullptr, emit_pixels}, {kGatherPixels, nullptr, emit_gathering}};

}  // namespace nnvk::vulkan
