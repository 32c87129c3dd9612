// The rules by which an output agrees with its expectation: shapes, tolerances, random samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// The published table: by output type, widened for relaxed or half-precision models and for "mobilenet" cases.
// Golden cases allow no difference of integers.
Tolerance tolerance_for(const VectorCase& c, int32_t output_type);

// Nothing if the reported shape of an output is the expected one; otherwise the difference.
std::optional<std::string> compare_shape(const VectorOperand& expected, std::span<const uint32_t> reported);

// Element `index` of stored values as a number; quantized values as stored.
double stored_number(int32_t type, std::span<const uint8_t> bytes, size_t index);

// Nothing if all elements agree; otherwise the first difference and the number of differences. Compares quantized values as
// stored. With `may_flush` each element may also have the value that results if denormal inputs count as zero.
std::optional<std::string> compare_values(const VectorOperand& expected, std::span<const uint8_t> actual, Tolerance tolerance,
                                          bool may_flush = false);

// Random sampling: the share of every class among the samples lies within `tolerance` of softmax(logits). `logits` is one row.
std::optional<std::string> compare_distribution(std::span<const float> logits, std::span<const int32_t> samples,
                                                double tolerance);

}  // namespace nnvk::tools::conformance
