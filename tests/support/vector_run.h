// Runs a published vector on a prepared plan and compares the results with the tolerance rules of the vectors' README.
#pragma once

#include <chrono>
#include <cmath>
#include <cstring>

#include "core/base/half.h"
#include "core/runtime/device.h"
#include "tests/support/conformance_vectors.h"

namespace nnvk::test {

struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

inline bool holds_half(const Plan& plan) {
  return std::any_of(plan.tensors.begin(), plan.tensors.end(),
                     [](const PlanTensor& t) { return t.info.type == OperandType::kTensorFloat16; });
}

inline Tolerance tolerance_of(const ConformanceVector& vector, OperandType type) {
  constexpr double kHalfStep = 5.0 / 1024.0;
  switch (type) {
    case OperandType::kTensorFloat32:
      if (vector.relaxed || holds_half(*vector.plan)) return {kHalfStep, kHalfStep};
      return {1e-5, 5.0 / 8388608.0};
    case OperandType::kTensorFloat16:
      return {kHalfStep, kHalfStep};
    case OperandType::kTensorBool8:
      return {};
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
    case OperandType::kTensorQuant8Symm:
      return {vector.name.find("mobilenet") != std::string::npos ? 3.0 : 1.0, 0.0};
    default:
      return {1.0, 0.0};
  }
}

template <class T>
double element(std::span<const std::byte> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

inline double number_at(OperandType type, std::span<const std::byte> bytes, size_t i) {
  switch (type) {
    case OperandType::kTensorFloat32:
      return element<float>(bytes, i);
    case OperandType::kTensorFloat16: {
      uint16_t half;
      std::memcpy(&half, bytes.data() + i * sizeof half, sizeof half);
      return half_to_float(half);
    }
    case OperandType::kInt32:
    case OperandType::kTensorInt32:
      return element<int32_t>(bytes, i);
    case OperandType::kTensorQuant16Symm:
      return element<int16_t>(bytes, i);
    case OperandType::kTensorQuant16Asymm:
      return element<uint16_t>(bytes, i);
    case OperandType::kTensorQuant8AsymmSigned:
    case OperandType::kTensorQuant8Symm:
      return element<int8_t>(bytes, i);
    default:
      return element<uint8_t>(bytes, i);
  }
}

struct VectorOutcome {
  Status status;
  std::vector<OutputReport> reports;
  std::vector<std::vector<std::byte>> outputs;
};

// Computes the vector; the buffer of each output has the size of the expected output.
inline VectorOutcome run_vector(const ConformanceVector& vector, PreparedPlan& prepared) {
  VectorOutcome outcome;
  std::vector<Binding> inputs(vector.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& input = vector.inputs[i];
    inputs[i].data = const_cast<std::byte*>(input.data.data());
    inputs[i].size = input.data.size();
    inputs[i].shape = input.shape;
    inputs[i].omitted = input.data.empty();
  }
  std::vector<Binding> outputs(vector.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    outcome.outputs.emplace_back(std::max<size_t>(vector.outputs[i].data.size(), 1));
    outputs[i].data = outcome.outputs[i].data();
    outputs[i].size = outcome.outputs[i].size();
    outputs[i].shape = vector.plan->tensors[vector.plan->outputs[i]].info.shape;
  }
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  request.may_run_inline = true;
  request.loop_timeout = std::chrono::seconds(60);
  auto submission = prepared.submit(request);
  if (!submission) {
    outcome.status = fail(submission.error());
    return outcome;
  }
  outcome.status = submission->done.wait();
  outcome.reports = submission->report->outputs;
  return outcome;
}

// Whether the run failed because an empty tensor would pass from one device to another
// (docs/nnapi/shapes.md#zero-sized-tensors).
inline bool crosses_empty(const ConformanceVector& vector, const VectorOutcome& outcome) {
  const auto& nodes = vector.plan->nodes;
  return std::any_of(nodes.begin(), nodes.end(), [](const PlanNode& node) { return has_data_dependent_shapes(node.code); }) &&
         !outcome.status && outcome.status.error().text().find("an empty tensor") != std::string::npos;
}

// Empty if the outcome matches the vector.
inline std::string mismatch(const ConformanceVector& vector, const VectorOutcome& outcome) {
  if (vector.expect_failure) return outcome.status ? "should have failed" : "";
  if (!outcome.status) return outcome.status.error().text();
  for (size_t i = 0; i < vector.outputs.size(); ++i) {
    const auto& expected = vector.outputs[i];
    if (expected.ignored) continue;
    const std::string name = "output " + std::to_string(i);
    if (outcome.reports.at(i).shape != expected.shape) {
      return name + " has shape " + outcome.reports[i].shape.to_string() + ", expected " + expected.shape.to_string();
    }
    const OperandType type = vector.plan->tensors[vector.plan->outputs[i]].info.type;
    const Tolerance tolerance = tolerance_of(vector, type);
    for (size_t e = 0; e < expected.data.size() / element_size(type); ++e) {
      const double actual = number_at(type, outcome.outputs[i], e);
      const double wanted = number_at(type, expected.data, e);
      if (!(std::abs(actual - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted))) {
        return name + "[" + std::to_string(e) + "] = " + std::to_string(actual) + ", expected " + std::to_string(wanted);
      }
    }
  }
  return "";
}

}  // namespace nnvk::test
