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
    case OperationCode::kBatchMatmul: {
      // A row of the left side meets every column of the right side.
      const Shape& result = operation.outputs[0]->shape;
      const uint64_t columns = result.fully_known() && result.rank() > 0 ? result.dims.back() : 1;
      return elements_of(operation.input(0)) * columns;
    }
    case OperationCode::kRnn:
    case OperationCode::kLstm:
    case OperationCode::kSvdf:
    case OperationCode::kQuantizedLstm:
    case OperationCode::kQuantized16bitLstm:
    case OperationCode::kUnidirectionalSequenceRnn:
    case OperationCode::kUnidirectionalSequenceLstm:
    case OperationCode::kBidirectionalSequenceRnn:
    case OperationCode::kBidirectionalSequenceLstm: {
      // Every weight is used once per row of the result (batch and time step).
      const Shape& result = operation.outputs[0]->shape;
      const uint64_t width = result.fully_known() && result.rank() > 0 ? result.dims.back() : 1;
      uint64_t weights = 0;
      for (const OperandView& input : operation.inputs) {
        if (input.present && input.info->shape.rank() == 2) weights += elements_of(*input.info);
      }
      return weights * (results / std::max<uint64_t>(width, 1));
    }
    default:
      return 0;
  }
}

// Reading and writing with a decision or two; more where a function is evaluated or neighbours are weighed.
double nanoseconds_per_element(OperationCode code) {
  switch (code) {
    case OperationCode::kLogistic:
    case OperationCode::kTanh:
    case OperationCode::kSoftmax:
    case OperationCode::kLogSoftmax:
    case OperationCode::kExp:
    case OperationCode::kLog:
    case OperationCode::kSin:
    case OperationCode::kPow:
    case OperationCode::kElu:
    case OperationCode::kHardSwish:
    case OperationCode::kL2Normalization:
    case OperationCode::kLocalResponseNormalization:
    case OperationCode::kInstanceNormalization:
    case OperationCode::kResizeBilinear:
    case OperationCode::kResizeNearestNeighbor:
    case OperationCode::kMaxPool2d:
    case OperationCode::kAveragePool2d:
    case OperationCode::kL2Pool2d:
    case OperationCode::kArgmax:
    case OperationCode::kArgmin:
      return 8;
    default:
      return 2;
  }
}
constexpr double kNanosecondsPerMultiplyAdd = 1.2;
constexpr double kNanosecondsPerNode = 500;

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

double predicted_seconds(const OperationView& operation) {
  const Work work = estimate_work(operation);
  // Weights are read as part of their products.
  const double elements = work.multiply_adds > 0 ? 0 : static_cast<double>(work.elements);
  return 1e-9 * (kNanosecondsPerNode + kNanosecondsPerMultiplyAdd * static_cast<double>(work.multiply_adds) +
                 nanoseconds_per_element(operation.code) * elements);
}

}  // namespace nnvk::cpu
