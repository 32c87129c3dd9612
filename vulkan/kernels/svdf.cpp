// SVDF computes the feature product, then in parallel the results and the new state from it.
#include "core/operations/parameters/svdf_parameters.h"
#include "svdf_kernels.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

using namespace svdf;

constexpr uint64_t kPartialBytes = 16;  // an invocation's sums between dispatches

// Emits the features, as float32 [batch, filters].
Result<TensorId> emit_features(const EmitContext& context, const SvdfParameters& p) {
  ProductRows rows{.tensor = context.input_id(kInput), .type = context.input(kInput).type, .rows = p.batch};
  rows.depth = rows.row_stride = p.input_size;
  const TensorId target = context.dispatches.scratch(uint64_t{p.batch} * p.filters * sizeof(float));
  const ProductResult result{.target = target, .wide = true, .columns = p.filters};
  const ProductWeights weights{weight_source(context, kFeatureWeights), dense_filter(1, p.filters, 1, rows.depth), "features"};
  NNVK_TRY(emit_product(context, rows, weights, result));
  return target;
}

Status emit_svdf(const EmitContext& context) {
  NNVK_ASSIGN(const SvdfParameters p, context.decode(svdf_parameters));
  const OperandType type = context.input(kInput).type;
  NNVK_ASSIGN(const TensorId features, emit_features(context, p));
  const TensorBinding in_features = read_scalars(features, OperandType::kTensorFloat32);
  const TensorBinding in_state = read_scalars(context.input_id(kState), type);

  SvdfStateParams state{};
  state.elements = static_cast<uint32_t>(element_count(context.output(kNewState)));
  state.count = static_cast<uint32_t>(divide_up(state.elements, 4));
  state.memory = p.memory;
  auto remember = make_dispatch(
      context, kernels::kSvdfState, {.type = element_type(type)},
      {.in_features = in_features, .in_state = in_state, .out_state = write_words(context.output_id(kNewState))}, state);
  remember.label += ", state";
  NNVK_TRY(add_flat(context, std::move(remember), state.count));

  const ActivationBounds bounds = float_activation_bounds(p.activation);
  SvdfOutputParams output{};
  output.elements = static_cast<uint32_t>(element_count(context.output(kOutput)));
  output.count = static_cast<uint32_t>(divide_up(output.elements, 4));
  output.units = p.units;
  output.rank = p.rank;
  output.memory = p.memory;
  output.has_bias = p.has_bias ? 1 : 0;
  output.lo = bounds.lo;
  output.hi = bounds.hi;
  const std::vector<SliceStep> steps = slice_steps(p.rank * p.memory);
  const TensorId partial = context.dispatches.scratch(steps.size() > 1 ? output.count * kPartialBytes : kPartialBytes);
  auto dispatch = make_dispatch(context, kernels::kSvdfOutput, {.type = element_type(type)},
                                {.in_features = in_features,
                                 .in_state = in_state,
                                 .in_filter = read_scalars(context.input_id(kTimeFilter), type),
                                 // If there is no bias, the state stands in for it, and the kernel never reads this binding.
                                 .in_bias = p.has_bias ? read_scalars(context.input_id(kBias), type) : in_state,
                                 .out_y = write_words(context.output_id(kOutput)),
                                 .partial = read_write(partial)});
  dispatch.label += ", output";
  dispatch.multiply_adds = uint64_t{p.batch} * p.filters * p.memory / steps.size();
  return add_steps(context, std::move(dispatch), output, output.count, steps);
}

}  // namespace

constinit const EmitterRows svdf_emitters = {{OperationCode::kSvdf, check_filter_fits, emit_svdf}};

}  // namespace nnvk::vulkan
