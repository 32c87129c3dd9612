// LSH_PROJECTION: one invocation per seed hashes all rows of the input. Then a dispatch packs the signs of the sums.
#include "core/operations/parameters/lsh_projection_parameters.h"
#include "lsh_projection_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// The most loop iterations of an invocation in one dispatch (see bounded_work.h), and its iterations per row and per 64 bytes.
constexpr uint64_t kMostLoops = uint64_t{3} * kMostElementsPerInvocation;
constexpr uint64_t kLoopsPerRow = 40;
constexpr uint64_t kLoopsPerBlock = 10;
constexpr uint64_t kBlockBytes = 64;
constexpr uint64_t kMostDispatches = 4096;
constexpr uint64_t kScoreBytes = 16;

Status emit_lsh_projection(const EmitContext& context) {
  using namespace lsh_projection;
  NNVK_ASSIGN(const LshParameters p, context.decode(lsh_projection_parameters));
  const OperandInfo& input = context.input(kInput);
  NNVK_TRY(check_addressable(input));
  const uint64_t input_bytes = element_count(input) * element_size(input.type);
  const uint64_t results = element_count(context.output(kOutput));
  if (results == 0) return {};
  LshParams params{};
  params.results = static_cast<uint>(results);
  params.bits = p.type == LshType::kDense ? 1 : p.bits;
  params.step = p.type == LshType::kSparse && p.bits < 32 ? 1U << p.bits : 0;  // with 32 bits, 0 stands for i * 2^32 modulo 2^32
  params.row_bytes = static_cast<uint>(input_bytes / p.rows);
  params.last_word = static_cast<uint>(divide_up(input_bytes, 4) - 1);
  const uint64_t seed_count = results * params.bits;
  const uint64_t rows_at_once = kMostLoops / (kLoopsPerRow + kLoopsPerBlock * (uint64_t{params.row_bytes} / kBlockBytes + 2));
  if (rows_at_once == 0 || p.rows / rows_at_once >= kMostDispatches) {
    return beyond_device(std::to_string(p.rows) + " rows of " + std::to_string(params.row_bytes) +
                         " bytes take this device too long to hash");
  }
  const TensorId scores = context.dispatches.scratch(seed_count * kScoreBytes);
  const auto dispatch = [&](bool pack, TensorBinding x, TensorBinding y) {
    return make_dispatch(context, kernels::kLshProjection,
                         {.type = element_type(context.input(kHash).type), .weighted = p.weighted, .pack = pack},
                         {.in_seeds = read_words(context.input_id(kHash)),
                          .in_x = x,
                          .in_weights = read_words(context.input_id(p.weighted ? kWeights : kHash)),
                          .out_y = y},
                         params);
  };
  for (const SliceStep& step : slice_steps(p.rows, static_cast<uint32_t>(rows_at_once))) {
    params.begin = step.begin;
    params.end = step.end;
    NNVK_TRY(add_flat(context, dispatch(false, read_words(context.input_id(kInput)), read_write(scores)), seed_count));
  }
  return add_flat(context, dispatch(true, read_words(scores), write_words(context.output_id(kOutput))), results);
}

}  // namespace

constinit const EmitterRows lsh_projection_emitters = {{OperationCode::kLshProjection, nullptr, emit_lsh_projection}};

}  // namespace nnvk::vulkan
