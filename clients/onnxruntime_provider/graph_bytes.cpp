#include "clients/onnxruntime_provider/graph_bytes.h"

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnvk::clients::onnxruntime {
namespace {

using importers::onnx::Attribute;

constexpr std::string_view kMark = "nnvk graph 1\n";  // changes with the format
constexpr std::string_view kEnd = "end\n";            // some versions of the runtime cut zeros off the end of a text
constexpr size_t kAlignment = 64;                     // of constants, from the first byte on

template <class T>
concept Number = std::is_arithmetic_v<T>;

class Writer {
 public:
  std::string bytes{kMark};

  void add(Number auto number) { append(&number, sizeof number); }
  void add(const std::string& text) {
    add(uint64_t{text.size()});
    append(text.data(), text.size());
  }
  template <class Element>
  void add(const std::vector<Element>& elements) {
    add(uint64_t{elements.size()});
    for (const Element& element : elements) add(element);
  }
  void add(const Value& value) {
    add(value.name);
    add(static_cast<int32_t>(value.type));
    add(value.has_rank);
    add(value.dimensions);
    add(value.constant);
    add(uint64_t{value.data.size()});
    if (value.data.empty()) return;
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
    append(value.data.data(), value.data.size());
  }
  void add(const Attribute& attribute) {
    add(attribute.name);
    add(static_cast<uint32_t>(attribute.value.index()));
    std::visit([this](const auto& value) { add(value); }, attribute.value);
  }
  void add(const Node& node) {
    for (const std::string* const text : {&node.name, &node.domain, &node.op_type, &node.where}) add(*text);
    add(node.opset);
    add(node.inputs);
    add(node.outputs);
    add(node.attributes);
  }

 private:
  void append(const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); }
};

// Reads until the first fault; afterwards everything is empty.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes), place_(kMark.size()) {
    is_sound_ = std::string_view(bytes).starts_with(kMark);
  }
  bool is_sound() const { return is_sound_; }
  bool is_at_end() const { return std::string_view(bytes_).substr(place_) == kEnd; }

  void read(Number auto& number) {
    const char* const from = take(sizeof number);
    if (from != nullptr) std::memcpy(&number, from, sizeof number);
  }
  void read(bool& flag) {
    uint8_t byte = 0;
    read(byte);
    flag = byte != 0;
  }
  void read(std::string& text) {
    const uint64_t size = read_size();
    const char* const from = take(size);
    if (from != nullptr) text.assign(from, size);
  }
  template <class Element>
  void read(std::vector<Element>& elements) {
    for (uint64_t left = read_size(); left > 0 && is_sound_; --left) read(elements.emplace_back());
  }
  void read(Value& value) {
    read(value.name);
    int32_t type = 0;
    read(type);
    value.type = static_cast<importers::onnx::ElementType>(type);
    read(value.has_rank);
    read(value.dimensions);
    read(value.constant);
    const uint64_t size = read_size();
    if (size == 0) return;
    take((kAlignment - place_ % kAlignment) % kAlignment);
    const char* const from = take(size);
    if (from != nullptr) value.data = {reinterpret_cast<const std::byte*>(from), size};
  }
  void read(Attribute& attribute) {
    read(attribute.name);
    uint32_t kind = 0;
    read(kind);
    read_kind(attribute, kind, std::make_index_sequence<std::variant_size_v<decltype(Attribute::value)>>());
  }
  void read(Node& node) {
    for (std::string* const text : {&node.name, &node.domain, &node.op_type, &node.where}) read(*text);
    read(node.opset);
    read(node.inputs);
    read(node.outputs);
    read(node.attributes);
  }

 private:
  template <size_t... kKinds>
  void read_kind(Attribute& attribute, uint32_t kind, std::index_sequence<kKinds...>) {
    is_sound_ = is_sound_ && kind < sizeof...(kKinds);
    ((kind == kKinds ? read(attribute.value.emplace<kKinds>()) : void()), ...);
  }
  // Reads a number of elements. Each takes a byte at least, so a larger number than the bytes left is a fault.
  uint64_t read_size() {
    uint64_t size = 0;
    read(size);
    if (size > bytes_.size() - place_) is_sound_ = false;
    return is_sound_ ? size : 0;
  }
  const char* take(uint64_t size) {
    if (!is_sound_ || size > bytes_.size() - place_) {
      is_sound_ = false;
      return nullptr;
    }
    const char* const from = bytes_.data() + place_;
    place_ += size;
    return from;
  }

  const std::string& bytes_;
  size_t place_;
  bool is_sound_;
};

bool are_indexes(const std::vector<int>& indexes, const Graph& graph, int least) {
  for (const int index : indexes) {
    if (index < least || index >= static_cast<int>(graph.values.size())) return false;
  }
  return true;
}

bool has_valid_indexes(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (!are_indexes(node.inputs, graph, -1) || !are_indexes(node.outputs, graph, -1)) return false;
  }
  return are_indexes(graph.inputs, graph, 0) && are_indexes(graph.outputs, graph, 0);
}

}  // namespace

std::string to_bytes(const Graph& graph) {
  Writer writer;
  writer.add(graph.values);
  writer.add(graph.nodes);
  writer.add(graph.inputs);
  writer.add(graph.outputs);
  writer.bytes += kEnd;
  return std::move(writer.bytes);
}

Result<Graph> graph_from(std::shared_ptr<const std::string> bytes) {
  Reader reader(*bytes);
  Graph graph;
  if (reader.is_sound()) {
    reader.read(graph.values);
    reader.read(graph.nodes);
    reader.read(graph.inputs);
    reader.read(graph.outputs);
  }
  if (!reader.is_sound() || !reader.is_at_end() || !has_valid_indexes(graph)) {
    return fail("the EPContext node holds no subgraph of this version of nnvk; make the model again from its source");
  }
  graph.storage.push_back(std::move(bytes));
  return graph;
}

}  // namespace nnvk::clients::onnxruntime
