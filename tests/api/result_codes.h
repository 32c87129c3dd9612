// Short names of the result codes that tests expect most.
#pragma once

#include <android/NeuralNetworks.h>

namespace nnvk::test {

inline constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
inline constexpr int kNull = ANEURALNETWORKS_UNEXPECTED_NULL;
inline constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
inline constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
inline constexpr int kFailed = ANEURALNETWORKS_OP_FAILED;
inline constexpr int kTooSmall = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
inline constexpr int kUnmappable = ANEURALNETWORKS_UNMAPPABLE;

}  // namespace nnvk::test
