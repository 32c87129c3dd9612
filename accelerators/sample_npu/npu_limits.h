// Every driver must tell which operations it runs and how long they take. Here the sample NPU imitates a chip's answers. Pure.
#pragma once

#include <string>

#include "core/plan/plan.h"

namespace nnvk::sample_npu {

// Limits of an imagined chip that computes only on bytes and has a small memory for channels.
inline constexpr uint32_t kMostChannels = 1024;
inline constexpr uint32_t kMostJoinedTensors = 4;
inline constexpr double kMultiplyAddsPerSecond = 512e9;
inline constexpr double kBytesPerSecond = 8e9;
inline constexpr double kSecondsPerOperation = 2e-6;

// Returns the reason why the chip cannot run the node; empty if it can. It runs convolutions, depthwise convolutions, poolings,
// additions, concatenations and fully connected layers of 8-bit asymmetric tensors in NHWC, with shapes and weights known
// beforehand.
std::string reason_declined(const Plan& plan, const PlanNode& node);

// Predicts the chip's time for a node that it runs.
double predicted_seconds(const OperationView& operation);

}  // namespace nnvk::sample_npu
