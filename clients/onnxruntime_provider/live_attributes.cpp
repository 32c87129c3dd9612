#include "clients/onnxruntime_provider/live_attributes.h"

#include <utility>

#include "clients/onnxruntime_provider/live_graph.h"

namespace nnvk::clients::onnxruntime {
namespace {

constexpr const char* kReading = "reading an attribute";

template <class Number>
Result<Number> read_number(const OrtOpAttr* attribute, OrtOpAttrType type) {
  Number number{};
  size_t bytes = 0;
  TOOLS_TRY(check(api().ReadOpAttr(attribute, type, &number, sizeof number, &bytes), kReading));
  return number;
}

// Reads the bytes of an attribute of unknown length. The first call only asks for the length: it fails if there are any bytes.
Result<std::vector<char>> read_bytes(const OrtOpAttr* attribute, OrtOpAttrType type) {
  size_t bytes = 0;
  if (OrtStatus* const status = api().ReadOpAttr(attribute, type, nullptr, 0, &bytes)) api().ReleaseStatus(status);
  std::vector<char> read(bytes);
  if (bytes > 0) TOOLS_TRY(check(api().ReadOpAttr(attribute, type, read.data(), read.size(), &bytes), kReading));
  read.resize(bytes);
  return read;
}

template <class Number>
Result<std::vector<Number>> read_numbers(const OrtOpAttr* attribute, OrtOpAttrType type) {
  TOOLS_ASSIGN(const auto bytes, read_bytes(attribute, type));
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::copy_n(bytes.data(), numbers.size() * sizeof(Number), reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

// Reads a text. Some versions end it with a zero.
Result<std::string> read_string(const OrtOpAttr* attribute) {
  TOOLS_ASSIGN(const auto bytes, read_bytes(attribute, ORT_OP_ATTR_STRING));
  std::string text(bytes.begin(), bytes.end());
  if (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

// Reads a list of texts. The runtime gives one text after another, each ended by a zero.
Result<std::vector<std::string>> read_strings(const OrtOpAttr* attribute) {
  TOOLS_ASSIGN(const auto bytes, read_bytes(attribute, ORT_OP_ATTR_STRINGS));
  std::vector<std::string> texts;
  auto begin = bytes.begin();
  for (auto end = begin; end != bytes.end(); ++end) {
    if (*end != '\0') continue;
    texts.emplace_back(begin, end);
    begin = end + 1;
  }
  if (begin != bytes.end()) texts.emplace_back(begin, bytes.end());
  return texts;
}

struct ReleaseValue {
  void operator()(OrtValue* value) const { api().ReleaseValue(value); }
};

// Reads a tensor. The runtime makes a tensor of its own for the caller; the graph keeps it.
Result<Value> read_tensor_attribute(const OrtOpAttr* attribute, Graph& graph) {
  OrtValue* made = nullptr;
  TOOLS_TRY(check(api().OpAttr_GetTensorAttributeAsOrtValue(attribute, &made), kReading));
  const std::shared_ptr<OrtValue> tensor(made, ReleaseValue());
  graph.storage.push_back(tensor);
  return read_tensor(tensor.get());
}

template <class T>
Status assign(Result<T> value, importers::onnx::Attribute& attribute) {
  if (!value) return tl::unexpected<Error>(std::move(value).error());
  attribute.value = *std::move(value);
  return {};
}

// Reads a value. Returns false for a type that the importer does not know.
Result<bool> read_value(const OrtOpAttr* from, Graph& graph, importers::onnx::Attribute& attribute) {
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  TOOLS_TRY(check(api().OpAttr_GetType(from, &type), kReading));
  switch (type) {
    case ORT_OP_ATTR_INT:
      TOOLS_TRY(assign(read_number<int64_t>(from, type), attribute));
      return true;
    case ORT_OP_ATTR_FLOAT:
      TOOLS_TRY(assign(read_number<float>(from, type), attribute));
      return true;
    case ORT_OP_ATTR_INTS:
      TOOLS_TRY(assign(read_numbers<int64_t>(from, type), attribute));
      return true;
    case ORT_OP_ATTR_FLOATS:
      TOOLS_TRY(assign(read_numbers<float>(from, type), attribute));
      return true;
    case ORT_OP_ATTR_STRING:
      TOOLS_TRY(assign(read_string(from), attribute));
      return true;
    case ORT_OP_ATTR_STRINGS:
      TOOLS_TRY(assign(read_strings(from), attribute));
      return true;
    case ORT_OP_ATTR_TENSOR:
      TOOLS_TRY(assign(read_tensor_attribute(from, graph), attribute));
      return true;
    default:
      return false;
  }
}

}  // namespace

Status read_attributes(const OrtNode* runtime_node, Node& node, Graph& graph) {
  size_t number = 0;
  TOOLS_TRY(check(api().Node_GetNumAttributes(runtime_node, &number), kReading));
  std::vector<const OrtOpAttr*> attributes(number, nullptr);
  if (number > 0) TOOLS_TRY(check(api().Node_GetAttributes(runtime_node, attributes.data(), number), kReading));
  for (const OrtOpAttr* const from : attributes) {
    if (from == nullptr) continue;
    importers::onnx::Attribute attribute;
    const char* name = nullptr;
    TOOLS_TRY(check(api().OpAttr_GetName(from, &name), kReading));
    attribute.name = name;
    TOOLS_ASSIGN(const bool is_known, read_value(from, graph, attribute));
    if (is_known) node.attributes.push_back(std::move(attribute));
  }
  return {};
}

}  // namespace nnvk::clients::onnxruntime
