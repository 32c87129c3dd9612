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

// Returns the SHA-256 of operands (type, dimensions, quantization, lifetime), operations in run order, inputs and outputs: of the
// model, then of each model it references, once. The hash does not contain the weights, so trained copies of a network hash
// alike. `model` is finished.
ArchitectureHash architecture_hash(const Model& model);

// Returns FLOAT32, FLOAT16 or QUANT if the operands have this class alone, MIXED for several; OTHER for other types only; UNKNOWN
// for none. `operands` are indexes.
DataClass data_class(const Model& model, const std::vector<uint32_t>& operands);

// Returns whether the model itself has an IF or WHILE operation, or an operand that is a model.
bool uses_control_flow(const Model& model);

}  // namespace nnvk::api::support_library
