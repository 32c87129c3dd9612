// Judging of computed cases.
#include "tools/conformance/runner.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "tools/conformance/case_list.h"
#include "tools/conformance/comparison.h"
#include "tools/conformance/muted_errors.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

struct KindName {
  FailureKind kind;
  const char* text;
};
constexpr KindName kKinds[] = {
    {FailureKind::kError, "error"},
    {FailureKind::kWrongResult, "wrong result"},
    {FailureKind::kOutOfBounds, "out of bounds"},
    {FailureKind::kNotRepeatable, "not repeatable"},
    {FailureKind::kCrashed, "crashed"},
    {FailureKind::kDeviceLost, "device lost"},
    {FailureKind::kTimedOut, "timed out"},
};

Outcome failed(FailureKind kind, std::string message) { return {Verdict::kFailed, std::move(message), kind}; }

std::optional<std::string> compare_samples(const VectorCase& c, std::span<const uint8_t> output) {
  const auto& input = c.main.operands[c.main.inputs.at(0)];
  std::vector<float> logits(input.data.size() / element_size(input.type));
  for (size_t i = 0; i < logits.size(); ++i) {
    if (input.type == ANEURALNETWORKS_TENSOR_FLOAT16) {
      uint16_t half;
      std::memcpy(&half, input.data.data() + i * sizeof half, sizeof half);
      logits[i] = half_to_float(half);
    } else {
      std::memcpy(&logits[i], input.data.data() + i * sizeof(float), sizeof(float));
    }
  }
  std::vector<int32_t> samples(output.size() / sizeof(int32_t));
  std::memcpy(samples.data(), output.data(), samples.size() * sizeof(int32_t));
  return compare_distribution(logits, samples, c.multinomial_tolerance);
}

// Returns nothing if all outputs of one computation match their expectations, else the failure.
std::optional<Outcome> judge_outputs(const VectorCase& c, const CaseOutputs& outputs, bool may_flush) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& expected = c.main.operands[c.main.outputs[i]];
    if (!outputs[i].guards_intact) {
      return failed(FailureKind::kOutOfBounds, fmt::format("output {}: bytes before or behind its buffer were written", i));
    }
    if (expected.ignored) continue;
    auto difference = compare_shape(expected, outputs[i].shape);
    if (!difference) {
      difference = c.multinomial_tolerance > 0
                       ? compare_samples(c, outputs[i].bytes)
                       : compare_values(expected, outputs[i].bytes, tolerance_for(c, expected.type), may_flush);
    }
    if (difference) return failed(FailureKind::kWrongResult, fmt::format("output {}: {}", i, *difference));
  }
  return std::nullopt;
}

struct Judged {
  Outcome outcome;
  size_t round = 0;  // the computation that shows a failure
};

// Judges whether all rounds gave the same shapes and bytes.
Judged judge_repetitions(const VectorCase& c, const std::vector<CaseOutputs>& rounds) {
  for (size_t round = 1; round < rounds.size(); ++round) {
    for (size_t i = 0; i < rounds[round].size(); ++i) {
      if (c.main.operands[c.main.outputs[i]].ignored) continue;
      const auto& first = rounds[0][i];
      const auto& now = rounds[round][i];
      if (first.shape == now.shape && first.bytes == now.bytes) continue;
      const auto at = std::ranges::mismatch(first.bytes, now.bytes).in1 - first.bytes.begin();
      return {failed(FailureKind::kNotRepeatable,
                     fmt::format("output {}: computation {} differs from the first one, from byte {} on", i, round + 1, at)),
              round};
    }
  }
  return {};
}

Judged judge_rounds(const VectorCase& c, const std::vector<CaseOutputs>& rounds, bool may_flush) {
  for (size_t round = 0; round < rounds.size(); ++round) {
    if (auto outcome = judge_outputs(c, rounds[round], may_flush)) return {*std::move(outcome), round};
  }
  return judge_repetitions(c, rounds);
}

// Returns whether the model leaves a dimension of an output open.
bool has_open_output(const VectorCase& c) {
  return std::ranges::any_of(c.main.outputs, [&](uint32_t index) { return c.main.operands[index].is_open(); });
}

// Chooses a mode in which the case can run, by the case's name.
Mode mixed_mode(const VectorCase& c) {
  const auto mode = static_cast<Mode>(part_of(c.name, static_cast<uint32_t>(Mode::kMixed)));
  return mode == Mode::kFenced && has_open_output(c) ? Mode::kSync : mode;
}

}  // namespace

Outcome run_case(const VectorCase& c, const DeviceEntry& device, const RunOptions& options, CaseOutputs* evidence) {
  if (feature_level_number(device.feature_level) < c.feature_level) {
    return {Verdict::kSkipped, fmt::format("NotSupported: feature level {}", c.feature_level)};
  }
  const Mode mode = options.mode == Mode::kMixed ? mixed_mode(c) : options.mode;
  if (mode == Mode::kFenced && !c.expect_failure && has_open_output(c)) {
    return {Verdict::kSkipped, "fenced executions need outputs of known shape"};
  }
  const MutedErrors muted(c.expect_failure);
  const auto refused = [&](const Error& error) {
    if (error.code == ANEURALNETWORKS_DEAD_OBJECT) return failed(FailureKind::kDeviceLost, error.message);
    if (!c.expect_failure) return failed(FailureKind::kError, error.message);
    if (c.expected_code == 0 || error.code == c.expected_code) return Outcome{Verdict::kPassed, error.message};
    return failed(FailureKind::kError,
                  fmt::format("{} instead of {}: {}", result_name(error.code), result_name(c.expected_code), error.message));
  };
  auto compiled = CompiledCase::make(c, device);
  if (!compiled) return refused(compiled.error());
  if (!compiled->unsupported().empty()) return {Verdict::kSkipped, "NotSupported: " + compiled->unsupported()};
  if ((c.golden || c.exact) &&
      c.expect_failure) {  // its outputs have no expected sizes, so too small a buffer would be a wrong reason to fail
    const auto result = compiled->run_with_unknown_sizes(c);
    return result ? failed(FailureKind::kWrongResult, "succeeded, but must be refused") : refused(result.error());
  }
  const int rounds = std::max(options.repeat, mode == Mode::kReusable ? 2 : 1);
  auto results = compiled->run(c, mode, rounds);
  if (!results) return refused(results.error());
  if (c.expect_failure) return failed(FailureKind::kWrongResult, "succeeded, but must be refused");
  Judged judged = judge_rounds(c, *results, device.type == ANEURALNETWORKS_DEVICE_GPU);
  if (evidence != nullptr && judged.outcome.verdict == Verdict::kFailed) *evidence = std::move((*results)[judged.round]);
  return std::move(judged.outcome);
}

const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::kPassed ? "passed" : verdict == Verdict::kFailed ? "failed" : "skipped";
}

bool ends_process(FailureKind kind) {
  return kind == FailureKind::kCrashed || kind == FailureKind::kDeviceLost || kind == FailureKind::kTimedOut;
}

const char* kind_name(FailureKind kind) {
  const auto* const row = std::ranges::find(kKinds, kind, &KindName::kind);
  return row == std::end(kKinds) ? "" : row->text;
}

FailureKind kind_named(std::string_view text) {
  for (const auto& row : kKinds) {
    if (text == row.text) return row.kind;
  }
  return FailureKind::kNone;
}

}  // namespace nnvk::tools::conformance
