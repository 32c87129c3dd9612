// TOPK_V2: short spans of a row are sorted by counting, then neighbouring sorted lists are merged until one is left.
#include "shaders/topk_params.h"
#include "topk_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kLongestSingleSpan = 256;  // rows up to here are sorted at once
constexpr uint64_t kSpan = 128;               // of longer rows; a multiple of four
constexpr uint64_t kWays = 8;                 // lists merged in one step

Status emit_topk(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  NNVK_TRY(check_addressable(input));
  const TensorId x = context.input_id(0);
  const TensorId indices = context.output_id(1);
  const OperandType raw = raw_element_type(input.type);
  const uint64_t size = input.shape.dims.back();
  const uint64_t k = context.output(1).shape.dims.back();
  const uint64_t rows = element_count(input) / size;
  const auto dispatch = [&](KernelId kernel, uint64_t span, std::vector<TensorBinding> bindings, uint64_t invocations) {
    Dispatch step;
    step.kernel = kernel;
    step.specialization = {{0, element_type(input.type)}};
    bindings.insert(bindings.begin(), read_scalars(x, raw));
    step.bindings = std::move(bindings);
    step.set_params(TopkParams{static_cast<uint>(size), static_cast<uint>(k), static_cast<uint>(rows), static_cast<uint>(span),
                               static_cast<uint>(kWays)});
    return add_flat_dispatch(context, std::move(step), invocations, dispatches);
  };
  // Entries of all lists over spans of this length; the last list is the indices that the operation returns.
  const auto entries = [&](uint64_t span) { return rows * divide_up(size, span) * std::min(k, span); };
  const auto lists_of = [&](uint64_t span) {
    return span >= size ? indices : dispatches.scratch(entries(span) * sizeof(int32_t));
  };

  uint64_t span = size <= kLongestSingleSpan ? divide_up(size, 4) * 4 : kSpan;
  TensorId lists = lists_of(span);
  NNVK_TRY(dispatch(kernels::kTopkSort, span, {write_words(lists)}, rows * divide_up(size, 4)));
  for (; span < size; span *= kWays) {
    const TensorId merged = lists_of(span * kWays);
    NNVK_TRY(dispatch(kernels::kTopkMerge, span, {read_scalars(lists, OperandType::kTensorInt32), write_words(merged)},
                      entries(span)));
    lists = merged;
  }
  return dispatch(kernels::kTopkValues, span,
                  {read_scalars(indices, OperandType::kTensorInt32), write_words(context.output_id(0))}, divide_up(rows * k, 4));
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kTopkV2, nullptr, emit_topk}};

}  // namespace

std::span<const KernelEmitter> topk_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
