// MEAN, REDUCE_ALL, _ANY, _MAX, _MIN, _PROD and _SUM over a set of axes.
#include <algorithm>
#include <cfloat>
#include <limits>

#include "core/operations/parameters/reduce_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace reduce;

// One value per output element: start, then value = fold(value, element) over its input elements in row-major order.
template <class Value, class In, class Fold>
std::vector<Value> fold_axes(const Shape& shape, const std::vector<bool>& reduced, const In& in, Value start, Fold&& fold) {
  Shape kept = shape;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (reduced[d]) kept.dims[d] = 1;
  }
  std::vector<Value> values(kept.element_count(), start);
  const Strides in_strides = dense_strides(shape);
  const Strides out_strides = broadcast_strides(kept, shape);
  const ptrdiff_t step = out_strides.back();
  for_each_row<2>(shape, {&in_strides, &out_strides}, [&](const std::array<ptrdiff_t, 2>& offsets) {
    ptrdiff_t to = offsets[1];
    for (size_t i = 0; i < shape.dims.back(); ++i, to += step) {
      Value& value = values[static_cast<size_t>(to)];
      value = fold(value, in[static_cast<size_t>(offsets[0]) + i]);
    }
  });
  return values;
}

int64_t floor_quotient(int64_t a, int64_t positive) { return a >= 0 ? a / positive : -((-a + positive - 1) / positive); }

Status mean(KernelContext& context) {
  const OperandInfo& in = context.operation.input(kInput);
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(context.operation));
  int64_t count = 1;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) count *= in.shape[d];
  }
  if (is_quant8_asymm(in.type)) {
    // Raw integers, no rounding and no zero point: the quotient rounds toward minus infinity.
    return with_quant8_type(in.type, [&](auto tag) -> Status {
      using T = decltype(tag);
      const auto sums = fold_axes(in.shape, reduced, context.input<T>(kInput), int64_t{0},
                                  [](int64_t sum, T element) { return sum + element; });
      std::transform(sums.begin(), sums.end(), context.output<T>(kOutput).begin(),
                     [&](int64_t sum) { return static_cast<T>(floor_quotient(sum, count)); });
      return {};
    });
  }
  const FloatInput values(context, kInput);
  const auto sums = fold_axes(in.shape, reduced, values, 0.0F, [](float sum, float element) { return sum + element; });
  FloatOutput out(context, kOutput);
  for (size_t i = 0; i < sums.size(); ++i) out[i] = sums[i] / static_cast<float>(count);
  out.store();
  return {};
}

template <class Fold>
Status reduce_floats(KernelContext& context, float start, Fold&& fold) {
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(context.operation));
  const FloatInput in(context, kInput);
  const auto results = fold_axes(context.operation.shape(kInput), reduced, in, start, fold);
  FloatOutput out(context, kOutput);
  for (size_t i = 0; i < results.size(); ++i) out[i] = results[i];
  out.store();
  return {};
}

template <class T, class Fold>
Status reduce_bytes(KernelContext& context, T start, Fold&& fold) {
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(context.operation));
  const auto results = fold_axes(context.operation.shape(kInput), reduced, context.input<T>(kInput), start, fold);
  std::copy(results.begin(), results.end(), context.output<T>(kOutput).begin());
  return {};
}

// Zero absorbs everything, infinities and NaN too.
Status reduce_prod(KernelContext& context) {
  return reduce_floats(context, 1.0F, [](float product, float x) { return product == 0.0F || x == 0.0F ? 0.0F : product * x; });
}

Status reduce_sum(KernelContext& context) {
  return reduce_floats(context, 0.0F, [](float sum, float x) { return sum + x; });
}

// Only strictly larger (smaller) elements replace the finite start: NaN is ignored.
template <bool kMax>
Status reduce_extremum(KernelContext& context) {
  const auto fold = [](auto best, auto x) { return (kMax ? x > best : x < best) ? x : best; };
  const OperandType type = context.outputs[kOutput].info.type;
  if (is_quant8_asymm(type)) {
    return with_quant8_type(type, [&](auto tag) -> Status {
      using T = decltype(tag);
      return reduce_bytes<T>(context, kMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max(), fold);
    });
  }
  const float largest_finite = type == OperandType::kTensorFloat16 ? 65504.0F : FLT_MAX;
  return reduce_floats(context, kMax ? -largest_finite : largest_finite, fold);
}

Status reduce_all(KernelContext& context) {
  return reduce_bytes(context, uint8_t{1}, [](uint8_t all, uint8_t x) { return static_cast<uint8_t>(all != 0 && x != 0); });
}

Status reduce_any(KernelContext& context) {
  return reduce_bytes(context, uint8_t{0}, [](uint8_t any, uint8_t x) { return static_cast<uint8_t>(any != 0 || x != 0); });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kMean, mean},
    {OperationCode::kReduceAll, reduce_all},
    {OperationCode::kReduceAny, reduce_any},
    {OperationCode::kReduceMax, reduce_extremum<true>},
    {OperationCode::kReduceMin, reduce_extremum<false>},
    {OperationCode::kReduceProd, reduce_prod},
    {OperationCode::kReduceSum, reduce_sum},
};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kRows; }

}  // namespace nnvk::cpu
