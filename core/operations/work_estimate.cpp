// Counts multiply-adds, elements and bytes of one node.
#include "core/operations/work_estimate.h"

#include <algorithm>

#include "core/operations/parameters/matmul_parameters.h"
#include "core/operations/parameters/window_axis.h"

namespace nnvk {
namespace {

// Returns the product of the dimensions from `first` on.
uint64_t tail_product(const Shape& shape, size_t first) {
  uint64_t product = 1;
  for (size_t d = first; d < shape.rank(); ++d) product *= shape[d] == kUnknownDimension ? 1 : shape[d];
  return product;
}

// Returns the last dimension, at least 1.
uint64_t width_of(const Shape& shape) {
  return shape.rank() == 0 ? 1 : std::max<uint64_t>(tail_product(shape, shape.rank() - 1), 1);
}

uint64_t results_of(const OperationView& operation) { return estimate_elements(operation.output(kFirstOutput)); }

// Returns the cells per output channel of a depthwise filter, or per input channel of a transposed one.
uint64_t filter_cells(const OperationView& operation) {
  const Shape& filter = operation.shape(convolution::kFilter);
  return tail_product(filter, 0) / width_of(filter);
}

// Returns the part of `multiply_adds` that belongs to taps which read the image; trim_filters() removes all others.
uint64_t of_live_taps(const OperationView& operation, uint64_t multiply_adds) {
  const Shape& filter = operation.shape(convolution::kFilter);
  if (filter.rank() != 4) return multiply_adds;
  const auto window = window_parameters(operation);
  if (!window) return multiply_adds;
  const uint64_t live = uint64_t{live_taps(vertical_axis(*window)).count()} * live_taps(horizontal_axis(*window)).count();
  return multiply_adds / (uint64_t{window->filter_height} * window->filter_width) * live;
}

}  // namespace

uint64_t estimate_elements(const OperandInfo& info) { return tail_product(info.shape, 0); }

uint64_t filter_multiply_adds(const OperationView& operation) {
  return of_live_taps(operation, results_of(operation) * tail_product(operation.shape(convolution::kFilter), 1));
}

uint64_t depthwise_multiply_adds(const OperationView& operation) {
  return of_live_taps(operation, results_of(operation) * filter_cells(operation));
}

uint64_t transposed_multiply_adds(const OperationView& operation) {
  return estimate_elements(operation.input(convolution::kImage)) * filter_cells(operation);
}

uint64_t matrix_multiply_adds(const OperationView& operation) {
  return estimate_elements(operation.input(batch_matmul::kLeft)) * width_of(operation.output(kFirstOutput).shape);
}

uint64_t recurrent_multiply_adds(const OperationView& operation) {
  uint64_t weights = 0;
  for (const OperandView& input : operation.inputs) {
    if (input.present && input.info->shape.rank() == 2) weights += estimate_elements(*input.info);
  }
  return weights * (results_of(operation) / width_of(operation.output(kFirstOutput).shape));
}

Work estimate_work(const OperationView& operation) {
  Work work;
  const auto count = [&](const OperandInfo& info) {
    const uint64_t elements = estimate_elements(info);
    work.elements += elements;
    work.bytes += elements * element_size(info.type);
  };
  for (const OperandView& input : operation.inputs) {
    if (input.present) count(*input.info);
  }
  for (const OperandInfo* output : operation.outputs) count(*output);
  const OperationDefinition* const row = find_operation(operation.code);
  const bool is_counted = row != nullptr && row->multiply_adds != nullptr;
  if (is_counted && !operation.outputs.empty() && operation.inputs.size() > 1) {
    work.multiply_adds = row->multiply_adds(operation);
  }
  return work;
}

}  // namespace nnvk
