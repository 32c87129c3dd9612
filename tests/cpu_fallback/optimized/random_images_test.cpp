// Pooling and resizing of random images, with every instruction set.
#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace test;

constexpr LayerTypes kImageTypes[] = {
    {"Floats", kTensorFloat32, kTensorFloat32},
    {"Bytes", kTensorQuant8Asymm, kTensorQuant8Asymm},
    {"SignedBytes", kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned},
};

class RandomImages : public RandomNodes {
 protected:
  TensorId like_input(PlanFixture& m, const Shape& shape) {
    const OperandInfo& in = m.raw().tensors[m.raw().inputs[0]].info;
    return m.output(shape, in.type, in.scale, in.zero_point);
  }
  // Expects equal bits, for floats too.
  void expect_same(const PlanFixture& m) { expect_equal_everywhere(m, 0); }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomImages, ::testing::ValuesIn(kImageTypes), [](const auto& info) { return info.param.name; });

Shape image_of(uint32_t batches, uint32_t height, uint32_t width, uint32_t channels, bool nchw) {
  return nchw ? Shape{batches, channels, height, width} : Shape{batches, height, width, channels};
}

TEST_P(RandomImages, PoolingGivesTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const bool nchw = pick(0, 3) == 0;
    const bool is_global = pick(0, 3) == 0;
    const uint32_t batches = pick(1, 2);
    const uint32_t height = pick(1, 20);
    const uint32_t width = pick(1, 20);
    const uint32_t channels = pick(0, 4) == 0 ? pick(100, 300) : RandomNodes::channels();
    struct Axis {
      uint32_t window, out;
      int32_t before, after, stride;
    };
    const auto axis = [&](uint32_t in) {
      Axis a{};
      a.window = is_global ? in : pick(1, std::min(in, 5U));
      a.before = pick_int(0, a.window - 1);
      a.after = pick_int(0, a.window - 1);
      a.stride = pick_int(1, 3);
      a.out = (in + static_cast<uint32_t>(a.before + a.after) - a.window) / static_cast<uint32_t>(a.stride) + 1;
      return a;
    };
    const Axis y = axis(height);
    const Axis x = axis(width);
    const TensorId in = input(m, image_of(batches, height, width, channels, nchw));
    const auto code = pick(0, 1) == 0                 ? OperationCode::kAveragePool2d
                      : is_float() && pick(0, 1) == 0 ? OperationCode::kL2Pool2d
                                                      : OperationCode::kMaxPool2d;
    m.node(code,
           {in, m.scalar(x.before), m.scalar(x.after), m.scalar(y.before), m.scalar(y.after), m.scalar(x.stride),
            m.scalar(y.stride), m.scalar(static_cast<int32_t>(x.window)), m.scalar(static_cast<int32_t>(y.window)),
            m.scalar(pick_int(0, 3)), m.flag(nchw)},
           {like_input(m, image_of(batches, y.out, x.out, channels, nchw))});
    ASSERT_NO_FATAL_FAILURE(expect_same(m)) << "round " << round;
  }
}

// Covers nearly every quotient that averages of bytes can have.
TEST_P(RandomImages, AveragesRoundLikeTheReferences) {
  if (is_float()) return;
  for (const uint32_t side : {1U, 2U, 3U, 5U, 7U, 16U, 100U}) {
    PlanFixture m;
    const TensorId in = input(m, {1, side, side, 256});
    for (size_t i = 0; i < inputs_[0].size(); ++i) inputs_[0][i] = static_cast<std::byte>(i % 256 + (i / 256 < 2 ? i / 256 : 0));
    const auto size = m.scalar(static_cast<int32_t>(side));
    const auto none = m.scalar(0);
    m.node(OperationCode::kAveragePool2d, {in, none, none, none, none, m.scalar(1), m.scalar(1), size, size, none},
           {like_input(m, {1, 1, 1, 256})});
    ASSERT_NO_FATAL_FAILURE(expect_same(m)) << "side " << side;
  }
}

TEST_P(RandomImages, ResizingGivesTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const bool nchw = pick(0, 3) == 0;
    const uint32_t batches = pick(1, 2);
    const uint32_t channels = RandomNodes::channels();
    const uint32_t height = pick(1, 30);
    const uint32_t width = pick(1, 30);
    const bool is_bilinear = pick(0, 2) != 0;
    const bool aligns = pick(0, 2) == 0;
    const TensorId in = input(m, image_of(batches, pick(1, 15), pick(1, 15), channels, nchw));
    m.node(is_bilinear ? OperationCode::kResizeBilinear : OperationCode::kResizeNearestNeighbor,
           {in, m.scalar(static_cast<int32_t>(width)), m.scalar(static_cast<int32_t>(height)), m.flag(nchw), m.flag(aligns),
            m.flag(!aligns && pick(0, 1) == 0)},
           {like_input(m, image_of(batches, height, width, channels, nchw))});
    ASSERT_NO_FATAL_FAILURE(expect_same(m)) << "round " << round;
  }
}

TEST_P(RandomImages, LargeImagesAreSplitOverThreads) {
  PlanFixture pooled;
  const TensorId in = input(pooled, {1, 60, 60, 200});
  const auto none = pooled.scalar(0);
  const auto one = pooled.scalar(1);
  const auto size = pooled.scalar(60);
  pooled.node(OperationCode::kAveragePool2d, {in, none, none, none, none, one, one, size, size, none},
              {like_input(pooled, {1, 1, 1, 200})});
  ASSERT_NO_FATAL_FAILURE(expect_same(pooled));
  PlanFixture resized;
  const TensorId small = input(resized, {2, 20, 20, 21});
  resized.node(OperationCode::kResizeBilinear, {small, resized.scalar(90), resized.scalar(80), resized.flag(false)},
               {like_input(resized, {2, 80, 90, 21})});
  ASSERT_NO_FATAL_FAILURE(expect_same(resized));
}

}  // namespace
}  // namespace nnvk::cpu
