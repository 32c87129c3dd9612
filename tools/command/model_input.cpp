// Reading and making up of inputs.
#include "tools/command/model_input.h"

#include <fmt/format.h>

#include <fstream>

#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {

Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return fail(fmt::format("cannot read the input {}: {}", path, error.message()));
  if (is_picture(path)) return picture_input(path, input, normalisation);
  if (size != input.bytes()) {
    return fail(fmt::format("{} is neither a picture nor {} bytes of raw values for {} (it has {} bytes)", path, input.bytes(),
                            to_string(input), size));
  }
  std::ifstream stream(path, std::ios::binary);
  std::vector<uint8_t> bytes(size);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    return fail(fmt::format("cannot read the input {}", path));
  }
  return bytes;
}

std::vector<uint8_t> made_up_input(const OperandInfo& input, uint32_t seed) {
  std::vector<float> reals(input.elements());
  uint32_t state = seed * 2654435761u + 1;
  for (float& real : reals) {
    state = state * 1664525u + 1013904223u;
    real = input.type == ANEURALNETWORKS_TENSOR_INT32 ? 0.0f : static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return encode(reals, input);
}

}  // namespace nnvk::tools
