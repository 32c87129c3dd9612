// Turns a parsed file into the importer's view of a graph.
#include "importers/onnx/files/onnx_file.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "importers/client_names.h"
#include "importers/onnx/files/tensor_data.h"
#include "importers/onnx/importer.h"
#include "tools/nnapi/files.h"

namespace nnvk::importers::onnx {
namespace {

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

class Reader {
 public:
  Reader(const format::Model& model, const std::filesystem::path& folder, Graph& graph)
      : model_(model), folder_(folder), graph_(graph) {}

  Status read() {
    if (!model_.has_graph()) return fail("the file is damaged or no .onnx file: it has no graph");
    for (const auto& set : model_.opset_import()) {
      opsets_[plain_domain(set.domain())] = static_cast<int>(std::min<int64_t>(set.version(), std::numeric_limits<int>::max()));
    }
    if (opsets_.empty() && model_.ir_version() < 3) opsets_[""] = 1;  // files older than this field
    const format::Graph& source = model_.graph();
    if (source.sparse_initializer_size() > 0)
      return fail("the importer does not support sparse initializers; convert the model without them");
    for (const auto& tensor : source.initializer()) TOOLS_TRY(add_constant(tensor));
    for (const auto& info : source.input()) TOOLS_TRY(add_input(info));
    for (const auto& info : source.value_info()) describe_value(info);
    for (const auto& info : source.output()) {
      describe_value(info);
      graph_.outputs.push_back(index_of(info.name()));
    }
    for (const auto& node : source.node()) TOOLS_TRY(add_node(node));
    return {};
  }

 private:
  int index_of(const std::string& name) {
    const auto [found, added] = indexes_.emplace(name, static_cast<int>(graph_.values.size()));
    if (added) graph_.values.emplace_back().name = name;
    return found->second;
  }

  Status add_constant(const format::Tensor& tensor) {
    TOOLS_ASSIGN(Value value, read_tensor(tensor, folder_, graph_.storage));
    if (value.name.empty()) return fail("the file is damaged: an initializer has no name");
    if (indexes_.contains(value.name)) return fail("the file is damaged: two initializers have the name '" + value.name + "'");
    const int index = index_of(value.name);
    graph_.values[static_cast<size_t>(index)] = std::move(value);
    return {};
  }

  // Takes a value's type from the file. Constants describe themselves.
  void describe_value(const format::ValueInfo& info) {
    Value& value = graph_.values[static_cast<size_t>(index_of(info.name()))];
    if (value.constant || !info.type().has_tensor_type()) return;
    const format::TensorType& type = info.type().tensor_type();
    value.type = static_cast<ElementType>(type.elem_type());
    value.has_rank = type.has_shape();
    value.dimensions.clear();
    for (const auto& dimension : type.shape().dim()) {
      const bool known = dimension.has_dim_value() && dimension.dim_value() >= 0;
      value.dimensions.push_back(known ? dimension.dim_value() : -1);
    }
  }

  Status add_input(const format::ValueInfo& info) {
    if (info.name().empty()) return fail("the file is damaged: an input has no name");
    describe_value(info);
    const int index = index_of(info.name());
    if (!graph_.values[static_cast<size_t>(index)].constant)
      graph_.inputs.push_back(index);  // older files list initializers here
    return {};
  }

  Status add_node(const format::Node& source) {
    Node node;
    node.name = source.name();
    node.domain = plain_domain(source.domain());
    node.op_type = source.op_type();
    node.where = fmt::format("node {} '{}' ({})", graph_.nodes.size(), node.name, node.op_type);
    const auto opset = opsets_.find(node.domain);
    if (opset == opsets_.end()) {
      return fail(fmt::format("{}: the file does not say which version of the operators of domain '{}' it uses", node.where,
                              node.domain));
    }
    node.opset = opset->second;
    for (const auto& name : source.input()) node.inputs.push_back(name.empty() ? -1 : index_of(name));
    for (const auto& name : source.output()) node.outputs.push_back(name.empty() ? -1 : index_of(name));
    for (const auto& attribute : source.attribute()) {
      if (const Status added = add_attribute(attribute, node); !added) return fail(node.where + ": " + added.error().message);
    }
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  Status add_attribute(const format::Attribute& source, Node& node) {
    Attribute attribute{.name = source.name(), .value = int64_t{0}};
    if (source.has_g() || source.graphs_size() > 0) {
      node.has_subgraphs = true;
      return {};
    }
    // Files that do not say the type are older than this field; their attributes have one member alone.
    if (source.has_t()) {
      auto value = read_tensor(source.t(), folder_, graph_.storage);
      if (!value) return fail("attribute '" + attribute.name + "': " + value.error().message);
      attribute.value = *std::move(value);
    } else if (source.type() == 1 || (source.type() == 0 && source.has_f())) {
      attribute.value = source.f();
    } else if (source.type() == 2 || (source.type() == 0 && source.has_i())) {
      attribute.value = source.i();
    } else if (source.type() == 3 || (source.type() == 0 && source.has_s())) {
      attribute.value = source.s();
    } else if (source.type() == 6 || source.floats_size() > 0) {
      attribute.value = std::vector<float>(source.floats().begin(), source.floats().end());
    } else if (source.type() == 8 || source.strings_size() > 0) {
      attribute.value = std::vector<std::string>(source.strings().begin(), source.strings().end());
    } else if (source.type() == 7 || source.type() == 0) {
      attribute.value = std::vector<int64_t>(source.ints().begin(), source.ints().end());
    } else {
      return {};  // of a kind that no operator of the importer has
    }
    node.attributes.push_back(std::move(attribute));
    return {};
  }

  const format::Model& model_;
  const std::filesystem::path& folder_;
  Graph& graph_;
  std::map<std::string, int> opsets_;
  std::map<std::string, int, std::less<>> indexes_;
};

// Gives open batches one element.
Status close_inputs(Graph& graph) {
  for (const int index : graph.inputs) {
    Value& value = graph.values[static_cast<size_t>(index)];
    for (size_t d = 0; d < value.dimensions.size(); ++d) {
      if (value.dimensions[d] >= 0) continue;
      if (d > 0) return fail("input " + describe(value) + " has an open dimension; export the model with a fixed one");
      value.dimensions[d] = 1;
    }
  }
  return {};
}

}  // namespace

Result<Graph> read_graph(std::span<const uint8_t> file, const std::filesystem::path& folder) {
  if (file.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return fail("the file has more than 2 GiB; store its tensors beside it");
  auto model = std::make_shared<format::Model>();
  if (!model->ParseFromArray(file.data(), static_cast<int>(file.size()))) {
    return fail(fmt::format("the file of {} bytes is damaged or no .onnx file: it is no complete protocol buffer", file.size()));
  }
  Graph graph;
  TOOLS_TRY(Reader(*model, folder, graph).read());
  graph.storage.push_back(std::move(model));
  return graph;
}

Result<Graph> read_graph_file(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const auto bytes, tools::read_file(path));
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  auto graph = read_graph(bytes, folder);
  if (!graph) return fail(path.string() + ": " + graph.error().message);
  return graph;
}

Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options) {
  TOOLS_ASSIGN(auto bytes, tools::read_file(path));
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  auto graph = read_graph(bytes, folder);
  if (!graph) return fail(path.string() + ": " + graph.error().message);
  if (const Status closed = close_inputs(*graph); !closed) return fail(path.string() + ": " + closed.error().message);
  auto model = import_graph(*graph, options);
  if (!model) return fail(path.string() + ": " + listed(*graph, options, model.error()).message, model.error().code);
  model->file = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return model;
}

}  // namespace nnvk::importers::onnx
