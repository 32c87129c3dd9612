#include "importers/onnx/open_shapes.h"

#include <algorithm>
#include <string>

namespace nnvk::importers::onnx {
namespace {

bool is_open(const Value& value) {
  return !value.has_rank || std::ranges::any_of(value.dimensions, [](int64_t d) { return d < 0; });
}

bool fits(const Value& value, const Dimensions& shape) {
  return !value.has_rank || std::ranges::equal(value.dimensions, shape, [](int64_t known, int64_t given) {
    return given >= 0 && (known < 0 || known == given);
  });
}

}  // namespace

bool has_open_inputs(const Graph& graph) {
  return std::ranges::any_of(graph.inputs, [&](int input) { return is_open(graph.values[static_cast<size_t>(input)]); });
}

Result<Graph> with_shapes(const Graph& graph, const std::vector<Dimensions>& shapes) {
  if (shapes.size() != graph.inputs.size()) {
    return fail("a graph of " + std::to_string(graph.inputs.size()) + " inputs needs a shape for each, but gets " +
                std::to_string(shapes.size()));
  }
  Graph closed = graph;
  for (Value& value : closed.values) {
    if (value.constant || !is_open(value)) continue;
    value.has_rank = false;
    value.dimensions.clear();
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& declared = graph.values[static_cast<size_t>(graph.inputs[i])];
    if (!fits(declared, shapes[i])) {
      Value given = declared;
      given.dimensions = shapes[i];
      return fail("input " + describe(declared) + " cannot have the shape of " + describe(given));
    }
    Value& value = closed.values[static_cast<size_t>(graph.inputs[i])];
    value.has_rank = true;
    value.dimensions = shapes[i];
  }
  return closed;
}

Result<std::vector<Dimensions>> example_shapes(const Graph& graph, int64_t batch, int64_t extent) {
  std::vector<Dimensions> shapes;
  for (const int input : graph.inputs) {
    const Value& value = graph.values[static_cast<size_t>(input)];
    if (!value.has_rank) return fail("input " + describe(value) + " has no rank");
    Dimensions& shape = shapes.emplace_back(value.dimensions);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 0) shape[d] = d == 0 ? batch : extent;
    }
  }
  return shapes;
}

}  // namespace nnvk::importers::onnx
