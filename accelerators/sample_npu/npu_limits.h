// What the sample NPU runs, and how long the chip that it pretends to be would take: the two questions that every driver answers.
// Pure.
#pragma once

#include <string>

#include "core/plan/plan.h"

namespace nnvk::sample_npu {

// A chip that computes on bytes only, with a small memory for channels.
inline constexpr uint32_t kMostChannels = 1024;
inline constexpr uint32_t kMostJoinedTensors = 4;
inline constexpr double kMultiplyAddsPerSecond = 512e9;
inline constexpr double kBytesPerSecond = 8e9;
inline constexpr double kSecondsPerOperation = 2e-6;

// Why the chip cannot run the node; empty when it can. It runs convolutions, depthwise convolutions, poolings, additions,
// concatenations and fully connected layers of 8-bit asymmetric tensors whose shapes and weights are known beforehand, in NHWC.
std::string reason_declined(const Plan& plan, const PlanNode& node);

// How long the chip takes for a node that it runs.
double predicted_seconds(const OperationView& operation);

}  // namespace nnvk::sample_npu
