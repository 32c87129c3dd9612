// Picture files: detects their format, and converts their pixels to the wanted channels.
#include <fmt/format.h>

#include "tools/image/decoders.h"
#include "tools/image/picture.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

constexpr uint64_t kMostPictureBytes = uint64_t{256} << 20;

Result<Pixels> decode(std::span<const uint8_t> file) {
  if (is_png(file)) return decode_png(file);
  if (is_jpeg(file)) return decode_jpeg(file);
  if (is_bmp(file)) return decode_bmp(file);
  return fail("it is not a PNG, JPEG or BMP picture");
}

// Returns the brightness of a colour, by the weights of ITU-R BT.601 in 256ths.
uint8_t brightness(std::span<const uint8_t> rgb) { return static_cast<uint8_t>((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2]) >> 8); }

}  // namespace

Status check_picture_size(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return fail("the picture has no pixels");
  if (width > kMostPixels || height > kMostPixels || width * height > kMostPixels) {
    return fail(fmt::format("the picture has {} x {} pixels; at most {} are read", width, height, kMostPixels));
  }
  return {};
}

bool is_picture(std::span<const uint8_t> file) { return is_png(file) || is_jpeg(file) || is_bmp(file); }

Result<Picture> decode_picture(std::span<const uint8_t> file, uint32_t channels) {
  TOOLS_ASSIGN(const Pixels pixels, decode(file));
  Picture picture{.width = pixels.width, .height = pixels.height, .channels = channels, .values = {}};
  picture.values.reserve(size_t{picture.width} * picture.height * channels);
  for (size_t at = 0; at < pixels.rgba.size(); at += 4) {
    const auto pixel = std::span(pixels.rgba).subspan(at, 4);
    if (channels == 1) {
      picture.values.push_back(brightness(pixel));
    } else {
      picture.values.insert(picture.values.end(), pixel.begin(), pixel.begin() + channels);
    }
  }
  return picture;
}

Result<Picture> load_picture(const std::filesystem::path& path, uint32_t channels) {
  TOOLS_ASSIGN(const auto file, read_file(path, kMostPictureBytes));
  auto picture = decode_picture(file, channels);
  if (!picture) return fail(fmt::format("cannot read the picture {}: {}", path.string(), picture.error().message));
  return picture;
}

}  // namespace nnvk::tools
