// Reading and making up of inputs.
#include "tools/command/model_input.h"

#include <fmt/format.h>

#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {

Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation) {
  TOOLS_ASSIGN(auto file, read_file(path));
  if (is_picture(file)) return picture_input(file, path, input, normalisation);
  if (file.size() != input.bytes()) {
    return fail(fmt::format("{} is neither a PNG, JPEG or BMP picture nor {} bytes of raw values for {} (it has {} bytes)", path,
                            input.bytes(), to_string(input), file.size()));
  }
  return file;
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
