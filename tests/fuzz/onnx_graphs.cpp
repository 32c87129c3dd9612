// The importer (importers/onnx) with graphs of known operators, whose inputs and attributes are arbitrary.
#include <array>
#include <string>

#include "importers/onnx/importer.h"
#include "importers/onnx/operator_call.h"
#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/surroundings.h"

namespace nnvk::fuzz {
namespace {

using namespace importers::onnx;

constexpr std::array kNames{"axis",           "axes",         "pads",       "strides",
                            "dilations",      "kernel_shape", "group",      "auto_pad",
                            "keepdims",       "perm",         "mode",       "alpha",
                            "blocksize",      "ceil_mode",    "to",         "hidden_size",
                            "epsilon",        "size",         "num_groups", "equation",
                            "output_shape",   "starts",       "ends",       "split",
                            "value",          "transA",       "transB",     "count_include_pad",
                            "output_padding", "direction",    "p",          "k"};
constexpr std::array kTexts{"SAME_UPPER", "SAME_LOWER", "VALID",        "constant",      "reflect", "edge", "linear",
                            "cubic",      "ij,jk->ik",  "...ij->...ji", "bidirectional", "reverse", "CRD",  "asymmetric"};
constexpr std::array kTypes{ElementType::kFloat, ElementType::kInt64, ElementType::kUint8,   ElementType::kInt8,
                            ElementType::kBool,  ElementType::kInt32, ElementType::kFloat16, ElementType::kDouble};

int64_t small(ByteSource& source) { return static_cast<int64_t>(source.below(12)) - 2; }

Attribute attribute(ByteSource& source) {
  Attribute result{.name = kNames[source.below(kNames.size())], .value = int64_t{0}};
  switch (source.below(5)) {
    case 0:
      result.value = small(source);
      break;
    case 1:
      result.value = static_cast<float>(small(source)) / 4;
      break;
    case 2:
      result.value = std::string(kTexts[source.below(kTexts.size())]);
      break;
    case 3:
      result.value = static_cast<int64_t>(static_cast<int32_t>(source.number()));
      break;
    default: {
      std::vector<int64_t> list(source.below(9));
      for (int64_t& element : list) element = small(source);
      result.value = std::move(list);
    }
  }
  return result;
}

// A value with any type and shape; constants get bytes of their own.
int add_value(ByteSource& source, Graph& graph, bool constant) {
  Value value;
  value.name = "v" + std::to_string(graph.values.size());
  value.type = kTypes[source.below(kTypes.size())];
  value.has_rank = true;
  const uint32_t rank = source.below(6);
  size_t elements = 1;
  for (uint32_t d = 0; d < rank; ++d) {
    const auto size = static_cast<int64_t>(source.below(7));
    value.dimensions.push_back(size == 6 && !constant ? -1 : size % 6);
    elements *= static_cast<size_t>(size % 6);
  }
  value.constant = constant;
  if (constant) {
    auto bytes = std::make_shared<std::vector<std::byte>>(elements * element_bits(value.type) / 8);
    for (size_t i = 0; i < bytes->size() && i < 64; ++i) (*bytes)[i] = static_cast<std::byte>(source.byte());
    value.data = *bytes;
    graph.storage.push_back(std::move(bytes));
  }
  graph.values.push_back(std::move(value));
  return static_cast<int>(graph.values.size() - 1);
}

Graph graph_of(ByteSource& source) {
  static const auto operators = known_operators();
  Graph graph;
  for (uint32_t i = 0; i <= source.below(3); ++i) graph.inputs.push_back(add_value(source, graph, false));
  const uint32_t nodes = 1 + source.below(4);
  for (uint32_t n = 0; n < nodes; ++n) {
    const OperatorRow& row = operators[source.byte() % operators.size()];
    Node node;
    node.domain = row.domain;
    node.op_type = row.name;
    node.opset = static_cast<int>(7 + source.below(17));
    node.where = "node " + std::to_string(n);
    for (uint32_t i = 0; i <= source.below(8); ++i) {
      const uint32_t kind = source.below(4);
      if (kind == 3)
        node.inputs.push_back(source.below(2) == 0 ? -1
                                                   : static_cast<int>(source.below(static_cast<uint32_t>(graph.values.size()))));
      if (kind == 2) node.inputs.push_back(add_value(source, graph, true));
      if (kind < 2) node.inputs.push_back(static_cast<int>(source.below(static_cast<uint32_t>(graph.values.size()))));
    }
    for (uint32_t i = 0; i < source.below(4); ++i) node.attributes.push_back(attribute(source));
    for (uint32_t i = 0; i <= source.below(3); ++i) {
      Value output;
      output.name = "o" + std::to_string(graph.values.size());
      graph.values.push_back(std::move(output));
      node.outputs.push_back(static_cast<int>(graph.values.size() - 1));
    }
    graph.outputs.push_back(node.outputs[0]);
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace

void run(std::span<const std::byte> input) {
  static const bool is_settled = (settle_surroundings(), true);
  require(is_settled, "the surroundings are settled");
  ByteSource source(input);
  const Graph graph = graph_of(source);
  const importers::ImportOptions options{.memory = uint64_t{64} << 20};
  const auto reasons = refusals(graph, options);
  require(reasons.size() == graph.nodes.size(), "every node is judged");
  const auto model = import_graph(graph, options);
  require(model || !model.error().message.empty(), "an error says something");
  if (model) require(model->operation_origins.size() == model->builder.operations().size(), "every operation comes from a node");
}

// One graph for each operator, with small inputs.
std::vector<Input> seeds() {
  std::vector<Input> all;
  for (size_t i = 0; i < known_operators().size(); ++i) {
    ByteSink sink;
    for (const size_t byte : {0, 0, 4, 1, 2, 4, 4, 0, 0}) sink.byte(byte);
    sink.byte(i);
    for (const size_t byte : {10, 2, 0, 0, 2, 0, 2, 3, 3}) sink.byte(byte);
    all.push_back(sink.take());
  }
  return all;
}

}  // namespace nnvk::fuzz
