// Runs the published vectors through the CPU device, when they are there, with the tolerance rules of their README.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/base/half.h"
#include "core/plan/rewrites.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/conformance_vectors.h"

namespace nnvk::cpu {
namespace {

const std::filesystem::path kVectors = std::filesystem::path(NNVK_SHARED_DIR) / "conformance";

struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

bool holds_half(const Plan& plan) {
  return std::any_of(plan.tensors.begin(), plan.tensors.end(),
                     [](const PlanTensor& t) { return t.info.type == OperandType::kTensorFloat16; });
}

Tolerance tolerance_of(const test::ConformanceVector& vector, OperandType type) {
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

double number_at(OperandType type, std::span<const std::byte> bytes, size_t i) {
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

bool all_supported(const Plan& plan) {
  return std::all_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& n) { return reason_not_supported(n) == nullptr; });
}

Status check_plan(const Plan& plan) {
  for (const PlanNode& node : plan.nodes) {
    int level = 0;
    NNVK_TRY(check_operation(declared_view(plan, node).view(), &level));
  }
  return {};
}

struct Outcome {
  Status status;
  std::vector<OutputReport> reports;
  std::vector<std::vector<std::byte>> outputs;
};

Outcome execute(const test::ConformanceVector& vector, const std::shared_ptr<const Plan>& plan, Device& device) {
  Outcome outcome;
  outcome.status = check_plan(*plan);
  if (!outcome.status) return outcome;
  auto prepared = device.prepare(plan, {});
  if (!prepared) {
    outcome.status = fail(prepared.error());
    return outcome;
  }
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
    outputs[i].shape = plan->tensors[plan->outputs[i]].info.shape;
  }
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  request.may_run_inline = true;
  auto submission = (*prepared)->submit(request);
  if (!submission) {
    outcome.status = fail(submission.error());
    return outcome;
  }
  outcome.status = submission->done.wait();
  outcome.reports = submission->report->outputs;
  return outcome;
}

// Empty when the outcome is what the vector says.
std::string mismatch(const test::ConformanceVector& vector, const Outcome& outcome) {
  if (vector.expect_failure) return outcome.status ? "should have failed" : "";
  if (!outcome.status) return outcome.status.error().message;
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

// Runs all supported vectors after `rewrite` and returns how many there were.
template <class Rewrite>
size_t run_vectors(Rewrite&& rewrite) {
  const auto device = make_reference_device();
  size_t run = 0;
  test::for_each_vector(kVectors, [&](const test::ConformanceVector& vector) {
    if (!all_supported(*vector.plan)) return;
    ++run;
    const std::string difference = mismatch(vector, execute(vector, rewrite(vector.plan), *device));
    EXPECT_EQ(difference, "") << vector.name;
  });
  return run;
}

TEST(ReferenceDevice, PassesEveryVectorWhoseOperationsItSupports) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  const size_t run = run_vectors([](const auto& plan) { return plan; });
  EXPECT_GE(run, 2216U);
  RecordProperty("vectors", static_cast<int>(run));
  std::cout << run << " vectors\n";
}

TEST(ReferenceDevice, PassesTheSameVectorsAfterRewrites) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  run_vectors([](const std::shared_ptr<const Plan>& plan) -> std::shared_ptr<const Plan> {
    if (!check_plan(*plan)) return plan;  // the vector expects that failure
    return fuse_residual_adds(fuse_activations(simplify(plan, reference_evaluator())));
  });
}

}  // namespace
}  // namespace nnvk::cpu
