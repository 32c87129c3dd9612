// Reductions along axes, softmax, running sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/products.h"
#include "importers/onnx/weighted_channels.h"

namespace nnvk::importers::onnx {
namespace {

struct Reduction {
  std::vector<int64_t> axes;  // ascending; empty: the operator returns its input
  bool keep = true;
};

Result<Reduction> read_reduction(OperatorCall& call, const Tensor& input) {
  Reduction result;
  TOOLS_ASSIGN(const int64_t keep, call.integer("keepdims", 1));
  result.keep = keep != 0;
  TOOLS_ASSIGN(const auto given, call.list_or_input("axes", 1));
  if (given && !given->empty()) {
    for (const int64_t axis : *given) {
      TOOLS_ASSIGN(const int64_t counted, checked_axis(axis, input.rank()));
      result.axes.push_back(counted);
    }
    std::ranges::sort(result.axes);
    if (std::ranges::adjacent_find(result.axes) != result.axes.end()) return fail("it may not list an axis twice");
    return result;
  }
  TOOLS_ASSIGN(const int64_t none, call.integer("noop_with_empty_axes", 0));
  if (none != 0) return result;
  result.axes.resize(input.rank());
  std::iota(result.axes.begin(), result.axes.end(), 0);
  return result;
}

template <int32_t kCode>
Result<Tensors> add_reduction(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Reduction how, read_reduction(call, input));
  int32_t code = kCode;
  if (input.is_bool()) code = kCode == ANEURALNETWORKS_REDUCE_MAX ? ANEURALNETWORKS_REDUCE_ANY : ANEURALNETWORKS_REDUCE_ALL;
  if (input.is_8bit() && kCode != ANEURALNETWORKS_REDUCE_MAX && kCode != ANEURALNETWORKS_REDUCE_MIN) {
    return fail("NNAPI has no such reduction of " + describe(input));
  }
  return one(reduce(call.emitter(), code, input, how.axes, how.keep));
}

// Adds the mean; that over an image's height and width on integers if it stands between DequantizeLinear and QuantizeLinear.
Result<Tensors> add_reduce_mean(OperatorCall& call) {
  if (const auto quantized = call.quantized(0); quantized && quantized->tensor.rank() == 4) {
    TOOLS_ASSIGN(const Reduction how, read_reduction(call, quantized->tensor));
    if (how.axes == std::vector<int64_t>{2, 3}) {
      TOOLS_ASSIGN(const bool done, absorbed_global_average(call, how.keep));
      if (done) return Tensors{};
    }
  }
  return add_reduction<ANEURALNETWORKS_MEAN>(call);
}

Result<Tensors> add_reduce_l1(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Reduction how, read_reduction(call, input));
  TOOLS_ASSIGN(const Tensor magnitude, unary(call.emitter(), ANEURALNETWORKS_ABS, input));
  return one(reduce(call.emitter(), ANEURALNETWORKS_REDUCE_SUM, magnitude, how.axes, how.keep));
}

Result<Tensor> sum_of_squares(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Reduction how, read_reduction(call, input));
  TOOLS_ASSIGN(const Tensor squares, binary(call.emitter(), ANEURALNETWORKS_MUL, input, input));
  return reduce(call.emitter(), ANEURALNETWORKS_REDUCE_SUM, squares, how.axes, how.keep);
}

Result<Tensors> add_reduce_sum_square(OperatorCall& call) { return one(sum_of_squares(call)); }

Result<Tensors> add_reduce_l2(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor sums, sum_of_squares(call));
  return one(unary(call.emitter(), ANEURALNETWORKS_SQRT, sums));
}

Result<Tensors> add_reduce_log_sum(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Reduction how, read_reduction(call, input));
  TOOLS_ASSIGN(const Tensor sums, reduce(call.emitter(), ANEURALNETWORKS_REDUCE_SUM, input, how.axes, how.keep));
  return one(unary(call.emitter(), ANEURALNETWORKS_LOG, sums));
}

// Adds log(sum(exp(x - m))) + m with the maximum m, which keeps the exponentials within range.
Result<Tensors> add_reduce_log_sum_exp(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Reduction how, read_reduction(call, input));
  TOOLS_ASSIGN(const Tensor largest, reduce(emitter, ANEURALNETWORKS_REDUCE_MAX, input, how.axes, true));
  TOOLS_ASSIGN(const Tensor shifted, binary(emitter, ANEURALNETWORKS_SUB, input, largest));
  TOOLS_ASSIGN(const Tensor powers, unary(emitter, ANEURALNETWORKS_EXP, shifted));
  TOOLS_ASSIGN(const Tensor sums, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, powers, how.axes, true));
  TOOLS_ASSIGN(const Tensor logarithms, unary(emitter, ANEURALNETWORKS_LOG, sums));
  TOOLS_ASSIGN(const Tensor result, binary(emitter, ANEURALNETWORKS_ADD, logarithms, largest));
  if (how.keep) return Tensors{result};
  return one(squeeze(emitter, result, how.axes));
}

// Adds a softmax. Before opset 13 the input counts as a matrix: the dimensions from the axis on are normalised together.
template <int32_t kCode>
Result<Tensors> add_softmax(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  const bool flattens = call.opset() < 13;
  TOOLS_ASSIGN(const int64_t axis, call.axis(flattens ? 1 : -1, input.rank()));
  const auto last = static_cast<int64_t>(input.rank()) - 1;
  bool alone = true;  // whether all dimensions behind the axis are 1
  for (int64_t d = axis + 1; d <= last; ++d) alone = alone && input.dimensions[static_cast<size_t>(d)] == 1;
  if (!flattens || alone) return one(softmax(emitter, kCode, input, axis));
  Dimensions rows{1, 1};
  for (int64_t d = 0; d <= last; ++d) {
    int64_t& product = rows[d < axis ? 0 : 1];
    const int64_t size = input.dimensions[static_cast<size_t>(d)];
    product = product < 0 || size < 0 ? -1 : product * size;
  }
  TOOLS_ASSIGN(const Tensor matrix, reshape(emitter, input, rows));
  TOOLS_ASSIGN(const Tensor result, softmax(emitter, kCode, matrix, 1));
  return one(reshape(emitter, result, input.dimensions));
}

// Adds Hardmax: 1 for the largest element of each row (the first of equal ones), 0 for all others.
Result<Tensors> add_hardmax(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  const bool flattens = call.opset() < 13;
  TOOLS_ASSIGN(const int64_t axis, call.axis(flattens ? 1 : -1, input.rank()));
  TOOLS_TRY(OperatorCall::expect_fixed(input, "it"));
  Tensor rows = input;
  int64_t at = axis;
  if (flattens) {
    const auto inner = static_cast<int64_t>(element_count({input.dimensions.begin() + axis, input.dimensions.end()}));
    TOOLS_ASSIGN(rows, reshape(emitter, input, {-1, inner}));
    at = 1;
  }
  Tensor indices = rows.typed(ANEURALNETWORKS_TENSOR_INT32);
  const int64_t size = rows.dimensions[static_cast<size_t>(at)];
  indices.dimensions.erase(indices.dimensions.begin() + at);
  TOOLS_ASSIGN(indices, emitter.operation(ANEURALNETWORKS_ARGMAX, {rows, static_cast<int32_t>(at)}, indices));
  TOOLS_ASSIGN(indices, unsqueeze(emitter, indices, std::array{at}));
  std::vector<int64_t> numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  Dimensions shape(rows.rank() - static_cast<size_t>(at), 1);
  shape[0] = size;
  TOOLS_ASSIGN(const Tensor hit, compare(emitter, ANEURALNETWORKS_EQUAL, indices, Emitter::int32s(numbers, shape)));
  TOOLS_ASSIGN(const Tensor result, select(emitter, hit, Emitter::number(1, input), Emitter::number(0, input)));
  return one(reshape(emitter, result, input.dimensions));
}

// Adds CumSum: a running sum is a product with a triangular matrix of ones.
Result<Tensors> add_cum_sum(OperatorCall& call) {
  TOOLS_ASSIGN(const auto axes, call.integers(1, "the axis"));
  TOOLS_ASSIGN(const int64_t exclusive, call.integer("exclusive", 0));
  TOOLS_ASSIGN(const int64_t reversed, call.integer("reverse", 0));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (axes.size() != 1) return fail(fmt::format("it needs exactly one axis, but has {}", axes.size()));
  TOOLS_ASSIGN(const int64_t axis, checked_axis(axes[0], input.rank()));
  const int64_t size = input.dimensions[static_cast<size_t>(axis)];
  if (size < 0 || size > 1024)
    return fail(size < 0 ? std::string("it needs a known number of elements to add up")
                         : fmt::format("it adds up {} elements, but the importer allows 1024 at most", size));
  std::vector<double> ones(static_cast<size_t>(size * size));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < size; ++k) {
      const bool before = reversed != 0 ? k > i : k < i;
      ones[static_cast<size_t>(i * size + k)] = before || (k == i && exclusive == 0) ? 1 : 0;
    }
  }
  if (!input.is_float()) return fail("NNAPI has no running sum of " + describe(input));
  const Tensor matrix = Emitter::constant(real_constant(element_type(input.type), {size, size}, ones));
  return one(along_axis(call.emitter(), input, axis, matrix, std::nullopt));
}

constexpr OperatorRow kRows[] = {
    {"", "CumSum", add_cum_sum, 11},
    {"", "Hardmax", add_hardmax},
    {"", "LogSoftmax", add_softmax<ANEURALNETWORKS_LOG_SOFTMAX>},
    {"", "ReduceL1", add_reduce_l1},
    {"", "ReduceL2", add_reduce_l2},
    {"", "ReduceLogSum", add_reduce_log_sum},
    {"", "ReduceLogSumExp", add_reduce_log_sum_exp},
    {"", "ReduceMax", add_reduction<ANEURALNETWORKS_REDUCE_MAX>},
    {"", "ReduceMean", add_reduce_mean},
    {"", "ReduceMin", add_reduction<ANEURALNETWORKS_REDUCE_MIN>},
    {"", "ReduceProd", add_reduction<ANEURALNETWORKS_REDUCE_PROD>},
    {"", "ReduceSum", add_reduction<ANEURALNETWORKS_REDUCE_SUM>},
    {"", "ReduceSumSquare", add_reduce_sum_square},
    {"", "Softmax", add_softmax<ANEURALNETWORKS_SOFTMAX>},
};

}  // namespace

std::span<const OperatorRow> reduction_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
