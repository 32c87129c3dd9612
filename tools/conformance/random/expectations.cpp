#include "tools/conformance/random/expectations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/conformance/comparison.h"
#include "tools/conformance/compiled_case.h"
#include "tools/conformance/muted_errors.h"
#include "tools/conformance/random/operation_traits.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr int kErrorRounds = 2;
constexpr double kMargin = 8;  // a device's errors may add up where those of the rounds cancel out

Result<CaseOutputs> compute(const VectorCase& c, const DeviceEntry& reference) {
  TOOLS_ASSIGN(auto compiled, CompiledCase::make(c, reference));
  if (!compiled.unsupported().empty()) return fail("not supported: " + compiled.unsupported());
  return compiled.run_with_unknown_sizes(c);
}

// Two values: center + spread and center - spread.
struct TwoValues {
  double center;
  double spread;
};

// Adds a constant tensor each of whose elements is one of two values.
uint32_t add_signs(VectorGraph& graph, const VectorOperand& like, const Dims& shape, Decisions& signs, TwoValues values) {
  VectorOperand constant;
  constant.type = like.type;
  constant.dimensions = shape;
  constant.lifetime = Lifetime::kConstantCopy;
  const size_t size = element_size(like.type);
  constant.data.resize(element_count(shape) * size);
  for (size_t at = 0; at < constant.data.size(); at += size) {
    const auto value = static_cast<float>(values.center + (signs.one_in(2) ? values.spread : -values.spread));
    const uint16_t half = float_to_half(value);
    std::memcpy(constant.data.data() + at, size == sizeof half ? static_cast<const void*>(&half) : &value, size);
  }
  graph.operands.push_back(std::move(constant));
  return static_cast<uint32_t>(graph.operands.size() - 1);
}

uint32_t add_step(VectorGraph& graph, int32_t code, uint32_t x, uint32_t by) {
  VectorOperand activation;
  activation.type = ANEURALNETWORKS_INT32;
  activation.lifetime = Lifetime::kConstantCopy;
  activation.data.resize(sizeof(int32_t));
  VectorOperand result;
  result.type = graph.operands[x].type;
  result.dimensions = graph.operands[by].dimensions;
  const auto index = static_cast<uint32_t>(graph.operands.size());
  graph.operands.push_back(std::move(activation));
  graph.operands.push_back(std::move(result));
  graph.operations.push_back({code, {x, by, index}, {index + 1}});
  return index + 1;
}

// The least relative change of a float32. Devices add products in different orders: if large products cancel out, their last bits
// decide the sum, even if the operands are exact.
constexpr Tolerance kLastBit{0, std::numeric_limits<float>::epsilon()};

// Returns the case with an error of random sign added to each inexact result before other operations read it. Sums of products
// also read exact inputs with an error of the last bit.
VectorCase with_errors(const RandomGraph& graph, uint64_t round) {
  VectorCase c = graph.c;
  SeededDecisions signs("errors", round);
  std::vector<VectorOperation> readers;
  readers.swap(c.main.operations);
  for (uint32_t i = 0; i < graph.shapes.size(); ++i) {
    const VectorOperand operand = c.main.operands[i];
    const bool is_read = std::ranges::any_of(readers, [&](const auto& o) { return std::ranges::count(o.inputs, i) > 0; });
    const Dims& shape = graph.shapes[i];
    const bool is_known = !shape.empty() && element_count(shape) > 0;
    if (!is_float_tensor(operand.type) || !is_read || !is_known) continue;
    const bool is_exact = graph.errors[i].absolute == 0;
    const auto sums_it = [i](const VectorOperation& reader) { return sums_products(reader.code) && reader.inputs[0] == i; };
    if (is_exact && (operand.type != ANEURALNETWORKS_TENSOR_FLOAT32 || std::ranges::none_of(readers, sums_it))) continue;
    const Tolerance error = is_exact ? kLastBit : graph.errors[i];
    const uint32_t factors = add_signs(c.main, operand, shape, signs, {1, error.relative});
    const uint32_t summands = add_signs(c.main, operand, shape, signs, {0, error.absolute});
    const uint32_t product = add_step(c.main, ANEURALNETWORKS_MUL, i, factors);
    const uint32_t sum = add_step(c.main, ANEURALNETWORKS_ADD, product, summands);
    for (auto& reader : readers) {
      if (!is_exact) std::ranges::replace(reader.inputs, i, sum);
      if (is_exact && sums_it(reader)) reader.inputs[0] = sum;
    }
  }
  c.main.operations.insert(c.main.operations.end(), readers.begin(), readers.end());
  return c;
}

// Widens the allowed differences of an output by its changes in a computation with errors.
void widen(VectorOperand& output, const CaseOutput& disturbed) {
  for (size_t i = 0; i < output.allowed_differences.size(); ++i) {
    const double plain = stored_number(output.type, output.data, i);
    const double other = stored_number(output.type, disturbed.bytes, i);
    const double difference = std::abs(plain - other);
    if (plain == other || (std::isnan(plain) && std::isnan(other))) continue;
    auto& allowed = output.allowed_differences[i];
    allowed = std::isfinite(difference) ? std::max(allowed, kMargin * difference) : std::numeric_limits<double>::infinity();
  }
}

}  // namespace

void fill_expectations(RandomGraph& graph, const DeviceEntry& reference) {
  VectorCase& c = graph.c;
  const MutedErrors muted(true);
  auto outputs = compute(c, reference);
  if (!outputs) {
    c.expect_failure = true;
    c.expected_code = outputs.error().code;
    return;
  }
  for (size_t i = 0; i < outputs->size(); ++i) {
    const uint32_t index = c.main.outputs[i];
    VectorOperand& operand = c.main.operands[index];
    operand.expected_dimensions = std::move((*outputs)[i].shape);
    operand.data = std::move((*outputs)[i].bytes);
    if (!is_float_tensor(operand.type)) continue;
    Tolerance own = float_error(operand.type, c.relaxed);
    own.absolute = std::max(own.absolute, graph.errors[index].absolute);
    own.relative = std::max(own.relative, graph.errors[index].relative);
    const size_t count = operand.data.size() / element_size(operand.type);
    for (size_t k = 0; k < count; ++k) {
      operand.allowed_differences.push_back(own.absolute + own.relative * std::abs(stored_number(operand.type, operand.data, k)));
    }
  }
  for (uint64_t round = 0; round < kErrorRounds; ++round) {
    const auto disturbed = compute(with_errors(graph, round), reference);
    if (!disturbed) continue;
    for (size_t i = 0; i < disturbed->size(); ++i) {
      VectorOperand& operand = c.main.operands[c.main.outputs[i]];
      if ((*disturbed)[i].shape == operand.expected_dimensions) widen(operand, (*disturbed)[i]);
    }
  }
}

}  // namespace nnvk::tools::conformance
