// SVDF: a feature product is pushed into a memory of the last steps per filter, which a time filter then weighs.
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status svdf(KernelContext& context) {
  const FloatInput input(context, 0);
  const FloatInput features(context, 1);
  const FloatInput time_filter(context, 2);
  const FloatInput state_in(context, 4);
  const auto rank = context.operation.scalar<int32_t>(5);
  if (!rank || *rank < 1) return fail(Code::kOpFailed, "the rank must be known and at least 1");
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 6));
  const ActivationBounds bounds = float_activation_bounds(activation);
  const size_t filters = context.operation.shape(1)[0];
  const size_t input_size = context.operation.shape(1)[1];
  const size_t memory = context.operation.shape(2)[1];
  const size_t batches = context.operation.shape(0)[0];
  const size_t units = filters / static_cast<size_t>(*rank);
  FloatOutput state_out(context, 0);
  FloatOutput output(context, 1);
  std::vector<float> sums(batches * units, 0.0F);
  for (size_t b = 0; b < batches; ++b) {
    for (size_t f = 0; f < filters; ++f) {
      float feature = 0.0F;
      for (size_t i = 0; i < input_size; ++i) feature += input[b * input_size + i] * features[f * input_size + i];
      // The memory holds its newest entry last; that place is free on input.
      const size_t row = (b * filters + f) * memory;
      float filtered = 0.0F;
      for (size_t m = 0; m < memory; ++m) {
        const float value = m + 1 < memory ? state_in[row + m] : feature;
        filtered += value * time_filter[f * memory + m];
        if (m > 0) state_out[row + m - 1] = value;
      }
      state_out[row + memory - 1] = 0.0F;
      sums[b * units + f / static_cast<size_t>(*rank)] += filtered;
    }
  }
  std::vector<float> bias(units, 0.0F);
  if (context.operation.has(3)) {
    const FloatInput given(context, 3);
    bias.assign(given.values().begin(), given.values().end());
  }
  for (size_t i = 0; i < sums.size(); ++i) output[i] = clamp_float(sums[i] + bias[i % units], bounds);
  state_out.store();
  output.store();
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kSvdf, svdf}};

}  // namespace

std::span<const KernelRow> svdf_kernels() { return kRows; }

}  // namespace nnvk::cpu
