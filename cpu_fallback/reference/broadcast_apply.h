// A function of two elements over two tensors that broadcast against each other: arithmetic and comparisons.
#pragma once

#include <array>
#include <cstddef>

#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

// out[i] = fn(a[..], b[..]) over the broadcast of the two operands.
template <class A, class B, class Out, class Function>
void broadcast_apply(const KernelContext& context, const A& a, const B& b, Out&& out, Function&& fn) {
  const Shape& shape = context.outputs[elementwise_binary::kOutput].info.shape;
  const Strides a_strides = broadcast_strides(context.operation.shape(elementwise_binary::kFirst), shape);
  const Strides b_strides = broadcast_strides(context.operation.shape(elementwise_binary::kSecond), shape);
  const Strides out_strides = dense_strides(shape);
  const size_t row = shape.rank() == 0 ? 1 : shape.dims.back();
  const ptrdiff_t a_step = shape.rank() == 0 ? 0 : a_strides.back();
  const ptrdiff_t b_step = shape.rank() == 0 ? 0 : b_strides.back();
  for_each_row<3>(shape, {&a_strides, &b_strides, &out_strides}, [&](const std::array<ptrdiff_t, 3>& offsets) {
    ptrdiff_t ai = offsets[0];
    ptrdiff_t bi = offsets[1];
    for (size_t i = 0; i < row; ++i, ai += a_step, bi += b_step) {
      out[static_cast<size_t>(offsets[2]) + i] = fn(a[static_cast<size_t>(ai)], b[static_cast<size_t>(bi)]);
    }
  });
}

}  // namespace nnvk::cpu
