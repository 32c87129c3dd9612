// Small graphs for tests of the parts that need no runtime.
#pragma once

#include <string>
#include <vector>

#include "importers/onnx/graph.h"

namespace nnvk::test {

// A graph of FLOAT values, and of others where an input or constant says so. Nodes may name values before anything makes them.
class GraphMaker {
 public:
  using Type = importers::onnx::ElementType;

  GraphMaker& input(const std::string& name, std::vector<int64_t> shape, Type type = Type::kFloat) {
    graph_.inputs.push_back(value(name));
    graph_.values[static_cast<size_t>(graph_.inputs.back())].type = type;
    shape_of(graph_.inputs.back(), std::move(shape));
    return *this;
  }
  template <class Element = float>
  GraphMaker& constant(const std::string& name, std::vector<int64_t> shape, std::vector<Element> values,
                       Type type = Type::kFloat) {
    const int index = value(name);
    shape_of(index, std::move(shape));
    const auto bytes = std::make_shared<const std::vector<Element>>(std::move(values));
    graph_.storage.push_back(bytes);
    auto& made = graph_.values[static_cast<size_t>(index)];
    made.type = type;
    made.constant = true;
    made.data = std::as_bytes(std::span(*bytes));
    return *this;
  }
  GraphMaker& node(const std::string& op_type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    importers::onnx::Node node;
    node.op_type = op_type;
    node.opset = 17;
    node.where = "node " + std::to_string(graph_.nodes.size()) + " (" + op_type + ")";
    for (const std::string& name : inputs) node.inputs.push_back(name.empty() ? -1 : value(name));
    for (const std::string& name : outputs) node.outputs.push_back(value(name));
    graph_.nodes.push_back(std::move(node));
    return *this;
  }
  GraphMaker& output(const std::string& name, Type type = Type::kFloat) {
    graph_.outputs.push_back(value(name));
    graph_.values[static_cast<size_t>(graph_.outputs.back())].type = type;
    return *this;
  }
  importers::onnx::Graph graph() const { return graph_; }

 private:
  int value(const std::string& name) {
    for (size_t i = 0; i < graph_.values.size(); ++i) {
      if (graph_.values[i].name == name) return static_cast<int>(i);
    }
    auto& made = graph_.values.emplace_back();
    made.name = name;
    made.type = importers::onnx::ElementType::kFloat;
    return static_cast<int>(graph_.values.size()) - 1;
  }
  void shape_of(int index, std::vector<int64_t> shape) {
    auto& value = graph_.values[static_cast<size_t>(index)];
    value.has_rank = true;
    value.dimensions = std::move(shape);
  }

  importers::onnx::Graph graph_;
};

}  // namespace nnvk::test
