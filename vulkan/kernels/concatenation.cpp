// A dispatch of CONCATENATION or PACK copies up to three inputs. The dispatches run in parallel unless two write the same word.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "data_movement_kernels.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace concatenation;

constexpr uint64_t kMostIdle = 2;  // invocations per invocation that copies

// Returns input i in the output's quantization: the input itself, or a scratch tensor. PACK's inputs all have that quantization.
Result<TensorId> requantized_input(const EmitContext& context, size_t i) {
  const OperandInfo& input = context.input(i);
  const OperandInfo& output = context.output(kOutput);
  if (!is_quant8_asymm(input.type) || same_quantization(input, output)) return context.input_id(i);
  return mapped_input(context, i, requantization_table(input, output));
}

// An input and its place in the output: rows of `size` elements, from element `start` of each row of the output.
struct Part {
  TensorId tensor = kNoTensor;
  uint64_t size = 0;
  uint64_t start = 0;
  bool quads = false;  // all rows begin and end at multiples of four elements
};

// Rows of the output, `stride` elements each.
struct Rows {
  uint64_t count = 0;
  uint64_t stride = 0;
};

// Returns how many of the first `parts` one dispatch copies. An invocation copies one unit of each part, so invocations idle
// beyond the end of a short part. On software Vulkan, idle invocations take time too.
size_t group_size(std::span<const Part> parts, const DeviceTraits& traits) {
  const bool merges = !parts[0].quads;
  size_t count = 1;
  uint64_t sum = parts[0].size;
  uint64_t longest = parts[0].size;
  while (count < parts.size() && count < kConcatenationInputs && parts[count].quads == parts[0].quads) {
    sum += parts[count].size;
    longest = std::max(longest, parts[count].size);
    if (traits.is_software() && !merges && longest * (count + 1) > kMostIdle * sum) break;
    ++count;
  }
  return count;
}

Status emit_group(const EmitContext& context, const Rows& rows, std::span<const Part> parts) {
  const OperandType raw = raw_element_type(context.output(kOutput).type);
  const uint type = element_type(raw);
  const uint64_t width = element_size(raw);
  const bool quads = parts[0].quads;
  const uint64_t unit = quads ? 4 : 1;
  const auto inputs = static_cast<uint>(parts.size());
  ConcatenationParams params{};
  params.rows = static_cast<uint>(rows.count);
  params.out_row = static_cast<uint>(rows.stride / unit);
  std::array<TensorBinding, kConcatenationInputs> x;
  uint64_t size = 0;
  uint64_t longest = 0;
  for (size_t p = 0; p < x.size(); ++p) {
    const Part& part = parts[std::min(p, parts.size() - 1)];
    x[p] = read_elements(part.tensor, raw, quads);
    params.in_rows[p] = static_cast<uint>(part.size / unit);
    params.starts[p] = static_cast<uint>(part.start / unit);
    params.counts[p] = params.rows * params.in_rows[p];
    if (p < parts.size()) size += part.size;
    longest = std::max<uint64_t>(longest, params.counts[p]);
  }
  const uint64_t start = parts[0].start;
  if (!quads && width != 4) {
    // The merging kernel rewrites all quads from its first row to its last, including elements of other inputs. All other kernels
    // write only their own rows.
    params.first = static_cast<uint>(start / 4);
    const uint64_t end = (rows.count - 1) * rows.stride + start + size;
    params.units = static_cast<uint>(divide_up(end, 4) - start / 4);
    const bool keeps = size != rows.stride;
    const TensorId output = context.output_id(kOutput);
    TensorBinding y = keeps ? read_write(output) : write_words(output);
    y.touched = {uint64_t{params.first} * 4 * width, uint64_t{params.units} * 4 * width, 0, 1};
    auto dispatch = make_dispatch(context, kernels::kConcatenationMerge, {.inputs = inputs, .type = type, .keeps = keeps},
                                  {.in_a = x[0], .in_b = x[1], .in_c = x[2], .out_y = y}, params);
    return add_flat(context, std::move(dispatch), params.units);
  }
  TensorBinding y = write_words(context.output_id(kOutput));
  y.touched = {start * width, size * width, rows.stride * width, rows.count};
  auto dispatch = quads ? make_dispatch(context, kernels::kConcatenationQuads, {.inputs = inputs, .type = type},
                                        {.in_a = x[0], .in_b = x[1], .in_c = x[2], .out_y = y}, params)
                        : make_dispatch(context, kernels::kConcatenationWords, {.inputs = inputs},
                                        {.in_a = x[0], .in_b = x[1], .in_c = x[2], .out_y = y}, params);
  return add_flat(context, std::move(dispatch), longest);
}

Status emit_joined(const EmitContext& context) {
  const OperandInfo& output = context.output(kOutput);
  if (element_count(output) == 0) return {};
  NNVK_TRY(check_addressable(output));
  const JoinedInputs tensors = context.decode(joined_inputs);
  NNVK_ASSIGN(const uint32_t axis, context.decode(joined_axis));
  const AxisSplit split = split_at_axis(output.shape, axis);
  const Rows rows{.count = split.outer, .stride = split.size * split.inner};
  std::vector<Part> parts;
  uint64_t start = 0;
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    Part part{.size = element_count(context.input(i)) / rows.count, .start = start};
    if (part.size == 0) continue;
    NNVK_ASSIGN(part.tensor, requantized_input(context, i));
    part.quads = part.size % 4 == 0 && part.start % 4 == 0 && rows.stride % 4 == 0;
    start += part.size;
    parts.push_back(part);
  }
  for (std::span<const Part> left = parts; !left.empty();) {
    const size_t count = group_size(left, context.traits);
    NNVK_TRY(emit_group(context, rows, left.first(count)));
    left = left.subspan(count);
  }
  return {};
}

}  // namespace

constinit const EmitterRows concatenation_emitters = {{OperationCode::kConcatenation, nullptr, emit_joined},
                                                      {OperationCode::kPack, nullptr, emit_joined}};

}  // namespace nnvk::vulkan
