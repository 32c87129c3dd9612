// Bytes for a model's inputs, from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/image/picture.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Checks that a file that is no picture holds exactly the bytes of an input, and returns them. Errors contain `name`.
Result<std::vector<uint8_t>> raw_input(std::vector<uint8_t> file, const std::string& name, const OperandInfo& input);

// Reads the bytes of an input from a file. Resizes and normalises a picture; any other file must hold exactly the input's bytes.
Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation);

}  // namespace nnvk::tools
