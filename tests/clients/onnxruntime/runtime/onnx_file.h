// Writes small ONNX models as the bytes of a .onnx file (protobuf, by hand), for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nnvk::test {

// TensorProto.DataType.
enum class OnnxType : int { kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9 };

using OnnxAttribute = std::variant<int64_t, float, std::string, std::vector<int64_t>>;

class OnnxFile {
 public:
  // A dimension without a size: any other name than that of a number.
  using Shape = std::vector<std::string>;

  explicit OnnxFile(int opset = 17) : opset_(opset) {}
  OnnxFile& input(const std::string& name, OnnxType type, const Shape& shape);
  OnnxFile& output(const std::string& name, OnnxType type, const Shape& shape);
  OnnxFile& constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values);
  OnnxFile& constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<int64_t>& values);
  // Refers to floats from byte `offset` of a file on, whose name is relative to the model's folder.
  OnnxFile& constant_in_file(const std::string& name, const std::vector<int64_t>& shape, const std::string& file, size_t offset);
  OnnxFile& node(const std::string& op_type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                 const std::map<std::string, OnnxAttribute>& attributes = {}, const std::string& domain = "");
  std::string bytes() const;

 private:
  int opset_;
  std::string graph_;  // fields of GraphProto in any order
};

}  // namespace nnvk::test
