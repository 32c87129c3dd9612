// FULLY_CONNECTED is a pointwise convolution of one pixel per batch; BATCH_MATMUL is a product with one matrix per group.
#include "core/operations/parameters/matmul_parameters.h"
#include "matmul_kernels.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

Status emit_fully_connected(const EmitContext& context) {
  NNVK_ASSIGN(const FullyConnectedParameters p, context.decode(fully_connected_parameters));
  WindowParameters window;
  window.batches = p.batches;
  window.in_height = window.in_width = window.out_height = window.out_width = 1;
  window.in_channels = p.input_size;
  window.out_channels = p.units;
  window.activation = p.activation;
  return emit_convolution(context, window, false);
}

// --- BATCH_MATMUL -----------------------------------------------------------------------------------------------------------

// Emits the product of TENSOR_INT32, which has a kernel of its own, because its products wrap around, unlike those of float
// kernels.
Status emit_int32(const EmitContext& context, const BatchMatmulParameters& p) {
  MatmulInt32Params params{};
  params.rows = p.left.rows;
  params.columns = p.right.columns;
  params.depth = p.left.columns;
  params.x_row_stride = p.left.row_stride;
  params.x_depth_stride = p.left.column_stride;
  params.y_depth_stride = p.right.row_stride;
  params.y_column_stride = p.right.column_stride;
  params.row_tiles = static_cast<uint32_t>(divide_up(p.left.rows, kMatmulInt32Tile));
  params.column_tiles = static_cast<uint32_t>(divide_up(p.right.columns, kMatmulInt32Tile));
  params.tiles = p.batches * params.row_tiles * params.column_tiles;
  auto dispatch = make_dispatch(context, kernels::kMatmulInt32, {},
                                {.in_x = read_scalars(context.input_id(batch_matmul::kLeft), OperandType::kTensorInt32),
                                 .in_y = read_scalars(context.input_id(batch_matmul::kRight), OperandType::kTensorInt32),
                                 .out_z = read_write(context.output_id(batch_matmul::kOutput))});
  const std::vector<SliceStep> chunks = slice_steps(params.depth);
  dispatch.multiply_adds = uint64_t{p.batches} * params.rows * params.depth * params.columns / chunks.size();
  return add_steps(context, std::move(dispatch), params, params.tiles, chunks);
}

Status emit_batch_matmul(const EmitContext& context) {
  using namespace batch_matmul;
  NNVK_ASSIGN(const BatchMatmulParameters p, context.decode(batch_matmul_parameters));
  const BatchedMatrix& x = p.left;
  const BatchedMatrix& y = p.right;
  const OperandInfo& left = context.input(kLeft);
  const OperandInfo& right = context.input(kRight);
  const OperandInfo& output = context.output(kOutput);
  if (output.type == OperandType::kTensorInt32) return emit_int32(context, p);

  ProductRows rows{context.input_id(kLeft), left.type, left.zero_point, p.batches, x.rows, x.columns};
  rows.matrix_stride = x.rows * x.columns;
  rows.row_stride = x.row_stride;
  rows.depth_stride = x.column_stride;
  ProductWeights weights{weight_source(context, kRight), dense_filter(p.batches, y.columns, 1, y.rows), "right side"};
  weights.layout.stride_channel = y.column_stride;
  weights.layout.stride_k = y.row_stride;

  ProductResult result;
  result.wide = y.columns % 4 != 0 && uint64_t{p.batches} * x.rows > 1;
  result.columns = y.columns;
  const bool narrow = result.wide && element_size(output.type) < 4;
  result.target = result_target(context, narrow);
  if (!is_float_tensor(output.type)) {
    const float product_scale = left.scale * right.scale;
    result.multiplier = decompose_multiplier(double{product_scale} / double{output.scale});
    result.zero_point = output.zero_point;
    result.lo = -128.0F;
    result.hi = 127.0F;
  }
  NNVK_TRY(emit_product(context, rows, weights, result));
  return narrow ? emit_narrowing(context, result.target) : Status{};
}

// Checks that the packed right side fits one buffer binding: it has a float per element and columns rounded up to a tile.
Status support_batch_matmul(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const OperandInfo& right = plan.tensors[node.inputs[batch_matmul::kRight]].info;
  if (right.type == OperandType::kTensorInt32) return {};
  if (right.shape.rank() < 2 || !right.shape.fully_known() || right.shape.element_count() == 0) return {};
  const auto value = plan.tensors[node.inputs[batch_matmul::kAdjointRight]].value;
  if (value.empty()) return {};
  const BatchedMatrix y = batched_matrix(right.shape, value[0] != std::byte{0});
  const uint64_t matrices = right.shape.element_count() / (uint64_t{y.rows} * y.columns);
  const uint64_t bytes = matrices * y.rows * dense_filter(1, y.columns, 1, 1).columns * 16;
  return check_storage("the right side " + right.shape.to_string() + ", packed,", bytes, traits);
}

}  // namespace

constinit const EmitterRows matmul_emitters = {
    {OperationCode::kFullyConnected, check_filter_fits, emit_fully_connected},
    {OperationCode::kBatchMatmul, support_batch_matmul, emit_batch_matmul},
};

}  // namespace nnvk::vulkan
