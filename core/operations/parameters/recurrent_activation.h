// The activation codes of the recurrent operations (LSTM, RNN, SVDF and the sequence operations).
#pragma once

#include <cstdint>

namespace nnvk {

// Values of the activation operand; check_recurrent_activation() lets no others pass.
enum class RecurrentActivation : int32_t { kNone = 0, kRelu = 1, kRelu1 = 2, kRelu6 = 3, kTanh = 4, kSigmoid = 6 };

}  // namespace nnvk
