// Counts multiply-adds, elements and bytes of one node.
#include "core/operations/work_estimate.h"

#include <algorithm>

#include "core/operations/parameters/matmul_parameters.h"
#include "core/operations/parameters/window_parameters.h"

namespace nnvk {
namespace {

// Product of the dimensions from `first` on.
uint64_t tail_product(const Shape& shape, size_t first) {
  uint64_t product = 1;
  for (size_t d = first; d < shape.rank(); ++d) product *= shape[d] == kUnknownDimension ? 1 : shape[d];
  return product;
}

uint64_t elements_of(const OperandInfo& info) { return tail_product(info.shape, 0); }

// The last dimension, at least 1.
uint64_t width_of(const Shape& shape) {
  return shape.rank() == 0 ? 1 : std::max<uint64_t>(tail_product(shape, shape.rank() - 1), 1);
}

uint64_t multiply_adds(const OperationView& operation) {
  const OperandInfo& output = operation.output(kFirstOutput);
  const uint64_t results = elements_of(output);
  const auto filter_cells = [&] {  // per output channel of a depthwise filter, per input channel of a transposed one
    const Shape& filter = operation.shape(convolution::kFilter);
    return tail_product(filter, 0) / width_of(filter);
  };
  switch (operation.code) {
    case OperationCode::kConv2d:
    case OperationCode::kGroupedConv2d:
    case OperationCode::kFullyConnected:
      return results * tail_product(operation.shape(convolution::kFilter), 1);
    case OperationCode::kDepthwiseConv2d:
      return results * filter_cells();
    case OperationCode::kTransposeConv2d:  // spreads each element of the input
      return elements_of(operation.input(convolution::kImage)) * filter_cells();
    case OperationCode::kBatchMatmul:  // a row of the left side meets every column of the right side
      return elements_of(operation.input(batch_matmul::kLeft)) * width_of(output.shape);
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
      uint64_t weights = 0;
      for (const OperandView& input : operation.inputs) {
        if (input.present && input.info->shape.rank() == 2) weights += elements_of(*input.info);
      }
      return weights * (results / width_of(output.shape));
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

}  // namespace nnvk
