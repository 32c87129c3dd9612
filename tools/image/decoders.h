// Decoders of picture files, one per format. All return 8-bit red, green, blue and alpha, row by row from the top.
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

// The decoders refuse larger pictures before they allocate memory for them.
inline constexpr uint64_t kMostPixels = uint64_t{64} << 20;
Status check_picture_size(uint64_t width, uint64_t height);

// Returns whether a file begins like a file of the format.
bool is_png(std::span<const uint8_t> file);
bool is_jpeg(std::span<const uint8_t> file);
bool is_bmp(std::span<const uint8_t> file);

// These functions decode a file of the format. They fail if it is damaged, cut off, too large, or in an unsupported form of the
// format.
Result<Pixels> decode_png(std::span<const uint8_t> file);   // all of PNG; 16 bits are rounded to 8
Result<Pixels> decode_jpeg(std::span<const uint8_t> file);  // baseline and progressive; no CMYK
Result<Pixels> decode_bmp(std::span<const uint8_t> file);   // 8 (palette), 24 and 32 bits without compression

}  // namespace nnvk::tools
