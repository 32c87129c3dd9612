// `.onnx` files: damaged ones, and data in other files.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "importers/onnx/files/onnx_file.h"
#include "importers/onnx/importer.h"
#include "onnx_subset.pb.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::importers::onnx {
namespace {

using test::TemporaryFolder;
using ::testing::HasSubstr;

// y = x + c, with c in the file.
format::Model sum_model() {
  format::Model model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto& graph = *model.mutable_graph();
  for (const char* name : {"x", "y"}) {
    auto& info = *(name[0] == 'x' ? graph.add_input() : graph.add_output());
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    type.mutable_shape()->add_dim()->set_dim_value(2);
  }
  auto& tensor = *graph.add_initializer();
  tensor.set_name("c");
  tensor.set_data_type(1);
  tensor.add_dims(2);
  tensor.add_float_data(1);
  tensor.add_float_data(2);
  auto& node = *graph.add_node();
  node.set_op_type("Add");
  node.set_name("sum");
  node.add_input("x");
  node.add_input("c");
  node.add_output("y");
  return model;
}

Result<Graph> read(const format::Model& model, const std::filesystem::path& folder = {}) {
  const std::string bytes = model.SerializeAsString();
  return read_graph({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, folder);
}

std::string error_of(const format::Model& model, const std::filesystem::path& folder = {}) {
  const auto graph = read(model, folder);
  if (!graph) return graph.error().message;
  const auto imported = import_graph(*graph, {});
  return imported ? "" : imported.error().message;
}

// The model with c in another file.
format::Model external_model(const std::string& location, const std::string& offset = "0", const std::string& length = "8") {
  format::Model model = sum_model();
  auto& tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_location(1);
  for (const auto& [key, value] :
       {std::pair<const char*, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
    auto& pair = *tensor.add_external_data();
    pair.set_key(key);
    pair.set_value(value);
  }
  return model;
}

void write(const std::filesystem::path& path, size_t bytes) { std::ofstream(path, std::ios::binary) << std::string(bytes, '\0'); }

TEST(OnnxFile, ASoundFileIsImported) { EXPECT_EQ(error_of(sum_model()), ""); }

TEST(OnnxFile, AFileCutAnywhereIsAnErrorOrASmallerModelButNeverACrash) {
  const std::string bytes = sum_model().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto graph = read_graph({reinterpret_cast<const uint8_t*>(bytes.data()), length}, {});
    if (!graph) continue;
    EXPECT_FALSE(import_graph(*graph, {})) << "cut after " << length;
  }
}

TEST(OnnxFile, InitializersWithMissingDataAreNamed) {
  format::Model model = sum_model();
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, 3);
  EXPECT_THAT(error_of(model), HasSubstr("tensor 'c': it has 8 bytes of data instead of 12"));
}

TEST(OnnxFile, HugeShapesAreErrors) {
  format::Model model = sum_model();
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, int64_t{1} << 40);
  EXPECT_THAT(error_of(model), HasSubstr("2^32 elements at most"));
}

TEST(OnnxFile, ADomainWithoutVersionIsAnError) {
  format::Model model = sum_model();
  model.mutable_graph()->mutable_node(0)->set_domain("somewhere");
  EXPECT_THAT(error_of(model), HasSubstr("node 0 'sum' (Add): the file does not say which version"));
}

TEST(OnnxFile, ExternalDataInTheFolderIsRead) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  write(root / "weights", 24);
  EXPECT_EQ(error_of(external_model("weights", "16"), root), "");
}

TEST(OnnxFile, ExternalDataOutsideTheFolderIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  const auto inner = root / "model";
  std::filesystem::create_directory(inner);
  write(root / "weights", 8);
  EXPECT_THAT(error_of(external_model("../weights"), inner), HasSubstr("lies outside the model's folder"));
  EXPECT_THAT(error_of(external_model((root / "weights").string()), inner), HasSubstr("is not relative"));
  std::filesystem::create_symlink(root / "weights", inner / "link");
  EXPECT_THAT(error_of(external_model("link"), inner), HasSubstr("lies outside the model's folder"));
  EXPECT_THAT(error_of(external_model("missing"), inner), HasSubstr("cannot be found"));
  EXPECT_THAT(error_of(external_model("weights")), HasSubstr("does not come from a folder"));
}

TEST(OnnxFile, ExternalDataBeyondItsFileIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  write(root / "weights", 8);
  EXPECT_THAT(error_of(external_model("weights", "4"), root), HasSubstr("exceeds the 8 bytes"));
  EXPECT_THAT(error_of(external_model("weights", "18446744073709551615"), root), HasSubstr("exceeds the 8 bytes"));
  EXPECT_THAT(error_of(external_model("weights", "0", "9"), root), HasSubstr("9 bytes instead of 8"));
  EXPECT_THAT(error_of(external_model("weights", "-4"), root), HasSubstr("is not a number"));
}

}  // namespace
}  // namespace nnvk::importers::onnx
