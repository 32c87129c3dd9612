// The rules by which an output agrees with its expectation: shapes, tolerances, random samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Returns the tolerance of the published table for an output type, wider for relaxed or half-precision models and for "mobilenet"
// cases. Golden cases allow no difference of integers.
Tolerance tolerance_for(const VectorCase& c, int32_t output_type);

// Compares the reported shape of an output with the expected one. Returns nothing if they agree, else the difference.
std::optional<std::string> compare_shape(const VectorOperand& expected, std::span<const uint32_t> reported);

// Returns element `index` of stored values as a number; quantized values as stored.
double stored_number(int32_t type, std::span<const uint8_t> bytes, size_t index);

// An element of an output and its expectation, as numbers of the stored type.
struct ElementComparison {
  double expected = 0;
  double got = 0;
  double allowed = 0;  // difference; infinite if the element may be anything
  bool agrees = false;
};

// Compares element `index` by the rules of compare_values(). `actual` must hold the element.
ElementComparison compare_element(const VectorOperand& expected, std::span<const uint8_t> actual, size_t index,
                                  Tolerance tolerance, bool may_flush);

// Compares all elements; quantized values as they are stored. Returns nothing if all agree, else the first difference and the
// number of differences. With `may_flush`, an element may also have the value that results if denormal inputs count as zero.
std::optional<std::string> compare_values(const VectorOperand& expected, std::span<const uint8_t> actual, Tolerance tolerance,
                                          bool may_flush = false);

// Checks random samples: each class's share of the samples is within `tolerance` of softmax(logits). `logits` is one row. Returns
// nothing if they are right, else the fault.
std::optional<std::string> compare_distribution(std::span<const float> logits, std::span<const int32_t> samples,
                                                double tolerance);

}  // namespace nnvk::tools::conformance
