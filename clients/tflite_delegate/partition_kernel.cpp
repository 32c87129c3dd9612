#include "clients/tflite_delegate/partition_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "clients/tflite_delegate/live_graph.h"
#include "clients/tflite_delegate/partition_model.h"
#include "clients/tflite_delegate/state_values.h"
#include "importers/edges.h"

namespace nnvk::clients::tflite {
namespace {

// Shapes that stay compiled: an application that alternates between sizes compiles each of them once.
constexpr size_t kMostShapes = 8;

// Allocates the array with malloc, because the TensorFlow Lite runtime takes ownership and frees it as it frees its own arrays.
// Returns null without memory.
TfLiteIntArray* make_shape(const std::vector<int64_t>& dimensions) {
  auto* array = static_cast<TfLiteIntArray*>(std::malloc(sizeof(TfLiteIntArray) + dimensions.size() * sizeof(int)));
  if (array == nullptr) return nullptr;
  array->size = static_cast<int>(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) array->data[i] = static_cast<int>(dimensions[i]);
  return array;
}

std::span<const float> as_floats(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}
std::span<float> as_floats(std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

PartitionKernel::PartitionKernel(importers::tflite::Graph graph, ShapePropagation propagation, const PluginOptions& options,
                                 const DeviceChoice& devices)
    : graph_(std::move(graph)), propagation_(std::move(propagation)), options_(options), devices_(devices) {
  std::set<int> used;
  for (const Operator& op : graph_.operators) {
    used.insert(op.inputs.begin(), op.inputs.end());
    used.insert(op.outputs.begin(), op.outputs.end());
  }
  for (const int index : used) {
    if (index >= 0 && !graph_.tensors[static_cast<size_t>(index)].constant()) used_.push_back(index);
  }
}

Result<std::unique_ptr<PartitionKernel>> PartitionKernel::make(TfLiteContext& context, const TfLiteDelegateParams& params,
                                                               const PluginOptions& options, const DeviceChoice& devices) {
  TOOLS_ASSIGN(LiveGraph live, read_nodes(context, indexes(params.nodes_to_replace)));
  for (const auto& refusal : live.refusals) {
    if (refusal) return fail(*refusal);
  }
  live.graph.inputs = runtime_inputs(live.graph, indexes(params.input_tensors));
  const auto outputs = indexes(params.output_tensors);
  live.graph.outputs.assign(outputs.begin(), outputs.end());
  TOOLS_ASSIGN(ShapePropagation propagation, ShapePropagation::make(context, live.nodes));
  return std::unique_ptr<PartitionKernel>(new PartitionKernel(std::move(live.graph), std::move(propagation), options, devices));
}

Status PartitionKernel::read_shapes(const TfLiteContext& context) {
  for (const int index : used_) {
    TOOLS_ASSIGN(Tensor tensor, read_tensor(context, index));
    graph_.tensors[static_cast<size_t>(index)] = std::move(tensor);
  }
  return {};
}

Result<PartitionKernel::ShapedModel> PartitionKernel::compile() {
  TOOLS_ASSIGN(importers::ImportedModel imported, import_partition(graph_, options_));
  ShapedModel shaped;
  TOOLS_ASSIGN(shaped.model, CompiledModel::compile(std::move(imported), options_, devices_));
  for (const importers::StatePort& ports : shaped.model->states()) {
    const importers::OperandInfo& info = shaped.model->inputs()[ports.input].info;
    State state{.tensor = ports.variable, .ports = ports, .converts = false, .input = {}, .output = {}};
    state.converts = !is_same_state(graph_.tensors[static_cast<size_t>(ports.variable)], info);
    if (state.converts) state.input.resize(info.bytes());
    state.output.resize(shaped.model->outputs()[ports.output].info.bytes());
    shaped.states.push_back(std::move(state));
  }
  return shaped;
}

PartitionKernel::Shapes PartitionKernel::shapes_of(const std::vector<int>& tensors) const {
  Shapes shapes;
  for (const int index : tensors) shapes.push_back(graph_.tensors[static_cast<size_t>(index)].dimensions);
  return shapes;
}

Status PartitionKernel::find_or_compile() {
  Shapes shapes = shapes_of(used_);
  const auto known = std::ranges::find(shaped_, shapes, &ShapedModel::shapes);
  if (known != shaped_.end()) {
    std::rotate(known, known + 1, shaped_.end());
    return {};
  }
  TOOLS_ASSIGN(ShapedModel made, compile());
  made.shapes = std::move(shapes);
  if (shaped_.size() == kMostShapes) shaped_.erase(shaped_.begin());
  shaped_.push_back(std::move(made));
  return {};
}

Status PartitionKernel::prepare(TfLiteContext& context) {
  TOOLS_TRY(read_shapes(context));
  Shapes shapes = shapes_of(graph_.inputs);
  if (input_shapes_ != shapes) {
    const bool is_first = !input_shapes_;
    Status propagated = propagation_.run(context);
    // At first, the shapes inside are the file's, which are usually right: nnvk also takes operators that the runtime lacks.
    if (!propagated && !is_first) return propagated;
    TOOLS_TRY(read_shapes(context));
    input_shapes_ = std::move(shapes);
  }
  TOOLS_TRY(find_or_compile());
  return resize_outputs(context, shaped_.back());
}

Status PartitionKernel::resize_outputs(TfLiteContext& context, const ShapedModel& shaped) const {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    TfLiteTensor& tensor = context.tensors[graph_.outputs[i]];
    const std::vector<int64_t> shape = framework_shape(shaped.model->outputs()[i]);
    if (std::ranges::equal(indexes(tensor.dims), shape)) continue;
    TfLiteIntArray* const size = make_shape(shape);
    if (size == nullptr || context.ResizeTensor(&context, &tensor, size) != kTfLiteOk) {
      return fail(fmt::format("TensorFlow Lite cannot resize tensor {}", graph_.outputs[i]));
    }
  }
  return {};
}

Status PartitionKernel::read_states(const TfLiteContext& context, ShapedModel& shaped) const {
  for (State& state : shaped.states) {
    const TfLiteTensor& tensor = context.tensors[state.tensor];
    if (tensor.data.raw == nullptr) return fail(fmt::format("the state in tensor {} has no memory", state.tensor));
    if (!state.converts) continue;
    TOOLS_TRY(read_state(graph_.tensors[static_cast<size_t>(state.tensor)],
                         {reinterpret_cast<const uint8_t*>(tensor.data.raw), tensor.bytes}, as_floats(state.input)));
  }
  return {};
}

Status PartitionKernel::write_states(TfLiteContext& context, const ShapedModel& shaped) const {
  for (const State& state : shaped.states) {
    TfLiteTensor& tensor = context.tensors[state.tensor];
    if (state.converts) {
      TOOLS_TRY(write_state(graph_.tensors[static_cast<size_t>(state.tensor)], as_floats(state.output),
                            {reinterpret_cast<uint8_t*>(tensor.data.raw), tensor.bytes}));
    } else {
      std::memcpy(tensor.data.raw, state.output.data(), std::min(tensor.bytes, state.output.size()));
    }
  }
  return {};
}

Status PartitionKernel::invoke(TfLiteContext& context) {
  if (shaped_.empty()) return fail("the partition was not prepared");
  ShapedModel& shaped = shaped_.back();
  TOOLS_TRY(read_states(context, shaped));
  std::vector<InputBytes> inputs(shaped.model->inputs().size());
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const TfLiteTensor& tensor = context.tensors[graph_.inputs[i]];
    inputs[i] = {tensor.data.raw, tensor.bytes};
  }
  std::vector<void*> outputs(shaped.model->outputs().size());
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const TfLiteTensor& tensor = context.tensors[graph_.outputs[i]];
    const importers::Port& port = shaped.model->outputs()[i];
    if (tensor.data.raw == nullptr || tensor.bytes != framework_bytes(port)) {
      return fail(fmt::format("output '{}' has {} bytes of memory instead of {}", port.name,
                              tensor.data.raw == nullptr ? 0 : tensor.bytes, framework_bytes(port)));
    }
    outputs[i] = tensor.data.raw;
  }
  for (State& state : shaped.states) {
    const TfLiteTensor& tensor = context.tensors[state.tensor];
    const size_t bytes = shaped.model->inputs()[state.ports.input].info.bytes();
    inputs[state.ports.input] =
        state.converts ? InputBytes{state.input.data(), bytes} : InputBytes{tensor.data.raw, tensor.bytes};
    outputs[state.ports.output] = state.output.data();
  }
  TOOLS_TRY(shaped.model->compute(inputs, outputs));
  return write_states(context, shaped);
}

}  // namespace nnvk::clients::tflite
