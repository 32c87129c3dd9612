// The life of one vector: referenced models, main model, support query, compilation, execution, comparison.
#include "tools/conformance/runner.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "tools/conformance/comparison.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/model_builder.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr size_t kReferenceAlignment = 4;
constexpr uint64_t kShortLoopTimeout = 1'000'000;  // nanoseconds; for loops that are expected not to end

// A finished model with the memory its constants lie in.
struct BuiltModel {
  MemoryHandle memory;  // before builder: freed after it
  std::optional<ModelBuilder> builder;
};

Result<MemoryHandle> shared_memory(std::span<const uint8_t> bytes) {
  const int fd = memfd_create("nnvk-conformance", MFD_CLOEXEC);
  if (fd < 0) return fail(fmt::format("memfd_create: {}", std::strerror(errno)));
  ANeuralNetworksMemory* memory = nullptr;
  Status status;
  if (write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    status = fail("cannot write the constants to a memfd");
  } else {
    status = check(ANeuralNetworksMemory_createFromFd(bytes.size(), PROT_READ | PROT_WRITE, fd, 0, &memory), "sharing constants");
  }
  close(fd);
  if (!status) return tl::unexpected<Error>(status.error());
  return MemoryHandle(memory);
}

size_t aligned(size_t offset) { return (offset + kReferenceAlignment - 1) / kReferenceAlignment * kReferenceAlignment; }

Status set_operand(ModelBuilder& builder, uint32_t index, const VectorOperand& source, const ANeuralNetworksMemory* memory,
                   size_t& offset, const std::vector<BuiltModel>& referenced) {
  switch (source.lifetime) {
    case Lifetime::kConstantCopy:
      return builder.set_value(index, source.data);
    case Lifetime::kConstantReference: {
      if (source.data.empty()) return builder.set_value(index, {});
      const size_t at = offset;
      offset = aligned(offset + source.data.size());
      return builder.set_memory(index, memory, at, source.data.size());
    }
    case Lifetime::kNoValue:
      return builder.set_value(index, {});
    case Lifetime::kSubgraph:
      if (!referenced[source.subgraph].builder) return fail("a referenced model is not built yet");
      return builder.set_model(index, referenced[source.subgraph].builder->model());
    default:
      return {};
  }
}

Status build(const VectorCase& c, const VectorGraph& graph, const std::vector<BuiltModel>& referenced, BuiltModel& model) {
  std::vector<uint8_t> pool;
  for (const auto& operand : graph.operands) {
    if (operand.lifetime != Lifetime::kConstantReference || operand.data.empty()) continue;
    pool.insert(pool.end(), operand.data.begin(), operand.data.end());
    pool.resize(aligned(pool.size()));
  }
  if (!pool.empty()) {
    TOOLS_ASSIGN(model.memory, shared_memory(pool));
  }
  TOOLS_ASSIGN(model.builder, ModelBuilder::create());
  auto& builder = *model.builder;
  size_t offset = 0;
  for (uint32_t i = 0; i < graph.operands.size(); ++i) {
    const auto& source = graph.operands[i];
    const OperandInfo info{source.type, source.dimensions, source.scale, source.zero_point};
    if (source.channel_scales.empty()) {
      TOOLS_TRY(builder.add_operand(info));
    } else {
      TOOLS_TRY(builder.add_per_channel_operand(info, source.channel_axis, source.channel_scales));
    }
    TOOLS_TRY(set_operand(builder, i, source, model.memory.get(), offset, referenced));
  }
  for (const auto& operation : graph.operations) {
    TOOLS_TRY(builder.add_operation(operation.code, operation.inputs, operation.outputs, "the vector"));
  }
  if (c.relaxed) TOOLS_TRY(builder.relax(true));
  return builder.finish(graph.inputs, graph.outputs);
}

// Referenced models may reference each other, inner ones later in the list: builds those first that need nothing unbuilt.
Status build_referenced(const VectorCase& c, std::vector<BuiltModel>& built) {
  built.resize(c.referenced.size());
  for (size_t left = c.referenced.size(), before = left + 1; left > 0 && left < before;) {
    before = left;
    for (size_t i = 0; i < c.referenced.size(); ++i) {
      const auto& graph = c.referenced[i];
      const bool ready = !built[i].builder && std::ranges::all_of(graph.operands, [&](const VectorOperand& o) {
        return o.lifetime != Lifetime::kSubgraph || built[o.subgraph].builder;
      });
      if (!ready) continue;
      TOOLS_TRY(build(c, graph, built, built[i]));
      --left;
    }
  }
  return {};
}

// Name of the first operation that the device does not run.
Result<std::optional<std::string>> unsupported_operation(const VectorCase& c, const ModelBuilder& model,
                                                         const DeviceEntry& device) {
  const auto& operations = c.main.operations;
  const auto supported = std::make_unique<bool[]>(operations.size());
  TOOLS_TRY(check(ANeuralNetworksModel_getSupportedOperationsForDevices(model.model(), &device.handle, 1, supported.get()),
                  "asking which operations are supported"));
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!supported[i]) return operation_name(operations[i].code);
  }
  return std::nullopt;
}

Status bind_input(ANeuralNetworksExecution* execution, int32_t index, const VectorOperand& source) {
  ANeuralNetworksOperandType type{};
  const ANeuralNetworksOperandType* given = nullptr;
  if (source.actual_dimensions) {
    type = {source.type, static_cast<uint32_t>(source.actual_dimensions->size()), source.actual_dimensions->data(), source.scale,
            source.zero_point};
    given = &type;
  }
  const void* buffer = source.data.empty() ? nullptr : source.data.data();
  return check(ANeuralNetworksExecution_setInput(execution, index, given, buffer, source.data.size()),
               fmt::format("setting input {}", index));
}

Status wait_and_free(ANeuralNetworksEvent* event, int result) {
  if (result == ANEURALNETWORKS_NO_ERROR) result = ANeuralNetworksEvent_wait(event);
  auto status = check(result, "computing");
  ANeuralNetworksEvent_free(event);
  return status;
}

Status compute(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution* execution, Mode mode) {
  switch (mode) {
    case Mode::kAsync: {
      ANeuralNetworksEvent* event = nullptr;
      const int result = ANeuralNetworksExecution_startCompute(execution, &event);
      return wait_and_free(event, result);
    }
    case Mode::kFenced: {
      ANeuralNetworksEvent* event = nullptr;
      const int result = ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0, &event);
      return wait_and_free(event, result);
    }
    case Mode::kBurst: {
      ANeuralNetworksBurst* burst = nullptr;
      TOOLS_TRY(check(ANeuralNetworksBurst_create(compilation, &burst), "creating a burst"));
      auto status = check(ANeuralNetworksExecution_burstCompute(execution, burst), "computing in a burst");
      ANeuralNetworksBurst_free(burst);
      return status;
    }
    default:
      return check(ANeuralNetworksExecution_compute(execution), "computing");
  }
}

Result<std::vector<uint32_t>> reported_shape(ANeuralNetworksExecution* execution, int32_t index) {
  uint32_t rank = 0;
  TOOLS_TRY(check(ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank), "getting an output's rank"));
  std::vector<uint32_t> shape(rank);
  if (rank > 0) {
    TOOLS_TRY(
        check(ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, shape.data()), "getting an output's shape"));
  }
  return shape;
}

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

Status judge_outputs(const VectorCase& c, ANeuralNetworksExecution* execution, const std::vector<std::vector<uint8_t>>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& expected = c.main.operands[c.main.outputs[i]];
    if (expected.ignored) continue;
    TOOLS_ASSIGN(const auto shape, reported_shape(execution, static_cast<int32_t>(i)));
    auto difference = compare_shape(expected, shape);
    if (!difference) {
      difference = c.multinomial_tolerance > 0 ? compare_samples(c, outputs[i])
                                               : compare_values(expected, outputs[i], tolerance_for(c, expected.type));
    }
    if (difference) return fail(fmt::format("output {}: {}", i, *difference));
  }
  return {};
}

Status execute(const VectorCase& c, ANeuralNetworksCompilation* compilation, Mode mode) {
  ANeuralNetworksExecution* raw = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation, &raw), "creating an execution"));
  const ExecutionHandle execution(raw);
  if (mode == Mode::kReusable) TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(raw, true), "making the execution reusable"));
  if (c.expect_failure && c.uses_operation(ANEURALNETWORKS_WHILE)) {
    TOOLS_TRY(check(ANeuralNetworksExecution_setLoopTimeout(raw, kShortLoopTimeout), "setting the loop timeout"));
  }
  for (size_t i = 0; i < c.main.inputs.size(); ++i) {
    TOOLS_TRY(bind_input(raw, static_cast<int32_t>(i), c.main.operands[c.main.inputs[i]]));
  }
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < c.main.outputs.size(); ++i) {
    // A zero-sized result still needs a buffer.
    auto& buffer = outputs.emplace_back(std::max<size_t>(1, c.main.operands[c.main.outputs[i]].data.size()));
    TOOLS_TRY(check(ANeuralNetworksExecution_setOutput(raw, static_cast<int32_t>(i), nullptr, buffer.data(), buffer.size()),
                    fmt::format("setting output {}", i)));
  }
  for (int round = 0; round < (mode == Mode::kReusable ? 2 : 1); ++round) {
    for (auto& buffer : outputs) std::ranges::fill(buffer, uint8_t{0xcd});  // what is not written must not look right
    TOOLS_TRY(compute(compilation, raw, mode));
    if (!c.expect_failure) TOOLS_TRY(judge_outputs(c, raw, outputs));
  }
  return {};
}

// The first error of building, compiling and computing; `skip` names an operation that the device does not run.
Status build_and_run(const VectorCase& c, const DeviceEntry& device, Mode mode, std::string& skip) {
  std::vector<BuiltModel> referenced;
  TOOLS_TRY(build_referenced(c, referenced));
  BuiltModel model;
  TOOLS_TRY(build(c, c.main, referenced, model));
  TOOLS_ASSIGN(const auto unsupported, unsupported_operation(c, *model.builder, device));
  if (unsupported) {
    skip = *unsupported;
    return {};
  }
  ANeuralNetworksCompilation* raw = nullptr;
  TOOLS_TRY(check(ANeuralNetworksCompilation_createForDevices(model.builder->model(), &device.handle, 1, &raw), "compiling"));
  const CompilationHandle compilation(raw);
  TOOLS_TRY(check(ANeuralNetworksCompilation_finish(raw), "compiling"));
  return execute(c, raw, mode);
}

}  // namespace

Outcome run_case(const VectorCase& c, const DeviceEntry& device, Mode mode) {
  if (feature_level_number(device.feature_level) < c.feature_level) {
    return {Verdict::kSkipped, fmt::format("NotSupported: feature level {}", c.feature_level)};
  }
  std::string skip;
  const auto status = build_and_run(c, device, mode, skip);
  if (!skip.empty()) return {Verdict::kSkipped, "NotSupported: " + skip};
  if (c.expect_failure) {
    return status ? Outcome{Verdict::kFailed, "succeeded, but must be refused"}
                  : Outcome{Verdict::kPassed, status.error().message};
  }
  return status ? Outcome{} : Outcome{Verdict::kFailed, status.error().message};
}

}  // namespace nnvk::tools::conformance
