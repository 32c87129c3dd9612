#include "clients/onnxruntime_provider/context_node.h"

#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "clients/onnxruntime_provider/graph_bytes.h"
#include "clients/onnxruntime_provider/options.h"

namespace nnvk::clients::onnxruntime {
namespace {

// Names of ONNX Runtime's design of EPContext nodes.
constexpr const char* kOperator = "EPContext";
constexpr const char* kDomain = "com.microsoft";
constexpr const char* kSource = "source";
constexpr const char* kContent = "ep_cache_context";

Result<AttributeHandle> text_attribute(const char* name, const std::string& text) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return fail("a subgraph of " + std::to_string(text.size()) + " bytes fits no EPContext node");
  }
  OrtOpAttr* made = nullptr;
  TOOLS_TRY(check(api().CreateOpAttr(name, text.data(), static_cast<int>(text.size()), ORT_OP_ATTR_STRING, &made),
                  "making an EPContext node"));
  return AttributeHandle(made);
}

Result<AttributeHandle> number_attribute(const char* name, int64_t number) {
  OrtOpAttr* made = nullptr;
  TOOLS_TRY(check(api().CreateOpAttr(name, &number, 1, ORT_OP_ATTR_INT, &made), "making an EPContext node"));
  return AttributeHandle(made);
}

const std::string* text_of(const Node& node, const char* name) {
  for (const importers::onnx::Attribute& attribute : node.attributes) {
    if (attribute.name == name) return std::get_if<std::string>(&attribute.value);
  }
  return nullptr;
}

std::vector<const char*> names_of(const Graph& graph, const std::vector<int>& values) {
  std::vector<const char*> names;
  for (const int value : values) names.push_back(graph.values[static_cast<size_t>(value)].name.c_str());
  return names;
}

}  // namespace

bool is_context_node(const Node& node) {
  const std::string* const source = text_of(node, kSource);
  return node.op_type == kOperator && node.domain == kDomain && source != nullptr && *source == kProviderName;
}

Result<OrtNode*> make_context_node(const Graph& graph, const std::string& name) {
  std::vector<AttributeHandle> owned(5);
  TOOLS_ASSIGN(owned[0], number_attribute("main_context", 1));
  TOOLS_ASSIGN(owned[1], number_attribute("embed_mode", 1));
  TOOLS_ASSIGN(owned[2], text_attribute(kSource, kProviderName));
  TOOLS_ASSIGN(owned[3], text_attribute("partition_name", name));
  TOOLS_ASSIGN(owned[4], text_attribute(kContent, to_bytes(graph)));
  std::vector<OrtOpAttr*> attributes;
  for (const AttributeHandle& attribute : owned) attributes.push_back(attribute.get());
  const auto inputs = names_of(graph, graph.inputs);
  const auto outputs = names_of(graph, graph.outputs);
  const OrtModelEditorApi* const editor = api().GetModelEditorApi();
  if (editor == nullptr) return fail("this build of ONNX Runtime makes no EPContext models");
  OrtNode* node = nullptr;
  TOOLS_TRY(check(editor->CreateNode(kOperator, kDomain, name.c_str(), inputs.data(), inputs.size(), outputs.data(),
                                     outputs.size(), attributes.data(), attributes.size(), &node),
                  "making an EPContext node"));
  for (AttributeHandle& attribute : owned) (void)attribute.release();  // the node owns them now
  return node;
}

Result<Graph> graph_of(const Node& context_node) {
  const std::string* const content = text_of(context_node, kContent);
  if (content == nullptr) return fail(context_node.where + " has no attribute " + kContent);
  return graph_from(std::make_shared<const std::string>(*content));
}

}  // namespace nnvk::clients::onnxruntime
