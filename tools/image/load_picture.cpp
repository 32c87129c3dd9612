// The only file that knows stb_image.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "tools/image/picture.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

namespace nnvk::tools {

bool is_picture(const std::filesystem::path& path) {
  int width = 0;
  int height = 0;
  int channels = 0;
  return stbi_info(path.c_str(), &width, &height, &channels) != 0;
}

Result<Picture> load_picture(const std::filesystem::path& path, uint32_t channels) {
  int width = 0;
  int height = 0;
  int in_file = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load(path.c_str(), &width, &height, &in_file, static_cast<int>(channels)), &stbi_image_free);
  if (!pixels) return fail(fmt::format("cannot read the picture {}: {}", path.string(), stbi_failure_reason()));
  Picture picture{
      .width = static_cast<uint32_t>(width), .height = static_cast<uint32_t>(height), .channels = channels, .values = {}};
  picture.values.assign(pixels.get(), pixels.get() + size_t{picture.width} * picture.height * channels);
  return picture;
}

}  // namespace nnvk::tools
