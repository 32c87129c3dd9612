// An ONNX graph as plain data: what a file or a framework's live graph says, before anything is inferred or checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nnvk::importers::onnx {

// The numbers of TensorProto.DataType. kUndefined: an unknown type, or a sequence, map or optional.
enum class ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
};

struct Value {
  std::string name;
  ElementType type = ElementType::kUndefined;
  bool has_rank = false;            // whether `dimensions` says anything
  std::vector<int64_t> dimensions;  // -1: unknown; empty with has_rank: a scalar
  bool constant = false;            // an initializer that the caller of the model cannot replace
  std::span<const std::byte> data;  // constants only: raw little-endian elements, owned by Graph::storage or the caller
};

struct Attribute {
  std::string name;
  // A tensor attribute is a Value with `constant` and data.
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, std::vector<std::string>, Value> value;
};

struct Node {
  std::string name;
  std::string domain;  // "" for ONNX's own operators, also where the file says "ai.onnx"
  std::string op_type;
  int opset = 0;             // the version of `domain` that the model imports
  std::vector<int> inputs;   // indexes of Graph::values; -1: omitted
  std::vector<int> outputs;  // the same
  std::vector<Attribute> attributes;
  std::string where;           // "node 12 'conv1' (Conv)", for messages
  bool has_subgraphs = false;  // an attribute is a graph; attributes of this kind are not listed
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;  // in any order; the importer sorts them
  std::vector<int> inputs;  // indexes of values, without the constants
  std::vector<int> outputs;
  std::vector<std::shared_ptr<const void>> storage;  // keeps the constants' bytes alive
};

// Returns "FLOAT", "INT64" and so on; "element type 99" for an unknown number.
std::string type_name(ElementType type);
// Returns the bits of one element in memory; 0 for strings and unknown types.
unsigned element_bits(ElementType type);
// Writes a shape as text: "[1,?,80]".
std::string shape_text(const std::vector<int64_t>& dimensions);
// Describes a value: "'scores' FLOAT [1,?,80]".
std::string describe(const Value& value);

}  // namespace nnvk::importers::onnx
