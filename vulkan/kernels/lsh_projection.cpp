// LSH_PROJECTION: one invocation per seed hashes all rows of the input, then the signs of the sums are packed.
#include "lsh_projection_kernels.h"
#include "shaders/lsh_projection_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// How often an invocation may loop in one dispatch (see bounded_work.h), and how often it does: for a row, for 64 bytes of it.
constexpr uint64_t kMostLoops = 3 * kMostElementsPerInvocation;
constexpr uint64_t kLoopsPerRow = 40;
constexpr uint64_t kLoopsPerBlock = 10;
constexpr uint64_t kBlockBytes = 64;
constexpr uint64_t kMostDispatches = 4096;
constexpr uint64_t kScoreBytes = 16;

constexpr size_t kRowsBinding = 1;
constexpr size_t kResultBinding = 3;

Status emit_lsh_projection(const EmitContext& context, DispatchList& dispatches) {
  constexpr int32_t kDense = 2;
  constexpr int32_t kSparse = 3;
  const OperandInfo& seeds = context.input(0);
  const OperandInfo& input = context.input(1);
  NNVK_TRY(check_addressable(input));
  const uint64_t input_bytes = element_count(input) * element_size(input.type);
  const uint64_t results = element_count(context.output(0));
  if (results == 0) return {};
  const int32_t type = context.scalar<int32_t>(3, kSparse);
  const uint32_t bits = seeds.shape[1];
  LshParams params{};
  params.results = static_cast<uint>(results);
  params.bits = type == kDense ? 1 : bits;
  params.step = type == kSparse && bits < 32 ? 1U << bits : 0;  // i * 2^32 leaves nothing of 32 bits
  const uint32_t rows = input.shape[0];
  params.row_bytes = static_cast<uint>(input_bytes / rows);
  params.last_word = static_cast<uint>(divide_up(input_bytes, 4) - 1);
  const uint64_t seed_count = results * params.bits;
  const uint64_t rows_at_once = kMostLoops / (kLoopsPerRow + kLoopsPerBlock * (uint64_t{params.row_bytes} / kBlockBytes + 2));
  if (rows_at_once == 0 || rows / rows_at_once >= kMostDispatches) {
    return fail(Code::kResourceExhaustedPersistent, std::to_string(rows) + " rows of " + std::to_string(params.row_bytes) +
                                                        " bytes take this device too long to hash");
  }
  const bool weighted = context.has(2);
  const TensorId scores = dispatches.scratch(seed_count * kScoreBytes);
  Dispatch dispatch;
  dispatch.kernel = kernels::kLshProjection;
  dispatch.specialization = {{0, element_type(seeds.type)}, {1, weighted ? 1U : 0U}, {kLshPackId, 0}};
  dispatch.bindings = {read_words(context.input_id(0)), read_words(context.input_id(1)),
                       read_words(context.input_id(weighted ? 2 : 0)), read_write(scores)};
  for (const SliceStep& step : slice_steps(rows, static_cast<uint32_t>(rows_at_once), kStepFoldFirst)) {
    params.begin = step.begin;
    params.end = step.end;
    dispatch.set_params(params);
    NNVK_TRY(add_flat_dispatch(context, dispatch, seed_count, dispatches));
  }
  dispatch.specialization.back().value = 1;
  dispatch.bindings[kRowsBinding] = read_words(scores);
  dispatch.bindings[kResultBinding] = write_words(context.output_id(0));
  return add_flat_dispatch(context, std::move(dispatch), results, dispatches);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kLshProjection, nullptr, emit_lsh_projection}};

}  // namespace

std::span<const KernelEmitter> lsh_projection_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
