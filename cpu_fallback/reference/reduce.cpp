// MEAN over a set of axes.
#include <algorithm>

#include "core/operations/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Which dimensions disappear or become 1. Axes may be negative and may repeat.
Result<std::vector<bool>> reduced_axes(const KernelContext& context) {
  const size_t rank = context.operation.shape(0).rank();
  std::vector<bool> reduced(rank, false);
  for (const int32_t given : context.input<int32_t>(1)) {
    NNVK_ASSIGN(const uint32_t axis, normalize_axis(given, rank, Code::kOpFailed));
    reduced[axis] = true;
  }
  return reduced;
}

// Adds every input element to the accumulator of its output element, in row-major order of the input.
template <class T, class Sum>
void add_up(const Shape& shape, const std::vector<bool>& reduced, std::span<const T> in, std::vector<Sum>& sums) {
  Shape kept = shape;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (reduced[d]) kept.dims[d] = 1;
  }
  sums.assign(kept.element_count(), Sum{0});
  const Strides in_strides = dense_strides(shape);
  const Strides out_strides = broadcast_strides(kept, shape);
  const ptrdiff_t step = out_strides.back();
  for_each_row<2>(shape, {&in_strides, &out_strides}, [&](const std::array<ptrdiff_t, 2>& offsets) {
    ptrdiff_t to = offsets[1];
    for (size_t i = 0; i < shape.dims.back(); ++i, to += step) {
      sums[static_cast<size_t>(to)] += static_cast<Sum>(in[static_cast<size_t>(offsets[0]) + i]);
    }
  });
}

int64_t floor_quotient(int64_t a, int64_t positive) { return a >= 0 ? a / positive : -((-a + positive - 1) / positive); }

Status mean(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_axes(context));
  int64_t count = 1;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) count *= in.shape[d];
  }
  if (is_quant8_asymm(in.type)) {
    // Raw integers, no rounding and no zero point: the quotient rounds toward minus infinity.
    return with_quant8_type(in.type, [&](auto tag) -> Status {
      using T = decltype(tag);
      std::vector<int64_t> sums;
      add_up(in.shape, reduced, context.input<T>(0), sums);
      std::transform(sums.begin(), sums.end(), context.output<T>(0).begin(),
                     [&](int64_t sum) { return static_cast<T>(floor_quotient(sum, count)); });
      return {};
    });
  }
  std::vector<float> sums;
  add_up(in.shape, reduced, FloatInput(context, 0).values(), sums);
  FloatOutput out(context, 0);
  for (size_t i = 0; i < sums.size(); ++i) out[i] = sums[i] / static_cast<float>(count);
  out.store();
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kMean, mean}};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kRows; }

}  // namespace nnvk::cpu
