// MEAN, REDUCE_ALL, _ANY, _MAX, _MIN, _PROD and _SUM over a set of axes.
#include <algorithm>
#include <functional>
#include <limits>

#include "core/operations/parameters/reduce_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace reduce;

// Computes every output element from the input elements that fold into it.
template <class In, class Out, class Value, class Fold, class Finish>
Status fold_axes(const KernelContext& context, In in, Out out, const Folding<Value, Fold, Finish>& folding) {
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(context.operation));
  const Shape& shape = context.operation.shape(kInput);
  Shape kept = shape;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (reduced[d]) kept.dims[d] = 1;
  }
  std::vector<Value> values(out.size(), folding.start);
  const Strides from = row_major_strides(shape);
  const Strides to = broadcast_strides(kept, shape);
  for_each_row<2>(shape, {&from, &to}, [&](Offsets<2> offsets, const Offsets<2>& steps, size_t length) {
    for (size_t i = 0; i < length; ++i, offsets[1] += steps[1]) {
      Value& value = values[static_cast<size_t>(offsets[1])];
      value = folding.fold(value, in[static_cast<size_t>(offsets[0]) + i]);
    }
  });
  using T = typename Out::value_type;
  std::transform(values.begin(), values.end(), out.begin(), [&](Value value) { return static_cast<T>(folding.finish(value)); });
  return {};
}

int64_t floor_quotient(int64_t a, int64_t positive) { return a >= 0 ? a / positive : -((-a + positive - 1) / positive); }

// Computes the mean. For 8-bit types, it is the mean of the raw integers, without their zero point, and the quotient rounds
// toward minus infinity.
Status mean(KernelContext& context) {
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) {
    const size_t count = in.size() / out.size();
    if constexpr (std::is_same_v<decltype(tag), float>) {
      const auto quotient = [&](float sum) { return sum / static_cast<float>(count); };
      return fold_axes(context, in, out, Folding{0.0F, std::plus<float>(), quotient});
    } else {
      const auto quotient = [&](int64_t sum) { return floor_quotient(sum, static_cast<int64_t>(count)); };
      return fold_axes(context, in, out, Folding{int64_t{0}, std::plus<int64_t>(), quotient});
    }
  });
}

template <class Fold>
Status reduce_floats(KernelContext& context, float start, Fold fold) {
  const FloatInput in(context, kInput);
  FloatOutput out(context, kOutput);
  return fold_axes(context, in.values(), out.values(), Folding{start, fold});
}

// Multiplies, but zero absorbs everything, infinities and NaN too.
Status reduce_prod(KernelContext& context) {
  return reduce_floats(context, 1.0F, [](float product, float x) { return product == 0.0F || x == 0.0F ? 0.0F : product * x; });
}

// Finds extremes. Only strictly larger (smaller) elements replace the finite start: NaN is ignored.
template <bool kMax>
Status reduce_extremum(KernelContext& context) {
  const bool is_half = context.operation.input(kInput).type == OperandType::kTensorFloat16;
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) {
    using T = decltype(tag);
    T start = kMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    if constexpr (std::is_same_v<T, float>) {
      if (is_half) start = kMax ? -65504.0F : 65504.0F;
    }
    return fold_axes(context, in, out, Folding{start, [](T best, T x) { return (kMax ? x > best : x < best) ? x : best; }});
  });
}

// Folds truth values. Any byte but 0 is true.
template <class Fold>
Status reduce_bools(KernelContext& context, bool start, Fold fold) {
  return fold_axes(context, context.input<uint8_t>(kInput), context.output<uint8_t>(kOutput), Folding{uint8_t{start}, fold});
}

constexpr KernelRow kRows[] = {
    {OperationCode::kMean, mean},
    {OperationCode::kReduceAll, [](KernelContext& context) { return reduce_bools(context, true, std::logical_and<>()); }},
    {OperationCode::kReduceAny, [](KernelContext& context) { return reduce_bools(context, false, std::logical_or<>()); }},
    {OperationCode::kReduceMax, reduce_extremum<true>},
    {OperationCode::kReduceMin, reduce_extremum<false>},
    {OperationCode::kReduceProd, reduce_prod},
    {OperationCode::kReduceSum, [](KernelContext& context) { return reduce_floats(context, 0.0F, std::plus<float>()); }},
};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kRows; }

}  // namespace nnvk::cpu
