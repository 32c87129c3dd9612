// The only file that knows stb_image_write.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "tools/image/picture.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace nnvk::tools {

Status save_picture(const Picture& picture, const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  bytes.reserve(picture.values.size());
  for (const float v : picture.values) bytes.push_back(static_cast<uint8_t>(std::clamp(std::floor(v + 0.5f), 0.0f, 255.0f)));
  const auto width = static_cast<int>(picture.width);
  const auto channels = static_cast<int>(picture.channels);
  int size = 0;
  const std::unique_ptr<unsigned char, decltype(&std::free)> png(
      stbi_write_png_to_mem(bytes.data(), width * channels, width, static_cast<int>(picture.height), channels, &size),
      &std::free);
  std::ofstream stream(path, std::ios::binary);
  if (!png || !stream.write(reinterpret_cast<const char*>(png.get()), size).flush()) {
    return fail(fmt::format("cannot write the picture {}", path.string()));
  }
  return {};
}

}  // namespace nnvk::tools
