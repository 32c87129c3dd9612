// PICTURE_TO_TENSOR, a picture as image tensor: core/operations/parameters/picture_conversion.h defines the arithmetic.
#include <cmath>

#include "core/operations/parameters/picture_conversion.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/picture_sampling.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Reads the bytes of the picture and converts them to values.
class PictureReader {
 public:
  PictureReader(std::span<const uint8_t> bytes, const PictureArithmetic& arithmetic) : bytes_(bytes), arithmetic_(arithmetic) {}

  // Returns the values of all channels of one pixel of the tensor, before quantization.
  std::array<float, 4> values(uint32_t y, uint32_t x) const {
    const std::array<float, 4> sample = samples(y, x);
    std::array<float, 3> distance;
    for (size_t i = 0; i < 3; ++i) distance[i] = sample[i] - arithmetic_.offset[i];
    std::array<float, 4> result;
    for (size_t i = 0; i < 4; ++i) {
      const float* m = arithmetic_.matrix.data() + 3 * i;
      const float channel =
          i == 3 ? sample[3] : std::clamp(m[0] * distance[0] + m[1] * distance[1] + m[2] * distance[2], 0.0F, 255.0F);
      result[i] = (channel - arithmetic_.mean[i]) * arithmetic_.factor[i];
    }
    return result;
  }

 private:
  std::array<float, 4> samples(uint32_t y, uint32_t x) const {
    const PictureTap& row = arithmetic_.taps.rows[y];
    const PictureTap& column = arithmetic_.taps.columns[x];
    if (arithmetic_.facts().is_yuv()) {
      const PictureTap& chroma_row = arithmetic_.taps.chroma_rows[y];
      const PictureTap& chroma_column = arithmetic_.taps.chroma_columns[x];
      return {sample(row, column, 0), sample(chroma_row, chroma_column, 0),
              sample(chroma_row, chroma_column, arithmetic_.cr_offset), 255.0F};
    }
    if (arithmetic_.facts().is_grey()) {
      const float grey = sample(row, column, 0);
      return {grey, grey, grey, 255.0F};
    }
    return {sample(row, column, 0), sample(row, column, 1), sample(row, column, 2),
            arithmetic_.facts().has_alpha ? sample(row, column, 3) : 255.0F};
  }

  float sample(const PictureTap& row, const PictureTap& column, int32_t shift) const {
    const bool has_ten_bits = arithmetic_.facts().has_ten_bits;
    const auto value = [&](uint32_t down, uint32_t across) {
      const auto at = static_cast<size_t>(int64_t{down} + across + shift);
      if (!has_ten_bits) return static_cast<float>(bytes_[at]);
      return static_cast<float>((bytes_[at] | bytes_[at + 1] << 8) >> 6) * 0.25F;
    };
    return filtered(arithmetic_.filter, row, column, value);
  }

  const std::span<const uint8_t> bytes_;
  const PictureArithmetic& arithmetic_;
};

Status picture_to_tensor(KernelContext& context) {
  NNVK_ASSIGN(PictureArithmetic arithmetic, picture_arithmetic(context.operation));
  const PictureReader reader(context.input<uint8_t>(picture_to_tensor::kPicture), arithmetic);
  const ImageLayout to = image_layout(context.outputs[picture_to_tensor::kTensor].info.shape, arithmetic.nchw);
  const auto quantize = [&](float value) {
    return std::clamp(std::floor(value + arithmetic.zero_point + 0.5F), arithmetic.lowest, arithmetic.highest);
  };
  const uint64_t words_of_crop = tap_word_count(arithmetic.format, arithmetic.filter, to.height, to.width);
  with_output(context, picture_to_tensor::kTensor, [&](auto out) {
    using T = typename decltype(out)::value_type;
    for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
      if (arithmetic.has_crops && y == 0 && x == 0) {
        const auto words = context.input<int32_t>(picture_to_tensor::kTaps).subspan(n * words_of_crop, words_of_crop);
        arithmetic.taps = taps_from(words, arithmetic, to.height, to.width);
      }
      const std::array<float, 4> values = reader.values(y, x);
      for (uint32_t c = 0; c < to.channels; ++c) {
        out[to.element(to.pixel(n, y, x), c)] = static_cast<T>(std::is_same_v<T, float> ? values[c] : quantize(values[c]));
      }
    });
  });
  return {};
}

constexpr KernelRow kRows[] = {{kPictureToTensor, picture_to_tensor}};

}  // namespace

std::span<const KernelRow> picture_kernels() { return kRows; }

}  // namespace nnvk::cpu
