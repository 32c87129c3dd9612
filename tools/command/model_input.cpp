// Reading of inputs.
#include "tools/command/model_input.h"

#include <fmt/format.h>

#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {

Result<std::vector<uint8_t>> raw_input(std::vector<uint8_t> file, const std::string& name, const OperandInfo& input) {
  if (file.size() == input.bytes()) return file;
  return fail(fmt::format("{} is neither a PNG, JPEG or BMP picture nor {} bytes of raw values for {} (it has {} bytes)", name,
                          input.bytes(), to_string(input), file.size()));
}

Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation) {
  TOOLS_ASSIGN(auto file, read_file(path));
  return is_picture(file) ? picture_input(file, path, input, normalisation) : raw_input(std::move(file), path, input);
}

}  // namespace nnvk::tools
