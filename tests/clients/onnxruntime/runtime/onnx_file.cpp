#include "tests/clients/onnxruntime/runtime/onnx_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tests/clients/onnxruntime/runtime/protobuf_bytes.h"

namespace nnvk::test {
namespace {

// The fields of a TensorProto but its values.
std::string tensor_header(const std::string& name, OnnxType type, const std::vector<int64_t>& shape) {
  std::string bytes;
  for (const int64_t dimension : shape) bytes += number(1, dimension);
  return bytes + number(2, static_cast<int64_t>(type)) + message(8, name);
}

template <class Element>
std::string tensor(const std::string& name, OnnxType type, const std::vector<int64_t>& shape,
                   const std::vector<Element>& values) {
  return tensor_header(name, type, shape) +
         message(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element)});
}

std::string value_info(const std::string& name, OnnxType type, const OnnxFile::Shape& shape) {
  std::string dimensions;
  for (const std::string& dimension : shape) {
    const bool is_size = std::ranges::all_of(dimension, [](unsigned char c) { return std::isdigit(c) != 0; });
    dimensions += message(1, is_size ? number(1, std::stoll(dimension)) : message(2, dimension));
  }
  const std::string tensor_type = number(1, static_cast<int64_t>(type)) + message(2, dimensions);
  return message(1, name) + message(2, message(1, tensor_type));
}

// The fields of an AttributeProto behind its name: the value, and the number of its type.
struct AttributeFields {
  std::string operator()(int64_t value) const { return number(3, value) + number(20, 2); }
  std::string operator()(float value) const { return fixed(2, value) + number(20, 1); }
  std::string operator()(const std::string& value) const { return message(4, value) + number(20, 3); }
  std::string operator()(const std::vector<int64_t>& values) const {
    std::string fields = number(20, 7);
    for (const int64_t value : values) fields += number(8, value);
    return fields;
  }
};

}  // namespace

OnnxFile& OnnxFile::input(const std::string& name, OnnxType type, const Shape& shape) {
  graph_ += message(11, value_info(name, type, shape));
  return *this;
}

OnnxFile& OnnxFile::output(const std::string& name, OnnxType type, const Shape& shape) {
  graph_ += message(12, value_info(name, type, shape));
  return *this;
}

OnnxFile& OnnxFile::constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
  graph_ += message(5, tensor(name, OnnxType::kFloat, shape, values));
  return *this;
}

OnnxFile& OnnxFile::constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<int64_t>& values) {
  graph_ += message(5, tensor(name, OnnxType::kInt64, shape, values));
  return *this;
}

OnnxFile& OnnxFile::constant_in_file(const std::string& name, const std::vector<int64_t>& shape, const std::string& file,
                                     size_t offset) {
  constexpr int64_t kExternal = 1;
  const auto entry = [](const std::string& key, const std::string& value) {
    return message(13, message(1, key) + message(2, value));
  };
  graph_ += message(5, tensor_header(name, OnnxType::kFloat, shape) + entry("location", file) +
                           entry("offset", std::to_string(offset)) + number(14, kExternal));
  return *this;
}

OnnxFile& OnnxFile::node(const std::string& op_type, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, const std::map<std::string, OnnxAttribute>& attributes,
                         const std::string& domain) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += message(1, input);
  for (const std::string& output : outputs) bytes += message(2, output);
  bytes += message(3, op_type + "_" + outputs.front()) + message(4, op_type);
  for (const auto& [name, value] : attributes) bytes += message(5, message(1, name) + std::visit(AttributeFields(), value));
  if (!domain.empty()) bytes += message(7, domain);
  graph_ += message(1, bytes);
  return *this;
}

std::string OnnxFile::bytes() const {
  constexpr int kIrVersion = 8;
  return number(1, kIrVersion) + message(7, graph_ + message(2, "test")) + message(8, number(2, opset_));
}

}  // namespace nnvk::test
