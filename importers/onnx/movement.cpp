// Reshapes, transpositions, slices and the other moves.
#include "importers/onnx/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/strided_constant.h"

namespace nnvk::importers::onnx {
namespace {

constexpr size_t kMaxRank = 4;  // of NNAPI's older operations

std::vector<int32_t> narrow(std::span<const int64_t> values) { return {values.begin(), values.end()}; }

Status check_rank(const Tensor& tensor, const char* what) {
  if (tensor.rank() <= kMaxRank) return {};
  return fail(fmt::format("NNAPI's {} takes at most {} dimensions, but the tensor is {}", what, kMaxRank, describe(tensor)));
}

// Calls `visit` with the position of each element of a tensor, in order.
template <class Visit>
void for_each_position(const Dimensions& dimensions, Visit visit) {
  Dimensions at(dimensions.size(), 0);
  const size_t count = element_count(dimensions);
  for (size_t i = 0; i < count; ++i) {
    visit(at);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < dimensions[d]) break;
      at[d] = 0;
    }
  }
}

// Returns, for each element of a tensor of this shape, the number that `source_of` gives for its position.
template <class SourceOf>
std::vector<int64_t> sources(const Dimensions& dimensions, SourceOf source_of) {
  std::vector<int64_t> result;
  result.reserve(element_count(dimensions));
  for_each_position(dimensions, [&](const Dimensions& at) { result.push_back(source_of(at)); });
  return result;
}

// Moves on the host: takes elements of a constant. The budget pays for the bytes first.
template <class SourceOf>
Result<Tensor> move_constant(Emitter& emitter, const Tensor& input, Dimensions shape, SourceOf source_of) {
  TOOLS_ASSIGN(const size_t elements, checked_count(shape));
  TOOLS_TRY(
      emitter.take_bytes(elements * (input.constant->element_bytes() + sizeof(int64_t)), "a constant " + shape_text(shape)));
  Tensor result = input.shaped(shape);
  const auto from = sources(shape, source_of);
  result.constant = picked(*input.constant, std::move(shape), from);
  return result;
}

// Moves an integer tensor with a fixed shape by one GATHER over its flat elements, for moves that NNAPI has for reals only.
template <class SourceOf>
Result<Tensor> gather_flat(Emitter& emitter, const Tensor& input, Dimensions shape, SourceOf source_of) {
  if (!input.fixed()) return fail("NNAPI cannot move integers of open shape, " + describe(input) + ", this way");
  const auto elements = static_cast<int64_t>(element_count(input.dimensions));
  TOOLS_ASSIGN(const Tensor flat, reshape(emitter, input, {elements}));
  TOOLS_TRY(emitter.take_bytes(element_count(shape) * sizeof(int64_t), "the positions of a move"));
  const Tensor indices = Emitter::int32s(sources(shape, source_of), shape.empty() ? Dimensions{1} : shape);
  TOOLS_ASSIGN(Tensor result, gather(emitter, flat, 0, indices));
  result.dimensions = std::move(shape);
  return result;
}

// Moves a boolean tensor as 0 and 1 of another type.
template <class Move>
Result<Tensor> move_as_integers(Emitter& emitter, const Tensor& input, Move move) {
  TOOLS_ASSIGN(const Tensor integers, cast(emitter, input, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM));
  TOOLS_ASSIGN(const Tensor moved, move(integers));
  return cast(emitter, moved, ANEURALNETWORKS_TENSOR_BOOL8);
}

// Adds dimensions of 1, however many there are already.
Result<Tensor> add_dimensions(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes) {
  Tensor result = input;
  for (const int64_t axis : axes) {
    if (result.rank() == 0) {  // already [1]
      result.dimensions = {1};
      continue;
    }
    Dimensions longer = result.dimensions;
    longer.insert(longer.begin() + axis, 1);
    TOOLS_ASSIGN(result, emitter.operation(ANEURALNETWORKS_EXPAND_DIMS, {result, static_cast<int32_t>(axis)},
                                           result.shaped(std::move(longer))));
  }
  return result;
}

// Returns the dimensions of `shape` that are 1 and not in `from`, if `shape` has all other dimensions of `from` in their order.
std::optional<std::vector<int64_t>> inserted_ones(const Dimensions& from, const Dimensions& shape) {
  std::vector<int64_t> axes;
  size_t next = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (next < from.size() && from[next] == shape[d]) {
      ++next;
    } else if (shape[d] == 1) {
      axes.push_back(static_cast<int64_t>(d));
    } else {
      return std::nullopt;
    }
  }
  if (next != from.size()) return std::nullopt;
  return axes;
}

bool is_detoured(const Tensor& input) { return input.is_bool() && !input.constant; }

}  // namespace

Result<int64_t> checked_axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return fail(fmt::format("axis {} is outside a tensor of {} dimensions", axis, rank));
  }
  return axis < 0 ? axis + signed_rank : axis;
}

Result<Dimensions> broadcast(const Dimensions& a, const Dimensions& b) {
  Dimensions result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    int64_t& d = result[result.size() - 1 - i];
    const bool is_known = x >= 0 && x != 1;  // sizes that only a run knows are negative
    if (x == y || y == 1 || (is_known && y < 0)) {
      d = x;
    } else if (!is_known) {
      d = y;
    } else {
      return fail(fmt::format("shapes {} and {} do not broadcast to each other", shape_text(a), shape_text(b)));
    }
  }
  return result;
}

Result<Tensor> reshape(Emitter& emitter, const Tensor& given, Dimensions shape) {
  const Tensor input = given.as_stored();
  if (shape == input.dimensions && std::ranges::count(shape, -1) == 0) return input;
  Dimensions known = shape;
  std::ranges::replace(known, -1, 1);
  TOOLS_ASSIGN(const size_t known_elements, checked_count(known));
  auto open = std::ranges::find(shape, -1);
  if (input.fixed()) {
    const auto elements = static_cast<int64_t>(element_count(input.dimensions));
    const auto given = static_cast<int64_t>(known_elements);
    if (open != shape.end() && given > 0 && elements % given == 0) *open = elements / given;
    open = std::ranges::find(shape, -1);
    if (open != shape.end() || static_cast<int64_t>(element_count(shape)) != elements) {
      return fail(
          fmt::format("{} cannot take the shape {}, which has another number of elements", describe(input), shape_text(shape)));
    }
  }
  if (std::ranges::count(shape, -1) > 1) return fail("NNAPI leaves only one dimension open in the shape " + shape_text(shape));
  if (input.constant) {
    Tensor result = input.shaped(shape);
    result.constant = with_dimensions(input.constant, std::move(shape));
    return result;
  }
  if (shape == input.dimensions) return input;
  Tensor result = input.shaped(shape);
  if (result.info().dimensions == input.info().dimensions && input.fixed()) {  // rank 0 and [1] are the same in NNAPI
    result.operand = input.operand;
    return result;
  }
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return reshape(emitter, integers, shape); });
  }
  if (result.rank() > kMaxRank) {  // dimensions of 1 alone can be added beyond RESHAPE's limit
    if (const auto axes = inserted_ones(input.dimensions, shape)) return add_dimensions(emitter, input, *axes);
  }
  // More dimensions than RESHAPE has wait for the operation that needs them, or for one that makes them fewer.
  if (result.rank() > kMaxRank && input.rank() <= kMaxRank && input.fixed()) return input.viewed(std::move(shape));
  TOOLS_TRY(check_rank(input, "RESHAPE"));
  TOOLS_TRY(check_rank(result, "RESHAPE"));
  const Dimensions target = shape.empty() ? Dimensions{1} : shape;
  return emitter.operation(ANEURALNETWORKS_RESHAPE, {input, narrow(target)}, result);
}

Result<Tensor> unsqueeze(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes) {
  if (input.stored) {
    Dimensions longer = input.dimensions;
    for (const int64_t axis : axes) {
      if (axis < 0 || static_cast<size_t>(axis) > longer.size() || longer.size() >= kMostDimensions)
        return fail(fmt::format("axis {} is outside its result", axis));
      longer.insert(longer.begin() + axis, 1);
    }
    return reshape(emitter, input, std::move(longer));
  }
  if (input.rank() + axes.size() > kMostDimensions)
    return fail(
        fmt::format("its result may have at most {} dimensions, but has {}", kMostDimensions, input.rank() + axes.size()));
  Dimensions shape = input.dimensions;
  for (const int64_t axis : axes) {
    if (axis < 0 || static_cast<size_t>(axis) > shape.size()) {
      return fail(fmt::format("axis {} is outside the result of {} dimensions", axis, input.rank() + axes.size()));
    }
    shape.insert(shape.begin() + axis, 1);
  }
  if (input.constant || input.fixed() || std::ranges::count(input.dimensions, -1) == 1) {
    if (shape.size() <= kMaxRank || input.constant) return reshape(emitter, input, std::move(shape));
  }
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return unsqueeze(emitter, integers, axes); });
  }
  return add_dimensions(emitter, input, axes);
}

Result<Tensor> squeeze(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes) {
  Dimensions shape;
  for (size_t d = 0; d < input.rank(); ++d) {
    const bool dropped = std::ranges::find(axes, static_cast<int64_t>(d)) != axes.end();
    if (dropped && input.dimensions[d] > 1) {
      return fail(fmt::format("it can remove only dimensions of size 1, which dimension {} of {} is not", d, describe(input)));
    }
    if (!dropped) shape.push_back(input.dimensions[d]);
  }
  if (std::ranges::count(shape, -1) <= 1) return reshape(emitter, input, std::move(shape));
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return squeeze(emitter, integers, axes); });
  }
  TOOLS_TRY(check_rank(input, "SQUEEZE"));
  return emitter.operation(ANEURALNETWORKS_SQUEEZE, {input, narrow(axes)}, input.shaped(std::move(shape)));
}

// Transposes a tensor as one whose dimensions are `sizes`. TRANSPOSE takes four of them. Of more, each step moves one dimension
// forwards to its place, and merges all others into at most three.
Result<Tensor> transpose_as(Emitter& emitter, const Tensor& input, const Dimensions& sizes,
                            std::span<const int64_t> permutation) {
  if (sizes.size() <= kMaxRank) {
    TOOLS_ASSIGN(const Tensor flat, reshape(emitter, input, sizes));
    return transpose(emitter, flat, permutation);
  }
  Tensor tensor = input;
  std::vector<int64_t> order(sizes.size());  // the dimensions of `sizes` as they now follow each other
  std::iota(order.begin(), order.end(), 0);
  const auto product = [&](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{1}, [&](int64_t all, int64_t d) { return all * sizes[static_cast<size_t>(d)]; });
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const auto place = order.begin() + static_cast<std::ptrdiff_t>(i);
    const auto found = std::find(place, order.end(), permutation[i]);
    if (found == place) continue;
    const Dimensions four = {product(order.begin(), place), product(place, found), sizes[static_cast<size_t>(*found)],
                             product(found + 1, order.end())};
    TOOLS_ASSIGN(const Tensor flat, reshape(emitter, tensor, four));
    TOOLS_ASSIGN(tensor, transpose(emitter, flat, std::array<int64_t, 4>{0, 2, 1, 3}));
    std::rotate(place, found, found + 1);
  }
  return tensor;
}

// Emits a transposition of more than four dimensions, whose neighbours move together: each such group is one dimension. `kept`:
// the dimensions above 1, in the order of the result; `shape`: of the result.
Result<Tensor> transpose_merged(Emitter& emitter, const Tensor& input, const Dimensions& kept, Dimensions shape) {
  std::vector<std::vector<int64_t>> groups;  // in the order of the result
  for (const int64_t d : kept) {
    const auto follows = [&](int64_t last) {
      for (int64_t between = last + 1; between < d; ++between) {
        if (input.dimensions[static_cast<size_t>(between)] != 1) return false;
      }
      return last < d;
    };
    if (!groups.empty() && follows(groups.back().back())) {
      groups.back().push_back(d);
    } else {
      groups.push_back({d});
    }
  }
  std::vector<size_t> by_input(groups.size());  // the groups in the order of the input
  std::iota(by_input.begin(), by_input.end(), 0);
  std::ranges::sort(by_input, {}, [&](size_t g) { return groups[g].front(); });
  Dimensions merged;
  std::vector<int64_t> permutation(groups.size());
  for (size_t i = 0; i < by_input.size(); ++i) {
    int64_t size = 1;
    for (const int64_t d : groups[by_input[i]]) size *= input.dimensions[static_cast<size_t>(d)];
    merged.push_back(size);
    permutation[by_input[i]] = static_cast<int64_t>(i);
  }
  TOOLS_ASSIGN(const Tensor turned, transpose_as(emitter, input, merged, permutation));
  return turned.viewed(std::move(shape));  // mostly a reshape to fewer dimensions follows
}

// Runs `move` along one axis of a tensor of more than four dimensions: as [before, axis, behind]. `shape`: of the result.
template <class Move>
Result<Tensor> along_merged(Emitter& emitter, const Tensor& input, int64_t axis, Dimensions shape, Move move) {
  const auto at = input.dimensions.begin() + axis;
  const auto before = static_cast<int64_t>(element_count({input.dimensions.begin(), at}));
  const auto behind = static_cast<int64_t>(element_count({at + 1, input.dimensions.end()}));
  TOOLS_ASSIGN(const Tensor merged, reshape(emitter, input, {before, *at, behind}));
  TOOLS_ASSIGN(const Tensor moved, move(merged));
  return reshape(emitter, moved, std::move(shape));
}

Result<Tensor> transpose(Emitter& emitter, const Tensor& input, std::span<const int64_t> permutation) {
  if (std::ranges::is_sorted(permutation)) return input;
  Dimensions shape;
  for (const int64_t d : permutation) shape.push_back(input.dimensions[static_cast<size_t>(d)]);
  // A move of dimensions of 1, or of equal elements, is a reshape, which costs nothing and copies no constant.
  Dimensions kept;
  for (const int64_t d : permutation) {
    if (input.dimensions[static_cast<size_t>(d)] != 1) kept.push_back(d);
  }
  const bool is_uniform = input.constant && input.constant->is_uniform;
  if (input.fixed() && (is_uniform || std::ranges::is_sorted(kept))) return reshape(emitter, input, std::move(shape));
  const auto source_of = [strides = strides_of(input.dimensions), permutation](const Dimensions& at) {
    int64_t source = 0;
    for (size_t i = 0; i < at.size(); ++i) source += at[i] * strides[static_cast<size_t>(permutation[i])];
    return source;
  };
  if (input.constant) {
    TOOLS_TRY(emitter.take_bytes(input.constant->bytes.size(), "a constant " + shape_text(shape)));
    Dimensions strides;
    for (const int64_t d : permutation) strides.push_back(strides_of(input.dimensions)[static_cast<size_t>(d)]);
    Tensor result = input.shaped(shape);
    result.constant = strided(*input.constant, std::move(shape), strides);
    return result;
  }
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return transpose(emitter, integers, permutation); });
  }
  if (input.is_int()) return gather_flat(emitter, input, std::move(shape), source_of);
  if (input.rank() > kMaxRank && input.fixed()) return transpose_merged(emitter, input, kept, std::move(shape));
  TOOLS_TRY(check_rank(input, "TRANSPOSE"));
  return emitter.operation(ANEURALNETWORKS_TRANSPOSE, {input, narrow(permutation)}, input.shaped(std::move(shape)));
}

Result<Tensor> slice(Emitter& emitter, const Tensor& input, std::span<const AxisSlice> slices) {
  Dimensions shape = input.dimensions;
  Dimensions begin(input.rank(), 0);
  Dimensions step(input.rank(), 1);
  bool plain = true;
  bool whole = true;
  for (const AxisSlice& each : slices) {
    const auto axis = static_cast<size_t>(each.axis);
    whole = whole && each.begin == 0 && each.count == shape[axis] && each.step == 1;
    shape[axis] = each.count;
    begin[axis] = each.begin;
    step[axis] = each.step;
    plain = plain && each.step == 1;
  }
  if (whole) return input;
  const auto source_of = [strides = strides_of(input.dimensions), begin, step](const Dimensions& at) {
    int64_t source = 0;
    for (size_t i = 0; i < at.size(); ++i) source += (begin[i] + at[i] * step[i]) * strides[i];
    return source;
  };
  if (input.constant) return move_constant(emitter, input, std::move(shape), source_of);
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return slice(emitter, integers, slices); });
  }
  if (input.stored) {
    if (slices.size() != 1) return fail("NNAPI's SLICE takes at most 4 dimensions, but the tensor is " + describe(input));
    AxisSlice part = slices[0];
    const int64_t axis = part.axis;
    part.axis = 1;
    return along_merged(emitter, input, axis, std::move(shape), [&](const Tensor& merged) {
      return slice(emitter, merged, {&part, 1});
    });
  }
  if (plain) {
    Dimensions size = shape;  // -1 as ONNX's open dimension: all from `begin` on
    return emitter.operation(ANEURALNETWORKS_SLICE, {input, narrow(begin), narrow(size)}, input.shaped(std::move(shape)));
  }
  if (input.is_int() || input.rank() > kMaxRank) return gather_flat(emitter, input, std::move(shape), source_of);
  std::vector<int32_t> end;
  int32_t begin_mask = 0;
  int32_t end_mask = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t past = begin[i] + shape[i] * step[i];  // below 0 only for a negative step that reaches the first element
    if (shape[i] < 0) begin_mask |= 1 << i;
    if (shape[i] < 0 || past < 0) end_mask |= 1 << i;
    end.push_back(static_cast<int32_t>(std::max<int64_t>(past, 0)));
  }
  return emitter.operation(ANEURALNETWORKS_STRIDED_SLICE,
                           {input, narrow(begin), std::move(end), narrow(step), begin_mask, end_mask, int32_t{0}},
                           input.shaped(std::move(shape)));
}

Result<Tensor> split(Emitter& emitter, const Tensor& input, int64_t axis, int64_t begin, int64_t count) {
  const AxisSlice part{.axis = axis, .begin = begin, .count = count, .step = 1};
  return slice(emitter, input, {&part, 1});
}

Result<Tensor> gather(Emitter& emitter, const Tensor& input, int64_t axis, const Tensor& indices) {
  const auto at_axis = input.dimensions.begin() + axis;
  Dimensions shape(input.dimensions.begin(), at_axis);
  shape.insert(shape.end(), indices.dimensions.begin(), indices.dimensions.end());
  shape.insert(shape.end(), at_axis + 1, input.dimensions.end());
  if (indices.constant) {
    TOOLS_ASSIGN(const auto positions, integers_of(*indices.constant));
    for (const int64_t position : positions) {
      if (position < 0 || (*at_axis >= 0 && position >= *at_axis)) {
        return fail(fmt::format("index {} lies outside dimension {} of {}", position, axis, describe(input)));
      }
    }
    if (input.constant) {
      const auto inner = static_cast<int64_t>(element_count({at_axis + 1, input.dimensions.end()}));
      const auto size = static_cast<int64_t>(positions.size());
      int64_t number = 0;
      return move_constant(emitter, input, std::move(shape), [&](const Dimensions&) {
        const int64_t n = number++;
        const int64_t outer = n / (size * inner);
        return (outer * *at_axis + positions[static_cast<size_t>(n / inner % size)]) * inner + n % inner;
      });
    }
  }
  if (input.stored) {
    return along_merged(emitter, input, axis, std::move(shape),
                        [&](const Tensor& merged) { return gather(emitter, merged, 1, indices); });
  }
  if (is_detoured(input) || (input.is_bool() && input.constant)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return gather(emitter, integers, axis, indices); });
  }
  Tensor result = input.shaped(shape);
  if (indices.rank() > 0 && input.rank() > 0) {
    return emitter.operation(ANEURALNETWORKS_GATHER, {input, static_cast<int32_t>(axis), indices}, result);
  }
  Dimensions longer = shape;
  longer.insert(longer.begin() + axis, 1);
  TOOLS_ASSIGN(const Tensor taken,
               emitter.operation(ANEURALNETWORKS_GATHER, {input, static_cast<int32_t>(axis), indices}, input.shaped(longer)));
  return squeeze(emitter, taken, std::array{axis});
}

Result<Tensor> gather(Emitter& emitter, const Tensor& input, int64_t axis, std::span<const int64_t> positions) {
  return gather(emitter, input, axis, Emitter::int32s(positions, {static_cast<int64_t>(positions.size())}));
}

Result<Tensor> concatenate(Emitter& emitter, const Tensors& inputs, int64_t axis) {
  return concatenate(emitter, inputs, axis, inputs[0]);
}

Result<Tensor> concatenate(Emitter& emitter, const Tensors& inputs, int64_t axis, const Tensor& like) {
  const auto at = static_cast<size_t>(axis);
  Tensors given;
  for (const Tensor& input : inputs) {
    if (input.rank() != inputs[0].rank()) return fail("the tensors to join must have the same rank");
    if (input.type != inputs[0].type) return fail("the tensors to join must have the same type");
    if (input.dimensions[at] != 0) given.push_back(input);
  }
  if (given.empty()) return inputs[0];
  if (given.size() == 1 && given[0].info().same_quantization(like.info())) return given[0];
  Dimensions shape = given[0].dimensions;
  const auto is_plain_constant = [&](const Tensor& tensor) {
    return tensor.constant && tensor.info().same_quantization(like.info());
  };
  bool constant = is_plain_constant(given[0]);
  for (size_t i = 1; i < given.size(); ++i) {
    constant = constant && is_plain_constant(given[i]);
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t size = given[i].dimensions[d];
      if (d == at) {
        shape[d] = shape[d] < 0 || size < 0 ? -1 : shape[d] + size;
      } else if (shape[d] < 0) {
        shape[d] = size;
      } else if (size >= 0 && size != shape[d]) {
        return fail(fmt::format("the tensors to join may differ only along axis {}, but are {} and {}", axis, describe(given[0]),
                                describe(given[i])));
      }
    }
  }
  if (constant) {
    std::vector<std::byte> bytes;
    const size_t outer = element_count({shape.begin(), shape.begin() + axis});
    TOOLS_TRY(emitter.take_bytes(element_count(shape) * given[0].constant->element_bytes(), "a joined constant"));
    for (size_t o = 0; o < outer; ++o) {
      for (const Tensor& input : given) {
        const size_t piece = input.constant->bytes.size() / outer;
        const auto part = input.constant->bytes.subspan(o * piece, piece);
        bytes.insert(bytes.end(), part.begin(), part.end());
      }
    }
    Tensor result = given[0].shaped(shape);
    result.constant = raw_constant(given[0].constant->type, std::move(shape), std::move(bytes));
    return result;
  }
  if (given[0].is_bool()) {
    for (Tensor& input : given) {
      TOOLS_ASSIGN(input, cast(emitter, input, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM));
    }
    TOOLS_ASSIGN(const Tensor joined, concatenate(emitter, given, axis));
    return cast(emitter, joined, ANEURALNETWORKS_TENSOR_BOOL8);
  }
  if (given[0].is_int()) {
    // NNAPI joins integers only by PACK: along a new dimension, pieces of one size. Pieces of length 1 always fit.
    Tensors pieces;
    for (const Tensor& input : given) {
      const int64_t length = input.dimensions[at];
      if (length < 0) return fail("NNAPI cannot join integers along an open dimension");
      if (pieces.size() + static_cast<size_t>(length) > 64) return fail("NNAPI joins at most 64 pieces of integers");
      for (int64_t i = 0; i < length; ++i) {
        TOOLS_ASSIGN(const Tensor piece, split(emitter, input, axis, i, 1));
        TOOLS_ASSIGN(const Tensor flat, input.rank() == 1 ? Result<Tensor>(piece) : squeeze(emitter, piece, std::array{axis}));
        pieces.push_back(flat);
      }
    }
    std::vector<Argument> arguments{given[0].rank() == 1 ? int32_t{0} : static_cast<int32_t>(axis)};
    arguments.insert(arguments.end(), pieces.begin(), pieces.end());
    if (given[0].rank() > 1) return emitter.operation(ANEURALNETWORKS_PACK, arguments, given[0].shaped(std::move(shape)));
    TOOLS_ASSIGN(const Tensor rows, emitter.operation(ANEURALNETWORKS_PACK, arguments, given[0].shaped({shape[0], 1})));
    return reshape(emitter, rows, std::move(shape));
  }
  TOOLS_TRY(check_rank(given[0], "CONCATENATION"));
  std::vector<Argument> arguments(given.begin(), given.end());
  arguments.emplace_back(static_cast<int32_t>(axis));
  return emitter.operation(ANEURALNETWORKS_CONCATENATION, arguments, like.shaped(std::move(shape)));
}

Result<Tensor> tile(Emitter& emitter, const Tensor& input, std::span<const int64_t> repeats) {
  if (std::ranges::all_of(repeats, [](int64_t r) { return r == 1; })) return input;
  Dimensions shape = input.dimensions;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] < 0 || repeats[d] > std::numeric_limits<int32_t>::max())
      return fail(fmt::format("it cannot repeat a tensor {} times", repeats[d]));
    if (shape[d] >= 0) shape[d] *= repeats[d];
  }
  if (input.constant) {
    const auto strides = strides_of(input.dimensions);
    return move_constant(emitter, input, std::move(shape), [&](const Dimensions& at) {
      int64_t source = 0;
      for (size_t d = 0; d < at.size(); ++d) source += at[d] % input.dimensions[d] * strides[d];
      return source;
    });
  }
  if (is_detoured(input)) {
    return move_as_integers(emitter, input, [&](const Tensor& integers) { return tile(emitter, integers, repeats); });
  }
  return emitter.operation(ANEURALNETWORKS_TILE, {input, narrow(repeats)}, input.shaped(std::move(shape)));
}

Result<Tensor> expand(Emitter& emitter, const Tensor& input, const Dimensions& shape) {
  if (input.dimensions == shape) return input;
  if (input.rank() > shape.size() || shape.size() > kMostDimensions)
    return fail(describe(input) + " cannot be repeated to " + shape_text(shape));
  Dimensions longer(shape.size() - input.rank(), 1);
  longer.insert(longer.end(), input.dimensions.begin(), input.dimensions.end());
  Dimensions repeats(shape.size(), 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (longer[d] == shape[d] || shape[d] == 1) continue;
    if (longer[d] != 1 || shape[d] < 0)
      return fail(fmt::format("{} cannot be repeated to {}", describe(input), shape_text(shape)));
    repeats[d] = shape[d];
  }
  TOOLS_ASSIGN(const Tensor aligned, reshape(emitter, input, std::move(longer)));
  return tile(emitter, aligned, repeats);
}

Result<Tensor> pad(Emitter& emitter, const Tensor& input, std::span<const int64_t> before, std::span<const int64_t> after,
                   double value) {
  Dimensions shape = input.dimensions;
  std::vector<int64_t> pairs;
  bool none = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    pairs.insert(pairs.end(), {before[d], after[d]});
    none = none && before[d] == 0 && after[d] == 0;
    if (shape[d] >= 0) shape[d] += before[d] + after[d];
  }
  if (none) return input;
  if (input.is_bool() || input.is_int())
    return fail("NNAPI pads neither integers nor booleans, but the tensor is " + describe(input));
  TOOLS_TRY(check_rank(input, "PAD"));
  const Tensor list = Emitter::int32s(pairs, {static_cast<int64_t>(shape.size()), 2});
  Argument filler = Real{static_cast<float>(value), input.type};
  if (input.is_8bit()) filler = static_cast<int32_t>(value);
  return emitter.operation(ANEURALNETWORKS_PAD_V2, {input, list, filler}, input.shaped(std::move(shape)));
}

Result<Tensor> reverse(Emitter& emitter, const Tensor& input, int64_t axis) {
  if (input.dimensions[static_cast<size_t>(axis)] == 1) return input;
  if (input.constant) {
    const int64_t size = input.dimensions[static_cast<size_t>(axis)];
    const AxisSlice whole{.axis = axis, .begin = size - 1, .count = size, .step = -1};
    return slice(emitter, input, {&whole, 1});
  }
  return emitter.operation(ANEURALNETWORKS_REVERSE, {input, std::vector{static_cast<int32_t>(axis)}},
                           input.shaped(input.dimensions));
}

Result<Tensor> copy(Emitter& emitter, const Tensor& input) {
  Tensor result = input.shaped(input.dimensions);
  return emitter.operation(ANEURALNETWORKS_CAST, {input}, result);
}

}  // namespace nnvk::importers::onnx
