// Operators that choose elements by their position or size: Slice, Gather and its relatives, OneHot, ArgMax, TopK.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

// Emits indices with negative ones counted from the end of `size` elements.
Result<Tensor> from_zero(Emitter& emitter, const Tensor& indices, int64_t size) {
  if (!indices.is_int()) return fail("its indices must be integers, but are " + describe(indices));
  if (size < 0) return fail("its indices may be negative, but their dimension is open, so it has no known end to count from");
  TOOLS_ASSIGN(const Tensor below, compare(emitter, ANEURALNETWORKS_LESS, indices, 0));
  TOOLS_ASSIGN(const Tensor moved_up, binary(emitter, ANEURALNETWORKS_ADD, indices, static_cast<double>(size)));
  return select(emitter, below, moved_up, indices);
}

Result<Tensors> add_slice(OperatorCall& call) {
  TOOLS_ASSIGN(const auto starts, call.list_or_input("starts", 1));
  TOOLS_ASSIGN(const auto ends, call.list_or_input("ends", 2));
  TOOLS_ASSIGN(auto axes, call.list_or_input("axes", 3));
  TOOLS_ASSIGN(auto steps, call.list_or_input("steps", 4));
  if (!starts || !ends || starts->size() != ends->size()) return fail("it needs as many ends as starts");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size()) return fail("it needs as many axes and steps as starts");
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    std::vector<AxisSlice> slices;
    for (size_t i = 0; i < starts->size(); ++i) {
      AxisSlice part;
      TOOLS_ASSIGN(part.axis, checked_axis((*axes)[i], input.rank()));
      part.step = (*steps)[i];
      if (part.step == 0 || part.step < -std::numeric_limits<int32_t>::max() || part.step > std::numeric_limits<int32_t>::max()) {
        return fail(fmt::format("its steps must be 32-bit numbers other than 0, but one is {}", part.step));
      }
      const int64_t size = input.dimensions[static_cast<size_t>(part.axis)];
      const int64_t start = (*starts)[i];
      const int64_t end = (*ends)[i];
      if (size < 0) {
        const bool whole = start == 0 && end >= std::numeric_limits<int32_t>::max() && part.step == 1;
        if (whole) continue;
        if (start < 0 || end < std::numeric_limits<int32_t>::max() || part.step != 1) {
          return fail("it cannot cut an open dimension of " + describe(input));
        }
        part.begin = start;
        part.count = -1;
        slices.push_back(part);
        continue;
      }
      const auto counted = [&](int64_t position) { return position < 0 ? std::max(position, -size - 1) + size : position; };
      if (part.step > 0) {
        part.begin = std::clamp<int64_t>(counted(start), 0, size);
        const int64_t past = std::clamp<int64_t>(counted(end), 0, size);
        part.count = std::max<int64_t>((past - part.begin + part.step - 1) / part.step, 0);
      } else {
        part.begin = std::clamp<int64_t>(counted(start), -1, size - 1);
        const int64_t past = end < -size ? -1 : std::clamp<int64_t>(counted(end), -1, size - 1);
        part.count = std::max<int64_t>((part.begin - past - part.step - 1) / -part.step, 0);
      }
      slices.push_back(part);
    }
    return slice(call.emitter(), input, slices);
  });
}

Result<Tensors> add_gather(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor given, call.input(1));
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(const int64_t axis, call.axis(0, input.rank()));
    TOOLS_ASSIGN(const Tensor indices, from_zero(emitter, given, input.dimensions[static_cast<size_t>(axis)]));
    return gather(emitter, input, axis, indices);
  });
}

// Takes elements of a tensor by their number in row-major order.
Result<Tensor> take_flat(Emitter& emitter, const Tensor& input, const Tensor& numbers) {
  TOOLS_ASSIGN(const Tensor flat, reshape(emitter, input, {static_cast<int64_t>(element_count(input.dimensions))}));
  return gather(emitter, flat, 0, numbers);
}

// Adds GatherElements. Element [i, j] of the result is element [i, index[i, j]] of the input, for axis 1 of two: a number in
// row-major order.
Result<Tensors> add_gather_elements(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor given, call.input(1));
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, input.rank()));
  TOOLS_TRY(OperatorCall::expect_fixed(input, "it"));
  TOOLS_TRY(OperatorCall::expect_fixed(given, "it"));
  if (given.rank() != input.rank()) {
    return fail("its indices must have the rank of the input " + describe(input) + ", but are " + describe(given));
  }
  for (size_t d = 0; d < input.rank(); ++d) {
    if (static_cast<int64_t>(d) != axis && given.dimensions[d] > input.dimensions[d])
      return fail("its indices may not be larger than the input " + describe(input) + ", but are " + describe(given));
  }
  TOOLS_ASSIGN(const Tensor indices, from_zero(emitter, given, input.dimensions[static_cast<size_t>(axis)]));
  const auto strides = strides_of(input.dimensions);
  const auto index_strides = strides_of(given.dimensions);
  TOOLS_TRY(emitter.take_bytes(element_count(given.dimensions) * sizeof(int64_t), "the positions of its elements"));
  std::vector<int64_t> bases(element_count(given.dimensions));
  for (size_t i = 0; i < bases.size(); ++i) {
    for (size_t d = 0; d < input.rank(); ++d) {
      if (static_cast<int64_t>(d) == axis) continue;
      bases[i] += static_cast<int64_t>(i) / index_strides[d] % given.dimensions[d] * strides[d];
    }
  }
  TOOLS_ASSIGN(const Tensor steps,
               binary(emitter, ANEURALNETWORKS_MUL, indices, static_cast<double>(strides[static_cast<size_t>(axis)])));
  Tensor base = Emitter::int32s(bases, given.dimensions);
  if (steps.constant) {
    base = Emitter::constant(integer_constant(steps.constant->type, given.dimensions, bases));
  }
  TOOLS_ASSIGN(const Tensor numbers, binary(emitter, ANEURALNETWORKS_ADD, steps, base));
  return one(take_flat(emitter, input, numbers));
}

// Adds GatherND. Tuples of indices choose parts of the input: the number of a part is the sum of index times stride.
Result<Tensors> add_gather_nd(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor indices, call.input(1));
  TOOLS_ASSIGN(const int64_t batch, call.integer("batch_dims", 0));
  if (batch != 0) return fail("the importer does not support batches of indices");
  TOOLS_TRY(OperatorCall::expect_fixed(input, "it"));
  TOOLS_TRY(OperatorCall::expect_fixed(indices, "it"));
  if (indices.rank() == 0) return fail("its indices may not be a scalar");
  const int64_t width = indices.dimensions.back();
  if (width < 1 || static_cast<size_t>(width) > input.rank()) {
    return fail("the last dimension of its indices " + describe(indices) + " must be from 1 to the rank of the input " +
                describe(input));
  }
  const Dimensions rows(input.dimensions.begin(), input.dimensions.begin() + width);
  const Dimensions part(input.dimensions.begin() + width, input.dimensions.end());
  const auto strides = strides_of(rows);
  const auto last = static_cast<int64_t>(indices.rank()) - 1;
  std::optional<Tensor> numbers;
  for (int64_t i = 0; i < width; ++i) {
    TOOLS_ASSIGN(const Tensor column, split(emitter, indices, last, i, 1));
    TOOLS_ASSIGN(const Tensor squeezed, squeeze(emitter, column, std::array{last}));
    TOOLS_ASSIGN(const Tensor counted, from_zero(emitter, squeezed, rows[static_cast<size_t>(i)]));
    TOOLS_ASSIGN(const Tensor term,
                 binary(emitter, ANEURALNETWORKS_MUL, counted, static_cast<double>(strides[static_cast<size_t>(i)])));
    TOOLS_ASSIGN(numbers, numbers ? binary(emitter, ANEURALNETWORKS_ADD, *numbers, term) : Result<Tensor>(term));
  }
  Dimensions shape{static_cast<int64_t>(element_count(rows))};
  shape.insert(shape.end(), part.begin(), part.end());
  TOOLS_ASSIGN(const Tensor table, reshape(emitter, input, std::move(shape)));
  return one(gather(emitter, table, 0, *numbers));
}

Result<Tensors> add_one_hot(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor given, call.input(0));
  std::vector<double> depths;
  if (const auto declared = call.declared_shape(0); declared && !call.is_constant(1) && declared->size() == given.rank() + 1) {
    TOOLS_ASSIGN(const int64_t at, call.axis(-1, declared->size()));
    depths = {static_cast<double>((*declared)[static_cast<size_t>(at)])};
  } else {
    TOOLS_ASSIGN(depths, call.reals(1, "the depth"));
  }
  TOOLS_ASSIGN(const Tensor values, call.input(2));
  if (depths.size() != 1 || !(depths[0] >= 1 && depths[0] <= (1 << 24)))
    return fail("its depth must be one number from 1 to 2^24");
  if (values.rank() != 1 || values.dimensions[0] != 2) return fail("its values must be two, but are " + describe(values));
  const auto depth = static_cast<int64_t>(depths[0]);
  TOOLS_ASSIGN(const int64_t axis, call.axis(-1, given.rank() + 1));
  TOOLS_ASSIGN(Tensor indices, cast(emitter, given, ANEURALNETWORKS_TENSOR_INT32));
  TOOLS_ASSIGN(indices, from_zero(emitter, indices, depth));
  TOOLS_ASSIGN(indices, unsqueeze(emitter, indices, std::array{axis}));
  TOOLS_TRY(emitter.take_bytes(static_cast<uint64_t>(depth) * sizeof(int64_t), "its numbers"));
  std::vector<int64_t> numbers(static_cast<size_t>(depth));
  std::iota(numbers.begin(), numbers.end(), 0);
  Dimensions shape(given.rank() + 1 - static_cast<size_t>(axis), 1);
  shape[0] = depth;
  TOOLS_ASSIGN(indices, cast(emitter, indices, ANEURALNETWORKS_TENSOR_INT32));
  Tensor column = Emitter::int32s(numbers, shape);
  if (indices.constant) column = Emitter::constant(integer_constant(indices.constant->type, shape, numbers));
  TOOLS_ASSIGN(const Tensor hit, compare(emitter, ANEURALNETWORKS_EQUAL, indices, column));
  TOOLS_ASSIGN(const Tensor off, split(emitter, values, 0, 0, 1));
  TOOLS_ASSIGN(const Tensor on, split(emitter, values, 0, 1, 1));
  return one(select(emitter, hit, on, off));
}

template <int32_t kCode>
Result<Tensors> add_arg(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t keep, call.integer("keepdims", 1));
  TOOLS_ASSIGN(const int64_t last, call.integer("select_last_index", 0));
  TOOLS_ASSIGN(Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, input.rank()));
  const int64_t size = input.dimensions[static_cast<size_t>(axis)];
  if (last != 0) {  // the first index of the reversed order
    if (size < 0) return fail("it cannot look for the last index in an open dimension");
    TOOLS_ASSIGN(input, reverse(emitter, input, axis));
  }
  Dimensions shape = input.dimensions;
  shape.erase(shape.begin() + axis);
  Tensor result = input.typed(ANEURALNETWORKS_TENSOR_INT32);
  result.dimensions = shape;
  TOOLS_ASSIGN(result, emitter.operation(kCode, {input, static_cast<int32_t>(axis)}, result));
  if (last != 0) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_SUB, Emitter::number(static_cast<double>(size - 1), result), result));
  }
  if (keep == 0) return Tensors{result};
  return one(unsqueeze(emitter, result, std::array{axis}));
}

Result<Tensors> add_top_k(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  int64_t k = 0;
  if (call.opset() < 10) {
    TOOLS_ASSIGN(k, call.integer("k", 0));
  } else {
    const auto declared = call.declared_shape(0);
    if (declared && call.has(1) && !call.is_constant(1)) {
      TOOLS_ASSIGN(const int64_t at, call.axis(-1, declared->size()));
      k = (*declared)[static_cast<size_t>(at)];
    } else {
      TOOLS_ASSIGN(const auto given, call.integers(1, "the number of elements"));
      if (given.size() == 1) k = given[0];
    }
  }
  TOOLS_ASSIGN(const int64_t largest, call.integer("largest", 1));
  TOOLS_ASSIGN(Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(-1, input.rank()));
  if (k < 1 || k > std::numeric_limits<int32_t>::max())
    return fail(fmt::format("it must look for 1 to 2^31 - 1 elements, but looks for {}", k));
  std::vector<int64_t> permutation(input.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[static_cast<size_t>(axis)], permutation.back());
  TOOLS_ASSIGN(input, transpose(emitter, input, permutation));
  if (largest == 0) {
    if (input.is_8bit()) return fail("NNAPI finds only the largest 8-bit numbers");
    TOOLS_ASSIGN(input, unary(emitter, ANEURALNETWORKS_NEG, input));
  }
  Dimensions shape = input.dimensions;
  shape.back() = k;
  Tensor indices = input.typed(ANEURALNETWORKS_TENSOR_INT32);
  indices.dimensions = shape;
  const Argument arguments[] = {input, static_cast<int32_t>(k)};
  TOOLS_ASSIGN(Tensors results, emitter.operations(ANEURALNETWORKS_TOPK_V2, arguments, {input.shaped(shape), indices}));
  if (largest == 0) {
    TOOLS_ASSIGN(results[0], unary(emitter, ANEURALNETWORKS_NEG, results[0]));
  }
  for (Tensor& result : results) {
    TOOLS_ASSIGN(result, transpose(emitter, result, permutation));
  }
  return results;
}

// Adds Trilu, which keeps the elements above or below a diagonal: those whose distance from it, a constant, compares with the
// diagonal's number.
Result<Tensors> add_trilu(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t upper, call.integer("upper", 1));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_TRY(OperatorCall::expect_fixed(input, "it"));
  if (input.rank() < 2) return fail("its input must have at least 2 dimensions, but is " + describe(input));
  const int64_t rows = input.dimensions[input.rank() - 2];
  const int64_t columns = input.dimensions[input.rank() - 1];
  TOOLS_TRY(emitter.take_bytes(static_cast<uint64_t>(rows * columns) * sizeof(int64_t), "its mask"));
  std::vector<int64_t> numbers(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int64_t>(i) % columns - static_cast<int64_t>(i) / columns;
  }
  const Tensor distances = Emitter::constant(integer_constant(ElementType::kInt64, {rows, columns}, numbers));
  const int64_t zero = 0;
  Tensor diagonal = Emitter::constant(integer_constant(ElementType::kInt64, {}, {&zero, 1}));
  if (call.has(1)) {
    TOOLS_ASSIGN(diagonal, call.input(1));
    if (!diagonal.is_int() || diagonal.rank() > 1) return fail("its diagonal must be one integer, but is " + describe(diagonal));
  }
  const int32_t code = upper != 0 ? ANEURALNETWORKS_GREATER_EQUAL : ANEURALNETWORKS_LESS_EQUAL;
  TOOLS_ASSIGN(const Tensor keeps, compare(emitter, code, distances, diagonal));
  return one(select(emitter, keeps, input, Emitter::number(0, input)));
}

constexpr OperatorRow kRows[] = {
    {"", "ArgMax", add_arg<ANEURALNETWORKS_ARGMAX>},
    {"", "ArgMin", add_arg<ANEURALNETWORKS_ARGMIN>},
    {"", "Gather", add_gather},
    {"", "GatherElements", add_gather_elements, 11},
    {"", "GatherND", add_gather_nd, 11},
    {"", "OneHot", add_one_hot},
    {"", "Slice", add_slice},
    {"", "TopK", add_top_k},
    {"", "Trilu", add_trilu, 14},
};

}  // namespace

std::span<const OperatorRow> index_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
