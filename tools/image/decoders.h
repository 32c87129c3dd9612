// Decoders of picture files, one format each. All return 8-bit red, green, blue and alpha, row by row from the top.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

struct Pixels {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgba;  // width * height * 4
};

// Larger pictures are refused before anything is allocated for them.
inline constexpr uint64_t kMostPixels = uint64_t{64} << 20;
Status check_picture_size(uint64_t width, uint64_t height);

// Whether a file begins as one of the format does.
bool is_png(std::span<const uint8_t> file);
bool is_jpeg(std::span<const uint8_t> file);
bool is_bmp(std::span<const uint8_t> file);

// The picture in a file of the format. Errors: damaged, cut off, too large, a form of the format that is not read.
Result<Pixels> decode_png(std::span<const uint8_t> file);   // all of PNG; 16 bits are rounded to 8
Result<Pixels> decode_jpeg(std::span<const uint8_t> file);  // baseline and progressive; no CMYK
Result<Pixels> decode_bmp(std::span<const uint8_t> file);   // 8 (palette), 24 and 32 bits without compression

}  // namespace nnvk::tools
