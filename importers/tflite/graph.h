// A .tflite file as checked plain data: every index and size is valid, whatever the file contained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "importers/client_names.h"
#include "tflite_subset_generated.h"

namespace nnvk::importers::tflite {

struct Tensor {
  std::string name;
  format::TensorType type = format::TensorType_FLOAT32;
  std::vector<uint32_t> dimensions;  // as the file has them; empty for a scalar
  std::vector<float> scales;         // empty: not quantized; otherwise one, or one per element of quantized_dimension
  std::vector<int64_t> zero_points;  // as many as scales
  uint32_t quantized_dimension = 0;
  std::span<const uint8_t> data;  // constants only, exactly the tensor's size; points into the file's bytes
  bool variable = false;          // state that lives from one execution to the next
  size_t byte_offset = 0;         // of the tensor's table in the file

  bool constant() const { return !data.empty(); }
  uint64_t elements() const;
};

struct Operator {
  int32_t code = 0;          // BuiltinOperator
  std::string name;          // "CONV_2D", "CUSTOM:TFLite_Detection_PostProcess"
  std::vector<int> inputs;   // tensor indexes, -1 for an omitted one
  std::vector<int> outputs;  // tensor indexes
  const format::Operator* table = nullptr;
  std::string where;  // "operator 12 (CONV_2D)" for messages
};

struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::shared_ptr<const std::vector<uint8_t>> file;  // the memory of the spans and tables above
};

// "tensor 3 'scores' (FLOAT32)".
std::string describe(const Graph& graph, int tensor);
// "[1,224,224,3]".
std::string shape_text(const Tensor& tensor);

// Bytes per element in the file; 0 for types without a fixed size, and for types that no translation reads.
size_t element_size(format::TensorType type);

// Checks the whole file and returns its first subgraph. Errors name the byte offset, tensor or operator.
Result<Graph> read_graph(std::vector<uint8_t> file);
Result<Graph> read_graph_file(const std::filesystem::path& path);

}  // namespace nnvk::importers::tflite
