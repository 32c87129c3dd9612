// The importer (importers/onnx) with any bytes as a file.
#include <string>

#include "importers/onnx/files/onnx_file.h"
#include "importers/onnx/importer.h"
#include "onnx_subset.pb.h"
#include "tests/fuzz/surroundings.h"
#include "tests/fuzz/target.h"

namespace nnvk::fuzz {
namespace {

namespace format = importers::onnx::format;

void describe(format::ValueInfo& info, const std::string& name, const std::vector<int64_t>& dimensions) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(1);
  for (const int64_t d : dimensions) type.mutable_shape()->add_dim()->set_dim_value(d);
}

// A model of one node whose inputs are an image and constants.
Input file_of(const std::string& op_type, const std::vector<std::vector<int64_t>>& constants) {
  format::Model model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto& graph = *model.mutable_graph();
  describe(*graph.add_input(), "x", {1, 2, 4, 4});
  auto& node = *graph.add_node();
  node.set_op_type(op_type);
  node.add_input("x");
  node.add_output("y");
  for (size_t i = 0; i < constants.size(); ++i) {
    auto& tensor = *graph.add_initializer();
    tensor.set_name("c" + std::to_string(i));
    tensor.set_data_type(1);
    int64_t elements = 1;
    for (const int64_t d : constants[i]) {
      tensor.add_dims(d);
      elements *= d;
    }
    for (int64_t e = 0; e < elements; ++e) tensor.add_float_data(0.25f * static_cast<float>(e));
    node.add_input(tensor.name());
  }
  auto& attribute = *node.add_attribute();
  attribute.set_name(op_type == "Conv" ? "pads" : "axis");
  attribute.set_type(op_type == "Conv" ? 7 : 2);
  if (op_type == "Conv") {
    for (int i = 0; i < 4; ++i) attribute.add_ints(1);
  } else {
    attribute.set_i(1);
  }
  graph.add_output()->set_name("y");
  const std::string bytes = model.SerializeAsString();
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace

void run(std::span<const std::byte> input) {
  static const bool is_settled = (settle_surroundings(), true);
  require(is_settled, "the surroundings are settled");
  const std::span bytes(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  const auto graph = importers::onnx::read_graph(bytes, {});
  if (!graph) return require(!graph.error().message.empty(), "an error says something");
  const auto model = importers::onnx::import_graph(*graph, {.memory = uint64_t{64} << 20});
  require(model || !model.error().message.empty(), "an error says something");
}

std::vector<Input> seeds() {
  return {file_of("Conv", {{3, 2, 3, 3}, {3}}), file_of("Softmax", {}),
          file_of("MatMul", {{4, 5}}),          file_of("Add", {{2, 1, 1}}),
          file_of("Concat", {{1, 1, 4, 4}}),    file_of("InstanceNormalization", {{2}, {2}})};
}

}  // namespace nnvk::fuzz
