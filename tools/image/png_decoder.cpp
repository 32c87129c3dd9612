// Reads and writes PNG through libpng's simplified interface. No other file uses libpng.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "tools/image/decoders.h"
#include "tools/image/picture.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

// Frees libpng's own data of a picture.
struct Image {
  Image() { value.version = PNG_IMAGE_VERSION; }
  ~Image() { png_image_free(&value); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  png_image value{};
};

}  // namespace

bool is_png(std::span<const uint8_t> file) { return file.size() >= 8 && png_sig_cmp(file.data(), 0, 8) == 0; }

Result<Pixels> decode_png(std::span<const uint8_t> file) {
  Image image;
  const auto problem = [&] { return fail(fmt::format("the PNG picture is damaged: {}", image.value.message)); };
  if (png_image_begin_read_from_memory(&image.value, file.data(), file.size()) == 0) return problem();
  TOOLS_TRY(check_picture_size(image.value.width, image.value.height));
  image.value.format = PNG_FORMAT_RGBA;
  image.value.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // libpng assumes linear 16-bit values, but programs write sRGB
  Pixels pixels{image.value.width, image.value.height, {}};
  pixels.rgba.resize(PNG_IMAGE_SIZE(image.value));
  if (png_image_finish_read(&image.value, nullptr, pixels.rgba.data(), 0, nullptr) == 0) return problem();
  return pixels;
}

Status save_picture(const Picture& picture, const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  bytes.reserve(picture.values.size());
  for (const float v : picture.values) bytes.push_back(static_cast<uint8_t>(std::clamp(std::floor(v + 0.5f), 0.0f, 255.0f)));
  Image image;
  image.value.width = picture.width;
  image.value.height = picture.height;
  image.value.format = picture.channels == 1 ? PNG_FORMAT_GRAY : picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image.value);
  std::vector<uint8_t> png(size);
  if (png_image_write_to_memory(&image.value, png.data(), &size, 0, bytes.data(), 0, nullptr) == 0) {
    return fail(fmt::format("cannot make a PNG picture for {}: {}", path.string(), image.value.message));
  }
  return write_file(path, std::span(png).first(size));
}

}  // namespace nnvk::tools
