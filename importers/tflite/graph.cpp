// Texts and sizes of tensors.
#include "importers/tflite/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nnvk::importers::tflite {

uint64_t Tensor::elements() const {
  uint64_t count = 1;
  for (const uint32_t d : dimensions) count *= d;
  return count;
}

std::string describe(const Graph& graph, int index) {
  const auto& tensor = graph.tensors[static_cast<size_t>(index)];
  return fmt::format("tensor {} '{}' ({})", index, tensor.name, format::EnumNameTensorType(tensor.type));
}

std::string shape_text(const Tensor& tensor) { return fmt::format("[{}]", fmt::join(tensor.dimensions, ",")); }

size_t element_size(format::TensorType type) {
  switch (type) {
    case format::TensorType_FLOAT32:
    case format::TensorType_INT32:
      return 4;
    case format::TensorType_FLOAT16:
    case format::TensorType_INT16:
      return 2;
    case format::TensorType_UINT8:
    case format::TensorType_INT8:
    case format::TensorType_BOOL:
    case format::TensorType_INT4:  // as it is computed with
      return 1;
    case format::TensorType_INT64:
      return 8;
    default:
      return 0;
  }
}

uint64_t stored_size(format::TensorType type, uint64_t elements) {
  return type == format::TensorType_INT4 ? (elements + 1) / 2 : elements * element_size(type);
}

}  // namespace nnvk::importers::tflite
