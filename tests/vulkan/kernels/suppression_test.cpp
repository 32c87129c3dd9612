// BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS and DETECTION_POSTPROCESSING on Vulkan against the CPU reference: the same boxes in the
// same order, bit by bit, with many equal scores.
#include <gtest/gtest.h>

#include <limits>

#include "tests/vulkan/kernels/detection_cases.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();

// --- BOX_WITH_NMS_LIMIT -----------------------------------------------------------------------------------------------------

struct Limit {
  OperandType type = kTensorFloat32;
  uint32_t rows = 150;
  uint32_t classes = 4;
  std::vector<int32_t> batches = {};
  uint32_t levels = 16;
  float score_threshold = 0.1F;
  int32_t most = -1;
  int32_t kernel = 0;
  float iou_threshold = 0.3F;
  float sigma = 0.5F;
  float nms_score_threshold = 0.15F;
  float odd_score = 0.0F;  // takes the place of some scores when it is not 0
  bool swap_first_box = false;

  OneNode node() const {
    std::mt19937 random(rows * 7 + classes);
    OneNode node(OperationCode::kBoxWithNmsLimit);
    const OperandInfo scores = score_tensor(type, {rows, classes});
    std::vector<float> values = coarse_scores(random, size_t{rows} * classes, levels);
    for (size_t i = 0; odd_score != 0.0F && i < values.size(); i += 5) values[i] = odd_score;
    node.input(scores, score_values(scores, values));
    const OperandInfo boxes = box_tensor(type, {rows, 4 * classes});
    std::vector<float> corners = random_boxes(random, size_t{rows} * classes, 12, 9);
    if (swap_first_box) corners[0] = corners[2] + 1;
    node.input(boxes, real_values(boxes, corners));
    std::vector<int32_t> images = batches;
    images.resize(rows, images.empty() ? 0 : images.back());
    node.input(tensor(kTensorInt32, {rows}), raw_values(images));
    add_real_scalar(node, type, score_threshold);
    node.scalar(most).scalar(kernel);
    for (const float value : {iou_threshold, sigma, nms_score_threshold}) add_real_scalar(node, type, value);
    node.output(unknown_shape(scores)).output(unknown_shape(boxes));
    node.output(unknown_shape(tensor(kTensorInt32, {}))).output(unknown_shape(tensor(kTensorInt32, {})));
    return node;
  }
};

TEST(BoxLimitKernel, EveryTypeAndKernelAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kDetectionTypes) {
    for (const int32_t kernel : {0, 1, 2}) {
      expect_same_as_reference(Limit{.type = type, .kernel = kernel}.node(), kIdentical);
      expect_same_as_reference(Limit{.type = type, .rows = 31, .classes = 3, .most = 5, .kernel = kernel}.node(), kIdentical);
    }
  }
}

TEST(BoxLimitKernel, RunsOfBatchIndexesAreImages) {
  NNVK_REQUIRE_VULKAN();
  std::vector<int32_t> batches;
  for (int32_t i = 0; i < 150; ++i) batches.push_back((i / 7) % 3);
  expect_same_as_reference(Limit{.batches = batches}.node(), kIdentical);
  expect_same_as_reference(Limit{.batches = batches, .most = 2}.node(), kIdentical);
  for (int32_t i = 0; i < 150; ++i) batches[static_cast<size_t>(i)] = 150 - i;
  expect_same_as_reference(Limit{.type = kTensorQuant8Asymm, .batches = batches, .kernel = 1}.node(), kIdentical);
}

TEST(BoxLimitKernel, ManyClassesAndOddSizesAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_same_as_reference(Limit{.rows = 65, .classes = 40, .levels = 3, .most = 100}.node(), kIdentical);
  expect_same_as_reference(Limit{.rows = 1, .classes = 2, .levels = 2}.node(), kIdentical);
  expect_same_as_reference(Limit{.rows = 700, .classes = 2, .levels = 1000, .iou_threshold = 0.6F}.node(), kIdentical);
}

TEST(BoxLimitKernel, WorkThatIsCutIntoSeveralDispatchesAgrees) {
  NNVK_REQUIRE_VULKAN();
  // Hardly anything overlaps as much as to go, so that picks go on through the list.
  expect_same_as_reference(Limit{.rows = 900, .classes = 2, .levels = 5000, .iou_threshold = 0.999F}.node(), kIdentical);
  std::vector<int32_t> batches;
  for (int32_t i = 0; i < 600; ++i) batches.push_back(i);
  expect_same_as_reference(Limit{.rows = 600, .classes = 3, .batches = batches}.node(), kIdentical);
}

TEST(BoxLimitKernel, OddParametersAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const int32_t kernel : {0, 1, 2}) {
    for (const int32_t most : {0, 1, kMost, kLeast}) {
      expect_same_as_reference(Limit{.rows = 40, .most = most, .kernel = kernel}.node(), kIdentical);
    }
    expect_same_as_reference(Limit{.rows = 40, .kernel = kernel, .nms_score_threshold = 0.0F}.node(), kIdentical);
    expect_same_as_reference(Limit{.rows = 40, .kernel = kernel, .iou_threshold = kNan}.node(), kIdentical);
    expect_same_as_reference(Limit{.rows = 40, .kernel = kernel, .sigma = 0.0F}.node(), kIdentical);
    expect_same_as_reference(Limit{.rows = 40, .kernel = kernel, .odd_score = kNan}.node(), kIdentical);
    expect_same_as_reference(Limit{.rows = 40, .kernel = kernel, .sigma = -0.5F, .nms_score_threshold = -9.0F}.node(),
                             kIdentical);
    expect_same_as_reference(Limit{.rows = 40, .score_threshold = 2.0F, .kernel = kernel}.node(), kIdentical);
  }
}

TEST(BoxLimitKernel, BadBoxesAndBatchesFailTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  expect_same_failure(Limit{.rows = 70, .swap_first_box = true}.node());
  expect_same_failure(Limit{.rows = 70, .batches = {0, 0, -1}}.node());
}

// --- GENERATE_PROPOSALS -----------------------------------------------------------------------------------------------------

struct Proposals {
  OperandType type = kTensorFloat32;
  bool nchw = false;
  uint32_t height = 6, width = 5, anchors = 3;
  uint32_t levels = 16;
  int32_t before = 40, after = 12;
  float iou_threshold = 0.3F, min_size = 2.0F;
  float odd_score = 0.0F;
  bool swap_anchor = false;

  static constexpr uint32_t kBatches = 2;

  Shape grid(uint32_t channels) const {
    return nchw ? Shape{kBatches, channels, height, width} : Shape{kBatches, height, width, channels};
  }
  OneNode node() const {
    std::mt19937 random(height * 31 + width);
    OneNode node(OperationCode::kGenerateProposals);
    const OperandInfo scores = score_tensor(type, grid(anchors));
    std::vector<float> values = coarse_scores(random, scores.shape.element_count(), levels);
    for (size_t i = 0; odd_score != 0.0F && i < values.size(); i += 5) values[i] = odd_score;
    node.input(scores, score_values(scores, values));
    const bool quantized = !is_float(type);
    const OperandInfo deltas = tensor(type, grid(4 * anchors), quantized ? 0.01F : 0.0F, type == kTensorQuant8Asymm ? 128 : 0);
    node.random_input(deltas, 3, 0.8F);
    const OperandInfo anchor_info = quantized ? tensor(kTensorQuant16Symm, {anchors, 4}, 0.125F) : tensor(type, {anchors, 4});
    std::vector<float> corners;
    for (uint32_t a = 0; a < anchors; ++a) {
      const auto half = static_cast<float>(2 + 3 * a);
      corners.insert(corners.end(), {-half, -half - 1, half, half + 2});
    }
    if (swap_anchor) std::swap(corners[1], corners[3]);
    if (quantized) {
      std::vector<int16_t> raw;
      for (const float corner : corners) raw.push_back(static_cast<int16_t>(corner * 8));
      node.input(anchor_info, raw_values(raw));
    } else {
      node.input(anchor_info, float_values(type, corners));
    }
    const OperandInfo images = box_tensor(type, {kBatches, 2});
    node.input(images, real_values(images, {40, 50, 64, 32}));
    add_real_scalar(node, type, 8.0F);
    add_real_scalar(node, type, 10.0F);
    node.scalar(before).scalar(after);
    add_real_scalar(node, type, iou_threshold);
    add_real_scalar(node, type, min_size);
    node.scalar(nchw).output(unknown_shape(scores)).output(unknown_shape(box_tensor(type, {})));
    node.output(unknown_shape(tensor(kTensorInt32, {})));
    return node;
  }
};

TEST(ProposalKernel, EveryTypeAndLayoutAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kDetectionTypes) {
    for (const bool nchw : {false, true}) {
      expect_same_as_reference(Proposals{.type = type, .nchw = nchw}.node(), kIdentical);
      expect_same_as_reference(Proposals{.type = type, .nchw = nchw, .before = -1, .after = -1}.node(), kIdentical);
    }
  }
}

TEST(ProposalKernel, LargeGridsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_same_as_reference(Proposals{.height = 25, .width = 19, .anchors = 9, .levels = 5000, .before = 600, .after = 100}.node(),
                           kIdentical);
  expect_same_as_reference(Proposals{.nchw = true, .height = 25, .width = 19, .levels = 7, .before = 0, .after = 50}.node(),
                           kIdentical);
}

TEST(ProposalKernel, WorkThatIsCutIntoSeveralDispatchesAgrees) {
  NNVK_REQUIRE_VULKAN();
  // 30 picks of 20000 candidates are one dispatch's share.
  Proposals grid{.height = 100, .width = 50, .anchors = 4, .levels = 100000, .before = 0, .after = 150, .iou_threshold = 0.95F};
  expect_same_as_reference(grid.node(), kIdentical);
}

TEST(ProposalKernel, OddParametersAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const int32_t after : {0, 1, kMost, kLeast}) expect_same_as_reference(Proposals{.after = after}.node(), kIdentical);
  for (const int32_t before : {0, 1, 89, 90, kMost, kLeast})
    expect_same_as_reference(Proposals{.before = before}.node(), kIdentical);
  expect_same_as_reference(Proposals{.odd_score = kNan}.node(), kIdentical);
  expect_same_as_reference(Proposals{.before = 0, .odd_score = kNan}.node(), kIdentical);
  expect_same_as_reference(Proposals{.odd_score = -std::numeric_limits<float>::infinity()}.node(), kIdentical);
  expect_same_as_reference(Proposals{.before = 0, .after = -1, .iou_threshold = 0.0F}.node(), kIdentical);
  expect_same_as_reference(Proposals{.iou_threshold = kNan}.node(), kIdentical);
  expect_same_as_reference(Proposals{.min_size = 1000.0F}.node(), kIdentical);
  expect_same_as_reference(Proposals{.min_size = kNan}.node(), kIdentical);
}

TEST(ProposalKernel, SwappedAnchorsFailTheSameWay) {
  NNVK_REQUIRE_VULKAN();
  expect_same_failure(Proposals{.swap_anchor = true}.node());
}

// --- DETECTION_POSTPROCESSING -----------------------------------------------------------------------------------------------

struct Postprocessing {
  OperandType type = kTensorFloat32;
  uint32_t anchors = 90, classes = 5, delta_length = 4;
  uint32_t levels = 16;
  bool regular = true;
  int32_t most = 20, classes_each = 2, per_class = 6;
  float score_threshold = 0.2F, iou_threshold = 0.3F;
  bool background = false;
  float odd_score = 0.0F;

  OneNode node() const {
    constexpr uint32_t kBatches = 3;
    std::mt19937 random(anchors + classes);
    OneNode node(OperationCode::kDetectionPostprocessing);
    const OperandInfo scores = tensor(type, {kBatches, anchors, classes});
    std::vector<float> values = coarse_scores(random, scores.shape.element_count(), levels);
    for (size_t i = 0; odd_score != 0.0F && i < values.size(); i += 3) values[i] = odd_score;
    node.input(scores, float_values(type, values));
    node.random_input(tensor(type, {kBatches, anchors, delta_length}), 9, 3.0F);
    std::vector<float> centres;
    for (uint32_t a = 0; a < anchors; ++a) {
      for (int i = 0; i < 4; ++i) centres.push_back(static_cast<float>(1 + random() % 40) / 8.0F);
    }
    node.input(tensor(type, {anchors, 4}), float_values(type, centres));
    for (const float scale : {10.0F, 9.0F, 5.0F, 4.0F}) add_real_scalar(node, type, scale);
    node.scalar(regular).scalar(most).scalar(classes_each).scalar(per_class);
    add_real_scalar(node, type, score_threshold);
    add_real_scalar(node, type, iou_threshold);
    node.scalar(background);
    node.output(unknown_shape(tensor(type, {}))).output(unknown_shape(tensor(type, {})));
    node.output(unknown_shape(tensor(kTensorInt32, {}))).output(unknown_shape(tensor(kTensorInt32, {})));
    return node;
  }
};

TEST(PostprocessingKernel, BothModesAndTypesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorFloat32, kTensorFloat16}) {
    for (const bool regular : {true, false}) {
      for (const bool background : {true, false}) {
        expect_same_as_reference(Postprocessing{.type = type, .regular = regular, .background = background}.node(), kIdentical);
      }
      expect_same_as_reference(Postprocessing{.type = type, .delta_length = 7, .regular = regular, .most = 3}.node(), kIdentical);
      expect_same_as_reference(Postprocessing{.type = type, .classes = 2, .regular = regular, .most = 7}.node(), kIdentical);
    }
  }
}

TEST(PostprocessingKernel, SizesAndLimitsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const bool regular : {true, false}) {
    expect_same_as_reference(
        Postprocessing{.anchors = 1, .regular = regular, .most = 1, .classes_each = 1, .per_class = 1}.node(), kIdentical);
    expect_same_as_reference(
        Postprocessing{
            .anchors = 400, .classes = 30, .levels = 9, .regular = regular, .most = 100, .classes_each = 50, .per_class = 100}
            .node(),
        kIdentical);
    expect_same_as_reference(Postprocessing{.regular = regular, .per_class = kMost, .score_threshold = 0.0F}.node(), kIdentical);
    expect_same_as_reference(Postprocessing{.regular = regular, .score_threshold = 5.0F}.node(), kIdentical);
    expect_same_as_reference(Postprocessing{.regular = regular, .iou_threshold = 0.0F}.node(), kIdentical);
    expect_same_as_reference(Postprocessing{.regular = regular, .odd_score = kNan}.node(), kIdentical);
  }
}

TEST(PostprocessingKernel, HundredsOfClassesAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_same_as_reference(
      Postprocessing{.anchors = 40, .classes = 300, .levels = 50, .regular = false, .most = 9, .classes_each = 300}.node(),
      kIdentical);
}

}  // namespace
}  // namespace nnvk::vulkan::rig
