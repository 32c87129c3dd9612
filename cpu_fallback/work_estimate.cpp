// Counts multiply-adds, elements and bytes of one node.
#include "cpu_fallback/work_estimate.h"

#include <algorithm>

namespace nnvk::cpu {
namespace {

uint64_t elements_of(const OperandInfo& info) { return info.shape.fully_known() ? info.shape.element_count() : 1; }

// Product of the dimensions of input i from `first` on; 1 when unknown.
uint64_t tail_product(const OperationView& operation, size_t i, size_t first) {
  const Shape& shape = operation.shape(i);
  if (!shape.fully_known()) return 1;
  uint64_t product = 1;
  for (size_t d = first; d < shape.rank(); ++d) product *= shape[d];
  return product;
}

uint64_t multiply_adds(const OperationView& operation) {
  const uint64_t results = elements_of(*operation.outputs[0]);
  switch (operation.code) {
    case OperationCode::kConv2d:
    case OperationCode::kGroupedConv2d:
    case OperationCode::kFullyConnected:
      return results * tail_product(operation, 1, 1);
    case OperationCode::kDepthwiseConv2d: {
      const uint64_t channels = operation.shape(1).fully_known() ? operation.shape(1).dims.back() : 1;
      return results * tail_product(operation, 1, 0) / std::max<uint64_t>(channels, 1);
    }
    case OperationCode::kTransposeConv2d: {
      const uint64_t channels = operation.shape(1).fully_known() ? operation.shape(1).dims.back() : 1;
      return elements_of(operation.input(0)) * tail_product(operation, 1, 0) / std::max<uint64_t>(channels, 1);
    }
    default:
      return 0;
  }
}

}  // namespace

Work estimate_work(const OperationView& operation) {
  Work work;
  const auto count = [&](const OperandInfo& info) {
    const uint64_t elements = elements_of(info);
    work.elements += elements;
    work.bytes += elements * element_size(info.type);
  };
  for (const OperandView& input : operation.inputs) {
    if (input.present) count(*input.info);
  }
  for (const OperandInfo* output : operation.outputs) count(*output);
  if (!operation.outputs.empty() && operation.inputs.size() > 1) work.multiply_adds = multiply_adds(operation);
  return work;
}

double predicted_seconds(const Work& work) {
  return (static_cast<double>(work.multiply_adds) + 0.5 * static_cast<double>(work.elements)) * 1e-9;
}

}  // namespace nnvk::cpu
