// RANDOM_MULTINOMIAL computes running sums of each row's weights, then independent samples from a counter-based stream.
#include <random>

#include "core/operations/parameters/random_multinomial_parameters.h"
#include "random_multinomial_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace random_multinomial;

// Returns true if both seeds are zero, so that nnvk chooses random ones, and also if the host does not know the seeds.
bool may_need_entropy(const EmitContext& context) {
  const auto seeds = context.decode([](const OperationView& operation) { return operation.values<int32_t>(kSeeds); });
  return !seeds || seeds->size() != 2 || ((*seeds)[0] == 0 && (*seeds)[1] == 0);
}

// Returns the state of streams: words of entropy, and how many streams have begun with them. Both stay on the device between
// runs.
std::vector<std::byte> stream_state(bool random) {
  std::vector<uint32_t> words(kEntropyWords + 1, 0);
  if (random) {
    std::random_device entropy;
    for (size_t i = 0; i < kEntropyWords; ++i) words[i] = entropy();
  }
  return to_bytes(words);
}

Status emit_random_multinomial(const EmitContext& context) {
  const OperandInfo& logits = context.input(kLogits);
  const uint64_t samples = element_count(context.output(kSamples));
  if (samples == 0) return {};
  NNVK_TRY(check_addressable(logits));
  NNVK_TRY(check_addressable(context.output(kSamples)));
  const uint64_t weights = element_count(logits);
  const OperandType raw = raw_element_type(logits.type);
  MultinomialParams params{logits.shape[0], logits.shape[1], context.output(kSamples).shape[1], 0, 0};
  const std::vector<SliceStep> steps = slice_steps(params.classes);
  const TensorId state = context.dispatches.table("stream state", stream_state(may_need_entropy(context)));
  const TensorId start = context.dispatches.scratch((4 + uint64_t{params.rows}) * sizeof(uint32_t));
  const TensorId sums = context.dispatches.scratch(weights * 4 * sizeof(uint32_t));
  const TensorBinding x = read_scalars(context.input_id(kLogits), raw);
  const uint type = element_type(logits.type);
  auto begin = make_dispatch(context, kernels::kMultinomialStart, {.type = type},
                             {.in_logits = x,
                              .in_seeds = read_scalars(context.input_id(kSeeds), OperandType::kTensorInt32),
                              .state = read_write(state),
                              .out_start = read_write(start)});
  NNVK_TRY(add_steps(context, std::move(begin), params, params.rows, steps));
  auto weigh = make_dispatch(context, kernels::kMultinomialWeights, {.type = type},
                             {.in_logits = x, .in_start = read_words(start), .out_sums = write_words(sums)}, params);
  NNVK_TRY(add_flat(context, std::move(weigh), weights));
  auto sum = make_dispatch(context, kernels::kMultinomialSums, {}, {.sums = read_write(sums)});
  NNVK_TRY(add_steps(context, std::move(sum), params, params.rows, steps));
  auto draw = make_dispatch(
      context, kernels::kMultinomialDraw, {},
      {.in_start = read_words(start), .in_sums = read_words(sums), .out_y = write_words(context.output_id(kSamples))}, params);
  return add_flat(context, std::move(draw), samples);
}

}  // namespace

constinit const EmitterRows random_multinomial_emitters = {{OperationCode::kRandomMultinomial, nullptr, emit_random_multinomial}};

}  // namespace nnvk::vulkan
