// PICTURE_TO_TENSOR: the host computes a table with the source of each row and column, and the GPU reads that table. For a batch
// of crops the table is an input.
#include <algorithm>

#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/rules/shape_rules.h"
#include "picture_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint source_of(const PictureFormatFacts& format) {
  if (format.is_yuv()) return format.has_ten_bits ? kSourceYuvTen : kSourceYuv;
  if (format.is_grey()) return kSourceGrey;
  return format.has_alpha ? kSourceRgba : kSourceRgb;
}

Status emit_picture(const EmitContext& context) {
  using namespace picture_to_tensor;
  NNVK_ASSIGN(const PictureArithmetic arithmetic, context.decode(picture_arithmetic));
  const OperandInfo& picture = context.input(kPicture);
  const OperandInfo& tensor = context.output(kTensor);
  PictureParams params{};
  params.elements = static_cast<uint>(element_count(tensor));
  const LayoutAxes axes = layout_axes(arithmetic.nchw);
  params.width = tensor.shape[axes.width];
  params.height = tensor.shape[axes.height];
  params.pixels = params.width * params.height * tensor.shape[0];
  params.crop_words = static_cast<uint>(tap_word_count(arithmetic.format, arithmetic.filter, params.height, params.width));
  params.cr_offset = arithmetic.cr_offset;
  params.zero_point = arithmetic.zero_point;
  params.lowest = arithmetic.lowest;
  params.highest = arithmetic.highest;
  std::copy(arithmetic.matrix.begin(), arithmetic.matrix.end(), params.matrix);
  std::copy(arithmetic.offset.begin(), arithmetic.offset.end(), params.offset);
  std::copy(arithmetic.mean.begin(), arithmetic.mean.end(), params.mean);
  std::copy(arithmetic.factor.begin(), arithmetic.factor.end(), params.factor);

  // All samples are four bytes that begin at a multiple of four.
  const bool quads = !arithmetic.facts().is_yuv() && arithmetic.facts().sample_bytes == 4 && arithmetic.has_quads;
  const TensorId table = arithmetic.has_crops
                             ? context.input_id(kTaps)
                             : context.dispatches.table("taps", to_bytes(tap_words(arithmetic.taps, arithmetic.filter)));
  const TensorId x = context.input_id(kPicture);
  auto dispatch = make_dispatch(context, quads ? kernels::kPictureQuads : kernels::kPictureBytes,
                                {.type = element_type(tensor.type),
                                 .channels = arithmetic.channels,
                                 .nchw = arithmetic.nchw,
                                 .source = source_of(arithmetic.facts()),
                                 .filter = static_cast<uint>(arithmetic.filter),
                                 .rows_of_fours = params.width % 4 == 0,
                                 .crops = arithmetic.has_crops},
                                {.in_x = read_elements(x, picture.type, quads),
                                 .taps = read_words(table),
                                 .out_y = write_words(context.output_id(kTensor))},
                                params);
  const bool by_pixels = !arithmetic.nchw && arithmetic.channels == 3;  // four pixels per invocation, else four elements
  return add_flat(context, std::move(dispatch), divide_up(by_pixels ? params.pixels : params.elements, 4));
}

}  // namespace

constinit const EmitterRows picture_emitters = {{kPictureToTensor, nullptr, emit_picture}};

}  // namespace nnvk::vulkan
