// Detection operations: sizes that belong together, fixed box scales, sizes that depend on data, decoded parameters.
#include <gtest/gtest.h>

#include <limits>

#include "core/operations/parameters/detection_parameters.h"
#include "core/operations/parameters/lsh_projection_parameters.h"
#include "core/operations/parameters/region_parameters.h"
#include "core/operations/parameters/suppression_parameters.h"
#include "tests/support/single_operation.h"

namespace nnvk {
namespace {

using test::join;
using test::SingleOperation;

constexpr uint32_t kU = kUnknownDimension;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

SingleOperation align(Shape rois, int32_t height, float stride, bool nchw, int32_t samples = 0) {
  SingleOperation op;
  const uint32_t count = rois[0];
  const std::vector<TensorId> tensors{op.input({1, 8, 9, 3}), op.input(std::move(rois)),
                                      op.input({count}, OperandType::kTensorInt32)};
  const std::vector<TensorId> scalars{op.scalar(height),     op.scalar(7),       op.float_scalar(stride),
                                      op.float_scalar(2.0F), op.scalar(samples), op.scalar(samples),
                                      op.flag(nchw)};
  op.takes(OperationCode::kRoiAlign, join(tensors, scalars), {op.output(Shape::unknown_rank())});
  return op;
}

TEST(RoiAlign, GivesOneImagePerRegion) {
  EXPECT_EQ(align({5, 4}, 6, 2.0F, false).infer().value()[0], (Shape{5, 6, 7, 3}));
  EXPECT_EQ(align({5, 4}, 6, 2.0F, true).infer().value()[0], (Shape{5, 8, 6, 7}));
  EXPECT_EQ(align({0, 4}, 6, 2.0F, false).infer().value()[0], (Shape{0, 6, 7, 3}));
  EXPECT_EQ(align({5, 3}, 6, 2.0F, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(align({5, 4}, kMin, 2.0F, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(align({5, 4}, 6, 0.0F, false).infer_code(), Code::kOpFailed);
}

TEST(RoiAlign, IsDecodedWhateverTheLayout) {
  for (const bool nchw : {false, true}) {
    const RegionParameters p = align({5, 4}, 6, 4.0F, nchw, 2).decode(region_parameters).value();
    EXPECT_TRUE(p.align);
    EXPECT_EQ(p.channels, nchw ? 8U : 3U);
    EXPECT_EQ(p.height, nchw ? 9U : 8U);
    EXPECT_EQ(p.regions, 5U);
    EXPECT_EQ(p.out_height, 6U);
    EXPECT_EQ(p.out_width, 7U);
    EXPECT_EQ(p.scale_y, 0.25F);
    EXPECT_EQ(p.scale_x, 0.5F);
    EXPECT_EQ(p.samples_x, 2);
  }
  EXPECT_EQ(align({5, 4}, 6, 4.0F, false, 1 << 15).decode(region_parameters).error().code, Code::kOpFailed) << "too many samples";
}

TEST(RoiAlign, QuantizedBoxesHaveAFixedScale) {
  const auto quantized = [](float scale, int32_t zero_point) {
    SingleOperation op;
    const std::vector<TensorId> tensors{op.input({1, 8, 9, 3}, OperandType::kTensorQuant8Asymm, 0.5F, 1),
                                        op.input({5, 4}, OperandType::kTensorQuant16Asymm, scale, zero_point),
                                        op.input({5}, OperandType::kTensorInt32)};
    const std::vector<TensorId> scalars{op.scalar(6), op.scalar(7), op.float_scalar(2.0F), op.float_scalar(2.0F),
                                        op.scalar(0), op.scalar(0), op.flag(false)};
    op.takes(OperationCode::kRoiAlign, join(tensors, scalars),
             {op.output(Shape::unknown_rank(), OperandType::kTensorQuant8Asymm, 0.25F, 7)});
    EXPECT_EQ(op.check(), Code::kNoError);
    return op.infer_code();
  };
  EXPECT_EQ(quantized(0.125F, 0), Code::kNoError);
  EXPECT_EQ(quantized(0.25F, 0), Code::kOpFailed);
  EXPECT_EQ(quantized(0.125F, 1), Code::kOpFailed);
}

SingleOperation nms(Shape scores, Shape boxes, int32_t kernel, int32_t cap = -1) {
  SingleOperation op;
  const uint32_t regions = scores[0];
  const std::vector<TensorId> tensors{op.input(std::move(scores)), op.input(std::move(boxes)),
                                      op.input({regions}, OperandType::kTensorInt32)};
  const std::vector<TensorId> scalars{op.float_scalar(0.1F), op.scalar(cap),        op.scalar(kernel),
                                      op.float_scalar(0.5F), op.float_scalar(0.6F), op.float_scalar(0.7F)};
  op.takes(OperationCode::kBoxWithNmsLimit, join(tensors, scalars),
           {op.output({kU}), op.output({kU, 4}), op.output({kU}, OperandType::kTensorInt32),
            op.output({kU}, OperandType::kTensorInt32)});
  return op;
}

TEST(BoxWithNmsLimit, TheNumberOfKeptBoxesDependsOnData) {
  EXPECT_EQ(nms({5, 2}, {5, 8}, 0).infer().value(), (std::vector<Shape>{{kU}, {kU, 4}, {kU}, {kU}}));
  EXPECT_EQ(nms({0, 2}, {0, 8}, 0).infer().value(), (std::vector<Shape>{{0}, {0, 4}, {0}, {0}}));
  EXPECT_EQ(nms({5, 2}, {5, 7}, 0).infer_code(), Code::kOpFailed);
  EXPECT_EQ(nms({5, 1}, {5, 4}, 0).infer_code(), Code::kOpFailed);
  EXPECT_EQ(nms({5, 2}, {5, 8}, 3).infer_code(), Code::kOpFailed);
}

TEST(BoxWithNmsLimit, NoMoreIsKeptThanTheCapAndTheClassesAllow) {
  const auto bound = [](uint32_t rows, uint32_t classes, int32_t cap) {
    return nms({rows, classes}, {rows, 4 * classes}, 0, cap).bound().value()[1];
  };
  EXPECT_EQ(bound(5, 4, -1), (Shape{15, 4}));
  EXPECT_EQ(bound(5, 4, 2), (Shape{10, 4})) << "every row may be an image of its own";
  EXPECT_EQ(bound(5, 4, 0), (Shape{0, 4}));
  EXPECT_EQ(bound(5, 4, kMin), (Shape{15, 4}));
  EXPECT_EQ(bound(0, 4, -1), (Shape{0, 4}));
}

TEST(BoxWithNmsLimit, IsDecodedByName) {
  const BoxLimitParameters p = nms({5, 2}, {5, 8}, 1, 9).decode(box_limit_parameters).value();
  EXPECT_EQ(p.rows, 5U);
  EXPECT_EQ(p.classes, 2U);
  EXPECT_EQ(p.max_detections, 9);
  EXPECT_EQ(p.kernel, SuppressionKernel::kLinear);
  EXPECT_EQ(p.score_threshold, 0.1F);
  EXPECT_EQ(p.iou_threshold, 0.5F);
  EXPECT_EQ(p.sigma, 0.6F);
  EXPECT_EQ(p.nms_score_threshold, 0.7F);
}

SingleOperation proposals(int32_t before, int32_t after, bool nchw) {
  SingleOperation op;
  const std::vector<TensorId> tensors{op.input(nchw ? Shape{2, 3, 4, 5} : Shape{2, 4, 5, 3}),
                                      op.input(nchw ? Shape{2, 12, 4, 5} : Shape{2, 4, 5, 12}), op.input({3, 4}),
                                      op.input({2, 2})};
  const std::vector<TensorId> scalars{op.float_scalar(2.0F), op.float_scalar(3.0F), op.scalar(before), op.scalar(after),
                                      op.float_scalar(0.5F), op.float_scalar(1.0F), op.flag(nchw)};
  op.takes(OperationCode::kGenerateProposals, join(tensors, scalars),
           {op.output({kU}), op.output({kU, 4}), op.output({kU}, OperandType::kTensorInt32)});
  return op;
}

TEST(GenerateProposals, NoMoreIsKeptThanEitherCapAllows) {
  for (const bool nchw : {false, true}) {
    const auto bound = [&](int32_t before, int32_t after) { return proposals(before, after, nchw).bound().value()[1]; };
    EXPECT_EQ(bound(0, -1), (Shape{120, 4}));
    EXPECT_EQ(bound(kMin, kMin), (Shape{120, 4}));
    EXPECT_EQ(bound(7, -1), (Shape{14, 4}));
    EXPECT_EQ(bound(7, 6), (Shape{12, 4}));
    EXPECT_EQ(bound(7, 0), (Shape{0, 4}));
  }
}

TEST(GenerateProposals, IsDecodedWhateverTheLayout) {
  for (const bool nchw : {false, true}) {
    const ProposalParameters p = proposals(7, 6, nchw).decode(proposal_parameters).value();
    EXPECT_EQ(p.height, 4U);
    EXPECT_EQ(p.width, 5U);
    EXPECT_EQ(p.anchors, 3U);
    EXPECT_EQ(p.stride_y, 2.0F);
    EXPECT_EQ(p.stride_x, 3.0F);
    EXPECT_EQ(p.candidates(), 60U);
    EXPECT_EQ(p.considered(), 7U);
    EXPECT_EQ(p.post_nms_max, 6);
    EXPECT_EQ(proposals(kMin, 6, nchw).decode(proposal_parameters).value().considered(), 60U) << "no limit";
  }
}

SingleOperation postprocessing(bool regular, int32_t detections, int32_t classes, int32_t per_class) {
  SingleOperation op;
  std::vector<TensorId> inputs{op.input({2, 6, 3}), op.input({2, 6, 7}), op.input({6, 4})};
  for (int i = 0; i < 4; ++i) inputs.push_back(op.float_scalar(10.0F));
  inputs.push_back(op.flag(regular));
  inputs = join(inputs, op.scalars({detections, classes, per_class}));
  inputs = join(inputs, {op.float_scalar(0), op.float_scalar(0.5F), op.flag(false)});
  op.takes(
      OperationCode::kDetectionPostprocessing, inputs,
      {op.output(Shape::unknown_rank()), op.output(Shape::unknown_rank()),
       op.output(Shape::unknown_rank(), OperandType::kTensorInt32), op.output(Shape::unknown_rank(), OperandType::kTensorInt32)});
  return op;
}

TEST(DetectionPostprocessing, TheFastModeHasOneEntryPerDetectionAndClass) {
  EXPECT_EQ(postprocessing(true, 3, 0, 2).infer().value(), (std::vector<Shape>{{2, 3}, {2, 3, 4}, {2, 3}, {2}}));
  EXPECT_EQ(postprocessing(false, 3, 2, 0).infer().value(), (std::vector<Shape>{{2, 6}, {2, 6, 4}, {2, 6}, {2}}));
  EXPECT_EQ(postprocessing(true, 0, 1, 1).infer_code(), Code::kOpFailed);
  EXPECT_EQ(postprocessing(true, 3, 1, 0).infer_code(), Code::kOpFailed);
  EXPECT_EQ(postprocessing(false, 3, kMin, 1).infer_code(), Code::kOpFailed);
  const int32_t huge = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(postprocessing(false, huge, huge, 1).infer_code(), Code::kOpFailed) << "the output exceeds 4 GiB";
}

TEST(DetectionPostprocessing, LimitsAreDecodedByName) {
  const PostprocessingParameters fast = postprocessing(false, 3, 9, 5).decode(postprocessing_parameters).value();
  EXPECT_EQ(fast.delta_length, 7U);
  EXPECT_EQ(fast.max_detections, 3);
  EXPECT_EQ(fast.max_per_class, 5);
  EXPECT_EQ(fast.classes_per_detection, 2U) << "all but the background";
  EXPECT_EQ(fast.entries, 27U);
  EXPECT_EQ(fast.iou_threshold, 0.5F);
  EXPECT_EQ(postprocessing(true, 3, kMin, 5).decode(postprocessing_parameters).value().entries, 3U);
}

TEST(HeatmapMaxKeypoint, MapsAreSquare) {
  const auto keypoints = [](Shape heatmap) {
    SingleOperation op;
    const TensorId maps = op.input(std::move(heatmap));
    op.takes(OperationCode::kHeatmapMaxKeypoint, {maps, op.input({2, 4}), op.flag(false)},
             {op.output(Shape::unknown_rank()), op.output(Shape::unknown_rank())});
    return op;
  };
  EXPECT_EQ(keypoints({2, 5, 5, 3}).infer().value(), (std::vector<Shape>{{2, 3}, {2, 3, 2}}));
  const KeypointParameters p = keypoints({2, 5, 5, 3}).decode(keypoint_parameters).value();
  EXPECT_EQ(p.side, 5U);
  EXPECT_EQ(p.keypoints, 3U);
  EXPECT_EQ(p.tolerance, 1e-5F);
  EXPECT_EQ(keypoints({2, 5, 4, 3}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(keypoints({2, 1, 1, 3}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(keypoints({3, 5, 5, 3}).infer_code(), Code::kOpFailed);
}

SingleOperation lsh(int32_t type, bool weight) {
  SingleOperation op;
  const TensorId hash = op.input({4, 2});
  const TensorId input = op.input({3, 2}, OperandType::kTensorInt32);
  op.takes(OperationCode::kLshProjection,
           {hash, input, weight ? op.input({3}) : op.omitted(OperandType::kTensorFloat32), op.scalar(type)},
           {op.output(Shape::unknown_rank(), OperandType::kTensorInt32)});
  return op;
}

TEST(LshProjection, DenseTakesAWeightAndSparseDoesNot) {
  EXPECT_EQ(lsh(2, true).infer().value()[0], (Shape{8}));
  EXPECT_EQ(lsh(3, false).infer().value()[0], (Shape{4}));
  EXPECT_EQ(lsh(1, false).infer().value()[0], (Shape{4}));
  const LshParameters p = lsh(2, true).decode(lsh_projection_parameters).value();
  EXPECT_EQ(p.type, LshType::kDense);
  EXPECT_EQ(p.hashes, 4U);
  EXPECT_EQ(p.bits, 2U);
  EXPECT_EQ(p.rows, 3U);
  EXPECT_TRUE(p.weighted);
  EXPECT_EQ(lsh(2, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(lsh(3, true).infer_code(), Code::kOpFailed);
  EXPECT_EQ(lsh(4, false).infer_code(), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk
