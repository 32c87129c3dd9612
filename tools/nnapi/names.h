// Names of NNAPI's numbers, as the vector files and messages write them (without the ANEURALNETWORKS_ prefix).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nnvk::tools {

// "CONV_2D", or "operation 4711" for an unknown number.
std::string operation_name(int32_t code);
std::optional<int32_t> operation_code(std::string_view name);

// "TENSOR_FLOAT32", or "type 4711".
std::string operand_type_name(int32_t code);
// Also knows SUBGRAPH, the vector files' name for MODEL.
std::optional<int32_t> operand_type_code(std::string_view name);

// "BAD_DATA", or "result 4711".
std::string result_name(int code);

// Bytes of one element; 0 for types without a fixed size.
size_t element_size(int32_t operand_type);
bool is_tensor(int32_t operand_type);
// The 8-bit asymmetric types.
bool is_quant8(int32_t operand_type);

// "1" .. "8" for a FeatureLevelCode; 0 when the value is none.
int feature_level_number(int64_t feature_level_code);

}  // namespace nnvk::tools
