#include "tests/clients/onnxruntime/runtime/onnx_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tests/clients/onnxruntime/runtime/protobuf_bytes.h"

namespace nnvk::test {
namespace {

template <class Element>
std::string tensor(const std::string& name, OnnxType type, const std::vector<int64_t>& shape,
                   const std::vector<Element>& values) {
  std::string bytes;
  for (const int64_t dimension : shape) bytes += number(1, dimension);
  bytes += number(2, static_cast<int64_t>(type)) + message(8, name);
  return bytes + message(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element)});
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

OnnxFile& OnnxFile::node(const std::string& op_type, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, const std::map<std::string, std::vector<int64_t>>& attributes,
                         const std::string& domain) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += message(1, input);
  for (const std::string& output : outputs) bytes += message(2, output);
  bytes += message(3, op_type + "_" + outputs.front()) + message(4, op_type);
  for (const auto& [name, values] : attributes) {
    constexpr int kInts = 7;
    std::string attribute = message(1, name) + number(20, kInts);
    for (const int64_t value : values) attribute += number(8, value);
    bytes += message(5, attribute);
  }
  if (!domain.empty()) bytes += message(7, domain);
  graph_ += message(1, bytes);
  return *this;
}

std::string OnnxFile::bytes() const {
  constexpr int kIrVersion = 8;
  return number(1, kIrVersion) + message(7, graph_ + message(2, "test")) + message(8, number(2, opset_));
}

}  // namespace nnvk::test
