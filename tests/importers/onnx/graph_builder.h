// Builds graphs for tests in few words, imports and runs them on the reference device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "importers/onnx/importer.h"
#include "tools/nnapi/session.h"
#include "tools/nnapi/values.h"

namespace nnvk::importers::onnx {

class GraphBuilder {
 public:
  explicit GraphBuilder(int opset = 17) : opset_(opset) {}

  int input(std::vector<int64_t> dimensions, ElementType type = ElementType::kFloat) {
    const int index = value(std::move(dimensions), type);
    graph_.inputs.push_back(index);
    return index;
  }
  template <class T>
  int constant(ElementType type, std::vector<int64_t> dimensions, std::vector<T> elements) {
    const int index = value(std::move(dimensions), type);
    auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
    graph_.values.back().constant = true;
    graph_.values.back().data = std::as_bytes(std::span(*owner));
    graph_.storage.push_back(std::move(owner));
    return index;
  }
  int floats(std::vector<int64_t> dimensions, std::vector<float> elements) {
    return constant(ElementType::kFloat, std::move(dimensions), std::move(elements));
  }
  int integers(std::vector<int64_t> elements) {
    const auto count = static_cast<int64_t>(elements.size());
    return constant(ElementType::kInt64, {count}, std::move(elements));
  }
  // Returns the first output.
  int node(const std::string& op_type, std::vector<int> inputs, std::vector<Attribute> attributes = {}, size_t outputs = 1,
           const std::string& domain = "") {
    Node node;
    node.op_type = op_type;
    node.domain = domain;
    node.opset = domain.empty() ? opset_ : 1;
    node.where = "node " + std::to_string(graph_.nodes.size()) + " (" + op_type + ")";
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (size_t i = 0; i < outputs; ++i) {
      graph_.values.emplace_back().name = "v" + std::to_string(graph_.values.size() - 1);
      node.outputs.push_back(static_cast<int>(graph_.values.size() - 1));
    }
    const int first = node.outputs[0];
    graph_.nodes.push_back(std::move(node));
    return first;
  }
  Graph take(std::vector<int> outputs) {
    graph_.outputs = std::move(outputs);
    return graph_;
  }
  Graph& graph() { return graph_; }

 private:
  int value(std::vector<int64_t> dimensions, ElementType type) {
    Value value;
    value.name = "v" + std::to_string(graph_.values.size());
    value.type = type;
    value.has_rank = true;
    value.dimensions = std::move(dimensions);
    graph_.values.push_back(std::move(value));
    return static_cast<int>(graph_.values.size() - 1);
  }

  int opset_;
  Graph graph_;
};

inline Attribute ints(std::string name, std::vector<int64_t> values) { return {std::move(name), std::move(values)}; }
inline Attribute integer(std::string name, int64_t value) { return {std::move(name), value}; }
inline Attribute text(std::string name, std::string value) { return {std::move(name), std::move(value)}; }

// The operations of an import, by NNAPI's names; the error's text if it fails.
inline std::vector<std::string> operations_of(const Graph& graph) {
  const auto model = import_graph(graph, {});
  if (!model) return {model.error().message};
  std::vector<std::string> names;
  for (const auto& operation : model->builder.operations()) names.push_back(tools::operation_name(operation.code));
  return names;
}

// The error of an import; "" if it succeeds.
inline std::string error_of(const Graph& graph, const ImportOptions& options = {}) {
  const auto model = import_graph(graph, options);
  return model ? "" : model.error().message;
}

// The first output as real numbers, for inputs of real numbers.
inline std::vector<float> run(const Graph& graph, const std::vector<std::vector<float>>& inputs) {
  const auto model = import_graph(graph, {});
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  const auto device = tools::find_device("nnapi-reference");
  auto session = tools::Session::compile(model->builder, {&*device, 1}, model->operation_origins);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return {};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::ranges::copy(tools::encode(inputs[i], model->inputs[i].info), session->input(i).begin());
  }
  const auto seconds = session->run();
  if (!seconds) {
    ADD_FAILURE() << seconds.error().message;
    return {};
  }
  return tools::decode(session->output(0), model->outputs[0].info);
}

}  // namespace nnvk::importers::onnx
