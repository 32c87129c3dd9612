// FULLY_CONNECTED, a pointwise convolution of one pixel per batch, and BATCH_MATMUL, a product with one matrix per group.
#include <limits>

#include "core/operations/parameters/batched_matrix.h"
#include "core/operations/parameters/window_parameters.h"
#include "matmul_kernels.h"
#include "shaders/matmul_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_fully_connected(const EmitContext& context, DispatchList& dispatches) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 3));
  const Shape& weights = context.input(1).shape;
  WindowParameters window;
  window.batches = context.output(0).shape[0];
  window.in_height = window.in_width = window.out_height = window.out_width = 1;
  window.in_channels = weights[1];
  window.out_channels = weights[0];
  window.activation = static_cast<int32_t>(activation);
  return emit_dense_convolution(context, window, false, dispatches);
}

// --- BATCH_MATMUL -----------------------------------------------------------------------------------------------------------

// TENSOR_INT32: products that wrap cannot go through the float kernels.
Status emit_int32(const EmitContext& context, const BatchedMatrix& x, const BatchedMatrix& y, uint32_t batches,
                  DispatchList& dispatches) {
  MatmulInt32Params params{};
  params.rows = x.rows;
  params.columns = y.columns;
  params.depth = x.columns;
  params.x_row_stride = x.row_stride;
  params.x_depth_stride = x.column_stride;
  params.y_depth_stride = y.row_stride;
  params.y_column_stride = y.column_stride;
  params.row_tiles = static_cast<uint32_t>(divide_up(x.rows, kMatmulInt32Tile));
  params.column_tiles = static_cast<uint32_t>(divide_up(y.columns, kMatmulInt32Tile));
  params.tiles = batches * params.row_tiles * params.column_tiles;
  Dispatch dispatch;
  dispatch.kernel = kernels::kMatmulInt32;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  const std::vector<SliceStep> chunks = slice_steps(params.depth, kMostElementsPerInvocation, kStepFoldFirst);
  dispatch.multiply_adds = uint64_t{batches} * x.rows * x.columns * y.columns / chunks.size();
  dispatch.bindings = {read_scalars(context.input_id(0), OperandType::kTensorInt32),
                       read_scalars(context.input_id(1), OperandType::kTensorInt32), read_write(context.output_id(0))};
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.tiles, kernel_info(dispatch.kernel).local_size[0], context.traits));
  for (const SliceStep& chunk : chunks) {
    params.chunk_begin = chunk.begin;
    params.chunk_end = chunk.end;
    dispatch.set_params(params);
    dispatches.add(dispatch);
  }
  return {};
}

Status emit_batch_matmul(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& left = context.input(0);
  const OperandInfo& right = context.input(1);
  const OperandInfo& output = context.output(0);
  const BatchedMatrix x = batched_matrix(left.shape, context.scalar<uint8_t>(2, 0) != 0);
  const BatchedMatrix y = batched_matrix(right.shape, context.scalar<uint8_t>(3, 0) != 0);
  const auto batches = static_cast<uint32_t>(element_count(left) / (uint64_t{x.rows} * x.columns));
  if (output.type == OperandType::kTensorInt32) return emit_int32(context, x, y, batches, dispatches);

  ProductRows rows{context.input_id(0), left.type, left.zero_point, batches, x.rows, x.columns};
  rows.matrix_stride = x.rows * x.columns;
  rows.row_stride = x.row_stride;
  rows.depth_stride = x.column_stride;
  ProductWeights weights{weight_source(context, 1), dense_filter(batches, y.columns, 1, y.rows), "right side"};
  weights.layout.stride_channel = y.column_stride;
  weights.layout.stride_k = y.row_stride;

  ProductResult result;
  result.wide = y.columns % 4 != 0 && uint64_t{batches} * x.rows > 1;
  result.columns = y.columns;
  const bool narrow = result.wide && element_size(output.type) < 4;
  result.target = result_target(context, narrow, dispatches);
  if (is_float_tensor(output.type)) {
    result.lo = -std::numeric_limits<float>::infinity();
    result.hi = std::numeric_limits<float>::infinity();
  } else {
    const float product_scale = left.scale * right.scale;
    result.multiplier = decompose_multiplier(double{product_scale} / double{output.scale});
    result.zero_point = output.zero_point;
    result.lo = -128.0F;
    result.hi = 127.0F;
  }
  NNVK_TRY(emit_product(context, rows, weights, result, dispatches));
  return narrow ? emit_narrowing(context, result.target, dispatches) : Status{};
}

// The packed right side, a float for every element and columns rounded up to a tile, must fit one buffer binding.
Status support_batch_matmul(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const OperandInfo& right = plan.tensors[node.inputs[1]].info;
  if (right.type == OperandType::kTensorInt32) return {};
  if (right.shape.rank() < 2 || !right.shape.fully_known() || right.shape.element_count() == 0) return {};
  const auto value = plan.tensors[node.inputs[3]].value;
  if (value.empty()) return {};
  const BatchedMatrix y = batched_matrix(right.shape, value[0] != std::byte{0});
  const uint64_t matrices = right.shape.element_count() / (uint64_t{y.rows} * y.columns);
  const uint64_t bytes = matrices * y.rows * dense_filter(1, y.columns, 1, 1).columns * 16;
  if (bytes <= traits.max_storage_range) return {};
  return fail(Code::kOpFailed, "the right side " + right.shape.to_string() + " takes " + std::to_string(bytes) +
                                   " bytes when packed, more than the device's storage buffers hold (" +
                                   std::to_string(traits.max_storage_range) + ")");
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kFullyConnected, check_filter_fits, emit_fully_connected},
    {OperationCode::kBatchMatmul, support_batch_matmul, emit_batch_matmul},
};

}  // namespace

std::span<const KernelEmitter> matmul_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
