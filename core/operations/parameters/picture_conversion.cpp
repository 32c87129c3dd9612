// Checks a client's picture conversion and computes its numbers: positions, weights, colours.
#include "core/operations/parameters/picture_conversion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/shortest_text.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

constexpr size_t kPlaneIntegers = 3;
constexpr size_t kIntegerCount = 3 + 3 * kPlaneIntegers + 7;
constexpr size_t kRealCount = 4 + 4 + 4;

Status bad(std::string message) { return fail(Code::kBadData, std::move(message)); }

bool is_whole(const PictureConversion::Crop& crop) {
  return crop.left == 0 && crop.top == 0 && crop.width == 0 && crop.height == 0;
}

// Checks the crop along one axis. It computes in float32, so that crops that clients compute in float32 may end at the picture's
// end.
Status check_crop_axis(float begin, float length, uint32_t size, const char* side, const char* extent) {
  if (begin >= 0 && length > 0 && begin + length <= static_cast<float>(size)) return {};
  return bad(std::string("the crop begins at ") + side + " " + shortest_text(begin) + " with a " + extent + " of " +
             shortest_text(length) + " pixels, the picture has " + std::to_string(size) +
             "; a crop lies inside the picture and is not empty (all 0: the whole picture)");
}

Status check_crop(const PictureConversion::Crop& crop, const PictureDescription& picture) {
  if (is_whole(crop)) return {};
  NNVK_TRY(check_crop_axis(crop.left, crop.width, picture.width, "left", "width"));
  return check_crop_axis(crop.top, crop.height, picture.height, "top", "height");
}

Status check_finite(const PictureConversion::Crop& crop) {
  for (const float edge : {crop.left, crop.top, crop.width, crop.height}) {
    if (!std::isfinite(edge)) return bad("the crop has an edge that is not finite");
  }
  return {};
}

// Returns 1 / (deviation * scale): how many steps of the tensor correspond to one step of a channel.
float factor_of(float deviation, const OperandInfo& tensor) {
  const double step = is_quant8_asymm(tensor.type) ? double{tensor.scale} : 1.0;
  return static_cast<float>(1.0 / (double{deviation} * step));
}

// The shares of red and blue in the luma: Rec. ITU-R BT.601, BT.709, BT.2020.
struct LumaShares {
  double red, blue;
  double green() const { return 1.0 - red - blue; }
};
LumaShares luma_shares(ColourMatrix matrix) {
  switch (matrix) {
    case ColourMatrix::kBt709:
      return {0.2126, 0.0722};
    case ColourMatrix::kBt2020:
      return {0.2627, 0.0593};
    case ColourMatrix::kBt601:
      break;
  }
  return {0.299, 0.114};
}

using Row = std::array<double, 3>;

// Returns the rows of the matrix that computes R, G, B from samples without their offsets.
std::array<Row, 3> rgb_rows(const PictureFormatFacts& format, const PictureConversion& conversion) {
  if (!format.is_yuv()) return {Row{1, 0, 0}, Row{0, 1, 0}, Row{0, 0, 1}};
  const LumaShares shares = luma_shares(conversion.matrix);
  const bool limited = conversion.range == ColourRange::kLimited;
  // The limited range of ten bits is four times that of eight bits, but 1023 is not four times 255.
  const double full = format.has_ten_bits ? 255.0 * 4.0 / 1023.0 : 1.0;
  const double luma = limited ? 255.0 / 219.0 : full;
  const double chroma = limited ? 255.0 / 224.0 : full;
  const double red = chroma * 2 * (1 - shares.red);
  const double blue = chroma * 2 * (1 - shares.blue);
  return {Row{luma, 0, red}, Row{luma, -blue * shares.blue / shares.green(), -red * shares.red / shares.green()},
          Row{luma, blue, 0}};
}

Row grey_row(const PictureFormatFacts& format, const PictureConversion& conversion) {
  if (format.is_yuv()) return {rgb_rows(format, conversion)[0][0], 0, 0};
  if (format.is_grey()) return {1, 0, 0};
  const LumaShares shares = luma_shares(conversion.matrix);
  return {shares.red, shares.green(), shares.blue};
}

void set_colours(const PictureConversion& conversion, PictureArithmetic& arithmetic) {
  const PictureFormatFacts& format = arithmetic.facts();
  std::array<Row, 3> rows = rgb_rows(format, conversion);
  if (conversion.order == ChannelOrder::kBgr) std::swap(rows[0], rows[2]);
  if (arithmetic.channels == 1) rows = {grey_row(format, conversion), Row{}, Row{}};
  for (Row& row : rows) {
    if (format.is_blue_first) std::swap(row[0], row[2]);
  }
  for (size_t i = 0; i < 9; ++i) arithmetic.matrix[i] = static_cast<float>(rows[i / 3][i % 3]);
  if (format.is_yuv()) arithmetic.offset = {conversion.range == ColourRange::kLimited ? 16.0F : 0.0F, 128.0F, 128.0F};
}

void set_values(const PictureConversion& conversion, const OperandInfo& tensor, PictureArithmetic& arithmetic) {
  arithmetic.mean = conversion.mean;
  for (size_t i = 0; i < 4; ++i) arithmetic.factor[i] = factor_of(conversion.deviation[i], tensor);
  const bool is_signed = tensor.type == OperandType::kTensorQuant8AsymmSigned;
  arithmetic.zero_point = static_cast<float>(tensor.zero_point);
  arithmetic.lowest = is_signed ? -128.0F : 0.0F;
  arithmetic.highest = is_signed ? 127.0F : 255.0F;
}

// Returns the number of samples of a plane along one axis of the picture.
uint32_t samples_of(uint32_t pixels, uint32_t coverage) { return (pixels - 1) / coverage + 1; }

Status check_layout(const PictureLayout& layout, uint64_t bytes) {
  const PictureDescription& picture = layout.picture;
  const PictureFormatFacts& format = facts_of(picture.format);
  if (picture.width == 0 || picture.height == 0) return bad("the picture is empty");
  // Taps are 32-bit offsets, and so are the distances between them.
  if (bytes > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return bad("the picture has " + std::to_string(bytes) + " bytes; pictures have at most 2^31 - 1");
  }
  for (size_t p = 0; p < format.planes(); ++p) {
    const PicturePlane& plane = layout.planes[p];
    const uint32_t rows = samples_of(picture.height, format.coverage_height(p));
    const uint32_t columns = samples_of(picture.width, format.coverage_width(p));
    // Computes in floating point, because the sum may reach 2^65 and would wrap in 64-bit integers.
    const long double end = plane.offset + static_cast<long double>(rows - 1) * plane.row_stride +
                            static_cast<long double>(columns - 1) * plane.pixel_stride + format.sample_bytes;
    if (end > static_cast<long double>(bytes)) {
      return bad("plane " + std::to_string(p) + " of the picture ends behind its " + std::to_string(bytes) + " bytes");
    }
  }
  return {};
}

// The part of a picture that becomes a tensor.
struct Region {
  PictureSpan down;
  PictureSpan across;
};
Region region_of(const PictureConversion::Crop& crop, const PictureDescription& picture) {
  if (is_whole(crop)) return {{0, double(picture.height)}, {0, double(picture.width)}};
  return {{crop.top, crop.height}, {crop.left, crop.width}};
}

// The elements of the tensor along the sides of the picture. A picture on its side: a row of the tensor is a column of the
// picture.
struct SizeOnTensor {
  bool is_on_side;
  uint32_t down;
  uint32_t across;
};
SizeOnTensor size_of(const PictureConversion& conversion, const OperandInfo& tensor) {
  const LayoutAxes axes = layout_axes(conversion.nchw);
  const bool is_on_side = conversion.rotation % 180 != 0;
  return {is_on_side, tensor.shape[is_on_side ? axes.width : axes.height], tensor.shape[is_on_side ? axes.height : axes.width]};
}

// Returns the filter that kernels use: kArea is kBilinear for a region that does not shrink.
PictureFilter used_filter(PictureFilter filter, const Region& region, const SizeOnTensor& size) {
  const bool shrinks = region.down.length > size.down || region.across.length > size.across;
  return filter == PictureFilter::kArea && !shrinks ? PictureFilter::kBilinear : filter;
}

PictureTaps taps_of(const PictureLayout& layout, const PictureConversion& conversion, const Region& region,
                    const SizeOnTensor& size, PictureFilter filter) {
  const PictureDescription& picture = layout.picture;
  const PictureFormatFacts& format = facts_of(picture.format);
  const int32_t rotation = conversion.rotation;
  const auto taps_down = [&](size_t plane) {
    const uint32_t coverage = format.coverage_height(plane);
    const PicturePlane& at = layout.planes[plane];
    auto taps =
        taps_of({samples_of(picture.height, coverage), coverage, at.offset, at.row_stride}, region.down, size.down, filter);
    if (rotation == 90 || rotation == 180) std::ranges::reverse(taps);
    return taps;
  };
  const auto taps_across = [&](size_t plane) {
    const uint32_t coverage = format.coverage_width(plane);
    auto taps = taps_of({samples_of(picture.width, coverage), coverage, 0, layout.planes[plane].pixel_stride}, region.across,
                        size.across, filter);
    if (conversion.mirrored != (rotation >= 180)) std::ranges::reverse(taps);
    return taps;
  };
  PictureTaps taps;
  taps.rows = size.is_on_side ? taps_across(0) : taps_down(0);
  taps.columns = size.is_on_side ? taps_down(0) : taps_across(0);
  if (!format.is_yuv()) return taps;
  taps.chroma_rows = size.is_on_side ? taps_across(1) : taps_down(1);
  taps.chroma_columns = size.is_on_side ? taps_down(1) : taps_across(1);
  return taps;
}

// Returns BAD_DATA unless the input has the taps of all elements of the batch.
Status check_tap_words(const OperationView& operation, const PictureArithmetic& arithmetic, const SizeOnTensor& size) {
  const uint64_t batch = operation.output(picture_to_tensor::kTensor).shape[0];
  const uint64_t wanted = batch * tap_word_count(arithmetic.format, arithmetic.filter, size.down, size.across);
  const uint64_t words = operation.shape(picture_to_tensor::kTaps).element_count();
  if (words == wanted) return {};
  return bad("PICTURE_TO_TENSOR has " + std::to_string(words) + " words of taps; " + std::to_string(batch) + " crops have " +
             std::to_string(wanted));
}

struct Parameters {
  PictureLayout layout;
  PictureConversion conversion;
};

// Calls `visit` with every whole number of the parameters, in the order in which the operation's constant holds them.
template <class Layout, class Conversion, class Visit>
void visit_integers(Layout& layout, Conversion& conversion, Visit visit) {
  visit(layout.picture.format);
  visit(layout.picture.width);
  visit(layout.picture.height);
  for (auto& plane : layout.planes) {
    visit(plane.offset);
    visit(plane.pixel_stride);
    visit(plane.row_stride);
  }
  visit(conversion.filter);
  visit(conversion.order);
  visit(conversion.matrix);
  visit(conversion.range);
  visit(conversion.nchw);
  visit(conversion.rotation);
  visit(conversion.mirrored);
}

Result<Parameters> decode(const OperationView& operation, const OperandInfo& tensor) {
  const auto integers = operation.values<int32_t>(picture_to_tensor::kIntegers).value_or(std::vector<int32_t>());
  const auto reals = operation.values<float>(picture_to_tensor::kReals).value_or(std::vector<float>());
  if (integers.size() != kIntegerCount || reals.size() != kRealCount) {
    return fail(Code::kBadData, "PICTURE_TO_TENSOR has " + std::to_string(integers.size()) + " integers and " +
                                    std::to_string(reals.size()) + " reals as parameters");
  }
  Parameters p;
  visit_integers(p.layout, p.conversion, [next = integers.begin()](auto& number) mutable {
    number = static_cast<std::decay_t<decltype(number)>>(*next++);
  });
  // The taps hold the crops, so only their number counts here.
  if (operation.has(picture_to_tensor::kTaps) && tensor.shape.fully_known() && tensor.shape.rank() == 4) {
    p.conversion.crops.resize(tensor.shape[0]);
  }
  p.conversion.crop = {reals[0], reals[1], reals[2], reals[3]};
  std::copy_n(reals.begin() + 4, 4, p.conversion.mean.begin());
  std::copy_n(reals.begin() + 8, 4, p.conversion.deviation.begin());
  return p;
}

}  // namespace

const PictureFormatFacts& facts_of(PictureFormat format) {
  // Sample bytes, chroma width and height; alpha, blue first, ten bits. In the order of PictureFormat.
  static constexpr PictureFormatFacts kFacts[] = {
      {4, 0, 0, true, false, false},  {4, 0, 0, false, false, false}, {3, 0, 0, false, false, false},
      {1, 2, 2, false, false, false}, {4, 0, 0, true, true, false},   {4, 0, 0, false, true, false},
      {2, 2, 2, false, false, true},  {1, 2, 1, false, false, false}, {2, 2, 1, false, false, true},
      {1, 0, 0, false, false, false},
  };
  return kFacts[static_cast<size_t>(format)];
}

Status check_conversion(const PictureConversion& conversion) {
  NNVK_TRY(check_choice(conversion.filter, PictureFilter::kArea, "the filter"));
  NNVK_TRY(check_choice(conversion.order, ChannelOrder::kBgr, "the channel order"));
  NNVK_TRY(check_choice(conversion.matrix, ColourMatrix::kBt2020, "the colour matrix"));
  NNVK_TRY(check_choice(conversion.range, ColourRange::kFull, "the colour range"));
  if (conversion.rotation < 0 || conversion.rotation > 270 || conversion.rotation % 90 != 0) {
    return bad("the rotation is " + std::to_string(conversion.rotation) + " degrees; it is 0, 90, 180 or 270");
  }
  NNVK_TRY(check_finite(conversion.crop));
  for (const PictureConversion::Crop& crop : conversion.crops) NNVK_TRY(check_finite(crop));
  if (!conversion.crops.empty() && !is_whole(conversion.crop)) {
    return bad("the conversion has a crop of its own beside a crop for each element of the batch; set the former to 0");
  }
  for (size_t i = 0; i < 4; ++i) {
    const float deviation = conversion.deviation[i];
    if (!std::isfinite(conversion.mean[i]) || !std::isfinite(deviation) || !std::isfinite(1.0F / deviation)) {
      return bad("mean[" + std::to_string(i) + "] is " + shortest_text(conversion.mean[i]) + " and deviation[" +
                 std::to_string(i) + "] is " + shortest_text(deviation) +
                 "; both must be finite and the deviation far enough from 0 to divide by");
    }
  }
  return {};
}

Status check_conversion(const PictureConversion& conversion, const PictureDescription& picture, const OperandInfo& tensor) {
  NNVK_TRY(check_conversion(conversion));
  NNVK_TRY(check_crop(conversion.crop, picture));
  for (size_t i = 0; i < conversion.crops.size(); ++i) {
    if (const Status status = check_crop(conversion.crops[i], picture); !status) {
      return fail(status.error().at("crops[" + std::to_string(i) + "]"));
    }
  }
  if (!is_float_tensor(tensor.type) && !is_quant8_asymm(tensor.type)) {
    return bad("a picture becomes TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED, not " +
               operand_type_name(tensor.type));
  }
  const size_t batch = std::max<size_t>(conversion.crops.size(), 1);
  const std::string dimensions =
      "[" + std::to_string(batch) + (conversion.nchw ? ", channels, height, width]" : ", height, width, channels]");
  const Shape& shape = tensor.shape;
  const bool is_image = shape.rank() == 4 && shape.fully_known() && shape[0] == batch;
  const LayoutAxes axes = layout_axes(conversion.nchw);
  const uint32_t channels = is_image ? shape[axes.channels] : 0;
  if (!is_image || shape[axes.height] == 0 || shape[axes.width] == 0 || (channels != 1 && channels != 3 && channels != 4)) {
    return bad("the tensor is " + shape.to_string() + "; a picture becomes " + dimensions + " with 1, 3 or 4 channels" +
               (batch == 1 ? "" : ", one element of the batch for each crop"));
  }
  for (uint32_t i = 0; i < channels; ++i) {
    if (std::isfinite(factor_of(conversion.deviation[i], tensor))) continue;
    return bad("deviation[" + std::to_string(i) + "] is " + shortest_text(conversion.deviation[i]) +
               ", too small for the tensor's scale of " + shortest_text(tensor.scale));
  }
  return {};
}

std::vector<int32_t> picture_integers(const PictureLayout& layout, const PictureConversion& conversion) {
  std::vector<int32_t> integers;
  visit_integers(layout, conversion, [&](auto number) { integers.push_back(static_cast<int32_t>(number)); });
  return integers;
}

std::vector<float> picture_reals(const PictureConversion& conversion) {
  const PictureConversion::Crop& crop = conversion.crop;
  std::vector<float> reals = {crop.left, crop.top, crop.width, crop.height};
  reals.insert(reals.end(), conversion.mean.begin(), conversion.mean.end());
  reals.insert(reals.end(), conversion.deviation.begin(), conversion.deviation.end());
  return reals;
}

std::vector<uint32_t> tap_words(const PictureTaps& taps, PictureFilter filter) {
  const auto bits = [](float weight) { return std::bit_cast<uint32_t>(weight); };
  std::vector<uint32_t> words;
  for (const auto* list : {&taps.rows, &taps.columns, &taps.chroma_rows, &taps.chroma_columns}) {
    for (const PictureTap& tap : *list) {
      words.insert(words.end(), {tap.low, tap.high, bits(tap.weight)});
      if (filter != PictureFilter::kArea) continue;
      words.insert(words.end(), {bits(tap.low_weight), bits(tap.scale), tap.stride});
    }
  }
  return words;
}

PictureTaps taps_from(std::span<const int32_t> words, const PictureArithmetic& arithmetic, uint32_t height, uint32_t width) {
  PictureTaps taps;
  auto next = words.begin();
  const auto number = [&] { return static_cast<uint32_t>(*next++); };
  const auto real = [&] { return std::bit_cast<float>(*next++); };
  const auto read = [&](std::vector<PictureTap>& list, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      PictureTap& tap = list.emplace_back();
      tap.low = number();
      tap.high = number();
      tap.weight = real();
      if (arithmetic.filter != PictureFilter::kArea) continue;
      tap.low_weight = real();
      tap.scale = real();
      tap.stride = number();
    }
  };
  read(taps.rows, height);
  read(taps.columns, width);
  if (!arithmetic.facts().is_yuv()) return taps;
  read(taps.chroma_rows, height);
  read(taps.chroma_columns, width);
  return taps;
}

uint64_t tap_word_count(PictureFormat format, PictureFilter filter, uint64_t height, uint64_t width) {
  return (height + width) * (facts_of(format).is_yuv() ? 2 : 1) * (filter == PictureFilter::kArea ? 6 : 3);
}

std::vector<uint32_t> crop_taps(const PictureLayout& layout, const PictureConversion& conversion, const OperandInfo& tensor) {
  const SizeOnTensor size = size_of(conversion, tensor);
  std::vector<uint32_t> all;
  for (const PictureConversion::Crop& crop : conversion.crops) {
    const PictureTaps taps = taps_of(layout, conversion, region_of(crop, layout.picture), size, conversion.filter);
    const std::vector<uint32_t> words = tap_words(taps, conversion.filter);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

Result<PictureArithmetic> picture_arithmetic(const OperationView& operation) {
  const uint64_t bytes = operation.shape(picture_to_tensor::kPicture).element_count();
  const OperandInfo& tensor = operation.output(picture_to_tensor::kTensor);
  NNVK_ASSIGN(const Parameters parameters, decode(operation, tensor));
  const PictureConversion& conversion = parameters.conversion;
  const PictureDescription& picture = parameters.layout.picture;
  NNVK_TRY(check_choice(picture.format, PictureFormat::kGrey, "the format"));
  NNVK_TRY(check_layout(parameters.layout, bytes));
  NNVK_TRY(check_conversion(conversion, picture, tensor));

  const PicturePlane& plane = parameters.layout.planes[0];
  PictureArithmetic arithmetic;
  arithmetic.format = picture.format;
  arithmetic.channels = tensor.shape[layout_axes(conversion.nchw).channels];
  arithmetic.nchw = conversion.nchw;
  arithmetic.has_crops = operation.has(picture_to_tensor::kTaps);
  arithmetic.has_quads = plane.offset % 4 == 0 && plane.row_stride % 4 == 0 && plane.pixel_stride % 4 == 0;
  const SizeOnTensor size = size_of(conversion, tensor);
  const Region region = region_of(conversion.crop, picture);
  arithmetic.filter = arithmetic.has_crops ? conversion.filter : used_filter(conversion.filter, region, size);
  if (arithmetic.has_crops) {
    NNVK_TRY(check_tap_words(operation, arithmetic, size));
  } else {
    arithmetic.taps = taps_of(parameters.layout, conversion, region, size, arithmetic.filter);
  }
  if (arithmetic.facts().is_yuv()) {
    const auto& planes = parameters.layout.planes;
    if (planes[1].row_stride != planes[2].row_stride || planes[1].pixel_stride != planes[2].pixel_stride) {
      return fail(Code::kBadData, "the chroma planes have different strides");
    }
    arithmetic.cr_offset = static_cast<int32_t>(planes[2].offset) - static_cast<int32_t>(planes[1].offset);
  }
  set_colours(conversion, arithmetic);
  set_values(conversion, tensor, arithmetic);
  return arithmetic;
}

}  // namespace nnvk
