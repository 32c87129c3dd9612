// A function of two elements over two tensors that broadcast against each other: arithmetic and comparisons.
#pragma once

#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

// Computes out[i] = fn(a[..], b[..]) over the broadcast of the two operands.
template <class A, class B, class Out, class Function>
void broadcast_apply(const KernelContext& context, const A& a, const B& b, Out&& out, Function&& fn) {
  const Shape& shape = context.outputs[elementwise_binary::kOutput].info.shape;
  const Strides a_strides = broadcast_strides(context.operation.shape(elementwise_binary::kFirst), shape);
  const Strides b_strides = broadcast_strides(context.operation.shape(elementwise_binary::kSecond), shape);
  size_t at = 0;
  for_each_row<2>(shape, {&a_strides, &b_strides}, [&](Offsets<2> offsets, const Offsets<2>& steps, size_t length) {
    for (size_t i = 0; i < length; ++i, ++at, offsets[0] += steps[0], offsets[1] += steps[1]) {
      out[at] = fn(a[static_cast<size_t>(offsets[0])], b[static_cast<size_t>(offsets[1])]);
    }
  });
}

}  // namespace nnvk::cpu
