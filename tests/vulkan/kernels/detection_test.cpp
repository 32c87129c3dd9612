// AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT on Vulkan against the CPU reference, bit by bit.
#include <gtest/gtest.h>

#include <limits>

#include "tests/vulkan/kernels/detection_cases.h"

namespace nnvk::vulkan::rig {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// `deltas`: the type of the deltas decides the types of the others. `range`: the largest float delta.
OneNode transform(OperandType deltas, uint32_t boxes, uint32_t classes, float delta_scale, float range = 4.0F) {
  std::mt19937 random(boxes + classes);
  OneNode node(OperationCode::kAxisAlignedBboxTransform);
  const OperandInfo rois = box_tensor(deltas, {boxes, 4});
  node.input(rois, real_values(rois, random_boxes(random, boxes, 50, 40)));
  const OperandInfo delta_info = tensor(deltas, {boxes, 4 * classes}, is_float(deltas) ? 0.0F : delta_scale,
                                        deltas == OperandType::kTensorQuant8Asymm ? 128 : 0);
  node.random_input(delta_info, 3, range);
  std::vector<int32_t> batches;
  for (uint32_t r = 0; r < boxes; ++r) batches.push_back(static_cast<int32_t>(random() % 3));
  node.input(tensor(OperandType::kTensorInt32, {boxes}), raw_values(batches));
  const OperandInfo images = box_tensor(deltas, {3, 2});
  node.input(images, real_values(images, {40, 50, 30, 60, 100, 20}));
  node.output(unknown_shape(box_tensor(deltas, {})));
  return node;
}

TEST(BoxDecodeKernel, EveryTypeAgreesBitByBit) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kDetectionTypes) {
    for (const uint32_t boxes : {1U, 70U}) {
      expect_same_as_reference(transform(type, boxes, 3, 0.0625F), kIdentical);
      expect_same_as_reference(transform(type, boxes, 1, 0.003F), kIdentical);
    }
  }
}

TEST(BoxDecodeKernel, DeltasBeyondTheRangeOfTheExponentialAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_same_as_reference(transform(OperandType::kTensorFloat32, 200, 3, 0, 130.0F), kIdentical);
  expect_same_as_reference(transform(OperandType::kTensorFloat32, 64, 1, 0, 1e30F), kIdentical);
  expect_same_as_reference(transform(OperandType::kTensorQuant8AsymmSigned, 64, 3, 5.0F), kIdentical);
}

TEST(BoxDecodeKernel, MalformedBoxesFailTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  const auto with = [](const std::vector<float>& box, int32_t batch) {
    OneNode node(OperationCode::kAxisAlignedBboxTransform);
    node.input(tensor(OperandType::kTensorFloat32, {1, 4}), raw_values(box));
    node.random_input(tensor(OperandType::kTensorFloat32, {1, 8}), 3);
    node.input(tensor(OperandType::kTensorInt32, {1}), raw_values(std::vector<int32_t>{batch}));
    node.input(tensor(OperandType::kTensorFloat32, {2, 2}), raw_values(std::vector<float>{8, 8, 9, 9}));
    node.output(unknown_shape(tensor(OperandType::kTensorFloat32, {})));
    return node;
  };
  expect_same_as_reference(with({1, 1, 1, 1}, 1));
  for (const auto& box : std::vector<std::vector<float>>{{2, 1, 1, 2}, {1, 2, 2, 1}, {kNan, 1, 2, 2}, {1, 1, 2, kNan}}) {
    expect_same_failure(with(box, 0));
  }
  for (const int32_t batch : {2, -1, std::numeric_limits<int32_t>::min()}) expect_same_failure(with({1, 1, 2, 2}, batch));
}

OneNode keypoints(OperandType type, uint32_t boxes, uint32_t side, uint32_t points, bool nchw, std::vector<std::byte> maps = {}) {
  std::mt19937 random(side);
  OneNode node(OperationCode::kHeatmapMaxKeypoint);
  const OperandInfo info = tensor(type, nchw ? Shape{boxes, points, side, side} : Shape{boxes, side, side, points},
                                  is_float(type) ? 0.0F : 0.02F, type == OperandType::kTensorQuant8Asymm ? 100 : 0);
  node.input(info, maps.empty() ? random_values(info, 7) : std::move(maps));
  const OperandInfo box_info = box_tensor(type, {boxes, 4});
  node.input(box_info, real_values(box_info, random_boxes(random, boxes, 200, 300)));
  node.scalar(nchw);
  OperandInfo scores = unknown_shape(info);
  if (!is_float(type)) scores.scale = 0.03F;
  node.output(scores).output(unknown_shape(box_tensor(type, {})));
  return node;
}

TEST(HeatmapKernel, EveryTypeLayoutAndSizeAgreesBitByBit) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kDetectionTypes) {
    for (const bool nchw : {false, true}) {
      expect_same_as_reference(keypoints(type, 5, 6, 17, nchw), kIdentical);
      expect_same_as_reference(keypoints(type, 1, 2, 1, nchw), kIdentical);
      expect_same_as_reference(keypoints(type, 3, 3, 2, nchw), kIdentical);
    }
  }
  expect_same_as_reference(keypoints(OperandType::kTensorQuant8Asymm, 1, 300, 1, false), kIdentical);
}

TEST(HeatmapKernel, TheLargestMapsAgree) {
  NNVK_REQUIRE_VULKAN();
  constexpr uint32_t kSide = 886;  // more take an invocation too long (vulkan/kernels/bounded_work.h)
  std::vector<float> map(size_t{kSide} * kSide);
  for (size_t i = 0; i < map.size(); ++i) map[i] = static_cast<float>(i);  // the peak is the last cell
  expect_same_as_reference(keypoints(OperandType::kTensorFloat32, 1, kSide, 1, true, raw_values(map)), kIdentical);
}

TEST(HeatmapKernel, FlatMapsAndOddValuesAgree) {
  NNVK_REQUIRE_VULKAN();
  std::vector<float> maps;
  for (const float value : {1.0F, -kInfinity, kNan, 0.0F}) maps.insert(maps.end(), 9, value);
  maps[13] = kNan;   // in a map of -infinity
  maps[22] = 2.0F;   // in a map of NaN
  maps[31] = 1e30F;  // its fit overflows
  expect_same_as_reference(keypoints(OperandType::kTensorFloat32, 1, 3, 4, true, raw_values(maps)), kIdentical);
}

TEST(HeatmapKernel, MalformedBoxesFailTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kHeatmapMaxKeypoint);
  node.random_input(tensor(OperandType::kTensorFloat32, {2, 4, 4, 3}), 7);
  node.input(tensor(OperandType::kTensorFloat32, {2, 4}), raw_values(std::vector<float>{0, 0, 1, 1, 0, 2, 1, 1}));
  node.scalar(false).output(unknown_shape(tensor(OperandType::kTensorFloat32, {})));
  node.output(unknown_shape(tensor(OperandType::kTensorFloat32, {})));
  expect_same_failure(node);
}

}  // namespace
}  // namespace nnvk::vulkan::rig
