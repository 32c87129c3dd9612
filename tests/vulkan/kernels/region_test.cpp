// ROI_ALIGN and ROI_POOLING on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <limits>

#include "tests/vulkan/kernels/detection_cases.h"

namespace nnvk::vulkan::rig {
namespace {

struct Case {
  OperationCode code = OperationCode::kRoiAlign;
  OperandType type = OperandType::kTensorFloat32;
  uint32_t channels = 4;
  bool nchw = false;
  uint32_t out_height = 3, out_width = 2;
  float stride_y = 2.0F, stride_x = 1.0F;
  int32_t samples_y = 0, samples_x = 2;
  uint32_t regions = 9;

  static constexpr uint32_t kBatches = 3, kHeight = 7, kWidth = 11;

  OneNode node() const {
    std::mt19937 random(channels);
    OneNode node(code);
    const bool quantized = is_quant8_asymm(type);
    const int32_t zero_point = type == OperandType::kTensorQuant8Asymm ? 100 : -20;
    const OperandInfo image =
        tensor(type, nchw ? Shape{kBatches, channels, kHeight, kWidth} : Shape{kBatches, kHeight, kWidth, channels},
               quantized ? 0.05F : 0.0F, quantized ? zero_point : 0);
    node.random_input(image, 5);
    const OperandInfo rois = box_tensor(type, {regions, 4});
    const auto width = static_cast<uint32_t>(kWidth * stride_x);
    const auto height = static_cast<uint32_t>(kHeight * stride_y);
    node.input(rois, real_values(rois, random_boxes(random, regions, width, height)));
    std::vector<int32_t> batches;
    for (uint32_t r = 0; r < regions; ++r) batches.push_back(static_cast<int32_t>(random() % kBatches));
    node.input(tensor(OperandType::kTensorInt32, {regions}), raw_values(batches));
    return finish(std::move(node), image);
  }
  // The scalars behind image, regions and batches, and the output.
  OneNode finish(OneNode node, OperandInfo output) const {
    node.scalar(static_cast<int32_t>(out_height)).scalar(static_cast<int32_t>(out_width));
    add_real_scalar(node, type, stride_y);
    add_real_scalar(node, type, stride_x);
    if (code == OperationCode::kRoiAlign) node.scalar(samples_y).scalar(samples_x);
    if (code == OperationCode::kRoiAlign && is_quant8_asymm(type)) output.scale = 0.04F;
    node.scalar(nchw).output(unknown_shape(output));
    return node;
  }
};

constexpr OperationCode kOperations[] = {OperationCode::kRoiAlign, OperationCode::kRoiPooling};

TEST(RegionKernel, EveryTypeLayoutAndChannelCountAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : kDetectionTypes) {
      for (const uint32_t channels : {1U, 4U, 5U}) {
        for (const bool nchw : {false, true}) {
          expect_same_as_reference(Case{.code = code, .type = type, .channels = channels, .nchw = nchw}.node());
        }
      }
    }
  }
}

TEST(RegionKernel, SampleCountsStridesAndSizesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorQuant8Asymm}) {
      expect_same_as_reference(Case{.code = code, .type = type, .out_height = 1, .out_width = 1, .samples_x = 0}.node());
      expect_same_as_reference(Case{.code = code, .type = type, .out_height = 20, .out_width = 30, .samples_x = 0}.node());
      expect_same_as_reference(Case{.code = code, .type = type, .stride_y = 3.0F, .stride_x = 7.0F, .samples_y = 3}.node());
      expect_same_as_reference(Case{.code = code, .type = type, .channels = 3, .stride_x = 4.0F, .regions = 1}.node());
    }
  }
}

TEST(RegionKernel, LargeCellsThatTakeSeveralDispatchesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorQuant8AsymmSigned}) {
      for (const uint32_t channels : {1U, 4U}) {
        OneNode node(code);
        const bool quantized = is_quant8_asymm(type);
        const OperandInfo image = tensor(type, {1, 330, 350, channels}, quantized ? 0.05F : 0.0F, 0);
        node.random_input(image, 5);
        const OperandInfo rois = box_tensor(type, {2, 4});
        node.input(rois, real_values(rois, {0, 0, 350, 330, 5, 6, 6, 200}));
        node.input(tensor(OperandType::kTensorInt32, {2}), raw_values(std::vector<int32_t>{0, 0}));
        const Case large{.code = code, .type = type, .out_height = 1, .out_width = 1, .stride_y = 1.0F, .samples_x = 0};
        expect_same_as_reference(large.finish(std::move(node), image));
      }
    }
  }
}

// Rows of one sample or cell cost the most loop iterations each.
TEST(RegionKernel, TallNarrowCellsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const uint32_t channels : {1U, 4U}) {
      OneNode node(code);
      const OperandInfo image = tensor(OperandType::kTensorFloat32, {1, 40000, 1, channels});
      node.random_input(image, 6);
      node.input(tensor(OperandType::kTensorFloat32, {1, 4}), raw_values(std::vector<float>{0, 0, 1, 40000}));
      node.input(tensor(OperandType::kTensorInt32, {1}), raw_values(std::vector<int32_t>{0}));
      const Case column{.code = code, .out_height = 1, .out_width = 1, .stride_y = 1.0F, .samples_y = 40000, .samples_x = 1};
      expect_same_as_reference(column.finish(std::move(node), image), {1e-4, 1e-4});
    }
  }
}

TEST(RegionKernel, RegionsThatDoNotFitFailTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> bad_regions[] = {{-1, 0, 2, 2}, {0, 0, 12, 2}, {0, 0, 2, 15},
                                            {3, 0, 2, 2},  {0, 3, 2, 2},  {0, nan, 2, 2}};
  const auto with = [](OperationCode code, const std::vector<float>& roi, int32_t batch) {
    OneNode node(code);
    const OperandInfo image = tensor(OperandType::kTensorFloat32, {3, 7, 11, 4});
    node.random_input(image, 5);
    node.input(tensor(OperandType::kTensorFloat32, {1, 4}), raw_values(roi));
    node.input(tensor(OperandType::kTensorInt32, {1}), raw_values(std::vector<int32_t>{batch}));
    return Case{.code = code}.finish(std::move(node), image);
  };
  for (const OperationCode code : kOperations) {
    for (const auto& roi : bad_regions) expect_same_failure(with(code, roi, 0));
    for (const int32_t batch : {3, -1, std::numeric_limits<int32_t>::min()}) expect_same_failure(with(code, {0, 0, 2, 2}, batch));
    expect_same_as_reference(with(code, {0, 0, 11, 14}, 2));
  }
}

TEST(RegionKernel, AMultiplierOfOneFailsTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  for (const float out_scale : {0.001F, 1.0F / 255.0F, 1e-30F}) {
    OneNode node(OperationCode::kRoiAlign);
    node.random_input(tensor(OperandType::kTensorQuant8Asymm, {1, 2, 2, 1}, 1.0F, 0), 1);
    const OperandInfo rois = box_tensor(OperandType::kTensorQuant8Asymm, {1, 4});
    node.input(rois, real_values(rois, {0, 0, 1, 1}));
    node.input(tensor(OperandType::kTensorInt32, {1}), raw_values(std::vector<int32_t>{0}));
    node.scalar(1).scalar(1).scalar(1.0F).scalar(1.0F).scalar(1).scalar(1).scalar(false);
    node.output(unknown_shape(tensor(OperandType::kTensorQuant8Asymm, {}, out_scale, 0)));
    expect_same_failure(node);
  }
}

TEST(RegionKernel, APoolingBinTakesNanOnlyFirst) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OneNode node(OperationCode::kRoiPooling);
  node.input(tensor(OperandType::kTensorFloat32, {1, 1, 4, 1}), raw_values(std::vector<float>{nan, 5, 6, nan}));
  node.input(tensor(OperandType::kTensorFloat32, {1, 4}), raw_values(std::vector<float>{0, 0, 3, 0}));
  node.input(tensor(OperandType::kTensorInt32, {1}), raw_values(std::vector<int32_t>{0}));
  node.scalar(1).scalar(2).scalar(1.0F).scalar(1.0F).scalar(false);
  node.output(unknown_shape(tensor(OperandType::kTensorFloat32, {})));
  expect_same_as_reference(node);
}

}  // namespace
}  // namespace nnvk::vulkan::rig
