// The values of variable tensors: in place where TensorFlow Lite and NNAPI have the same type, converted where TensorFlow Lite
// keeps integers and NNAPI computes real numbers. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "clients/plugin_options.h"
#include "importers/tflite/graph.h"

namespace nnvk::clients::tflite {

// Returns whether NNAPI reads and writes the variable's own bytes.
bool is_same_state(const importers::tflite::Tensor& variable, const importers::OperandInfo& port);

// Reads the real values of a variable of INT8, UINT8 or INT16 with one scale. `to` has as many elements. An error for other
// types.
Status read_state(const importers::tflite::Tensor& variable, std::span<const uint8_t> from, std::span<float> to);
// Quantizes real values: rounds to the nearest, ties away from zero, and clamps. The opposite of read_state().
Status write_state(const importers::tflite::Tensor& variable, std::span<const float> from, std::span<uint8_t> to);

}  // namespace nnvk::clients::tflite
