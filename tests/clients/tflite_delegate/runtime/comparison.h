// How an output compares with that of TensorFlow Lite's own operators.
#pragma once

#include <tensorflow/lite/c/common.h>

#include <cstddef>

namespace nnvk::test {

struct Difference {
  double worst = 0;  // in steps of integers; of floats, relative to the largest magnitude, but at least to 1
  size_t elements = 0;
  size_t beyond = 0;  // elements that differ by more than was allowed
};

// Compares all elements. Floats may differ by `tolerance`, 8-bit and 16-bit integers by one step, other integers not at all.
Difference compare(const TfLiteTensor& own, const TfLiteTensor& expected, double tolerance);

}  // namespace nnvk::test
