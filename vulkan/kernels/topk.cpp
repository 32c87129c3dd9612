// TOPK_V2: kernels sort short spans of a row by counting, then merge neighbouring sorted lists until one is left.
#include "core/operations/parameters/topk_parameters.h"
#include "topk_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace topk;

constexpr uint64_t kLongestSingleSpan = 256;  // rows up to this length are sorted at once
constexpr uint64_t kSpan = 128;               // longer rows are sorted in spans of this length; a multiple of four
constexpr uint64_t kWays = 8;                 // lists merged in one step

Status emit_topk(const EmitContext& context) {
  const OperandInfo& input = context.input(kInput);
  NNVK_TRY(check_addressable(input));
  const OperandType raw = raw_element_type(input.type);
  const TensorBinding x = read_scalars(context.input_id(kInput), raw);
  const uint type = element_type(input.type);
  const TensorId indices = context.output_id(kIndices);
  const uint64_t size = input.shape.dims.back();
  const uint64_t k = context.output(kIndices).shape.dims.back();
  const uint64_t rows = element_count(input) / size;
  const auto params_of = [&](uint64_t span) {
    return TopkParams{static_cast<uint>(size), static_cast<uint>(k), static_cast<uint>(rows), static_cast<uint>(span),
                      static_cast<uint>(kWays)};
  };
  // entries(): of all lists over spans of length `span`. A list over the whole row is the output: indices into the row.
  const auto entries = [&](uint64_t span) { return rows * divide_up(size, span) * std::min(k, span); };
  const auto lists_of = [&](uint64_t span) {
    return span >= size ? indices : context.dispatches.scratch(entries(span) * sizeof(int32_t));
  };

  uint64_t span = size <= kLongestSingleSpan ? divide_up(size, 4) * 4 : kSpan;
  TensorId lists = lists_of(span);
  auto sort =
      make_dispatch(context, kernels::kTopkSort, {.type = type}, {.in_x = x, .out_lists = write_words(lists)}, params_of(span));
  NNVK_TRY(add_flat(context, std::move(sort), rows * divide_up(size, 4)));
  for (; span < size; span *= kWays) {
    const TensorId merged = lists_of(span * kWays);
    auto merge =
        make_dispatch(context, kernels::kTopkMerge, {.type = type},
                      {.in_x = x, .in_lists = read_scalars(lists, OperandType::kTensorInt32), .out_lists = write_words(merged)},
                      params_of(span));
    NNVK_TRY(add_flat(context, std::move(merge), entries(span)));
    lists = merged;
  }
  auto values = make_dispatch(context, kernels::kTopkValues, {.type = type},
                              {.in_x = x,
                               .in_indices = read_scalars(indices, OperandType::kTensorInt32),
                               .out_values = write_words(context.output_id(kValues))},
                              params_of(span));
  return add_flat(context, std::move(values), divide_up(rows * k, 4));
}

}  // namespace

constinit const EmitterRows topk_emitters = {{OperationCode::kTopkV2, nullptr, emit_topk}};

}  // namespace nnvk::vulkan
