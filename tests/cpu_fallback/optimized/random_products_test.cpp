// Products whose weights are tensors of the execution, and products of matrices.
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomProducts : public RandomNodes {
 protected:
  // As filter() and bias(), but not constant.
  TensorId filter_input(PlanFixture& m, const Shape& shape, uint32_t channel_dim = 0) {
    const OperandType type = GetParam().filter;
    const bool per_channel = type == kTensorQuant8SymmPerChannel;
    const TensorId id = m.input(shape, type, is_float() || per_channel ? 0.0F : 0.25F, zero_point(type));
    inputs_.push_back(random_bytes(type, shape.element_count()));
    if (per_channel) {
      auto scales = std::make_shared<ChannelQuant>();
      scales->channel_dim = channel_dim;
      for (uint32_t c = 0; c < shape[channel_dim]; ++c) scales->scales.push_back(0.03125F * static_cast<float>(pick(1, 40)));
      m.raw().tensors[id].info.channel_quant = std::move(scales);
    }
    return id;
  }
  TensorId bias_input(PlanFixture& m, uint32_t count) {
    const OperandType type = is_float() ? kTensorFloat32 : kTensorInt32;
    const TensorId id = m.input({count}, type, is_float() ? 0.0F : 0.125F);
    if (is_float()) {
      inputs_.push_back(random_bytes(type, count));
      return id;
    }
    const bool is_extreme = pick(0, 3) == 0;  // sums wrap
    std::vector<int32_t> values(count);
    for (int32_t& value : values) value = is_extreme ? static_cast<int32_t>(random_()) : pick_int(0, 20000) - 10000;
    const auto bytes = std::as_bytes(std::span(values));
    inputs_.emplace_back(bytes.begin(), bytes.end());
    return id;
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomProducts, ::testing::ValuesIn(kLayerTypes),
                         [](const auto& info) { return info.param.name; });

TEST_P(RandomProducts, ConvolutionsWithWeightsOfTheExecutionGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 25; ++round) {
      PlanFixture m;
      Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      w.out_height = outputs(w.height, w.top + w.bottom, w.filter_height, w.stride_height, 1);
      w.out_width = outputs(w.width, w.left + w.right, w.filter_width, w.stride_width, 1);
      const uint32_t groups = pick(0, 1) == 0 ? 1 : pick(2, 3);
      const uint32_t in = pick(1, 30);
      const uint32_t out = pick(1, 40);
      const bool nchw = pick(0, 3) == 0;
      const float depth = static_cast<float>(w.filter_height * w.filter_width * in);
      const TensorId x = input(m, image_of(w.batches, w.height, w.width, in * groups, nchw));
      const TensorId f = filter_input(m, {out * groups, w.filter_height, w.filter_width, in});
      const TensorId b = bias_input(m, out * groups);
      const TensorId y = output(m, image_of(w.batches, w.out_height, w.out_width, out * groups, nchw), std::sqrt(depth) * 8.0F);
      m.node(OperationCode::kGroupedConv2d,
             {x, f, b, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
              m.scalar(w.stride_height), m.scalar(static_cast<int32_t>(groups)), m.scalar(pick_int(0, 3)), m.flag(nchw)},
             {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, depth + 1)) << "round " << round;
    }
  });
}

TEST_P(RandomProducts, DepthwiseConvolutionsWithWeightsOfTheExecutionGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 40; ++round) {
      PlanFixture m;
      const Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      const uint32_t multiplier = pick(0, 3) == 0 ? pick(2, 4) : 1;
      const uint32_t in = channels();
      const bool nchw = pick(0, 3) == 0;
      const float cells = static_cast<float>(w.filter_height * w.filter_width);
      const TensorId x = input(m, image_of(w.batches, w.height, w.width, in, nchw));
      const TensorId f = filter_input(m, {1, w.filter_height, w.filter_width, in * multiplier}, 3);
      const TensorId b = bias_input(m, in * multiplier);
      const TensorId y =
          output(m, image_of(w.batches, w.out_height, w.out_width, in * multiplier, nchw), std::sqrt(cells) * 8.0F);
      m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {x, f, b, multiplier, pick_int(0, 3), nchw}), {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, cells + 1)) << "round " << round;
    }
  });
}

TEST_P(RandomProducts, TransposedConvolutionsWithWeightsOfTheExecutionGiveTheReferencesResults) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 25; ++round) {
      PlanFixture m;
      const uint32_t stride = pick(1, 3);
      const uint32_t side = pick(stride, 4);
      const uint32_t height = pick(1, 5);
      const uint32_t width = pick(1, 12);
      const uint32_t in = channels();
      const uint32_t out = channels();
      const bool nchw = pick(0, 3) == 0;
      const float depth = static_cast<float>(side * side * in);
      const auto grown = [&](uint32_t size) { return (size - 1) * stride + side; };
      const TensorId x = input(m, image_of(1, height, width, in, nchw));
      const TensorId f = filter_input(m, {out, side, side, in});
      const TensorId b = bias_input(m, out);
      const TensorId y = output(m, image_of(1, grown(height), grown(width), out, nchw), std::sqrt(depth) * 8.0F);
      const TensorId none = m.scalar(0);
      const TensorId step = m.scalar(static_cast<int32_t>(stride));
      m.node(OperationCode::kTransposeConv2d,
             {x, f, b, none, none, none, none, step, step, m.scalar(pick_int(0, 3)), m.flag(nchw)}, {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, depth + 1)) << "round " << round;
    }
  });
}

TEST_P(RandomProducts, FullyConnectedLayersWithWeightsOfTheExecutionGiveTheReferencesResults) {
  if (GetParam().filter == kTensorQuant8SymmPerChannel) return;  // FULLY_CONNECTED has no such signature
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 25; ++round) {
      PlanFixture m;
      const uint32_t batches = pick(1, 40);
      const uint32_t in = pick(0, 1) == 0 ? channels() : pick(60, 400);
      const uint32_t units = channels();
      const TensorId x = input(m, {batches, in});
      const TensorId f = filter_input(m, {units, in});
      const TensorId b = bias_input(m, units);
      const TensorId y = output(m, {batches, units}, std::sqrt(static_cast<float>(in)) * 8.0F);
      m.node(OperationCode::kFullyConnected, {x, f, b, m.scalar(pick_int(0, 3))}, {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, static_cast<float>(in + 1))) << "round " << round;
    }
  });
}

TEST_P(RandomProducts, MatrixProductsGiveTheReferencesResults) {
  if (!is_float() && GetParam().filter != kTensorQuant8AsymmSigned) return;  // BATCH_MATMUL has no such signature
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 60; ++round) {
      PlanFixture m;
      const uint32_t batches = pick(1, 5);
      const uint32_t rows = pick(0, 1) == 0 ? channels() : 1;
      const uint32_t depth = pick(0, 1) == 0 ? channels() : pick(60, 300);
      const uint32_t columns = channels();
      const bool left_adjoint = pick(0, 1) == 0;
      const bool right_adjoint = pick(0, 1) == 0;
      const TensorId x = input(m, left_adjoint ? Shape{batches, depth, rows} : Shape{batches, rows, depth});
      const TensorId y = input(m, right_adjoint ? Shape{batches, columns, depth} : Shape{batches, depth, columns});
      const TensorId z = output(m, {batches, rows, columns}, std::sqrt(static_cast<float>(depth)) * 8.0F);
      m.node(OperationCode::kBatchMatmul, {x, y, m.flag(left_adjoint), m.flag(right_adjoint)}, {z});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, static_cast<float>(depth))) << "round " << round;
    }
  });
}

}  // namespace
}  // namespace nnvk::cpu
