// Element-wise comparison in double precision.
#include "tools/conformance/comparison.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

template <class T>
double stored_value(std::span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double allowed_difference(double want, Tolerance tolerance) { return tolerance.absolute + tolerance.relative * std::abs(want); }

// Returns whether a value is near enough to its expectation; an expected NaN or infinity must be met exactly.
bool agrees(double got, double want, Tolerance tolerance) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return true;
  const double allowed = allowed_difference(want, tolerance);
  return std::isfinite(want) && std::abs(got - want) <= allowed;  // false for NaN; an expected infinity allows only itself
}

}  // namespace

double stored_number(int32_t type, std::span<const uint8_t> bytes, size_t index) {
  switch (type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return stored_value<float>(bytes, index);
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32:
      return stored_value<int32_t>(bytes, index);
    case ANEURALNETWORKS_UINT32:
      return stored_value<uint32_t>(bytes, index);
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16: {
      uint16_t half;
      std::memcpy(&half, bytes.data() + index * sizeof half, sizeof half);
      return half_to_float(half);
    }
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
      return stored_value<int16_t>(bytes, index);
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
      return stored_value<uint16_t>(bytes, index);
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      return stored_value<int8_t>(bytes, index);
    default:
      return stored_value<uint8_t>(bytes, index);
  }
}

Tolerance tolerance_for(const VectorCase& c, int32_t output_type) {
  constexpr Tolerance kHalf{5.0 / 1024, 5.0 / 1024};
  const bool floating = output_type == ANEURALNETWORKS_FLOAT32 || output_type == ANEURALNETWORKS_TENSOR_FLOAT32 ||
                        output_type == ANEURALNETWORKS_FLOAT16 || output_type == ANEURALNETWORKS_TENSOR_FLOAT16;
  if (floating && c.float_tolerance) return *c.float_tolerance;
  if (!floating && (c.golden || c.exact)) return {0, 0};
  switch (output_type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      if (c.relaxed || c.uses_type(ANEURALNETWORKS_TENSOR_FLOAT16)) return kHalf;
      return {1e-5, 5.0 / 8388608};
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return kHalf;
    case ANEURALNETWORKS_BOOL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
      return {0, 0};
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
      return {c.name.find("mobilenet") != std::string::npos ? 3.0 : 1.0, 0};
    default:
      return {1, 0};
  }
}

std::optional<std::string> compare_shape(const VectorOperand& expected, std::span<const uint32_t> reported) {
  const auto& wanted = expected.expected_dimensions ? *expected.expected_dimensions : expected.dimensions;
  if (std::ranges::equal(wanted, reported)) return std::nullopt;
  return fmt::format("shape [{}] instead of [{}]", fmt::join(reported, ","), fmt::join(wanted, ","));
}

ElementComparison compare_element(const VectorOperand& expected, std::span<const uint8_t> actual, size_t index,
                                  Tolerance tolerance, bool may_flush) {
  ElementComparison element{.expected = stored_number(expected.type, expected.data, index),
                            .got = stored_number(expected.type, actual, index)};
  const bool is_own = index < expected.allowed_differences.size();
  const Tolerance own = is_own ? Tolerance{expected.allowed_differences[index], 0} : tolerance;
  element.allowed = allowed_difference(element.expected, own);
  element.agrees = (is_own && std::isinf(own.absolute)) || agrees(element.got, element.expected, own) ||
                   (may_flush && expected.flushed_data.size() == expected.data.size() &&
                    agrees(element.got, stored_number(expected.type, expected.flushed_data, index), tolerance));
  return element;
}

std::optional<std::string> compare_values(const VectorOperand& expected, std::span<const uint8_t> actual, Tolerance tolerance,
                                          bool may_flush) {
  const size_t size = element_size(expected.type);
  const size_t count = size ? expected.data.size() / size : 0;
  if (actual.size() < expected.data.size()) {
    return fmt::format("{} bytes instead of {}", actual.size(), expected.data.size());
  }
  size_t wrong = 0;
  double worst = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    const auto element = compare_element(expected, actual, i, tolerance, may_flush);
    if (element.agrees) continue;
    const double difference = std::abs(element.got - element.expected);
    if (wrong++ == 0) first = fmt::format("element {} is {} instead of {}", i, element.got, element.expected);
    if (!(difference <= worst)) worst = difference;
  }
  if (wrong == 0) return std::nullopt;
  return fmt::format("{} ({} of {} elements differ, by up to {:.6g}; allowed {:.3g} + {:.3g} |expected|)", first, wrong, count,
                     worst, tolerance.absolute, tolerance.relative);
}

std::optional<std::string> compare_distribution(std::span<const float> logits, std::span<const int32_t> samples,
                                                double tolerance) {
  if (logits.empty() || samples.empty()) return "no logits or no samples to compare";
  double largest = logits[0];
  for (const float l : logits) largest = std::max<double>(largest, l);
  double sum = 0;
  for (const float l : logits) sum += std::exp(l - largest);
  std::vector<size_t> counts(logits.size());
  for (const int32_t s : samples) {
    if (s < 0 || static_cast<size_t>(s) >= counts.size()) return fmt::format("class {} of {} was drawn", s, counts.size());
    ++counts[static_cast<size_t>(s)];
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    const double share = static_cast<double>(counts[i]) / static_cast<double>(samples.size());
    const double probability = std::exp(logits[i] - largest) / sum;
    if (!(std::abs(share - probability) <= tolerance)) {
      return fmt::format("class {} was drawn {:.4f} of the time instead of {:.4f} (allowed {:.4f})", i, share, probability,
                         tolerance);
    }
  }
  return std::nullopt;
}

}  // namespace nnvk::tools::conformance
