// Names of NNAPI's numbers without the prefix ANEURALNETWORKS_, as vector files and messages contain them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nnvk::tools {

// Returns the name of an operation, such as "CONV_2D"; "operation 4711" for an unknown number.
std::string operation_name(int32_t code);
std::optional<int32_t> operation_code(std::string_view name);

// Returns "TENSOR_FLOAT32" and so on, or "type 4711".
std::string operand_type_name(int32_t code);
// Returns the type of this name. It also accepts SUBGRAPH, the vector files' name for MODEL.
std::optional<int32_t> operand_type_code(std::string_view name);

// Returns "BAD_DATA" and so on, or "result 4711".
std::string result_name(int code);

// Returns the bytes of one element; 0 for types without a fixed size.
size_t element_size(int32_t operand_type);
bool is_tensor(int32_t operand_type);
// Returns true for the 8-bit asymmetric types.
bool is_quant8(int32_t operand_type);

// Returns the number of the level that a FeatureLevelCode names: 27 to 31 give 1 to 5, 1000000 + n gives n. Other values give 0.
int feature_level_number(int64_t feature_level_code);

}  // namespace nnvk::tools
