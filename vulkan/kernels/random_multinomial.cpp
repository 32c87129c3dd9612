// RANDOM_MULTINOMIAL: running sums of each row's weights, then independent samples from a counter-based stream.
#include <random>

#include "random_multinomial_kernels.h"
#include "shaders/random_multinomial_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// Seeds that the host knows and that are not both zero ask for no randomness of our own.
bool may_need_entropy(const EmitContext& context) {
  const std::vector<int32_t> seeds = context.values<int32_t>(2);
  return seeds.size() != 2 || (seeds[0] == 0 && seeds[1] == 0);
}

// Words of entropy and a count of the streams begun with them; it stays on the device from run to run.
std::vector<std::byte> stream_state(bool random) {
  std::vector<uint32_t> words(kEntropyWords + 1, 0);
  if (random) {
    std::random_device entropy;
    for (size_t i = 0; i < kEntropyWords; ++i) words[i] = entropy();
  }
  return to_bytes(words);
}

Status emit_random_multinomial(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& logits = context.input(0);
  const uint64_t samples = element_count(context.output(0));
  if (samples == 0) return {};
  NNVK_TRY(check_addressable(logits));
  NNVK_TRY(check_addressable(context.output(0)));
  const uint64_t weights = element_count(logits);
  const OperandType raw = raw_element_type(logits.type);
  MultinomialParams params{logits.shape[0], logits.shape[1], context.output(0).shape[1], 0, 0};
  const std::vector<SliceStep> steps = slice_steps(params.classes, kMostElementsPerInvocation, kStepFoldFirst);
  const bool random = may_need_entropy(context);
  const TensorId state = dispatches.table(context.node_index, "stream state", [&] { return stream_state(random); });
  const TensorId start = dispatches.scratch((4 + uint64_t{params.rows}) * sizeof(uint32_t));
  const TensorId sums = dispatches.scratch(weights * 4 * sizeof(uint32_t));
  const auto add = [&](KernelId kernel, std::vector<TensorBinding> bindings, uint64_t invocations, bool typed) {
    Dispatch dispatch;
    dispatch.kernel = kernel;
    if (typed) dispatch.specialization = {{0, element_type(logits.type)}};
    dispatch.bindings = std::move(bindings);
    dispatch.set_params(params);
    return add_flat_dispatch(context, std::move(dispatch), invocations, dispatches);
  };
  const TensorId x = context.input_id(0);
  const TensorBinding seeds = read_scalars(context.input_id(2), OperandType::kTensorInt32);
  for (const SliceStep& step : steps) {
    params.begin = step.begin;
    params.end = step.end;
    NNVK_TRY(
        add(kernels::kMultinomialStart, {read_scalars(x, raw), seeds, read_write(state), read_write(start)}, params.rows, true));
  }
  NNVK_TRY(add(kernels::kMultinomialWeights, {read_scalars(x, raw), read_words(start), write_words(sums)}, weights, true));
  for (const SliceStep& step : steps) {
    params.begin = step.begin;
    params.end = step.end;
    NNVK_TRY(add(kernels::kMultinomialSums, {read_write(sums)}, params.rows, false));
  }
  return add(kernels::kMultinomialDraw, {read_words(start), read_words(sums), write_words(context.output_id(0))}, samples, false);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kRandomMultinomial, nullptr, emit_random_multinomial}};

}  // namespace

std::span<const KernelEmitter> random_multinomial_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
