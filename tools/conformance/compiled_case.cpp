#include "tools/conformance/compiled_case.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tools/conformance/guarded_buffer.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr size_t kFirstGuess = 16384;   // bytes of an output of unknown size
constexpr size_t kMostBytes = 1 << 28;  // of an output
constexpr size_t kReferenceAlignment = 4;
constexpr uint64_t kShortLoopTimeout = 1'000'000;      // nanoseconds; for loops that are expected not to end
constexpr uint64_t kLongLoopTimeout = 15'000'000'000;  // the longest that the library accepts: the machine may be busy

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

// Sets the value of a tensor from a copy whose dimensions stand in the opposite order.
Status set_reversed(ModelBuilder& builder, uint32_t index, const VectorOperand& source) {
  const size_t rank = source.dimensions.size();
  const size_t elements = builder.operand(index).elements();
  if (rank < 2 || elements == 0) return builder.set_value_in_place(index, source.data);
  const size_t width = source.data.size() / elements;
  std::vector<uint8_t> reversed(source.data.size());
  for (size_t element = 0; element < elements; ++element) {
    size_t rest = element;
    size_t at = 0;  // in the copy, whose last dimension is the tensor's first
    size_t step = elements;
    for (size_t d = rank; d-- > 0;) {
      step /= source.dimensions[d];
      at += rest % source.dimensions[d] * step;
      rest /= source.dimensions[d];
    }
    std::memcpy(&reversed[at * width], &source.data[element * width], width);
  }
  std::vector<uint32_t> order(rank);
  for (size_t d = 0; d < rank; ++d) order[d] = static_cast<uint32_t>(rank - 1 - d);
  return builder.set_transposed_value(index, builder.keep(std::move(reversed)), order);
}

// Sets an operand's value. `offset`: the position of the next constant in the model's memory; advances it past this operand.
Status set_operand(BuiltModel& model, uint32_t index, const VectorOperand& source, size_t& offset,
                   const std::vector<BuiltModel>& referenced) {
  ModelBuilder& builder = *model.builder;
  switch (source.lifetime) {
    case Lifetime::kConstantCopy:
      return builder.set_value(index, source.data);
    case Lifetime::kConstantReference: {
      if (source.data.empty()) return builder.set_value(index, {});
      const size_t at = offset;
      offset = aligned(offset + source.data.size());
      switch (index % 4) {  // all ways in which a model may refer to a long constant
        case 0:
          return builder.set_memory(index, model.memory.get(), at, source.data.size());
        case 1:
          return builder.set_value(index, source.data);
        case 2:
          return set_reversed(builder, index, source);
        default:
          return builder.set_value_in_place(index, source.data);
      }
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
    TOOLS_TRY(set_operand(model, i, source, offset, referenced));
  }
  for (const auto& operation : graph.operations) {
    TOOLS_TRY(builder.add_operation(operation.code, operation.inputs, operation.outputs, "the vector"));
  }
  if (c.relaxed) TOOLS_TRY(builder.relax(true));
  return builder.finish(graph.inputs, graph.outputs);
}

// Builds the referenced models. They may refer to models later in the list, so each round builds those whose references are all
// built.
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

// Binds an input. `bytes`: the operand's value; none when it is omitted.
Status bind_input(ANeuralNetworksExecution* execution, int32_t index, const VectorOperand& source,
                  std::span<const uint8_t> bytes) {
  ANeuralNetworksOperandType type{};
  const ANeuralNetworksOperandType* given = nullptr;
  if (source.actual_dimensions) {
    type = {source.type, static_cast<uint32_t>(source.actual_dimensions->size()), source.actual_dimensions->data(), source.scale,
            source.zero_point};
    given = &type;
  }
  const void* buffer = bytes.empty() ? nullptr : bytes.data();
  return check(ANeuralNetworksExecution_setInput(execution, index, given, buffer, bytes.size()),
               fmt::format("setting input {}", index));
}

int wait_and_free(ANeuralNetworksEvent* event, int result) {
  if (result == ANEURALNETWORKS_NO_ERROR) result = ANeuralNetworksEvent_wait(event);
  ANeuralNetworksEvent_free(event);
  return result;
}

// Computes once and returns the result code.
int compute(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution* execution, Mode mode) {
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
      int result = ANeuralNetworksBurst_create(compilation, &burst);
      if (result == ANEURALNETWORKS_NO_ERROR) result = ANeuralNetworksExecution_burstCompute(execution, burst);
      ANeuralNetworksBurst_free(burst);
      return result;
    }
    default:
      return ANeuralNetworksExecution_compute(execution);
  }
}

// Checks a result code. Accepts OUTPUT_INSUFFICIENT_SIZE: the library reports the shape even if the output did not fit into its
// buffer.
Status check_reported(int code, std::string_view what) {
  return code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE ? Status() : check(code, what);
}

Result<std::vector<uint32_t>> reported_shape(ANeuralNetworksExecution* execution, int32_t index) {
  uint32_t rank = 0;
  TOOLS_TRY(check_reported(ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank), "getting an output's rank"));
  std::vector<uint32_t> shape(rank);
  if (rank > 0) {
    TOOLS_TRY(check_reported(ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, shape.data()),
                             "getting an output's shape"));
  }
  return shape;
}

size_t byte_count(int32_t type, std::span<const uint32_t> shape) {
  size_t count = element_size(type);
  for (const uint32_t d : shape) count *= d;
  return count;
}

// Makes an execution with the case's loop timeout. Inputs and outputs are not bound yet.
Result<ExecutionHandle> make_execution(const VectorCase& c, ANeuralNetworksCompilation* compilation, Mode mode) {
  ANeuralNetworksExecution* raw = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation, &raw), "creating an execution"));
  ExecutionHandle execution(raw);
  if (mode == Mode::kReusable) TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(raw, true), "making the execution reusable"));
  if (c.uses_operation(ANEURALNETWORKS_WHILE)) {
    const bool may_not_end = c.expect_failure && c.expected_code == 0;
    const uint64_t timeout = may_not_end ? kShortLoopTimeout : kLongLoopTimeout;
    TOOLS_TRY(check(ANeuralNetworksExecution_setLoopTimeout(raw, timeout), "setting the loop timeout"));
  }
  return execution;
}

// Binds guarded copies of the inputs and adds them to `copies`. If `copies` is null, binds the case's own bytes.
Status bind_inputs(ANeuralNetworksExecution* execution, const VectorCase& c, std::vector<GuardedBuffer>* copies) {
  for (size_t i = 0; i < c.main.inputs.size(); ++i) {
    const VectorOperand& operand = c.main.operands[c.main.inputs[i]];
    std::span<const uint8_t> bytes = operand.data;
    if (copies != nullptr && !bytes.empty()) bytes = copies->emplace_back(GuardedBuffer::input(bytes)).inside();
    TOOLS_TRY(bind_input(execution, static_cast<int32_t>(i), operand, bytes));
  }
  return {};
}

Status bind_outputs(ANeuralNetworksExecution* execution, std::vector<GuardedBuffer>& buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto bytes = buffers[i].inside();
    TOOLS_TRY(check(ANeuralNetworksExecution_setOutput(execution, static_cast<int32_t>(i), nullptr, bytes.data(), bytes.size()),
                    fmt::format("setting output {}", i)));
  }
  return {};
}

Result<CaseOutputs> read_outputs(ANeuralNetworksExecution* execution, const VectorCase& c, std::vector<GuardedBuffer>& buffers) {
  CaseOutputs outputs;
  for (size_t i = 0; i < buffers.size(); ++i) {
    CaseOutput output;
    TOOLS_ASSIGN(output.shape, reported_shape(execution, static_cast<int32_t>(i)));
    const size_t size = byte_count(c.main.operands[c.main.outputs[i]].type, output.shape);
    const auto inside = buffers[i].inside();
    output.bytes.assign(inside.begin(), inside.begin() + static_cast<ptrdiff_t>(std::min(size, inside.size())));
    output.guards_intact = buffers[i].intact();
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace

const char* mode_name(Mode mode) {
  constexpr const char* kNames[] = {"sync", "async", "burst", "fenced", "reusable", "mixed"};  // in the order of Mode
  return kNames[static_cast<size_t>(mode)];
}

Result<BuiltCase> build_case(const VectorCase& c) {
  BuiltCase built;
  TOOLS_TRY(build_referenced(c, built.referenced));
  TOOLS_TRY(build(c, c.main, built.referenced, built.main));
  return built;
}

Result<CompiledCase> CompiledCase::make(const VectorCase& c, const DeviceEntry& device) {
  CompiledCase result;
  TOOLS_ASSIGN(result.models_, build_case(c));
  const auto& model = *result.models_.main.builder;
  TOOLS_ASSIGN(const auto supported, supported_operations(model, std::span(&device.handle, 1)));
  if (const auto missing = std::ranges::find(supported, false); missing != supported.end()) {
    result.unsupported_ = operation_name(c.main.operations[static_cast<size_t>(missing - supported.begin())].code);
    return result;
  }
  ANeuralNetworksCompilation* raw = nullptr;
  TOOLS_TRY(check(ANeuralNetworksCompilation_createForDevices(model.model(), &device.handle, 1, &raw), "compiling"));
  result.compilation_.reset(raw);
  TOOLS_TRY(check(ANeuralNetworksCompilation_finish(raw), "compiling"));
  return result;
}

Result<std::vector<bool>> supported_operations(const VectorCase& c, const DeviceEntry& device) {
  TOOLS_ASSIGN(const BuiltCase built, build_case(c));
  return supported_operations(*built.main.builder, std::span(&device.handle, 1));
}

Result<std::vector<CaseOutputs>> CompiledCase::run(const VectorCase& c, Mode mode, int rounds) {
  std::vector<GuardedBuffer> buffers;
  for (const uint32_t index : c.main.outputs) {
    // A zero-sized result still needs a buffer.
    buffers.push_back(GuardedBuffer::output(std::max<size_t>(1, c.main.operands[index].data.size())));
  }
  std::vector<GuardedBuffer> inputs;
  std::vector<CaseOutputs> results;
  ExecutionHandle execution;
  for (int round = 0; round < rounds; ++round) {
    if (mode != Mode::kReusable || round == 0) {
      TOOLS_ASSIGN(execution, make_execution(c, compilation_.get(), mode));
      inputs.clear();
      TOOLS_TRY(bind_inputs(execution.get(), c, &inputs));
      TOOLS_TRY(bind_outputs(execution.get(), buffers));
    }
    for (auto& buffer : buffers) buffer.clear();
    TOOLS_TRY(check(compute(compilation_.get(), execution.get(), mode), "computing"));
    TOOLS_ASSIGN(auto outputs, read_outputs(execution.get(), c, buffers));
    results.push_back(std::move(outputs));
  }
  return results;
}

Result<CaseOutputs> CompiledCase::run_with_unknown_sizes(const VectorCase& c) {
  std::vector<size_t> sizes;
  for (const uint32_t index : c.main.outputs) {
    const auto& operand = c.main.operands[index];
    // A buffer for a scalar, or for a declared size, must have exactly that size.
    sizes.push_back(operand.is_open() ? kFirstGuess : byte_count(operand.type, operand.dimensions));
  }
  for (const bool last : {false, true}) {
    std::vector<GuardedBuffer> buffers;
    for (const size_t size : sizes) buffers.push_back(GuardedBuffer::output(size));
    for (auto& buffer : buffers) buffer.clear();
    TOOLS_ASSIGN(const auto execution, make_execution(c, compilation_.get(), Mode::kSync));
    TOOLS_TRY(bind_inputs(execution.get(), c, nullptr));
    TOOLS_TRY(bind_outputs(execution.get(), buffers));
    const int code = compute(compilation_.get(), execution.get(), Mode::kSync);
    if (code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE || last) {
      TOOLS_TRY(check(code, "computing"));
      return read_outputs(execution.get(), c, buffers);
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      TOOLS_ASSIGN(const auto shape, reported_shape(execution.get(), static_cast<int32_t>(i)));
      const auto& operand = c.main.operands[c.main.outputs[i]];
      if (is_tensor(operand.type)) sizes[i] = std::max<size_t>(1, byte_count(operand.type, shape));
      if (sizes[i] > kMostBytes) return fail(fmt::format("output {} wants {} bytes; no case is that large", i, sizes[i]));
    }
  }
  return fail("computing did not end");
}

}  // namespace nnvk::tools::conformance
