// SVDF: the feature product, then results and new state from it, side by side.
#include "shaders/svdf_params.h"
#include "svdf_kernels.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"

#include <limits>

namespace nnvk::vulkan {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kFeatureWeights = 1;
constexpr size_t kTimeFilter = 2;
constexpr size_t kBias = 3;
constexpr size_t kState = 4;
constexpr uint64_t kPartialBytes = 16;  // of the sums of an invocation between dispatches

// [batches, filters] float32.
Result<TensorId> emit_features(const EmitContext& context, uint32_t batches, uint32_t filters, DispatchList& dispatches) {
  const OperandInfo& input = context.input(kInput);
  ProductRows rows;
  rows.tensor = context.input_id(kInput);
  rows.type = input.type;
  rows.rows = batches;
  rows.depth = rows.row_stride = input.shape[1];
  ProductResult result;
  result.wide = true;
  result.columns = filters;
  result.lo = -std::numeric_limits<float>::infinity();
  result.hi = std::numeric_limits<float>::infinity();
  result.target = dispatches.scratch(uint64_t{batches} * filters * sizeof(float));
  const ProductWeights weights{weight_source(context, kFeatureWeights), dense_filter(1, filters, 1, rows.depth), "features"};
  NNVK_TRY(emit_product(context, rows, weights, result, dispatches));
  return result.target;
}

Status emit_svdf(const EmitContext& context, DispatchList& dispatches) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 6));
  const OperandType type = context.input(kInput).type;
  const uint32_t batches = context.input(kInput).shape[0];
  const uint32_t filters = context.input(kFeatureWeights).shape[0];
  const uint32_t memory = context.input(kTimeFilter).shape[1];
  NNVK_ASSIGN(const TensorId features, emit_features(context, batches, filters, dispatches));
  const TensorBinding in_features = read_scalars(features, OperandType::kTensorFloat32);
  const TensorBinding in_state = read_scalars(context.input_id(kState), type);

  SvdfStateParams state{};
  state.elements = static_cast<uint32_t>(element_count(context.output(0)));
  state.count = static_cast<uint32_t>(divide_up(state.elements, 4));
  state.memory = memory;
  Dispatch dispatch;
  dispatch.kernel = kernels::kSvdfState;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context) + ", state";
  dispatch.specialization = {{0, element_type(type)}};
  dispatch.bindings = {in_features, in_state, write_words(context.output_id(0))};
  dispatch.set_params(state);
  NNVK_ASSIGN(dispatch.groups, flat_groups(state.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(dispatch);

  const ActivationBounds bounds = float_activation_bounds(activation);
  SvdfOutputParams output{};
  output.elements = static_cast<uint32_t>(element_count(context.output(1)));
  output.count = static_cast<uint32_t>(divide_up(output.elements, 4));
  output.units = context.output(1).shape[1];
  output.rank = filters / output.units;
  output.memory = memory;
  output.has_bias = context.has(kBias) ? 1 : 0;
  output.lo = bounds.lo;
  output.hi = bounds.hi;
  dispatch.kernel = kernels::kSvdfOutput;
  dispatch.label = dispatch_label(context) + ", output";
  // Without a bias the binding is never read; the state stands in for it.
  dispatch.bindings = {in_features, in_state, read_scalars(context.input_id(kTimeFilter), type),
                       output.has_bias != 0 ? read_scalars(context.input_id(kBias), type) : in_state,
                       write_words(context.output_id(1))};
  NNVK_ASSIGN(dispatch.groups, flat_groups(output.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  const std::vector<SliceStep> steps = slice_steps(output.rank * memory, kMostElementsPerInvocation, kStepFoldFirst);
  dispatch.bindings.push_back(read_write(dispatches.scratch(steps.size() > 1 ? output.count * kPartialBytes : kPartialBytes)));
  dispatch.multiply_adds = uint64_t{batches} * filters * memory / steps.size();
  for (const SliceStep& step : steps) {
    output.begin = step.begin;
    output.end = step.end;
    dispatch.set_params(output);
    dispatches.add(dispatch);
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kSvdf, check_filter_fits, emit_svdf}};

}  // namespace

std::span<const KernelEmitter> svdf_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
