// Bytes for a model's inputs, from files or generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/image/picture.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Reads the bytes of an input from a file. Resizes and normalises a picture; any other file must hold exactly the input's bytes.
Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation);

// Generates the same pseudo-random values for each seed: reals in [-1, 1) stored in the operand's type, 0 for integers.
std::vector<uint8_t> made_up_input(const OperandInfo& input, uint32_t seed);

}  // namespace nnvk::tools
