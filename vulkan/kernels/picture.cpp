// PICTURE_TO_TENSOR: the host computes a table with the source of each row and column, and the GPU reads that table.
#include <algorithm>
#include <bit>
#include <vector>

#include "core/operations/parameters/picture_conversion.h"
#include "picture_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

std::vector<std::byte> taps_table(const PictureArithmetic& arithmetic) {
  const auto bits = [](float weight) { return std::bit_cast<uint32_t>(weight); };
  std::vector<uint32_t> words;
  for (const auto* taps : {&arithmetic.rows, &arithmetic.columns, &arithmetic.chroma_rows, &arithmetic.chroma_columns}) {
    for (const PictureTap& tap : *taps) {
      words.insert(words.end(), {tap.low, tap.high, bits(tap.weight)});
      if (arithmetic.filter != PictureFilter::kArea) continue;
      words.insert(words.end(), {bits(tap.low_weight), bits(tap.scale), tap.stride});
    }
  }
  return to_bytes(words);
}

// Returns whether all samples are four bytes that begin at a multiple of four.
bool reads_quads(const PictureArithmetic& arithmetic) {
  if (arithmetic.facts().is_yuv() || arithmetic.facts().sample_bytes != 4) return false;
  const auto aligned = [](const PictureTap& tap) { return tap.low % 4 == 0 && tap.high % 4 == 0 && tap.stride % 4 == 0; };
  return std::ranges::all_of(arithmetic.rows, aligned) && std::ranges::all_of(arithmetic.columns, aligned);
}

uint source_of(const PictureFormatFacts& format) {
  if (format.is_yuv()) return format.has_ten_bits ? kSourceYuvTen : kSourceYuv;
  return format.has_alpha ? kSourceRgba : kSourceRgb;
}

Status emit_picture(const EmitContext& context) {
  using namespace picture_to_tensor;
  NNVK_ASSIGN(const PictureArithmetic arithmetic, context.decode(picture_arithmetic));
  const OperandInfo& picture = context.input(kPicture);
  const OperandInfo& tensor = context.output(kTensor);
  PictureParams params{};
  params.elements = static_cast<uint>(element_count(tensor));
  params.width = static_cast<uint>(arithmetic.columns.size());
  params.height = static_cast<uint>(arithmetic.rows.size());
  params.cr_offset = arithmetic.cr_offset;
  params.zero_point = arithmetic.zero_point;
  params.lowest = arithmetic.lowest;
  params.highest = arithmetic.highest;
  std::copy(arithmetic.matrix.begin(), arithmetic.matrix.end(), params.matrix);
  std::copy(arithmetic.offset.begin(), arithmetic.offset.end(), params.offset);
  std::copy(arithmetic.mean.begin(), arithmetic.mean.end(), params.mean);
  std::copy(arithmetic.factor.begin(), arithmetic.factor.end(), params.factor);

  const bool quads = reads_quads(arithmetic);
  const TensorId table = context.dispatches.table("taps", taps_table(arithmetic));
  const TensorId x = context.input_id(kPicture);
  auto dispatch = make_dispatch(context, quads ? kernels::kPictureQuads : kernels::kPictureBytes,
                                {.type = element_type(tensor.type),
                                 .channels = arithmetic.channels,
                                 .nchw = arithmetic.nchw,
                                 .source = source_of(arithmetic.facts()),
                                 .filter = static_cast<uint>(arithmetic.filter),
                                 .rows_of_fours = params.width % 4 == 0},
                                {.in_x = read_elements(x, picture.type, quads),
                                 .taps = read_words(table),
                                 .out_y = write_words(context.output_id(kTensor))},
                                params);
  const bool by_pixels = !arithmetic.nchw && arithmetic.channels == 3;  // four pixels per invocation, else four elements
  return add_flat(context, std::move(dispatch), divide_up(by_pixels ? params.width * params.height : params.elements, 4));
}

}  // namespace

constinit const EmitterRows picture_emitters = {{kPictureToTensor, nullptr, emit_picture}};

}  // namespace nnvk::vulkan
