// Small .tflite files.
#pragma once

#include <cstdint>
#include <vector>

namespace nnvk::test {

// y = relu(|x| + x), for x of this shape.
std::vector<uint8_t> elementwise_model(const std::vector<int32_t>& shape);
// y = |reshape(x, s)|, for x of 4 elements, whose shape s of rank 2 is an input.
std::vector<uint8_t> dynamic_model();
// A recurrent cell over a sequence [1,4,3] with 2 units. Its state is a variable.
std::vector<uint8_t> recurrent_model();

}  // namespace nnvk::test
