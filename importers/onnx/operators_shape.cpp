// Operators that change shapes or order, without computing: Reshape, Transpose, Concat, Split, Pad and the like.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/folding.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

Result<Tensors> add_identity(OperatorCall& call) {
  return moved(call, [](const Tensor& input) -> Result<Tensor> { return input; });
}

// Adds Dropout of inference: the input, and a mask of ones.
Result<Tensors> add_dropout(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  if (call.has(2)) {
    TOOLS_ASSIGN(const auto training, call.integers(2, "training_mode"));
    const bool drops = training.size() == 1 && training[0] != 0;
    if (drops && call.has(1)) {
      TOOLS_ASSIGN(const auto ratio, call.reals(1, "ratio"));
      if (ratio.size() != 1 || ratio[0] != 0) return fail("it drops at random, as training does, which NNAPI cannot do");
    } else if (drops) {
      return fail("it drops at random, as training does, which NNAPI cannot do");
    }
  }
  if (!call.wants(1)) return add_identity(call);
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (call.opset() < 10) return fail("the importer does not support a mask of the input's type");
  TOOLS_TRY(OperatorCall::expect_fixed(input, "its mask"));
  const int64_t truth = 1;
  TOOLS_ASSIGN(const Tensor mask,
               expand(emitter, Emitter::constant(integer_constant(ElementType::kBool, {}, {&truth, 1})), input.dimensions));
  return Tensors{input, mask};
}

Result<Tensors> add_shape(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  const auto rank = static_cast<int64_t>(input.rank());
  TOOLS_ASSIGN(int64_t start, call.integer("start", 0));
  TOOLS_ASSIGN(int64_t end, call.integer("end", rank));
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, start, rank);
  const Dimensions part(input.dimensions.begin() + start, input.dimensions.begin() + end);
  if (std::ranges::any_of(part, [](int64_t d) { return d < 0; }))
    return fail("NNAPI cannot return a shape that is open, " + describe(input));
  return Tensors{Emitter::constant(integer_constant(ElementType::kInt64, {end - start}, part))};
}

Result<Tensors> add_size(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_TRY(OperatorCall::expect_fixed(input, "its result"));
  const auto count = static_cast<int64_t>(element_count(input.dimensions));
  return Tensors{Emitter::constant(integer_constant(ElementType::kInt64, {}, {&count, 1}))};
}

// Returns whether a parameter is computed, but the graph declares the shape of the result, from which it follows.
bool has_only_declared_shape(const OperatorCall& call, size_t position) {
  return call.has(position) && !call.is_constant(position) && call.declared_shape(0);
}

Result<Tensors> reshaped_as_declared(OperatorCall& call) {
  return moved(call, [&](const Tensor& input) { return reshape(call.emitter(), input, *call.declared_shape(0)); });
}

Result<Tensors> add_reshape(OperatorCall& call) {
  if (has_only_declared_shape(call, 1)) return reshaped_as_declared(call);
  TOOLS_ASSIGN(const auto given, call.list_or_input("shape", 1));  // an attribute before opset 5
  if (!given) return fail("its shape is missing");
  const std::vector<int64_t>& shape = *given;
  TOOLS_ASSIGN(const int64_t allow_zero, call.integer("allowzero", 0));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    Dimensions target = shape;
    for (size_t d = 0; d < target.size(); ++d) {
      if (target[d] < -1) return fail(fmt::format("the numbers of its shape must be -1 or more, but one is {}", target[d]));
      if (target[d] != 0 || allow_zero != 0) continue;
      if (d >= input.rank())
        return fail(fmt::format("its shape copies dimension {}, which the input {} does not have", d, describe(input)));
      target[d] = input.dimensions[d];
    }
    // A single open dimension that is copied, together with a -1: the -1 follows from the known dimensions.
    const auto open = std::ranges::count(target, -1);
    if (open == 2 && std::ranges::count(shape, -1) == 1 && std::ranges::count(input.dimensions, -1) == 1) {
      int64_t known = 1;
      for (const int64_t d : input.dimensions) known *= d < 0 ? 1 : d;
      int64_t given = 1;
      for (const int64_t d : target) given *= d < 0 ? 1 : d;
      const auto wanted = static_cast<size_t>(std::ranges::find(shape, -1) - shape.begin());
      if (given > 0 && known % given == 0) target[wanted] = known / given;
    }
    return reshape(call.emitter(), input, std::move(target));
  });
}

Result<Tensors> add_flatten(OperatorCall& call) {
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(int64_t axis, call.integer("axis", 1));
    const auto rank = static_cast<int64_t>(input.rank());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) return fail(fmt::format("axis {} is outside {}", axis, describe(input)));
    Dimensions shape{1, 1};
    for (int64_t d = 0; d < rank; ++d) {
      int64_t& product = shape[d < axis ? 0 : 1];
      const int64_t size = input.dimensions[static_cast<size_t>(d)];
      product = product < 0 || size < 0 ? -1 : product * size;
    }
    return reshape(call.emitter(), input, std::move(shape));
  });
}

// Returns the axes counted from 0, in ascending order, each at most once.
Result<std::vector<int64_t>> sorted_axes(std::vector<int64_t> axes, size_t rank) {
  for (int64_t& axis : axes) {
    TOOLS_ASSIGN(axis, checked_axis(axis, rank));
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) return fail("it may not list an axis twice");
  return axes;
}

Result<Tensors> add_squeeze(OperatorCall& call) {
  if (has_only_declared_shape(call, 1)) return reshaped_as_declared(call);
  TOOLS_ASSIGN(const auto given, call.list_or_input("axes", 1));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    if (given) {
      TOOLS_ASSIGN(const auto axes, sorted_axes(*given, input.rank()));
      return squeeze(call.emitter(), input, axes);
    }
    TOOLS_TRY(OperatorCall::expect_fixed(input, "without axes it"));
    std::vector<int64_t> axes;
    for (size_t d = 0; d < input.rank(); ++d) {
      if (input.dimensions[d] == 1) axes.push_back(static_cast<int64_t>(d));
    }
    return squeeze(call.emitter(), input, axes);
  });
}

Result<Tensors> add_unsqueeze(OperatorCall& call) {
  if (has_only_declared_shape(call, 1)) return reshaped_as_declared(call);
  TOOLS_ASSIGN(const auto given, call.list_or_input("axes", 1));
  if (!given) return fail("its axes are missing");
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(const auto axes, sorted_axes(*given, input.rank() + given->size()));
    return unsqueeze(call.emitter(), input, axes);
  });
}

Result<Tensors> add_transpose(OperatorCall& call) {
  TOOLS_ASSIGN(const auto given, call.integer_list("perm"));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    std::vector<int64_t> permutation = given;
    if (permutation.empty()) {
      permutation.resize(input.rank());
      std::iota(permutation.rbegin(), permutation.rend(), 0);
    }
    TOOLS_ASSIGN(const auto sorted, sorted_axes(permutation, input.rank()));
    if (sorted.size() != input.rank()) return fail("its permutation must name each dimension of " + describe(input) + " once");
    return transpose(call.emitter(), input, permutation);
  });
}

// Joins 8-bit integers behind DequantizeLinear: as they are if they have one quantization, else in the quantization of the
// QuantizeLinear that reads the result. Returns false if neither is possible.
Result<bool> joined_integers(OperatorCall& call) {
  Tensors integers;
  bool alike = true;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const auto next = call.quantized(i);
    if (!next || next->per_axis() || !next->tensor.is_8bit() || next->tensor.rank() == 0) return false;
    if (i > 0 && next->tensor.type != integers[0].type) return false;
    integers.push_back(next->tensor);
    alike = alike && next->tensor.info().same_quantization(integers[0].info());
  }
  if (integers.empty()) return false;
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, integers[0].rank()));
  if (alike) {
    Quantized joined = *call.quantized(0);
    TOOLS_ASSIGN(joined.tensor, concatenate(call.emitter(), integers, axis));
    call.defer(std::move(joined));
    return true;
  }
  const auto target = call.requantization();
  if (!target || target->activation != ANEURALNETWORKS_FUSED_NONE || target->type != integers[0].type) return false;
  Tensor like = integers[0];
  like.scale = target->scale;
  like.zero_point = target->zero_point;
  TOOLS_ASSIGN(Tensor result, concatenate(call.emitter(), integers, axis, like));
  call.absorb(*target, std::move(result));
  return true;
}

Result<Tensors> add_concat(OperatorCall& call) {
  if (!call.attribute("axis")) return fail("its attribute 'axis' is missing");
  TOOLS_ASSIGN(const bool joined, joined_integers(call));
  if (joined) return Tensors{};
  TOOLS_ASSIGN(Tensors inputs, call.inputs());
  if (inputs[0].rank() == 0) return fail("it cannot join scalars");
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, inputs[0].rank()));
  for (Tensor& input : inputs) {
    if (!input.is_8bit()) continue;
    TOOLS_ASSIGN(input, with_quantization(call.emitter(), input, inputs[0].scale, inputs[0].zero_point));
  }
  return one(concatenate(call.emitter(), inputs, axis));
}

Result<Tensors> add_split(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, input.rank()));
  const int64_t size = input.dimensions[static_cast<size_t>(axis)];
  if (size < 0) return fail("it cannot split an open dimension of " + describe(input));
  std::optional<std::vector<int64_t>> given;
  if (has_only_declared_shape(call, 1)) {
    given.emplace();
    for (size_t i = 0; i < call.output_count(); ++i) {
      const auto part = call.declared_shape(i);
      if (!part || part->size() != input.rank()) return fail("the sizes of its parts are neither known nor declared");
      given->push_back((*part)[static_cast<size_t>(axis)]);
    }
  } else {
    TOOLS_ASSIGN(given, call.list_or_input("split", 1));
  }
  const auto count = static_cast<int64_t>(call.output_count());
  if (!given || given->empty()) {
    TOOLS_ASSIGN(const int64_t parts, call.integer("num_outputs", count));
    if (parts != count || count == 0)
      return fail(fmt::format("it needs a part for each of its {} outputs, but has {} parts", count, parts));
    const int64_t part = (size + count - 1) / count;
    given.emplace();
    for (int64_t rest = size; given->size() < static_cast<size_t>(count); rest -= part) given->push_back(std::min(part, rest));
  }
  if (given->size() != static_cast<size_t>(count) || std::accumulate(given->begin(), given->end(), int64_t{0}) != size ||
      std::ranges::any_of(*given, [](int64_t part) { return part < 0; })) {
    return fail(fmt::format("its parts must add up to the {} elements of axis {}", size, axis));
  }
  Tensors results;
  int64_t begin = 0;
  for (size_t i = 0; i < given->size(); ++i) {
    if (call.wants(i)) {
      TOOLS_ASSIGN(Tensor part, split(call.emitter(), input, axis, begin, (*given)[i]));
      results.push_back(std::move(part));
    } else {
      results.emplace_back();
    }
    begin += (*given)[i];
  }
  return results;
}

Result<Tensors> add_expand(OperatorCall& call) {
  TOOLS_ASSIGN(const auto given, has_only_declared_shape(call, 1) ? *call.declared_shape(0) : call.integers(1, "the shape"));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(const Dimensions shape, broadcast(input.dimensions, given));
    return expand(call.emitter(), input, shape);
  });
}

Result<Tensors> add_tile(OperatorCall& call) {
  const bool declared = has_only_declared_shape(call, 1);
  TOOLS_ASSIGN(const auto given, declared ? *call.declared_shape(0) : call.integers(1, "the number of repeats"));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    std::vector<int64_t> repeats = given;
    for (size_t d = 0; declared && input.fixed() && d < input.rank() && d < repeats.size(); ++d)
      repeats[d] /= input.dimensions[d];
    if (repeats.size() != input.rank())
      return fail(
          fmt::format("it needs a number of repeats for each dimension of {}, but has {}", describe(input), repeats.size()));
    return tile(call.emitter(), input, repeats);
  });
}

Result<Tensors> add_depth_to_space(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t block, call.integer("blocksize", 0));
  TOOLS_ASSIGN(const auto mode, call.text("mode", "DCR"));
  if (block < 1 || block > 4096) return fail(fmt::format("its attribute 'blocksize' must be from 1 to 4096, but is {}", block));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    if (input.rank() != 4 || input.dimensions[1] < 0 || input.dimensions[1] % (block * block) != 0)
      return fail(
          fmt::format("its input must have 4 dimensions and channels that the square of its block, {}, divides, but is {}",
                      block * block, describe(input)));
    const int64_t channels = input.dimensions[1] / (block * block);
    Tensor source = input;
    if (mode == "CRD") {  // NNAPI's order of channels is that of DCR
      std::vector<int64_t> positions;
      for (int64_t i = 0; i < input.dimensions[1]; ++i) positions.push_back(i % channels * block * block + i / channels);
      TOOLS_ASSIGN(source, gather(emitter, input, 1, positions));
    }
    const auto times = [&](int64_t size) { return size < 0 ? -1 : size * block; };
    return emitter.operation(
        ANEURALNETWORKS_DEPTH_TO_SPACE, {source, static_cast<int32_t>(block), true},
        input.shaped({input.dimensions[0], channels, times(input.dimensions[2]), times(input.dimensions[3])}));
  });
}

Result<Tensors> add_space_to_depth(OperatorCall& call) {
  TOOLS_ASSIGN(const int64_t block, call.integer("blocksize", 0));
  if (block < 1 || block > 4096) return fail(fmt::format("its attribute 'blocksize' must be from 1 to 4096, but is {}", block));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    if (input.rank() != 4 || input.dimensions[1] < 0)
      return fail("its input must have 4 dimensions and a known number of channels, but is " + describe(input));
    Dimensions shape = input.dimensions;
    shape[1] *= block * block;
    for (const size_t d : {size_t{2}, size_t{3}}) {
      if (shape[d] >= 0 && shape[d] % block != 0)
        return fail(fmt::format("its block of {} must divide the height and width of {}", block, describe(input)));
      if (shape[d] >= 0) shape[d] /= block;
    }
    return call.emitter().operation(ANEURALNETWORKS_SPACE_TO_DEPTH, {input, static_cast<int32_t>(block), true},
                                    input.shaped(std::move(shape)));
  });
}

// Returns the position in a mirrored or repeated row of `size` elements that position `i`, counted from the row's start, shows.
int64_t shown(int64_t i, int64_t size, const std::string& mode) {
  if (mode == "wrap") return (i % size + size) % size;
  if (mode == "edge" || size == 1) return std::clamp<int64_t>(i, 0, size - 1);
  const int64_t period = 2 * (size - 1);
  const int64_t at = (i % period + period) % period;
  return at < size ? at : period - at;
}

Result<Tensors> add_pad(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto mode, call.text("mode", "constant"));
  TOOLS_ASSIGN(auto pads, call.list_or_input("pads", 1));
  if (!pads) return fail("its pads are missing");
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  const size_t rank = input.rank();
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) {
    TOOLS_ASSIGN(axes, call.integers(3, "the axes"));
  }
  if (pads->size() != 2 * axes.size())
    return fail(fmt::format("it needs two pads for each of its {} axes, but has {}", axes.size(), pads->size()));
  std::vector<int64_t> before(rank, 0);
  std::vector<int64_t> after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    TOOLS_ASSIGN(const int64_t axis, checked_axis(axes[i], rank));
    for (const size_t side : {i, axes.size() + i}) {
      if (std::abs((*pads)[side]) > (1 << 24))
        return fail(fmt::format("its pads may be 2^24 at most, but one is {}", (*pads)[side]));
    }
    before[static_cast<size_t>(axis)] = (*pads)[i];
    after[static_cast<size_t>(axis)] = (*pads)[axes.size() + i];
  }
  double value = 0;
  if (call.opset() < 11) {
    TOOLS_ASSIGN(value, call.real("value", 0));
  } else if (call.has(2)) {
    TOOLS_ASSIGN(const auto values, call.reals(2, "the value around the input"));
    if (values.size() == 1) value = values[0];
  }
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") return fail("mode '" + mode + "' is unknown");
  Tensor result = input;
  std::vector<int64_t> added_before = before;
  std::vector<int64_t> added_after = after;
  for (size_t d = 0; d < rank; ++d) {
    const bool cuts = before[d] < 0 || after[d] < 0;
    const int64_t size = input.dimensions[d];
    if (mode == "constant" && !cuts) continue;
    if (before[d] == 0 && after[d] == 0) continue;
    if (size < 0) return fail("it cannot pad an open dimension of " + describe(input));
    const int64_t length = size + before[d] + after[d];
    if (length < 1 || length > (int64_t{1} << 24))
      return fail(
          fmt::format("dimension {} of its result must have 1 to 2^24 elements, but has {} with pads of {} and {} around {}", d,
                      length, before[d], after[d], describe(input)));
    if (mode == "constant") {
      const int64_t first = std::max<int64_t>(-before[d], 0);
      const int64_t past = size - std::max<int64_t>(-after[d], 0);
      if (past <= first) return fail("negative pads may not remove all elements of " + describe(input));
      TOOLS_ASSIGN(result, split(emitter, result, static_cast<int64_t>(d), first, past - first));
      added_before[d] = std::max<int64_t>(before[d], 0);
      added_after[d] = std::max<int64_t>(after[d], 0);
      continue;
    }
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < length; ++i) positions.push_back(shown(i - before[d], size, mode));
    TOOLS_ASSIGN(result, gather(emitter, result, static_cast<int64_t>(d), positions));
    added_before[d] = added_after[d] = 0;
  }
  return one(pad(emitter, result, added_before, added_after, value));
}

Result<Tensors> add_constant(OperatorCall& call) {
  for (const Attribute& attribute : call.node().attributes) {
    if (const auto* value = std::get_if<Value>(&attribute.value)) {
      TOOLS_ASSIGN(auto constant, constant_of(*value));
      return Tensors{Emitter::constant(std::move(constant))};
    }
    const auto reals = [&](std::span<const float> values, Dimensions shape) {
      const std::vector<double> wide(values.begin(), values.end());
      return Tensors{Emitter::constant(real_constant(ElementType::kFloat, std::move(shape), wide))};
    };
    const auto length = [](const auto& list) { return Dimensions{static_cast<int64_t>(list.size())}; };
    if (attribute.name == "value_float") {
      TOOLS_ASSIGN(const float value, call.real(attribute.name, 0));
      return reals({&value, 1}, {});
    }
    if (attribute.name == "value_floats") {
      TOOLS_ASSIGN(const auto list, call.real_list(attribute.name));
      return reals(list, length(list));
    }
    if (attribute.name == "value_int") {
      TOOLS_ASSIGN(const int64_t value, call.integer(attribute.name, 0));
      return Tensors{Emitter::constant(integer_constant(ElementType::kInt64, {}, {&value, 1}))};
    }
    if (attribute.name == "value_ints") {
      TOOLS_ASSIGN(const auto list, call.integer_list(attribute.name));
      return Tensors{Emitter::constant(integer_constant(ElementType::kInt64, length(list), list))};
    }
  }
  return fail("NNAPI does not have its kind of constant");
}

Result<Tensors> add_constant_of_shape(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto shape, has_only_declared_shape(call, 0) ? *call.declared_shape(0) : call.integers(0, "the shape"));
  if (std::ranges::any_of(shape, [](int64_t d) { return d < 0; }))
    return fail("its shape may not have negative numbers, but is " + shape_text(shape));
  Tensor element = Emitter::number(0, Tensor{});
  if (const Attribute* attribute = call.attribute("value")) {
    const auto* value = std::get_if<Value>(&attribute->value);
    if (!value) return fail("its attribute 'value' must be a tensor");
    TOOLS_ASSIGN(auto constant, constant_of(*value));
    if (constant->elements() != 1) return fail("its attribute 'value' must have one element");
    element = Emitter::constant(with_dimensions(constant, {}));
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    return Tensors{Emitter::constant(raw_constant(element.constant->type, shape, {}))};
  }
  return one(expand(emitter, element, shape));
}

Result<Tensors> add_range(OperatorCall& call) {
  TOOLS_ASSIGN(const auto start, call.constant(0, "the start"));
  TOOLS_ASSIGN(const auto limit, call.constant(1, "the limit"));
  TOOLS_ASSIGN(const auto delta, call.constant(2, "the step"));
  if (start->elements() != 1 || limit->elements() != 1 || delta->elements() != 1) return fail("its inputs must be scalars");
  constexpr double kMost = 1 << 24;
  if (is_real(start->type)) {
    TOOLS_ASSIGN(const auto first, reals_of(*start));
    TOOLS_ASSIGN(const auto last, reals_of(*limit));
    TOOLS_ASSIGN(const auto step, reals_of(*delta));
    const double count = std::max(0.0, std::ceil((last[0] - first[0]) / step[0]));
    if (!(count <= kMost)) return fail("its result may have 2^24 elements at most");
    std::vector<double> values;
    for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) values.push_back(first[0] + static_cast<double>(i) * step[0]);
    return Tensors{Emitter::constant(real_constant(start->type, {static_cast<int64_t>(values.size())}, values))};
  }
  TOOLS_ASSIGN(const auto first, integers_of(*start));
  TOOLS_ASSIGN(const auto last, integers_of(*limit));
  TOOLS_ASSIGN(const auto step, integers_of(*delta));
  if (step[0] == 0) return fail("its step may not be 0");
  const double count =
      std::max(0.0, std::ceil((static_cast<double>(last[0]) - static_cast<double>(first[0])) / static_cast<double>(step[0])));
  if (count > kMost) return fail("its result may have 2^24 elements at most");
  std::vector<int64_t> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    values.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(first[0]) + static_cast<uint64_t>(i) * static_cast<uint64_t>(step[0])));
  }
  return Tensors{Emitter::constant(integer_constant(start->type, {static_cast<int64_t>(values.size())}, values))};
}

Result<Tensors> add_eye_like(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t k, call.integer("k", 0));
  TOOLS_ASSIGN(const int64_t dtype, call.integer("dtype", 0));
  if (input.rank() != 2 || !input.fixed()) return fail("its input must be a matrix of known shape, but is " + describe(input));
  if (element_count(input.dimensions) > (1u << 24)) return fail("its result may have 2^24 elements at most");
  std::vector<int64_t> values(element_count(input.dimensions), 0);
  for (int64_t row = 0; row < input.dimensions[0]; ++row) {
    const int64_t column = row + std::clamp<int64_t>(k, -(int64_t{1} << 32), int64_t{1} << 32);
    if (column >= 0 && column < input.dimensions[1]) values[static_cast<size_t>(row * input.dimensions[1] + column)] = 1;
  }
  const ElementType declared = call.output_type(0);
  ElementType type = declared != ElementType::kUndefined ? declared : element_type(input.type);
  if (dtype != 0) type = static_cast<ElementType>(dtype);
  TOOLS_ASSIGN(auto result, folded_cast(*integer_constant(ElementType::kInt64, input.dimensions, values), type));
  return Tensors{Emitter::constant(std::move(result))};
}

constexpr OperatorRow kRows[] = {
    {"", "Concat", add_concat},
    {"", "Constant", add_constant},
    {"", "ConstantOfShape", add_constant_of_shape},
    {"", "DepthToSpace", add_depth_to_space},
    {"", "Dropout", add_dropout},
    {"", "Expand", add_expand},
    {"", "EyeLike", add_eye_like},
    {"", "Flatten", add_flatten},
    {"", "Identity", add_identity},
    {"", "Pad", add_pad},
    {"", "Range", add_range},
    {"", "Reshape", add_reshape},
    {"", "Shape", add_shape},
    {"", "Size", add_size},
    {"", "SpaceToDepth", add_space_to_depth},
    {"", "Split", add_split},
    {"", "Squeeze", add_squeeze},
    {"", "Tile", add_tile},
    {"", "Transpose", add_transpose},
    {"", "Unsqueeze", add_unsqueeze},
};

}  // namespace

std::span<const OperatorRow> shape_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
