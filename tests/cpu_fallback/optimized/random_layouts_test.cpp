// Convolutions of channels-first images, and transposed ones of either layout.
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomLayouts : public RandomNodes {
 protected:
  Window window() {
    return random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomLayouts, ::testing::ValuesIn(kLayerTypes),
                         [](const auto& info) { return info.param.name; });

TEST_P(RandomLayouts, ChannelsFirstDepthwiseConvolutionsGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 30; ++round) {
      PlanFixture m;
      const Window w = window();
      const uint32_t multiplier = pick(0, 2) == 0 ? pick(2, 4) : 1;
      const uint32_t in = channels();
      const float cells = static_cast<float>(w.filter_height * w.filter_width);
      const TensorId x = input(m, image_of(w.batches, w.height, w.width, in, true));
      const TensorId f = filter(m, {1, w.filter_height, w.filter_width, in * multiplier}, 3);
      const TensorId b = bias(m, in * multiplier);
      const TensorId y =
          output(m, image_of(w.batches, w.out_height, w.out_width, in * multiplier, true), std::sqrt(cells) * 8.0F);
      m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {x, f, b, multiplier, pick_int(0, 3), true}), {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, cells + 1)) << "round " << round;
    }
  });
}

TEST_P(RandomLayouts, ChannelsFirstGroupedConvolutionsGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 30; ++round) {
      PlanFixture m;
      Window w = window();
      w.out_height = outputs(w.height, w.top + w.bottom, w.filter_height, w.stride_height, 1);
      w.out_width = outputs(w.width, w.left + w.right, w.filter_width, w.stride_width, 1);
      const uint32_t groups = pick(1, 4);
      const uint32_t in = pick(1, 9);
      const uint32_t out = pick(1, 20);
      const TensorId x = input(m, image_of(w.batches, w.height, w.width, in * groups, true));
      const TensorId f = filter(m, {out * groups, w.filter_height, w.filter_width, in}, 0);
      const TensorId b = bias(m, out * groups);
      const TensorId y = output(m, image_of(w.batches, w.out_height, w.out_width, out * groups, true), 60.0F);
      m.node(OperationCode::kGroupedConv2d,
             {x, f, b, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
              m.scalar(w.stride_height), m.scalar(static_cast<int32_t>(groups)), m.scalar(pick_int(0, 3)), m.flag(true)},
             {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, static_cast<float>(w.filter_height * w.filter_width * in + 1)))
          << "round " << round;
    }
  });
}

TEST_P(RandomLayouts, ResidualsAreAddedInTheLayoutOfTheResult) {
  if (!is_float()) return;  // 8-bit sums are other operations
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 30; ++round) {
      PlanFixture m;
      const Window w = window();
      const bool nchw = pick(0, 1) == 0;
      const uint32_t in = channels();
      const uint32_t out = channels();
      const float depth = static_cast<float>(w.filter_height * w.filter_width * in);
      const Shape result = image_of(w.batches, w.out_height, w.out_width, out, nchw);
      const TensorId x = input(m, image_of(w.batches, w.height, w.width, in, nchw));
      const TensorId f = filter(m, {out, w.filter_height, w.filter_width, in}, 0);
      const TensorId b = bias(m, out);
      const TensorId y = output(m, result, 0);
      m.node(OperationCode::kConv2d,
             {x, f, b, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
              m.scalar(w.stride_height), m.scalar(pick_int(0, 3)), m.flag(nchw), m.scalar(w.dilation_width),
              m.scalar(w.dilation_height)},
             {y});
      residual(m, result);
      m.raw().nodes.back().fused_activation = static_cast<FusedActivation>(pick_int(0, 3));
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, depth + 2)) << "round " << round;
    }
  });
}

// Whether the kernel takes these windows: a tap reaches every output, and windows begin before the image or at its edge. The
// reference computes all other geometries.
bool is_fast(uint32_t filter, int32_t stride, int32_t pad) {
  for (int32_t first = 0; first < stride; ++first) {
    const int32_t taps = (static_cast<int32_t>(filter) - (first + pad) % stride + stride - 1) / stride;
    if (taps < 1 || taps - 1 < (first + pad) / stride) return false;
  }
  return true;
}

TEST_P(RandomLayouts, TransposedConvolutionsGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 60; ++round) {
      PlanFixture m;
      uint32_t height = 0;
      uint32_t width = 0;
      uint32_t filter_height = 0;
      uint32_t filter_width = 0;
      int32_t stride_height = 0;
      int32_t stride_width = 0;
      int32_t left = 0;
      int32_t right = 0;
      int32_t top = 0;
      int32_t bottom = 0;
      int32_t out_height = 0;
      int32_t out_width = 0;
      do {
        height = pick(1, 7);
        width = pick(1, 20);
        filter_height = pick(1, 5);
        filter_width = pick(1, 5);
        stride_height = pick_int(1, 3);
        stride_width = pick_int(1, 3);
        left = pick_int(0, filter_width - 1);
        right = pick_int(0, filter_width - 1);
        top = pick_int(0, filter_height - 1);
        bottom = pick_int(0, filter_height - 1);
        out_height = static_cast<int32_t>(height - 1) * stride_height + static_cast<int32_t>(filter_height) - top - bottom;
        out_width = static_cast<int32_t>(width - 1) * stride_width + static_cast<int32_t>(filter_width) - left - right;
      } while (out_height < 1 || out_width < 1 || !is_fast(filter_height, stride_height, top) ||
               !is_fast(filter_width, stride_width, left));
      const uint32_t batches = pick(1, 2);
      const bool nchw = pick(0, 2) == 0;
      const uint32_t in = channels();
      const uint32_t out = channels();
      const float depth = static_cast<float>(filter_height * filter_width * in);
      const TensorId x = input(m, image_of(batches, height, width, in, nchw));
      const TensorId f = filter(m, {out, filter_height, filter_width, in}, 0);
      const TensorId b = bias(m, out);
      const TensorId y =
          output(m, image_of(batches, static_cast<uint32_t>(out_height), static_cast<uint32_t>(out_width), out, nchw),
                 std::sqrt(depth) * 8.0F);
      m.node(OperationCode::kTransposeConv2d,
             {x, f, b, m.scalar(left), m.scalar(right), m.scalar(top), m.scalar(bottom), m.scalar(stride_width),
              m.scalar(stride_height), m.scalar(pick_int(0, 3)), m.flag(nchw)},
             {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, depth + 1)) << "round " << round;
    }
  });
}

}  // namespace
}  // namespace nnvk::cpu
