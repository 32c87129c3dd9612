// Pictures: loads, saves, resizes and compares them, and converts them to values of a model's input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// A picture in row-major order, with interleaved channels and values 0 to 255.
struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t channels = 0;
  std::vector<float> values;
};

// Returns whether a file begins like a picture that decode_picture() reads: PNG, JPEG or BMP.
bool is_picture(std::span<const uint8_t> file);

// Decodes the bytes of a file, converted to 1 (grey), 3 (RGB) or 4 (RGBA) channels. Errors: the file is damaged, has too many
// pixels, or uses an unsupported form of its format.
Result<Picture> decode_picture(std::span<const uint8_t> file, uint32_t channels);
Result<Picture> load_picture(const std::filesystem::path& path, uint32_t channels);

// Writes a PNG of 1, 3 or 4 channels; rounds values and clamps them to 0 to 255.
Status save_picture(const Picture& picture, const std::filesystem::path& path);

// Resizes a picture for people and for comparisons, as picture programs do: by Keys' bicubic filter with a = -0.5, which widens
// when shrinking, so that every pixel counts. Results are rounded to whole numbers from 0 to 255. (Inputs: picture_bytes().)
Picture resized(const Picture& picture, uint32_t width, uint32_t height);

// Returns the peak signal-to-noise ratio in dB of two pictures of the same shape, with values rounded to 8 bits; 200 if they are
// equal.
double psnr(const Picture& a, const Picture& b);

// The conversion real = (pixel - mean) / deviation.
struct Normalisation {
  double mean = 127.5;
  double deviation = 127.5;
};

// Returns the conversion of pixel values (0 to 255) for tensors of image-to-image networks: to floats from -1 to 1, or to 8-bit
// values that equal the pixels (signed: minus 128).
Normalisation pixel_normalisation(const OperandInfo& tensor);

// Converts a picture file to the bytes of a model input that holds one picture (picture_shape.h); errors contain `name`. Without
// `normalisation`, float inputs get the default one, and 8-bit inputs the pixels (signed: minus 128), as such models expect.
Result<std::vector<uint8_t>> picture_input(std::span<const uint8_t> file, const std::string& name, const OperandInfo& input,
                                           const std::optional<Normalisation>& normalisation,
                                           std::optional<bool> channels_first = std::nullopt);

}  // namespace nnvk::tools
