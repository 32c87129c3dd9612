// Compiling, binding of memory, and computing.
#include "python/compiled_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "importers/cache_token.h"
#include "importers/edges.h"
#include "tools/nnapi/session.h"

namespace nnvk::python {
namespace {

// The size of the first buffer of an output of unknown shape. The system gives no memory to pages that nobody writes.
constexpr uint64_t kFirstBytes = uint64_t{1} << 20;
// The most attempts at a computation whose outputs do not fit. Each time at least one output learns its size.
constexpr int kMostAttempts = 16;

bool is_known(const Port& port) { return !port.info.dimensions.empty() && port.info.elements() > 0; }

// The type that a run gives an operand: the model's, with the sizes of the run.
class SizedType {
 public:
  SizedType(const Port& port, const std::vector<int64_t>& shape) {
    for (const int64_t size : shape) dimensions_.push_back(static_cast<uint32_t>(size));
    if (port.scalar) dimensions_ = {1};
    type_ = {.type = port.info.type,
             .dimensionCount = static_cast<uint32_t>(dimensions_.size()),
             .dimensions = dimensions_.data(),
             .scale = port.info.scale,
             .zeroPoint = port.info.zero_point};
  }
  SizedType(const SizedType&) = delete;
  SizedType& operator=(const SizedType&) = delete;
  const ANeuralNetworksOperandType* get() const { return &type_; }

 private:
  std::vector<uint32_t> dimensions_;
  ANeuralNetworksOperandType type_{};
};

// Returns how many bytes an operand of this port takes with these sizes, as NNAPI holds it.
uint64_t operand_bytes(const Port& port, const std::vector<int64_t>& shape) {
  importers::OperandInfo sized = port.info;
  sized.dimensions.assign(shape.begin(), shape.end());
  if (port.scalar) sized.dimensions = {1};
  return sized.bytes();
}

}  // namespace

Result<std::shared_ptr<const CompiledShapes>> CompiledShapes::compile(ImportedModel model, const LoadOptions& options) {
  tools::CompileSettings settings{.caching = {}, .priority = options.priority};
  if (!options.cache_folder.empty()) {
    std::vector<tools::DeviceEntry> devices = options.devices;
    if (devices.empty()) {
      TOOLS_ASSIGN(devices, tools::list_devices());
    }
    settings.caching = {options.cache_folder, importers::cache_token(model, options.relaxed, devices, options.devices.empty())};
  }
  std::shared_ptr<CompiledShapes> compiled(new CompiledShapes(std::move(model)));
  compiled->may_have_fences_ = options.devices.size() != 1 || options.devices[0].name != "nnapi-reference";
  TOOLS_ASSIGN(compiled->compilation_,
               tools::compile_for(compiled->model_.builder, options.devices, compiled->model_.operation_origins, settings));
  return std::shared_ptr<const CompiledShapes>(std::move(compiled));
}

Result<std::string> CompiledShapes::describe() const {
  char* json = nullptr;
  TOOLS_TRY(tools::check(nnvk_describeCompilation(compilation_.get(), &json), "describing the compilation"));
  return tools::take_json(json);
}

uint64_t CompiledShapes::expected_bytes(size_t output) const {
  const std::lock_guard lock(mutex_);
  const auto found = expected_bytes_.find(output);
  return found == expected_bytes_.end() ? kFirstBytes : found->second;
}

void CompiledShapes::remember_bytes(size_t output, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  uint64_t& expected = expected_bytes_[output];
  expected = std::max({expected, bytes, kFirstBytes});
}

Status Run::take_inputs(std::vector<InputMemory> inputs) {
  const auto& ports = compiled_->model().inputs;
  inputs_ = std::move(inputs);
  narrow_inputs_.resize(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!ports[i].wide) continue;
    std::vector<int32_t>& to = narrow_inputs_[i];
    to.resize(operand_bytes(ports[i], inputs_[i].shape) / sizeof(int32_t));
    const Status fits = narrow(ports[i], {static_cast<const int64_t*>(inputs_[i].data), to.size()}, to);
    if (!fits) return fail(fits.error().message + ". Give it smaller values");
  }
  outputs_.clear();
  for (size_t i = 0; i < compiled_->model().outputs.size(); ++i) {
    const Port& port = compiled_->model().outputs[i];
    OutputMemory& output = outputs_.emplace_back();
    if (is_known(port)) output.shape = framework_shape(port);
    output.bytes = AlignedBytes::make(is_known(port) ? port.info.bytes() : compiled_->expected_bytes(i));
  }
  return {};
}

Status Run::bind_input(size_t index) {
  const Port& port = compiled_->model().inputs[index];
  const SizedType sized(port, inputs_[index].shape);
  const void* const data = port.wide ? narrow_inputs_[index].data() : inputs_[index].data;
  return tools::check(
      ANeuralNetworksExecution_setInput(execution_.get(), static_cast<int32_t>(index), is_known(port) ? nullptr : sized.get(),
                                        data, operand_bytes(port, inputs_[index].shape)),
      fmt::format("binding input '{}'", port.name));
}

Status Run::bind_output(size_t index) {
  const AlignedBytes& bytes = outputs_[index].bytes;
  return tools::check(
      ANeuralNetworksExecution_setOutput(execution_.get(), static_cast<int32_t>(index), nullptr, bytes.data.get(), bytes.size),
      fmt::format("binding output '{}'", compiled_->model().outputs[index].name));
}

Status Run::bind() {
  ANeuralNetworksExecution* made = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_create(compiled_->compilation(), &made), "creating an execution"));
  execution_.reset(made);
  if (is_profiling_) TOOLS_TRY(tools::check(nnvk_enableProfiling(made, true), "switching profiling on"));
  for (size_t i = 0; i < inputs_.size(); ++i) TOOLS_TRY(bind_input(i));
  for (size_t i = 0; i < outputs_.size(); ++i) TOOLS_TRY(bind_output(i));
  return {};
}

Status Run::with_origin(const Status& status) const {
  if (status) return status;
  return tl::unexpected<Error>(tools::with_origin(status.error(), compiled_->model().operation_origins));
}

Result<bool> Run::read_shapes() {
  bool is_short = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Port& port = compiled_->model().outputs[i];
    if (is_known(port)) continue;
    uint32_t rank = 0;
    const auto index = static_cast<int32_t>(i);
    const auto checked = [&](int result) {
      if (result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) return Status();
      return tools::check(result, fmt::format("asking for the shape of output '{}'", port.name));
    };
    TOOLS_TRY(checked(ANeuralNetworksExecution_getOutputOperandRank(execution_.get(), index, &rank)));
    std::vector<uint32_t> sizes(rank);
    if (rank > 0) TOOLS_TRY(checked(ANeuralNetworksExecution_getOutputOperandDimensions(execution_.get(), index, sizes.data())));
    outputs_[i].shape.assign(sizes.begin(), sizes.end());
    const uint64_t needed = operand_bytes(port, outputs_[i].shape);
    if (port.scalar) outputs_[i].shape.clear();
    compiled_->remember_bytes(i, needed);
    if (needed <= outputs_[i].bytes.size) continue;
    is_short = true;
    outputs_[i].bytes = AlignedBytes::make(needed);
  }
  return is_short;
}

void Run::give_back_memory() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const uint64_t needed = operand_bytes(compiled_->model().outputs[i], outputs_[i].shape);
    if (needed > outputs_[i].bytes.size / 2) continue;
    const AlignedBytes exact = AlignedBytes::make(needed);
    std::memcpy(exact.data.get(), outputs_[i].bytes.data.get(), needed);
    outputs_[i].bytes = exact;
  }
}

Status Run::compute() {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    TOOLS_TRY(bind());
    const int code = ANeuralNetworksExecution_compute(execution_.get());
    Status computed = with_origin(tools::check(code, "running the model"));
    if (!computed && code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) return computed;
    TOOLS_ASSIGN(const bool is_short, read_shapes());
    if (computed) {
      give_back_memory();
      return {};
    }
    if (!is_short) return computed;
  }
  return fail("the outputs of the model change their shapes with every run; nnvk cannot give them memory");
}

Result<tools::EventHandle> Run::start(std::span<const ANeuralNetworksEvent* const> dependencies) {
  for (const Port& port : compiled_->model().outputs) {
    if (is_known(port)) continue;
    return fail(
        fmt::format("output '{}' has a shape that only a run finds out, and such outputs have no fence; call run() in a "
                    "thread of your own",
                    port.name));
  }
  TOOLS_TRY(bind());
  ANeuralNetworksEvent* event = nullptr;
  TOOLS_TRY(
      with_origin(tools::check(ANeuralNetworksExecution_startComputeWithDependencies(
                                   execution_.get(), dependencies.data(), static_cast<uint32_t>(dependencies.size()), 0, &event),
                               "starting the model")));
  return tools::EventHandle(event);
}

Status Run::wait(ANeuralNetworksEvent* event) const {
  return with_origin(tools::check(ANeuralNetworksEvent_wait(event), "running the model"));
}

Result<std::string> Run::describe() const {
  char* json = nullptr;
  TOOLS_TRY(tools::check(nnvk_describeExecution(execution_.get(), &json), "describing the execution"));
  return tools::take_json(json);
}

}  // namespace nnvk::python
