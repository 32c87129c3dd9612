// Decodes BMP without compression: 8-bit pixels with a palette, 24-bit and 32-bit pixels. Offsets are those of BITMAPFILEHEADER
// (14 bytes), followed by BITMAPINFOHEADER.
#include <fmt/format.h>

#include "tools/image/decoders.h"

namespace nnvk::tools {
namespace {

constexpr size_t kFileHeader = 14;
constexpr size_t kInfoHeader = 40;

uint32_t read32(std::span<const uint8_t> file, size_t at) {
  return static_cast<uint32_t>(file[at] | file[at + 1] << 8 | file[at + 2] << 16) | static_cast<uint32_t>(file[at + 3]) << 24;
}
uint32_t read16(std::span<const uint8_t> file, size_t at) { return static_cast<uint32_t>(file[at] | file[at + 1] << 8); }

// Appends a colour, which the file stores as blue, green, red (and an unused byte).
void append(std::span<const uint8_t> colour, std::vector<uint8_t>& rgba) {
  for (const uint8_t value : {colour[2], colour[1], colour[0], uint8_t{255}}) rgba.push_back(value);
}

}  // namespace

bool is_bmp(std::span<const uint8_t> file) { return file.size() >= 2 && file[0] == 'B' && file[1] == 'M'; }

Result<Pixels> decode_bmp(std::span<const uint8_t> file) {
  if (file.size() < kFileHeader + kInfoHeader) return fail("the BMP picture is cut off");
  const uint64_t header_size = read32(file, kFileHeader);
  if (header_size < kInfoHeader || header_size > 1024) return fail("the BMP picture is damaged: its header has a wrong size");
  const uint64_t pixels_at = read32(file, 10);
  const auto width = static_cast<int32_t>(read32(file, 18));
  const auto signed_height = static_cast<int32_t>(read32(file, 22));  // negative: the top row first
  const uint32_t bits = read16(file, 28);
  const uint32_t compression = read32(file, 30);
  const uint64_t height = signed_height < 0 ? uint64_t{0} - static_cast<uint64_t>(int64_t{signed_height}) : signed_height;
  // Masks may order the colours in any way; this decoder supports only the usual order.
  constexpr uint32_t kNone = 0;
  constexpr uint32_t kMasks = 3;
  const size_t masks_at = kFileHeader + kInfoHeader;
  const bool has_usual_masks = compression == kMasks && bits == 32 && file.size() >= masks_at + 12 &&
                               read32(file, masks_at) == 0xFF0000 && read32(file, masks_at + 4) == 0xFF00 &&
                               read32(file, masks_at + 8) == 0xFF;
  if ((bits != 8 && bits != 24 && bits != 32) || (compression != kNone && !has_usual_masks)) {
    return fail(fmt::format("a BMP picture of {} bits and compression {} is not read; save it with 24 bits", bits, compression));
  }
  if (width <= 0) return fail("the BMP picture is damaged: its width is not positive");
  TOOLS_TRY(check_picture_size(static_cast<uint64_t>(width), height));

  const uint64_t pixel_size = bits / 8;
  const uint64_t row_size = (static_cast<uint64_t>(width) * pixel_size + 3) / 4 * 4;
  if (pixels_at > file.size() || row_size * height > file.size() - pixels_at) return fail("the BMP picture is cut off");
  std::span<const uint8_t> palette;
  if (bits == 8) {
    const uint32_t named = read32(file, 46);
    const uint64_t colours = named == 0 ? 256 : named;
    const uint64_t palette_at = kFileHeader + header_size;
    if (colours > 256 || palette_at + 4 * colours > file.size())
      return fail("the BMP picture is damaged: its palette is cut off");
    palette = file.subspan(palette_at, 4 * colours);
  }
  Pixels pixels{static_cast<uint32_t>(width), static_cast<uint32_t>(height), {}};
  pixels.rgba.reserve(size_t{4} * pixels.width * pixels.height);
  for (uint64_t y = 0; y < height; ++y) {
    const auto row = file.subspan(pixels_at + row_size * (signed_height < 0 ? y : height - 1 - y), row_size);
    for (uint64_t x = 0; x < pixels.width; ++x) {
      const auto pixel = row.subspan(x * pixel_size, pixel_size);
      if (bits != 8) {
        append(pixel, pixels.rgba);
        continue;
      }
      if (size_t{4} * pixel[0] >= palette.size()) return fail("the BMP picture is damaged: a colour is not in its palette");
      append(palette.subspan(size_t{4} * pixel[0], 4), pixels.rgba);
    }
  }
  return pixels;
}

}  // namespace nnvk::tools
