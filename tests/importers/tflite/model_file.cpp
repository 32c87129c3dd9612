// Builds files with the generated classes of the format.
#include "tests/importers/tflite/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnvk::test {
namespace {

namespace fb = flatbuffers;

template <class T>
std::vector<uint8_t> as_bytes(const FileTensor& tensor) {
  std::vector<T> elements;
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    const double value = tensor.values[i];
    const bool integer = std::numeric_limits<T>::is_integer;
    const double stored = tensor.scale != 0 ? std::round(value / tensor.scale) + static_cast<double>(tensor.zero_point) : value;
    elements.push_back(integer ? static_cast<T>(std::clamp(stored, static_cast<double>(std::numeric_limits<T>::lowest()),
                                                           static_cast<double>(std::numeric_limits<T>::max())))
                               : static_cast<T>(value));
  }
  const auto* first = reinterpret_cast<const uint8_t*>(elements.data());
  return {first, first + elements.size() * sizeof(T)};
}

template <class T>
std::vector<float> as_reals(const FileTensor& tensor, std::span<const uint8_t> bytes) {
  std::vector<float> values;
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    const auto value = static_cast<double>(element);
    values.push_back(
        static_cast<float>(tensor.scale != 0 ? tensor.scale * (value - static_cast<double>(tensor.zero_point)) : value));
  }
  return values;
}

}  // namespace

std::vector<uint8_t> encoded(const FileTensor& tensor) {
  if (!tensor.stored.empty()) return tensor.stored;
  switch (tensor.type) {
    case format::TensorType_INT8:
      return as_bytes<int8_t>(tensor);
    case format::TensorType_UINT8:
    case format::TensorType_BOOL:
      return as_bytes<uint8_t>(tensor);
    case format::TensorType_INT32:
      return as_bytes<int32_t>(tensor);
    case format::TensorType_INT64:
      return as_bytes<int64_t>(tensor);
    default:
      return as_bytes<float>(tensor);
  }
}

std::vector<float> decoded(const FileTensor& tensor, std::span<const uint8_t> bytes) {
  switch (tensor.type) {
    case format::TensorType_INT8:
      return as_reals<int8_t>(tensor, bytes);
    case format::TensorType_UINT8:
    case format::TensorType_BOOL:
      return as_reals<uint8_t>(tensor, bytes);
    case format::TensorType_INT32:
    case format::TensorType_INT64:  // NNAPI's results have 32 bits
      return as_reals<int32_t>(tensor, bytes);
    default:
      return as_reals<float>(tensor, bytes);
  }
}

int ModelFile::add(const FileTensor& tensor) {
  if (buffers_.empty()) buffers_.push_back(format::CreateBuffer(builder_));  // the empty one
  uint32_t buffer = 0;
  if (tensor.constant) {
    const std::vector<uint8_t> bytes = encoded(tensor);
    builder_.ForceVectorAlignment(bytes.size(), 1, 16);
    buffer = static_cast<uint32_t>(buffers_.size());
    buffers_.push_back(format::CreateBuffer(builder_, builder_.CreateVector(bytes)));
  }
  fb::Offset<format::QuantizationParameters> quantization;
  std::vector<float> scales = tensor.channel_scales;
  if (scales.empty() && tensor.scale != 0) scales = {tensor.scale};
  if (!scales.empty()) {
    const std::vector<int64_t> zero_points(scales.size(), tensor.zero_point);
    const auto scale = builder_.CreateVector(scales);
    const auto zero_point = builder_.CreateVector(zero_points);
    quantization = format::CreateQuantizationParameters(builder_, 0, 0, scale, zero_point, tensor.channel_dimension);
  }
  const auto name = builder_.CreateString("t" + std::to_string(tensors_.size()));
  const auto shape = builder_.CreateVector(tensor.shape);
  const auto signature = tensor.signature.empty() ? fb::Offset<fb::Vector<int32_t>>() : builder_.CreateVector(tensor.signature);
  tensors_.push_back(
      CreateTensor(builder_, shape, tensor.type, buffer, name, quantization, tensor.variable, tensor.sparsity, signature));
  return static_cast<int>(tensors_.size()) - 1;
}

void ModelFile::add_operator(format::BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs,
                             const FileOptions& options) {
  const auto old_code = static_cast<int8_t>(std::min<int>(code, format::BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES));
  const auto custom = code == format::BuiltinOperator_CUSTOM ? builder_.CreateString("unknown") : fb::Offset<fb::String>();
  codes_.push_back(CreateOperatorCode(builder_, old_code, custom, 1, code));
  const auto reads = builder_.CreateVector(inputs);
  const auto writes = builder_.CreateVector(outputs);
  operators_.push_back(
      CreateOperator(builder_, static_cast<uint32_t>(codes_.size()) - 1, reads, writes, options.type, options.table));
}

void ModelFile::add_custom_operator(const std::string& name, const std::vector<int>& inputs, const std::vector<int>& outputs,
                                    const std::vector<uint8_t>& options) {
  codes_.push_back(CreateOperatorCode(builder_, format::BuiltinOperator_CUSTOM, builder_.CreateString(name), 1,
                                      format::BuiltinOperator_CUSTOM));
  const auto reads = builder_.CreateVector(inputs);
  const auto writes = builder_.CreateVector(outputs);
  operators_.push_back(CreateOperator(builder_, static_cast<uint32_t>(codes_.size()) - 1, reads, writes,
                                      format::BuiltinOptions_NONE, 0, builder_.CreateVector(options)));
}

void ModelFile::set_metadata(const std::vector<uint8_t>& metadata) {
  if (buffers_.empty()) buffers_.push_back(format::CreateBuffer(builder_));
  builder_.ForceVectorAlignment(metadata.size(), 1, 16);
  buffers_.push_back(format::CreateBuffer(builder_, builder_.CreateVector(metadata)));
  metadata_ = {
      format::CreateMetadata(builder_, builder_.CreateString("TFLITE_METADATA"), static_cast<uint32_t>(buffers_.size()) - 1)};
}

void ModelFile::end_subgraph(const std::vector<int>& inputs, const std::vector<int>& outputs) {
  const auto tensors = builder_.CreateVector(tensors_);
  const auto reads = builder_.CreateVector(inputs);
  const auto writes = builder_.CreateVector(outputs);
  subgraphs_.push_back(CreateSubGraph(builder_, tensors, reads, writes, builder_.CreateVector(operators_)));
  tensors_.clear();
  operators_.clear();
}

std::vector<uint8_t> ModelFile::finish() {
  const auto codes = builder_.CreateVector(codes_);
  const auto subgraphs = builder_.CreateVector(subgraphs_);
  const auto metadata =
      metadata_.empty() ? fb::Offset<fb::Vector<fb::Offset<format::Metadata>>>() : builder_.CreateVector(metadata_);
  FinishModelBuffer(builder_, CreateModel(builder_, 3, codes, subgraphs, 0, builder_.CreateVector(buffers_), metadata));
  return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
}

}  // namespace nnvk::test
