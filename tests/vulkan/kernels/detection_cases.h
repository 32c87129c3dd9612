// What the tests of the detection kernels share: random boxes that fit a type, and scalars of the operation's float type.
#pragma once

#include <random>
#include <vector>

#include "core/base/half.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {

// Compared bit by bit (NaN equals NaN): decisions and arithmetic are the same on both devices.
inline constexpr Tolerance kIdentical = {0.0, 0.0};

// A FLOAT32 or FLOAT16 scalar, as the tensor type `type` wants it.
inline void add_real_scalar(OneNode& node, OperandType type, float value) {
  if (type == OperandType::kTensorFloat16) {
    node.constant(tensor(OperandType::kFloat16, {}), raw_values(std::vector<uint16_t>{float_to_half(value)}));
  } else {
    node.scalar(value);
  }
}

// Boxes beside a tensor of `type`: FLOAT32 and FLOAT16 as they are, 8-bit types with TENSOR_QUANT16_ASYMM.
inline OperandInfo box_tensor(OperandType type, Shape shape) {
  if (is_float(type)) return tensor(type, std::move(shape));
  return tensor(OperandType::kTensorQuant16Asymm, std::move(shape), 0.125F, 0);
}

// The given reals as elements of `info`, whose quantization can express them.
inline std::vector<std::byte> real_values(const OperandInfo& info, const std::vector<float>& values) {
  if (is_float(info.type)) return float_values(info.type, values);
  std::vector<uint16_t> raw;
  for (const float value : values) raw.push_back(static_cast<uint16_t>(value / info.scale));
  return raw_values(raw);
}

// Corners of boxes in [0, width] x [0, height], multiples of 1/4, which every type can express. Every eighth box is a point.
inline std::vector<float> random_boxes(std::mt19937& random, size_t count, uint32_t width, uint32_t height) {
  const auto below = [&](uint32_t limit) { return static_cast<float>(random() % (4 * limit + 1)) / 4.0F; };
  std::vector<float> corners;
  for (size_t i = 0; i < count; ++i) {
    const float x1 = below(width);
    const float y1 = below(height);
    const float x2 = i % 8 == 7 ? x1 : below(width);
    const float y2 = i % 8 == 7 ? y1 : below(height);
    corners.insert(corners.end(), {std::min(x1, x2), std::min(y1, y2), std::max(x1, x2), std::max(y1, y2)});
  }
  return corners;
}

// Scores in [0, 1) of which many are equal.
inline std::vector<float> coarse_scores(std::mt19937& random, size_t count, uint32_t levels) {
  std::vector<float> scores(count);
  for (float& score : scores) score = static_cast<float>(random() % levels) / static_cast<float>(levels);
  return scores;
}

// The scores as elements of a float tensor, or as bytes of an 8-bit one.
inline std::vector<std::byte> score_values(const OperandInfo& info, const std::vector<float>& scores) {
  if (is_float(info.type)) return float_values(info.type, scores);
  std::vector<uint8_t> raw;
  for (const float score : scores) {
    raw.push_back(static_cast<uint8_t>(static_cast<int32_t>(score / info.scale) + info.zero_point));
  }
  return raw_values(raw);
}

inline OperandInfo score_tensor(OperandType type, Shape shape) {
  if (is_float(type)) return tensor(type, std::move(shape));
  return tensor(type, std::move(shape), 0.00390625F, type == OperandType::kTensorQuant8Asymm ? 0 : -128);
}

inline OperandInfo unknown_shape(OperandInfo info) {
  info.shape = Shape::unknown_rank();
  return info;
}

inline constexpr OperandType kDetectionTypes[] = {OperandType::kTensorFloat32, OperandType::kTensorFloat16,
                                                  OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned};

}  // namespace nnvk::vulkan::rig
