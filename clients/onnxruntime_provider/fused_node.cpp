#include "clients/onnxruntime_provider/fused_node.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "clients/onnxruntime_provider/context_node.h"
#include "importers/onnx/importer.h"
#include "importers/onnx/open_shapes.h"

namespace nnvk::clients::onnxruntime {
namespace {

std::map<std::string, size_t> places_of(const std::vector<std::string>& names) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.try_emplace(names[i], i);
  return places;
}

Result<size_t> place_of(const std::map<std::string, size_t>& places, const Value& value) {
  const auto found = places.find(value.name);
  if (found == places.end()) return fail("the fused node lacks the value '" + value.name + "' of its graph");
  return found->second;
}

Result<const OrtValue*> kernel_input(const OrtKernelContext* context, size_t place) {
  const OrtValue* value = nullptr;
  TOOLS_TRY(check(api().KernelContext_GetInput(context, place, &value), "reading an input"));
  if (value == nullptr) return fail("input " + std::to_string(place) + " has no value");
  return value;
}

Result<Dimensions> shape_of(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* made = nullptr;
  TOOLS_TRY(check(api().GetTensorTypeAndShape(value, &made), "reading an input's shape"));
  const ShapeHandle info(made);
  size_t rank = 0;
  TOOLS_TRY(check(api().GetDimensionsCount(made, &rank), "reading an input's shape"));
  Dimensions shape(rank, 0);
  if (rank > 0) TOOLS_TRY(check(api().GetDimensions(made, shape.data(), rank), "reading an input's shape"));
  return shape;
}

}  // namespace

FusedNode::FusedNode(const Options& options, const DeviceChoice& devices)
    : OrtNodeComputeInfo{}, options_(options), devices_(devices) {
  ort_version_supported = kRuntimeApiVersion;
  CreateState = [](OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) -> OrtStatus* {
    *state = self;  // runs share the node itself
    return nullptr;
  };
  Compute = [](OrtNodeComputeInfo* self, void*, OrtKernelContext* context) -> OrtStatus* {
    return guarded([&] { return static_cast<FusedNode*>(self)->compute(context); });
  };
  ReleaseState = [](OrtNodeComputeInfo*, void*) {};
}

Result<std::unique_ptr<FusedNode>> FusedNode::make(const OrtGraph* graph, const OrtNode* node, const Options& options,
                                                   const DeviceChoice& devices, OrtNode** context) {
  TOOLS_ASSIGN(LiveGraph live, read_graph(graph));
  std::unique_ptr<FusedNode> fused(new FusedNode(options, devices));
  TOOLS_TRY(fused->take_graph(std::move(live.graph)));
  if (context != nullptr) {
    const char* name = nullptr;
    TOOLS_TRY(check(api().Node_GetName(node, &name), "reading the fused node's name"));
    TOOLS_ASSIGN(*context, make_context_node(fused->graph_, name));
  }
  TOOLS_TRY(fused->place_ports(node));
  fused->has_known_shapes_ = !has_open_inputs(fused->graph_);
  if (fused->has_known_shapes_) {
    TOOLS_ASSIGN(fused->model_, compile_graph(fused->graph_, options, devices));
  }
  if (!fused->owns_constants_) TOOLS_TRY(fused->place_constants(node));
  return fused;
}

Result<std::unique_ptr<CompiledModel>> compile_graph(const Graph& graph, const Options& options, const DeviceChoice& devices) {
  TOOLS_ASSIGN(auto model, importers::onnx::import_graph(graph, import_options(options)));
  return CompiledModel::compile(std::move(model), options, devices);
}

Status FusedNode::take_graph(Graph graph) {
  owns_constants_ = graph.nodes.size() == 1 && is_context_node(graph.nodes[0]);
  if (!owns_constants_) {
    graph_ = std::move(graph);
    return {};
  }
  TOOLS_ASSIGN(graph_, graph_of(graph.nodes[0]));
  return {};
}

Status FusedNode::place_ports(const OrtNode* node) {
  const char* name = nullptr;
  TOOLS_TRY(check(api().Node_GetName(node, &name), "reading the fused node's name"));
  name_ = name;
  TOOLS_ASSIGN(const auto inputs, input_names(node));
  TOOLS_ASSIGN(const auto outputs, output_names(node));
  const auto input_places = places_of(inputs);
  const auto output_places = places_of(outputs);
  for (const int input : graph_.inputs) {
    TOOLS_ASSIGN(const size_t place, place_of(input_places, graph_.values[static_cast<size_t>(input)]));
    kernel_inputs_.push_back(place);
  }
  for (const int output : graph_.outputs) {
    TOOLS_ASSIGN(const size_t place, place_of(output_places, graph_.values[static_cast<size_t>(output)]));
    kernel_outputs_.push_back(place);
  }
  return {};
}

Status FusedNode::place_constants(const OrtNode* node) {
  TOOLS_ASSIGN(const auto inputs, input_names(node));
  const auto input_places = places_of(inputs);
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    if (!graph_.values[v].constant) continue;
    TOOLS_ASSIGN(const size_t place, place_of(input_places, graph_.values[v]));
    kernel_constants_.push_back({v, place, graph_.values[v].data});
    graph_.values[v].data = {};
  }
  return {};
}

Result<Graph> FusedNode::with_constants(Graph graph, const OrtKernelContext* context) const {
  for (const KernelConstant& constant : kernel_constants_) {
    TOOLS_ASSIGN(const OrtValue* const tensor, kernel_input(context, constant.place));
    TOOLS_ASSIGN(const Value read, read_tensor(tensor));
    graph.values[constant.value].data = read.data;
  }
  return graph;
}

// The compiled model refers to the bytes that constants had when the node was made. The runtime may move them when it finishes
// the session, but not later: the first run looks, and compiles again if it must.
Status FusedNode::follow_constants(const OrtKernelContext* context) {
  bool are_moved = false;
  for (const KernelConstant& constant : kernel_constants_) {
    if (constant.compiled_from.size() <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) continue;
    TOOLS_ASSIGN(const OrtValue* const tensor, kernel_input(context, constant.place));
    const void* data = nullptr;
    TOOLS_TRY(check(api().GetTensorData(tensor, &data), "reading a constant's values"));
    are_moved = are_moved || data != constant.compiled_from.data();
  }
  if (!are_moved) return {};
  model_ = nullptr;
  TOOLS_ASSIGN(const Graph graph, with_constants(graph_, context));
  TOOLS_ASSIGN(model_, compile_graph(graph, options_, devices_));
  return {};
}

std::shared_ptr<FusedNode::ShapedModel> FusedNode::entry_for(Shapes shapes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(shaped_, [&](const auto& entry) { return entry->shapes == shapes; });
  std::shared_ptr<ShapedModel> entry;
  if (found != shaped_.end()) {
    entry = *found;
    shaped_.erase(found);
  } else {
    entry = std::make_shared<ShapedModel>();
    entry->shapes = std::move(shapes);
    if (shaped_.size() == kMostShapes) shaped_.erase(shaped_.begin());
  }
  shaped_.push_back(entry);
  return entry;
}

Result<CompiledModel*> FusedNode::model_for(const OrtKernelContext* context, std::shared_ptr<ShapedModel>& keeps) {
  if (has_known_shapes_) {
    std::call_once(followed_, [&] { following_ = follow_constants(context); });
    if (!following_) return fail(following_.error().message);
    return model_.get();
  }
  Shapes shapes;
  for (const size_t place : kernel_inputs_) {
    TOOLS_ASSIGN(const OrtValue* const value, kernel_input(context, place));
    TOOLS_ASSIGN(Dimensions shape, shape_of(value));
    shapes.push_back(std::move(shape));
  }
  keeps = entry_for(std::move(shapes));
  const std::lock_guard lock(keeps->compiling);
  if (keeps->model != nullptr) return keeps->model.get();
  TOOLS_ASSIGN(Graph shaped, with_shapes(graph_, keeps->shapes));
  TOOLS_ASSIGN(const Graph closed, with_constants(std::move(shaped), context));
  TOOLS_ASSIGN(keeps->model, compile_graph(closed, options_, devices_));
  return keeps->model.get();
}

Status FusedNode::compute(OrtKernelContext* context) {
  const auto in_this_node = [&](Status status) -> Status {
    return status ? status : fail("nnvk, subgraph '" + name_ + "': " + status.error().message, status.error().code);
  };
  std::shared_ptr<ShapedModel> keeps;
  const Result<CompiledModel*> model = model_for(context, keeps);
  if (!model) return in_this_node(fail(model.error().message));
  return in_this_node(compute_with(**model, context));
}

Status FusedNode::compute_with(CompiledModel& model, OrtKernelContext* context) {
  std::vector<InputBytes> inputs(kernel_inputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    TOOLS_ASSIGN(const OrtValue* const value, kernel_input(context, kernel_inputs_[i]));
    TOOLS_TRY(check(api().GetTensorSizeInBytes(value, &inputs[i].size), "reading an input's size"));
    TOOLS_TRY(check(api().GetTensorData(value, &inputs[i].data), "reading an input's values"));
  }
  std::vector<void*> outputs(kernel_outputs_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Dimensions& shape = model.output_shapes()[i];
    OrtValue* value = nullptr;
    TOOLS_TRY(check(api().KernelContext_GetOutput(context, kernel_outputs_[i], shape.data(), shape.size(), &value),
                    "making an output"));
    TOOLS_TRY(check(api().GetTensorMutableData(value, &outputs[i]), "making an output"));
  }
  return model.compute(inputs, outputs);
}

}  // namespace nnvk::clients::onnxruntime
