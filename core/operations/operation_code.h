// The codes of operations (NNAPI OperationCode) and their names.
#pragma once

#include <cstdint>
#include <string>

namespace nnvk {

// The values equal ANEURALNETWORKS_* (the api folder asserts it). Extension operations have a non-zero high half. Only files that
// name operations include the enumerators (operation_enumerators.h), because these files are compiled anew when the list changes.
enum class OperationCode : int32_t;

inline bool is_extension_operation(OperationCode code) { return (static_cast<uint32_t>(code) >> 16) != 0; }

// Returns "CONV_2D"; "OEM_OPERATION"; "extension operation 0x00010002"; "operation 999" for a code outside all ranges.
std::string operation_name(OperationCode code);

}  // namespace nnvk
