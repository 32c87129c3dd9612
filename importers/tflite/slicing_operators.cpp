// Operators that cut out parts of a tensor, or put a margin around it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

Status emit_slice(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const std::vector<uint32_t> inputs, emitter.inputs_from(op, 0));
  return emit_moved(emitter, op, ANEURALNETWORKS_SLICE, inputs);
}

// One dimension of a slice with all masks resolved: elements `begin`, `begin` + `stride`, ... before `end`.
struct SlicedDimension {
  int32_t begin = 0, end = 0, stride = 1;
  uint32_t length() const {
    const int64_t distance = stride > 0 ? int64_t{end} - begin : int64_t{begin} - end;
    const int64_t step = stride > 0 ? stride : -int64_t{stride};
    return distance <= 0 ? 0 : static_cast<uint32_t>((distance + step - 1) / step);
  }
};

constexpr size_t kMostDimensions = 8;

bool has_bit(int32_t mask, size_t bit) { return bit < 31 && ((static_cast<uint32_t>(mask) >> bit) & 1U) != 0; }

// The numbers that the operator's inputs 1 to 3 hold.
struct SliceNumbers {
  std::vector<int32_t> begin, end, strides;
};

SlicedDimension sliced(const SliceNumbers& numbers, const StridedSliceOptions& settings, size_t i, uint32_t size) {
  const auto count = static_cast<int64_t>(size);
  const int32_t stride = numbers.strides[i];
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? count : count - 1;
  const auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + count : at, lowest, highest); };
  const int64_t begin = numbers.begin[i];
  if (has_bit(settings.shrink_axis_mask, i)) {
    const auto at = static_cast<int32_t>(begin < 0 ? begin + count : begin);
    return {.begin = at, .end = at + 1};
  }
  const int64_t end = settings.offset ? begin + numbers.end[i] : numbers.end[i];
  return {.begin = static_cast<int32_t>(has_bit(settings.begin_mask, i) ? (stride > 0 ? 0 : count - 1) : place(begin)),
          .end = static_cast<int32_t>(has_bit(settings.end_mask, i) ? (stride > 0 ? count : -1) : place(end)),
          .stride = stride};
}

// Resolves all masks. Bit i of a mask belongs to entry i of the numbers, of which a new axis has no dimension of the input, and
// an ellipsis any number of them.
Result<std::vector<SlicedDimension>> resolved(const Operator& op, const std::vector<uint32_t>& shape,
                                              const SliceNumbers& numbers) {
  const auto settings = options_or_defaults<StridedSliceOptions>(op);
  const size_t entries = numbers.begin.size();
  if (numbers.end.size() != entries || numbers.strides.size() != entries || std::ranges::count(numbers.strides, 0) != 0) {
    return fail(op.where + ": it must have as many begins as ends and strides, and no stride of 0");
  }
  if (shape.size() > kMostDimensions)
    return fail(fmt::format("{}: its input may have at most {} dimensions, but has {}", op.where, kMostDimensions, shape.size()));
  size_t cut = 0;  // the entries that belong to one dimension each
  for (size_t i = 0; i < entries; ++i) {
    if (!has_bit(settings.new_axis_mask, i) && !has_bit(settings.ellipsis_mask, i)) ++cut;
  }
  if (cut > shape.size())
    return fail(fmt::format("{}: it cuts {} dimensions, but its input has only {}", op.where, cut, shape.size()));
  std::vector<SlicedDimension> result;
  const auto whole = [&](size_t count) {
    for (; count > 0; --count) result.push_back({.begin = 0, .end = static_cast<int32_t>(shape[result.size()])});
  };
  for (size_t i = 0; i < entries; ++i) {
    if (has_bit(settings.ellipsis_mask, i)) {
      whole(shape.size() - cut);
      cut = shape.size();  // a second ellipsis stands for nothing
    } else if (!has_bit(settings.new_axis_mask, i)) {
      const SlicedDimension dimension = sliced(numbers, settings, i, shape[result.size()]);
      if (dimension.length() == 0 || dimension.begin < 0 || int64_t{dimension.begin} >= shape[result.size()]) {
        return fail(fmt::format("{}: it leaves nothing of dimension {}, which NNAPI does not allow", op.where, result.size()));
      }
      result.push_back(dimension);
    }
  }
  whole(shape.size() - result.size());
  return result;
}

// Returns the positions of a slice's elements among all elements of a tensor of this shape.
std::vector<int32_t> sliced_positions(const std::vector<uint32_t>& shape, const std::vector<SlicedDimension>& dimensions) {
  std::vector<int32_t> positions{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int32_t> finer;
    for (const int32_t position : positions) {
      for (uint32_t i = 0; i < dimensions[d].length(); ++i) {
        const int32_t at = dimensions[d].begin + static_cast<int32_t>(i) * dimensions[d].stride;
        finer.push_back(position * static_cast<int32_t>(shape[d]) + at);
      }
    }
    positions = std::move(finer);
  }
  return positions;
}

// Emits a slice whose masks NNAPI does not have, or of integers, which NNAPI slices without strides: a slice and a reshape.
Status emit_resolved_slice(Emitter& emitter, const Operator& op, uint32_t data) {
  SliceNumbers numbers;
  TOOLS_ASSIGN(numbers.begin, emitter.integers(op, 1));
  TOOLS_ASSIGN(numbers.end, emitter.integers(op, 2));
  TOOLS_ASSIGN(numbers.strides, emitter.integers(op, 3));
  OperandInfo info = emitter.builder().operand(data);
  const std::vector<uint32_t> shape = info.dimensions;
  TOOLS_TRY(check_closed(op, shape));
  TOOLS_ASSIGN(const std::vector<SlicedDimension> dimensions, resolved(op, shape, numbers));
  std::vector<int32_t> begin, end, strides, sizes;
  int32_t end_mask = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    begin.push_back(dimensions[d].begin);
    end.push_back(dimensions[d].end);
    strides.push_back(dimensions[d].stride);
    info.dimensions[d] = dimensions[d].length();
    sizes.push_back(static_cast<int32_t>(info.dimensions[d]));
    if (dimensions[d].end < 0) end_mask |= int32_t{1} << d;
  }
  const bool whole_steps = std::ranges::all_of(strides, [](int32_t stride) { return stride == 1; });
  if (!whole_steps && info.type == ANEURALNETWORKS_TENSOR_INT32) {
    if (emitter.builder().operand(data).elements() > static_cast<uint64_t>(INT32_MAX))
      return fail(op.where + ": its input has more elements than NNAPI allows");
    TOOLS_TRY(emitter.translation().budget.take_bytes(2 * info.bytes(), op.where + ": positions of its elements"));
    return emit_chosen(emitter, op, data, sliced_positions(shape, dimensions));
  }
  std::vector<uint32_t> inputs{data};
  const auto lists = whole_steps ? std::vector{begin, sizes} : std::vector{begin, end, strides};
  for (const std::vector<int32_t>& list : lists) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_int32_tensor(list));
    inputs.push_back(operand);
  }
  if (!whole_steps) TOOLS_TRY(append(emitter, inputs, {0, end_mask, 0}));
  TOOLS_ASSIGN(const uint32_t slice,
               emitter.emit_temporary(op, whole_steps ? ANEURALNETWORKS_SLICE : ANEURALNETWORKS_STRIDED_SLICE, inputs, info));
  return reshape_to_output(emitter, op, slice, 0);
}

// Slices integers that are known before an execution, such as a result of SHAPE.
Result<bool> slice_known(Emitter& emitter, const Operator& op) {
  const auto values = emitter.known_integers(op, 0);
  if (!values || emitter.input_tensor(op, 0).dimensions.size() != 1) return false;
  const auto begin = emitter.known_integers(op, 1);
  const auto end = emitter.known_integers(op, 2);
  const auto strides = emitter.known_integers(op, 3);
  if (!begin || !end || !strides) return false;
  const auto size = static_cast<uint32_t>(values->size());
  TOOLS_ASSIGN(const std::vector<SlicedDimension> dimensions, resolved(op, {size}, {*begin, *end, *strides}));
  std::vector<int32_t> result;
  for (uint32_t i = 0; i < dimensions[0].length(); ++i) {
    result.push_back((*values)[static_cast<size_t>(dimensions[0].begin + static_cast<int64_t>(i) * dimensions[0].stride)]);
  }
  TOOLS_TRY(emitter.set_known(op, std::move(result)));
  return true;
}

Status emit_strided_slice(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<StridedSliceOptions>(op));
  TOOLS_ASSIGN(const bool done, slice_known(emitter, op));
  if (done) return {};
  TOOLS_ASSIGN(const std::vector<uint32_t> operands, emitter.inputs_from(op, 0));
  const bool unusual = settings->ellipsis_mask != 0 || settings->new_axis_mask != 0 || settings->offset;
  if (unusual || emitter.builder().operand(operands[0]).type == ANEURALNETWORKS_TENSOR_INT32) {
    return emit_resolved_slice(emitter, op, operands[0]);
  }
  std::vector<uint32_t> inputs(operands.begin(), operands.begin() + 4);
  TOOLS_TRY(append(emitter, inputs, {settings->begin_mask, settings->end_mask, settings->shrink_axis_mask}));
  return emit_moved(emitter, op, ANEURALNETWORKS_STRIDED_SLICE, std::move(inputs));
}

Status emit_pad(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t paddings, emitter.input(op, 1));
  return emit_moved(emitter, op, ANEURALNETWORKS_PAD, {data, paddings});
}

Status emit_pad_v2(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t paddings, emitter.input(op, 1));
  const auto& value = emitter.input_tensor(op, 2);
  if (!value.constant() || value.elements() != 1) return fail(op.where + ": its padding value must be one constant");
  const OperandInfo info = emitter.builder().operand(data);
  OperandInfo scalar{.type = ANEURALNETWORKS_FLOAT32, .dimensions = {}};
  std::vector<uint8_t> bytes(value.data.begin(), value.data.end());
  if (is_quant8(info.type)) {
    scalar.type = ANEURALNETWORKS_INT32;
    const int32_t stored = info.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? bytes[0] : static_cast<int8_t>(bytes[0]);
    bytes.resize(sizeof stored);
    std::memcpy(bytes.data(), &stored, sizeof stored);
  } else if (info.type == ANEURALNETWORKS_TENSOR_FLOAT16) {
    scalar.type = ANEURALNETWORKS_FLOAT16;
  }
  if (bytes.size() != tools::element_size(scalar.type))
    return fail(op.where + ": its padding value must have the type of the data");
  TOOLS_ASSIGN(const uint32_t value_operand, emitter.builder().add_operand(scalar));
  TOOLS_TRY(emitter.builder().set_owned_value(value_operand, std::move(bytes)));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (is_quant8(out.type) && !info.same_quantization(out))
    return fail(op.where + ": its input and its output must have the same quantization");
  return emit_to_output(emitter, op, ANEURALNETWORKS_PAD_V2, {data, paddings, value_operand});
}

Status emit_mirror_pad(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<MirrorPadOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t paddings, emitter.input(op, 1));
  std::vector<uint32_t> inputs{data, paddings};
  TOOLS_TRY(append(emitter, inputs, {settings->mode == format::MirrorPadMode_REFLECT ? 0 : 1}));
  return emit_moved(emitter, op, ANEURALNETWORKS_MIRROR_PAD, std::move(inputs));
}

// Adds the outputs of a split, which must have the input's quantization.
Result<std::vector<uint32_t>> split_outputs(Emitter& emitter, const Operator& op, uint32_t data) {
  if (op.outputs.empty() || op.outputs.size() > kMostPieces)
    return fail(fmt::format("{}: it must have from 1 to {} outputs, but has {}", op.where, kMostPieces, op.outputs.size()));
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t output, emitter.output(op, i));
    const OperandInfo info = emitter.builder().operand(output);
    if (is_quant8(info.type) && !info.same_quantization(emitter.builder().operand(data))) {
      return fail(op.where + ": its input and its output must have the same quantization");
    }
    outputs.push_back(output);
  }
  return outputs;
}

Status emit_equal_split(Emitter& emitter, const Operator& op, uint32_t data, int32_t axis) {
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {axis, static_cast<int32_t>(op.outputs.size())}));
  TOOLS_ASSIGN(const std::vector<uint32_t> outputs, split_outputs(emitter, op, data));
  return emitter.emit(op, ANEURALNETWORKS_SPLIT, inputs, outputs);
}

Status emit_split(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const int32_t axis, emitter.integer(op, 0, "the axis"));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 1));
  const auto parts = options_or_defaults<SplitOptions>(op).parts;
  if (parts != 0 && static_cast<size_t>(parts) != op.outputs.size()) {
    return fail(fmt::format("{}: it must have an output for each of {} parts, but has {}", op.where, parts, op.outputs.size()));
  }
  return emit_equal_split(emitter, op, data, axis);
}

Status emit_split_v(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(std::vector<int32_t> sizes, emitter.integers(op, 1));
  TOOLS_ASSIGN(const int32_t axis, emitter.integer(op, 2, "the axis"));
  const std::vector<uint32_t> shape = emitter.builder().operand(data).dimensions;
  TOOLS_ASSIGN(const uint32_t along, checked_axis(op, axis, shape.size()));
  if (sizes.size() != op.outputs.size()) {
    return fail(
        fmt::format("{}: it must have an output for each of {} parts, but has {}", op.where, sizes.size(), op.outputs.size()));
  }
  TOOLS_TRY(check_closed(op, {shape[along]}));
  int64_t rest = shape[along];
  for (const int32_t size : sizes) rest -= std::max(size, 0);
  for (int32_t& size : sizes) {
    if (size == -1) size = static_cast<int32_t>(std::exchange(rest, 0));
    if (size < 1) return fail(op.where + ": its parts must have at least one element");
  }
  if (rest != 0) return fail(fmt::format("{}: its parts must add up to {} elements", op.where, shape[along]));
  if (std::ranges::count(sizes, sizes[0]) == std::ssize(sizes)) {
    return emit_equal_split(emitter, op, data, static_cast<int32_t>(along));
  }
  TOOLS_ASSIGN(const std::vector<uint32_t> outputs, split_outputs(emitter, op, data));
  std::vector<int32_t> begin(shape.size());
  std::vector<int32_t> size(shape.size(), -1);  // -1: all that follow
  for (size_t i = 0; i < outputs.size(); ++i) {
    size[along] = sizes[i];
    TOOLS_ASSIGN(const uint32_t from, emitter.builder().add_int32_tensor(begin));
    TOOLS_ASSIGN(const uint32_t extent, emitter.builder().add_int32_tensor(size));
    TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_SLICE, std::vector<uint32_t>{data, from, extent}, std::span(&outputs[i], 1)));
    begin[along] += sizes[i];
  }
  return {};
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_SLICE, emit_slice, 3},
    {format::BuiltinOperator_STRIDED_SLICE, emit_strided_slice, 4},
    {format::BuiltinOperator_PAD, emit_pad, 2},
    {format::BuiltinOperator_PADV2, emit_pad_v2, 3},
    {format::BuiltinOperator_MIRROR_PAD, emit_mirror_pad, 2},
    {format::BuiltinOperator_SPLIT, emit_split, 2, false},
    {format::BuiltinOperator_SPLIT_V, emit_split_v, 3, false},
});

}  // namespace

std::span<const Row> slicing_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
