// Files of NumPy (.npy, version 1.0) with the stored values of a tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::conformance {

// Returns the contents of a file with `bytes` as elements of an operand type. Quantized values and BOOL8 are integers, as they
// are stored. If the bytes do not fill `dimensions`, the file holds one row of all whole elements.
std::vector<uint8_t> npy_of(int32_t operand_type, std::span<const uint32_t> dimensions, std::span<const uint8_t> bytes);

}  // namespace nnvk::tools::conformance
