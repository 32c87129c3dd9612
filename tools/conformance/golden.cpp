// Computes expectations.
#include "tools/conformance/golden.h"

#include <android/NeuralNetworks.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/muted_errors.h"

namespace nnvk::tools::conformance {

namespace {

struct Place {
  size_t operand;
  size_t byte;
};

// Returns the positions of denormal values in the float32 inputs and constants.
std::vector<Place> denormals_of(const VectorGraph& graph) {
  constexpr uint32_t kSign = 0x80000000U;
  constexpr uint32_t kSmallestNormal = 0x00800000U;
  std::vector<Place> places;
  for (size_t i = 0; i < graph.operands.size(); ++i) {
    const VectorOperand& operand = graph.operands[i];
    const bool is_float = operand.type == ANEURALNETWORKS_TENSOR_FLOAT32 || operand.type == ANEURALNETWORKS_FLOAT32;
    if (!is_float || operand.lifetime == Lifetime::kModelOutput) continue;
    for (size_t at = 0; at + sizeof(uint32_t) <= operand.data.size(); at += sizeof(uint32_t)) {
      uint32_t bits;
      std::memcpy(&bits, operand.data.data() + at, sizeof bits);
      const uint32_t size = bits & ~kSign;
      if (size != 0 && size < kSmallestNormal) places.push_back({i, at});
    }
  }
  return places;
}

// Returns the case with zeros of the same sign in place of the values at these positions.
VectorCase with_zeros(const VectorCase& c, const std::vector<Place>& places) {
  VectorCase flushed = c;
  for (const Place& place : places) {
    uint8_t* const at = flushed.main.operands[place.operand].data.data() + place.byte;
    float value;
    std::memcpy(&value, at, sizeof value);
    value = std::copysign(0.0F, value);
    std::memcpy(at, &value, sizeof value);
  }
  return flushed;
}

Result<CaseOutputs> compute(const VectorCase& c, const DeviceEntry& device, std::string& unsupported) {
  TOOLS_ASSIGN(auto compiled, CompiledCase::make(c, device));
  unsupported = compiled.unsupported();
  if (!unsupported.empty()) return CaseOutputs();
  const MutedErrors muted(true);  // the first buffers may be too small
  return compiled.run_with_unknown_sizes(c);
}

}  // namespace

Result<DeviceEntry> reference_device() { return find_device("nnapi-reference"); }

Status fill_expectations(VectorCase& c, const DeviceEntry& reference, bool keep_open, std::string& unsupported) {
  if (c.expect_failure) return {};
  const std::vector<Place> denormals = denormals_of(c.main);
  const std::optional<VectorCase> flushed = denormals.empty() ? std::nullopt : std::optional(with_zeros(c, denormals));
  TOOLS_ASSIGN(auto outputs, compute(c, reference, unsupported));
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto& operand = c.main.operands[c.main.outputs[i]];
    if (!outputs[i].guards_intact) return fail("the reference device wrote outside an output's buffer");
    if (!keep_open) operand.dimensions = outputs[i].shape;
    operand.expected_dimensions = std::move(outputs[i].shape);
    operand.data = std::move(outputs[i].bytes);
  }
  if (!unsupported.empty() || !flushed) return {};
  TOOLS_ASSIGN(auto flushed_outputs, compute(*flushed, reference, unsupported));
  for (size_t i = 0; i < flushed_outputs.size(); ++i) {
    auto& operand = c.main.operands[c.main.outputs[i]];
    if (flushed_outputs[i].shape == operand.expected_dimensions) operand.flushed_data = std::move(flushed_outputs[i].bytes);
  }
  return {};
}

}  // namespace nnvk::tools::conformance
