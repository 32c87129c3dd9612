// Small .tflite files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importers/tflite/graph.h"

namespace nnvk::test {

namespace format = importers::tflite::format;

// A tensor of a file. Values are real numbers: `scale` and `zero_point` quantize them if the scale is not 0, and other integers
// hold them as they are.
struct FileTensor {
  std::vector<int32_t> shape;
  std::vector<float> values;  // of inputs: what an execution gets; of outputs: what it is to compute
  format::TensorType type = format::TensorType_FLOAT32;
  float scale = 0;
  int64_t zero_point = 0;
  bool constant = false;
  bool variable = false;
  std::vector<int32_t> signature = {};     // the shape signature, if not empty
  std::vector<float> channel_scales = {};  // if not empty: one per element of dimension channel_dimension
  int32_t channel_dimension = 0;
  std::vector<uint8_t> stored = {};  // the bytes of a constant, if its values do not give them
  flatbuffers::Offset<format::Sparsity> sparsity = {};
};

// The elements of a tensor as a file or an execution holds them, and back.
std::vector<uint8_t> encoded(const FileTensor& tensor);
std::vector<float> decoded(const FileTensor& tensor, std::span<const uint8_t> bytes);

// The options of an operator: the type and the table.
struct FileOptions {
  format::BuiltinOptions type = format::BuiltinOptions_NONE;
  flatbuffers::Offset<void> table = {};
};

class ModelFile {
 public:
  flatbuffers::FlatBufferBuilder& builder() { return builder_; }
  // Adds a tensor to the current subgraph, and returns its index.
  int add(const FileTensor& tensor);
  void add_operator(format::BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs,
                    const FileOptions& options = {});
  // Adds an operator that the file identifies by name.
  void add_custom_operator(const std::string& name, const std::vector<int>& inputs, const std::vector<int>& outputs,
                           const std::vector<uint8_t>& options);
  // Adds TensorFlow Lite metadata.
  void set_metadata(const std::vector<uint8_t>& metadata);
  // Ends the current subgraph; what is added then belongs to the next one.
  void end_subgraph(const std::vector<int>& inputs, const std::vector<int>& outputs);
  std::vector<uint8_t> finish();

 private:
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<format::Buffer>> buffers_;
  std::vector<flatbuffers::Offset<format::Tensor>> tensors_;
  std::vector<flatbuffers::Offset<format::Operator>> operators_;
  std::vector<flatbuffers::Offset<format::OperatorCode>> codes_;
  std::vector<flatbuffers::Offset<format::SubGraph>> subgraphs_;
  std::vector<flatbuffers::Offset<format::Metadata>> metadata_;
};

}  // namespace nnvk::test
