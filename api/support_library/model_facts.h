// Facts about a model that diagnostics report (docs/nnapi/support_library.md#diagnostics).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "api/support_library/functions.h"
#include "core/model/model.h"

namespace nnvk::api::support_library {

using DataClass = ANeuralNetworksDiagnosticDataClass;
using ArchitectureHash = std::array<uint8_t, 32>;

// SHA-256 over operands (type, dimensions, quantization, lifetime), operations in run order, inputs and outputs of the model and
// then of the models it references, each once. No weights: trained copies of one network hash alike. `model` is finished.
ArchitectureHash architecture_hash(const Model& model);

// FLOAT32, FLOAT16, QUANT, or MIXED if several of them occur; other types count only when there is nothing else (OTHER).
// UNKNOWN for no operands. `operands` are indexes.
DataClass data_class(const Model& model, const std::vector<uint32_t>& operands);

// Whether the model itself has an IF or WHILE operation or an operand that is a model.
bool uses_control_flow(const Model& model);

}  // namespace nnvk::api::support_library
