// Reading of inputs.
#include "tools/command/model_input.h"

#include <fmt/format.h>

#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

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

}  // namespace nnvk::tools
