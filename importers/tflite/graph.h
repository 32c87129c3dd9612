// A model as checked plain data: every index and size is valid, whatever its source contained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "importers/client_names.h"
#include "importers/tflite/options.h"

namespace nnvk::importers::tflite {

// Which elements of a constant are stored, as the public format describes it: one entry of `dimensions` for each dimension of the
// tensor, then one for each dimension of a block. The numbers come unchecked from the source.
struct Sparsity {
  struct Dimension {
    bool compressed = false;
    int32_t size = 0;  // if not compressed
    std::vector<int32_t>
        segments;  // if compressed: for each element of the dimension before, where its indices begin, and the end
    std::vector<int32_t> indices;
  };
  std::vector<int32_t> traversal_order;  // the dimensions from the outermost to the innermost
  std::vector<int32_t> block_map;        // the tensor's dimension of each block dimension
  std::vector<Dimension> dimensions;
};

struct Tensor {
  std::string name;
  format::TensorType type = format::TensorType_FLOAT32;
  std::vector<uint32_t> dimensions;  // as the source has them; empty for a scalar
  std::vector<bool> open;            // which dimensions the source declares to be variable; empty: none
  std::vector<float> scales;         // empty: not quantized; otherwise one, or one per element of quantized_dimension
  std::vector<int64_t> zero_points;  // as many as scales
  uint32_t quantized_dimension = 0;
  std::span<const uint8_t> data;  // constants only, exactly the tensor's size unless sparse; points into the source's bytes
  std::shared_ptr<const Sparsity> sparsity;  // null: `data` holds all elements
  bool variable = false;                     // state that lives from one execution to the next
  size_t byte_offset = 0;                    // of the tensor's table in the file

  bool constant() const { return !data.empty(); }
  uint64_t elements() const;
};

struct Operator {
  int32_t code = 0;          // BuiltinOperator
  std::string name;          // "CONV_2D", "CUSTOM:TFLite_Detection_PostProcess"
  std::vector<int> inputs;   // tensor indexes, -1 for an omitted one
  std::vector<int> outputs;  // tensor indexes
  OperatorOptions options;
  std::span<const uint8_t> custom_options;  // of operators that are identified by name
  std::string where;                        // "operator 12 (CONV_2D)" for messages
};

struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::vector<Graph> others;                         // the model's subgraphs from number 1 on; empty in these themselves
  std::shared_ptr<const std::vector<uint8_t>> file;  // the memory of the spans above; null if the source keeps it
};

// Describes a tensor: "tensor 3 'scores' (FLOAT32)".
std::string describe(const Graph& graph, int tensor);
// Writes a shape as text: "[1,224,224,3]".
std::string shape_text(const Tensor& tensor);

// Returns the bytes per element of a tensor that is not packed; 0 for types without a fixed size, and for types that no
// translation reads.
size_t element_size(format::TensorType type);
// Returns how many bytes a constant of this type and number of elements takes as it is stored: INT4 has two elements in a byte.
uint64_t stored_size(format::TensorType type, uint64_t elements);

// Checks the whole file and returns its first subgraph, which contains the other ones. Errors name the byte offset, tensor or
// operator.
Result<Graph> read_graph(std::vector<uint8_t> file);
Result<Graph> read_graph_file(const std::filesystem::path& path);

}  // namespace nnvk::importers::tflite
