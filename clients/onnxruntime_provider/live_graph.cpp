#include "clients/onnxruntime_provider/live_graph.h"

#include <cstring>
#include <memory>
#include <utility>

#include "clients/onnxruntime_provider/live_attributes.h"

namespace nnvk::clients::onnxruntime {
namespace {

struct ReleaseTypeInfo {
  void operator()(OrtTypeInfo* info) const { api().ReleaseTypeInfo(info); }
};

// Calls a pair of functions, one for the number and one for the elements.
template <class Element, class Object>
Result<std::vector<const Element*>> list(const Object* object,
                                         OrtStatus*(ORT_API_CALL* count)(const Object*, size_t*)NO_EXCEPTION,
                                         OrtStatus*(ORT_API_CALL* get)(const Object*, const Element**, size_t)NO_EXCEPTION,
                                         const char* what) {
  size_t number = 0;
  TOOLS_TRY(check(count(object, &number), what));
  std::vector<const Element*> elements(number, nullptr);
  if (number > 0) TOOLS_TRY(check(get(object, elements.data(), number), what));
  return elements;
}

Status read_shape(const OrtTensorTypeAndShapeInfo* info, Value& value) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  TOOLS_TRY(check(api().GetTensorElementType(info, &type), "reading an element type"));
  value.type = static_cast<importers::onnx::ElementType>(type);  // both have the numbers of ONNX, up to INT4
  size_t rank = 0;
  TOOLS_TRY(check(api().GetDimensionsCount(info, &rank), "reading a rank"));
  value.dimensions.assign(rank, -1);
  value.has_rank = true;
  if (rank > 0) TOOLS_TRY(check(api().GetDimensions(info, value.dimensions.data(), rank), "reading dimensions"));
  return {};
}

// Sets the type of `value` as far as the runtime knows it.
Status read_type(const OrtValueInfo* info, Value& value) {
  const OrtTypeInfo* type = nullptr;  // belongs to the value
  TOOLS_TRY(check(api().GetValueInfoTypeInfo(info, &type), "reading a value's type"));
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  if (type != nullptr) TOOLS_TRY(check(api().GetOnnxTypeFromTypeInfo(type, &kind), "reading a value's type"));
  if (kind != ONNX_TYPE_TENSOR) return {};
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  TOOLS_TRY(check(api().CastTypeInfoToTensorInfo(type, &tensor), "reading a value's type"));
  if (tensor == nullptr) return {};
  TOOLS_TRY(read_shape(tensor, value));
  value.has_rank = !value.dimensions.empty();  // this version of the interface cannot tell a scalar from an unknown rank
  return {};
}

class Reader {
 public:
  Result<LiveGraph> read(const OrtGraph* graph) {
    TOOLS_TRY(read_operator_sets(graph));
    TOOLS_ASSIGN(const auto inputs,
                 (list<OrtValueInfo>(graph, api().Graph_GetNumInputs, api().Graph_GetInputs, "reading inputs")));
    for (const OrtValueInfo* const input : inputs) {
      TOOLS_ASSIGN(const int index, value_index(input));
      if (index < 0) continue;
      Value& value = live_.graph.values[static_cast<size_t>(index)];
      if (value.constant) continue;
      value.has_rank = true;  // an input without dimensions is a scalar
      live_.graph.inputs.push_back(index);
    }
    TOOLS_ASSIGN(live_.nodes, (list<OrtNode>(graph, api().Graph_GetNumNodes, api().Graph_GetNodes, "reading nodes")));
    for (const OrtNode* const node : live_.nodes) TOOLS_TRY(read_node(node));
    TOOLS_ASSIGN(const auto outputs,
                 (list<OrtValueInfo>(graph, api().Graph_GetNumOutputs, api().Graph_GetOutputs, "reading outputs")));
    for (const OrtValueInfo* const output : outputs) {
      TOOLS_ASSIGN(const int index, value_index(output));
      if (index >= 0) live_.graph.outputs.push_back(index);
    }
    return std::move(live_);
  }

 private:
  Status read_operator_sets(const OrtGraph* graph) {
    size_t number = 0;
    TOOLS_TRY(check(api().Graph_GetNumOperatorSets(graph, &number), "reading operator sets"));
    std::vector<const char*> domains(number, nullptr);
    std::vector<int64_t> versions(number, 0);
    TOOLS_TRY(check(api().Graph_GetOperatorSets(graph, domains.data(), versions.data(), number), "reading operator sets"));
    for (size_t i = 0; i < number; ++i) operator_sets_[domain_name(domains[i])] = static_cast<int>(versions[i]);
    return {};
  }

  static std::string domain_name(const char* domain) {
    return domain == nullptr || std::strcmp(domain, "ai.onnx") == 0 ? "" : domain;
  }

  // Returns the index of a value, which the function reads when it first meets it; -1 for an omitted value.
  Result<int> value_index(const OrtValueInfo* info) {
    if (info == nullptr) return -1;
    const char* name = nullptr;
    TOOLS_TRY(check(api().GetValueInfoName(info, &name), "reading a value's name"));
    if (name == nullptr || *name == '\0') return -1;
    const auto [entry, is_new] = index_of_.try_emplace(name, static_cast<int>(live_.graph.values.size()));
    if (!is_new) return entry->second;
    Value value;
    value.name = name;
    TOOLS_TRY(read_type(info, value));
    TOOLS_TRY(read_constant(info, value));
    live_.graph.values.push_back(std::move(value));
    return entry->second;
  }

  static Status read_constant(const OrtValueInfo* info, Value& value) {
    bool is_constant = false;
    TOOLS_TRY(check(api().ValueInfo_IsConstantInitializer(info, &is_constant), "reading an initializer"));
    if (!is_constant || value.type == importers::onnx::ElementType::kString) return {};
    const OrtValue* tensor = nullptr;
    TOOLS_TRY(check(api().ValueInfo_GetInitializerValue(info, &tensor), "reading an initializer"));
    if (tensor == nullptr) return {};
    TOOLS_ASSIGN(const Value read, read_tensor(tensor));
    value.type = read.type;
    value.has_rank = true;
    value.dimensions = read.dimensions;
    value.constant = true;
    value.data = read.data;
    return {};
  }

  Status read_node(const OrtNode* runtime_node) {
    Node node;
    const char* text = nullptr;
    TOOLS_TRY(check(api().Node_GetName(runtime_node, &text), "reading a node's name"));
    node.name = text;
    TOOLS_TRY(check(api().Node_GetOperatorType(runtime_node, &text), "reading a node's operator"));
    node.op_type = text;
    TOOLS_TRY(check(api().Node_GetDomain(runtime_node, &text), "reading a node's domain"));
    node.domain = domain_name(text);
    const auto version = operator_sets_.find(node.domain);
    if (version != operator_sets_.end()) {
      node.opset = version->second;
    } else {
      TOOLS_TRY(check(api().Node_GetSinceVersion(runtime_node, &node.opset), "reading a node's version"));
    }
    node.where = "node " + std::to_string(live_.graph.nodes.size()) + (node.name.empty() ? "" : " '" + node.name + "'") + " (" +
                 node.op_type + ")";
    TOOLS_ASSIGN(const auto inputs,
                 (list<OrtValueInfo>(runtime_node, api().Node_GetNumInputs, api().Node_GetInputs, "reading a node's inputs")));
    for (const OrtValueInfo* const input : inputs) {
      TOOLS_ASSIGN(const int index, value_index(input));
      node.inputs.push_back(index);
    }
    TOOLS_ASSIGN(const auto outputs,
                 (list<OrtValueInfo>(runtime_node, api().Node_GetNumOutputs, api().Node_GetOutputs, "reading a node's outputs")));
    for (const OrtValueInfo* const output : outputs) {
      TOOLS_ASSIGN(const int index, value_index(output));
      node.outputs.push_back(index);
    }
    size_t subgraphs = 0;
    TOOLS_TRY(check(api().Node_GetNumSubgraphs(runtime_node, &subgraphs), "reading a node's subgraphs"));
    node.has_subgraphs = subgraphs > 0;
    TOOLS_TRY(read_attributes(runtime_node, node, live_.graph));
    live_.graph.nodes.push_back(std::move(node));
    return {};
  }

  LiveGraph live_;
  std::map<std::string, int> operator_sets_;
  std::map<std::string, int> index_of_;
};

template <auto Count, auto Get>
Result<std::vector<std::string>> names_of(const OrtNode* node, const char* what) {
  TOOLS_ASSIGN(const auto values, (list<OrtValueInfo>(node, api().*Count, api().*Get, what)));
  std::vector<std::string> names;
  for (const OrtValueInfo* const value : values) {
    const char* name = nullptr;
    if (value != nullptr) TOOLS_TRY(check(api().GetValueInfoName(value, &name), what));
    names.emplace_back(name == nullptr ? "" : name);
  }
  return names;
}

}  // namespace

Result<LiveGraph> read_graph(const OrtGraph* graph) { return Reader().read(graph); }

Result<std::vector<std::string>> input_names(const OrtNode* node) {
  return names_of<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(node, "reading a node's inputs");
}

Result<std::vector<std::string>> output_names(const OrtNode* node) {
  return names_of<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(node, "reading a node's outputs");
}

Result<Value> read_tensor(const OrtValue* tensor) {
  Value value;
  OrtTensorTypeAndShapeInfo* made = nullptr;
  TOOLS_TRY(check(api().GetTensorTypeAndShape(tensor, &made), "reading a tensor's shape"));
  const ShapeHandle info(made);
  TOOLS_TRY(read_shape(info.get(), value));
  value.constant = true;
  if (value.type == importers::onnx::ElementType::kString) return value;  // its elements are no bytes
  size_t bytes = 0;
  const void* data = nullptr;
  TOOLS_TRY(check(api().GetTensorSizeInBytes(tensor, &bytes), "reading a tensor's size"));
  if (bytes > 0) TOOLS_TRY(check(api().GetTensorData(tensor, &data), "reading a tensor's values"));
  value.data = {static_cast<const std::byte*>(data), bytes};
  return value;
}

}  // namespace nnvk::clients::onnxruntime
