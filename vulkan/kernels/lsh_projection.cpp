// LSH_PROJECTION: one invocation per result hashes all rows of the input.
#include "lsh_projection_kernels.h"
#include "shaders/lsh_projection_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

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
  params.rows = input.shape[0];
  params.row_bytes = static_cast<uint>(input_bytes / params.rows);
  params.last_word = static_cast<uint>(divide_up(input_bytes, 4) - 1);
  const bool weighted = context.has(2);
  Dispatch dispatch;
  dispatch.kernel = kernels::kLshProjection;
  dispatch.specialization = {{0, element_type(seeds.type)}, {1, weighted ? 1U : 0U}};
  dispatch.bindings = {read_words(context.input_id(0)), read_words(context.input_id(1)),
                       read_words(context.input_id(weighted ? 2 : 0)), write_words(context.output_id(0))};
  dispatch.set_params(params);
  return add_flat_dispatch(context, std::move(dispatch), results, dispatches);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kLshProjection, nullptr, emit_lsh_projection}};

}  // namespace

std::span<const KernelEmitter> lsh_projection_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
