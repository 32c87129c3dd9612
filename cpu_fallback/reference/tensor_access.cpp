// Strides, layouts and float widening shared by all kernels.
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

Strides dense_strides(const Shape& shape) {
  Strides strides(shape.rank());
  ptrdiff_t step = 1;
  for (size_t d = shape.rank(); d-- > 0;) {
    strides[d] = step;
    step *= static_cast<ptrdiff_t>(shape[d]);
  }
  return strides;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  Strides strides(to.rank(), 0);
  const Strides dense = dense_strides(from);
  const size_t missing = to.rank() - from.rank();
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from[d] != 1) strides[missing + d] = dense[d];
  }
  return strides;
}

ImageLayout image_layout(const Shape& shape, bool nchw) {
  const Strides dense = dense_strides(shape);
  const size_t y = nchw ? 2 : 1;
  const size_t x = nchw ? 3 : 2;
  const size_t c = nchw ? 1 : 3;
  return {shape[0], shape[y], shape[x], shape[c], dense[0], dense[y], dense[x], dense[c]};
}

FloatInput::FloatInput(const KernelContext& context, size_t input) {
  if (element_size(context.operation.input(input).type) == sizeof(float)) {
    values_ = context.input<float>(input);
    return;
  }
  const auto halves = context.input<Half>(input);
  widened_.resize(halves.size());
  for (size_t i = 0; i < halves.size(); ++i) widened_[i] = half_to_float(halves[i]);
  values_ = widened_;
}

FloatOutput::FloatOutput(const KernelContext& context, size_t output) {
  if (element_size(context.outputs[output].info.type) == sizeof(float)) {
    values_ = context.output<float>(output);
    return;
  }
  halves_ = context.output<Half>(output);
  wide_.resize(halves_.size());
  values_ = wide_;
}

void FloatOutput::store() {
  for (size_t i = 0; i < halves_.size(); ++i) halves_[i] = float_to_half(wide_[i]);
}

}  // namespace nnvk::cpu
