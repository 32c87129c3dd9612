// Sigmoid, and the activations of recurrent cells by code.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/operations/rules/sequence_layout.h"

namespace nnvk::cpu {

inline float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

// Returns the activation of x. NaN stays NaN.
inline float recurrent_activation(RecurrentActivation activation, float x) {
  switch (activation) {
    case RecurrentActivation::kNone:
      return x;
    case RecurrentActivation::kRelu:
      return x < 0.0F ? 0.0F : x;
    case RecurrentActivation::kRelu1:
      return std::clamp(x, -1.0F, 1.0F);
    case RecurrentActivation::kRelu6:
      return std::clamp(x, 0.0F, 6.0F);
    case RecurrentActivation::kTanh:
      return std::tanh(x);
    case RecurrentActivation::kSigmoid:
      return sigmoid(x);
  }
  return x;
}

}  // namespace nnvk::cpu
