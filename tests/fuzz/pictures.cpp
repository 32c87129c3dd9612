// Picture files (tools/image): PNG, JPEG and BMP, as grey, colour and with transparency.
#include <turbojpeg.h>

#include <fstream>
#include <iterator>

#include "tests/fuzz/target.h"
#include "tools/image/picture.h"

namespace nnvk::fuzz {
namespace {

Input bytes_of(const uint8_t* data, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return {bytes, bytes + size};
}

Input jpeg(int subsampling, int flags) {
  std::vector<uint8_t> pixels(24 * 24 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 7);
  const tjhandle compressor = tjInitCompress();
  unsigned char* file = nullptr;
  unsigned long size = 0;
  const int result = tjCompress2(compressor, pixels.data(), 24, 0, 24, TJPF_RGB, &file, &size, subsampling, 75, flags);
  require(result == 0, "a seed is compressed");
  Input made = bytes_of(file, size);
  tjFree(file);
  tjDestroy(compressor);
  return made;
}

// 3 x 2 pixels of `bits` bits after two headers and, for 8 bits, two colours.
Input bmp(uint8_t bits) {
  std::vector<uint8_t> file(54 + (bits == 8 ? 8U : 0U));
  file[0] = 'B';
  file[1] = 'M';
  file[10] = static_cast<uint8_t>(file.size());
  file[14] = 40;
  file[18] = 3;
  file[22] = 2;
  file[26] = 1;
  file[28] = bits;
  file[46] = bits == 8 ? 2 : 0;
  file.resize(file.size() + size_t{2} * ((3 * bits / 8 + 3) / 4 * 4), 1);
  return bytes_of(file.data(), file.size());
}

}  // namespace

void run(std::span<const std::byte> input) {
  const std::span file(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  for (const uint32_t channels : {1U, 3U, 4U}) {
    const auto picture = tools::decode_picture(file, channels);
    if (!picture) continue;
    require(tools::is_picture(file), "what is decoded is known as a picture");
    require(picture->values.size() == size_t{picture->width} * picture->height * channels, "every pixel has its values");
  }
}

std::vector<Input> seeds() {
  std::vector<Input> made{
      bmp(8), bmp(24), bmp(32), jpeg(TJSAMP_444, 0), jpeg(TJSAMP_420, TJFLAG_PROGRESSIVE), jpeg(TJSAMP_GRAY, 0)};
  std::ifstream png(NNVK_SOURCE_DIR "/models/digit_7.png", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(png), {}};
  made.push_back(bytes_of(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  return made;
}

}  // namespace nnvk::fuzz
