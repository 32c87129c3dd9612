// Bytes for a model's inputs, from files or generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/image/picture.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// A picture file is resized and normalised; any other file must hold exactly the input's bytes.
Result<std::vector<uint8_t>> read_input(const std::string& path, const OperandInfo& input,
                                        const std::optional<Normalisation>& normalisation);

// The same pseudo-random values every time: reals in [-1, 1) through the operand's type, integers 0.
std::vector<uint8_t> made_up_input(const OperandInfo& input, uint32_t seed);

}  // namespace nnvk::tools
