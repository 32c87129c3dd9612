// Names of TensorFlow Lite's built-in operators, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace nnvk::importers::tflite {

// Returns "CONV_2D" and so on; "operator 4711" for an unknown number.
std::string builtin_operator_name(int32_t code);

}  // namespace nnvk::importers::tflite
