// Layers with weights, of random geometry.
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomLayers : public RandomNodes {
 protected:
  // Compares a CONV_2D of this window.
  void compare(const Window& w, uint32_t in, uint32_t out) {
    PlanFixture m;
    const bool nchw = pick(0, 3) == 0;
    const float depth = static_cast<float>(w.filter_height * w.filter_width * in);
    const TensorId x = input(m, image_of(w.batches, w.height, w.width, in, nchw));
    const TensorId f = filter(m, {out, w.filter_height, w.filter_width, in}, 0);
    const TensorId b = bias(m, out);
    const TensorId y = output(m, image_of(w.batches, w.out_height, w.out_width, out, nchw), std::sqrt(depth) * 8.0F);
    m.node(OperationCode::kConv2d,
           {x, f, b, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
            m.scalar(w.stride_height), m.scalar(pick_int(0, 3)), m.flag(nchw), m.scalar(w.dilation_width),
            m.scalar(w.dilation_height)},
           {y});
    expect_equal(m, depth + 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomLayers, ::testing::ValuesIn(kLayerTypes), [](const auto& info) { return info.param.name; });

TEST_P(RandomLayers, ConvolutionsGiveTheReferencesResults) {
  for (int round = 0; round < 150; ++round) {
    const Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
    ASSERT_NO_FATAL_FAILURE(compare(w, channels(), channels())) << "round " << round;
  }
}

// So many channels that products skip the filter cells which read only padding.
TEST_P(RandomLayers, WideDilationsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    const Window w = wide_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
    ASSERT_NO_FATAL_FAILURE(compare(w, pick(60, 70), pick(1, 30))) << "round " << round;
  }
}

TEST_P(RandomLayers, GroupedConvolutionsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
    w.out_height = outputs(w.height, w.top + w.bottom, w.filter_height, w.stride_height, 1);
    w.out_width = outputs(w.width, w.left + w.right, w.filter_width, w.stride_width, 1);
    const uint32_t groups = pick(1, 4);
    const uint32_t in = pick(1, 9);
    const uint32_t out = pick(1, 20);
    const TensorId x = input(m, {w.batches, w.height, w.width, in * groups});
    const TensorId f = filter(m, {out * groups, w.filter_height, w.filter_width, in}, 0);
    const TensorId b = bias(m, out * groups);
    const TensorId y = output(m, {w.batches, w.out_height, w.out_width, out * groups}, 60.0F);
    m.node(OperationCode::kGroupedConv2d,
           {x, f, b, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
            m.scalar(w.stride_height), m.scalar(static_cast<int32_t>(groups)), m.scalar(pick_int(0, 3)), m.flag(false)},
           {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, static_cast<float>(w.filter_height * w.filter_width * in + 1))) << "round " << round;
  }
}

TEST_P(RandomLayers, DepthwiseConvolutionsGiveTheReferencesResults) {
  for (int round = 0; round < 150; ++round) {
    PlanFixture m;
    const Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
    const uint32_t multiplier = pick(0, 3) == 0 ? pick(2, 4) : 1;
    const uint32_t in = channels();
    const float cells = static_cast<float>(w.filter_height * w.filter_width);
    const TensorId x = input(m, {w.batches, w.height, w.width, in});
    const TensorId f = filter(m, {1, w.filter_height, w.filter_width, in * multiplier}, 3);
    const TensorId b = bias(m, in * multiplier);
    const TensorId y = output(m, {w.batches, w.out_height, w.out_width, in * multiplier}, std::sqrt(cells) * 8.0F);
    m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {x, f, b, multiplier, pick_int(0, 3), false}), {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, cells + 1)) << "round " << round;
  }
}

TEST_P(RandomLayers, FullyConnectedLayersGiveTheReferencesResults) {
  if (GetParam().filter == kTensorQuant8SymmPerChannel) return;  // FULLY_CONNECTED has no such signature
  for (int round = 0; round < 100; ++round) {
    PlanFixture m;
    const uint32_t batches = pick(1, 40);
    const uint32_t in = pick(0, 1) == 0 ? channels() : pick(60, 400);
    const uint32_t units = channels();
    const TensorId x = input(m, {batches, in});
    const TensorId f = filter(m, {units, in}, 0);
    const TensorId b = bias(m, units);
    const TensorId y = output(m, {batches, units}, std::sqrt(static_cast<float>(in)) * 8.0F);
    m.node(OperationCode::kFullyConnected, {x, f, b, m.scalar(pick_int(0, 3))}, {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, static_cast<float>(in + 1))) << "round " << round;
  }
}

TEST_P(RandomLayers, SumsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const Shape shape{pick(1, 5), pick(1, 300)};
    const TensorId a = input(m, shape);
    const TensorId b = input(m, shape);
    const TensorId y = output(m, shape, 0.25F * static_cast<float>(pick(1, 8)));
    const auto code = pick(0, 1) == 0 ? OperationCode::kAdd : OperationCode::kSub;
    m.node(code, {a, b, m.scalar(pick_int(0, 3))}, {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, 1)) << "round " << round;
  }
}

}  // namespace
}  // namespace nnvk::cpu
