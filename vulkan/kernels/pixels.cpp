#include <algorithm>

#include "core/operations/parameters/pixel_conversion.h"
#include "pixels_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

static_assert(kNoSource == PixelConversion::kNoSource);

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
      context, is_float_tensor(from.type) ? kernels::kPixelsFromFloats : kernels::kPixelsFromBytes,
      {.from = element_type(from.type),
       .to = element_type(to.type),
       .from_channels = conversion.from.channels,
       .to_channels = conversion.to.channels,
       .from_planar = conversion.from.is_planar,
       .to_planar = conversion.to.is_planar},
      {.in_x = read_scalars(context.input_id(kFrom), from.type), .out_y = write_words(context.output_id(kTo))}, params);
  return add_flat(context, std::move(dispatch), divide_up(params.elements, 4));
}

}  // namespace

constinit const EmitterRows pixels_emitters = {{kConvertPixels, nullptr, emit_pixels}};

}  // namespace nnvk::vulkan
