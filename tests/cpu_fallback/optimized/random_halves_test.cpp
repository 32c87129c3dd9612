// FLOAT16 computed by the FLOAT32 kernels: layers, images and recurrent cells of random shapes, with every instruction set.
#include "core/base/half.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperationCode;

class RandomHalves : public RandomNodes {
 protected:
  static std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
    std::vector<float> floats(bytes.size() / sizeof(uint16_t));
    for (size_t i = 0; i < floats.size(); ++i) {
      uint16_t half = 0;
      std::memcpy(&half, bytes.data() + i * sizeof half, sizeof half);
      floats[i] = half_to_float(half);
    }
    return floats;
  }
  TensorId constant(PlanFixture& m, const Shape& shape) {
    return m.constant(shape, kTensorFloat16, random_bytes(kTensorFloat16, shape.element_count()));
  }
  TensorId none(PlanFixture& m) { return m.omitted(kTensorFloat16); }
  TensorId real(PlanFixture& m, float value) { return m.constant<uint16_t>({}, kFloat16, {float_to_half(value)}); }
  TensorId result(PlanFixture& m, const Shape& shape) { return m.output(shape, kTensorFloat16); }

  // Expects the reference's results, up to one rounding to halves.
  void expect_near(const PlanFixture& m) {
    const auto inputs = inputs_;
    const std::vector<float> wanted = as_floats(run(*reference_, m, Guard::kBehind));
    with_every_instruction_set([&](const std::string& name) {
      for (const Guard guard : {Guard::kBefore, Guard::kBehind}) {
        const std::vector<float> got = as_floats(run(*device_, m, guard));
        EXPECT_FALSE(kernel_.empty() || kernel_ == "reference") << name;
        ASSERT_EQ(got.size(), wanted.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], wanted[i], 1e-5 + std::fabs(wanted[i]) / 1024) << name << ", element " << i;
        }
      }
    });
    inputs_.clear();
  }
};

constexpr LayerTypes kHalves[] = {{"Halves", kTensorFloat16, kTensorFloat16}};
INSTANTIATE_TEST_SUITE_P(Types, RandomHalves, ::testing::ValuesIn(kHalves), [](const auto& info) { return info.param.name; });

TEST_P(RandomHalves, PoolingAndResizing) {
  for (int round = 0; round < 40; ++round) {
    PlanFixture m;
    const uint32_t channels = RandomNodes::channels();
    const uint32_t height = pick(1, 12);
    const uint32_t width = pick(1, 12);
    const bool nchw = pick(0, 2) == 0;
    const TensorId x = input(m, image_of(pick(1, 2), height, width, channels, nchw));
    const uint32_t batches = m.raw().tensors[x].info.shape[0];
    if (pick(0, 1) == 0) {
      const uint32_t rows = pick(1, 20);
      const uint32_t columns = pick(1, 20);
      m.node(kResizeBilinear, {x, m.scalar(static_cast<int32_t>(columns)), m.scalar(static_cast<int32_t>(rows)), m.flag(nchw)},
             {result(m, image_of(batches, rows, columns, channels, nchw))});
    } else {
      const uint32_t side = pick(1, std::min({height, width, 4U}));
      const auto zero = m.scalar(0);
      const auto one = m.scalar(1);
      const auto window = m.scalar(static_cast<int32_t>(side));
      m.node(std::array{kAveragePool2d, kMaxPool2d, kL2Pool2d}[pick(0, 2)],
             {x, zero, zero, zero, zero, one, one, window, window, m.scalar(pick_int(0, 3)), m.flag(nchw)},
             {result(m, image_of(batches, height - side + 1, width - side + 1, channels, nchw))});
    }
    ASSERT_NO_FATAL_FAILURE(expect_near(m)) << "round " << round;
  }
}

TEST_P(RandomHalves, MatrixProductsAndTransposedConvolutions) {
  for (int round = 0; round < 30; ++round) {
    PlanFixture m;
    const uint32_t in = channels();
    const uint32_t out = channels();
    if (pick(0, 1) == 0) {
      const uint32_t rows = pick(1, 20);
      const TensorId a = input(m, {2, rows, in});
      m.node(kBatchMatmul, {a, input(m, {2, in, out}), m.flag(false), m.flag(false)}, {result(m, {2, rows, out})});
    } else {
      const uint32_t height = pick(1, 6);
      const uint32_t width = pick(1, 6);
      const int32_t stride = pick_int(1, 2);
      const auto zero = m.scalar(0);
      const auto grown = [&](uint32_t size) { return (size - 1) * static_cast<uint32_t>(stride) + 3; };
      const TensorId x = input(m, {1, height, width, in});
      m.node(kTransposeConv2d,
             {x, constant(m, {out, 3, 3, in}), constant(m, {out}), zero, zero, zero, zero, m.scalar(stride), m.scalar(stride),
              zero, m.flag(false)},
             {result(m, {1, grown(height), grown(width), out})});
    }
    ASSERT_NO_FATAL_FAILURE(expect_near(m)) << "round " << round;
  }
}

TEST_P(RandomHalves, RecurrentCells) {
  for (int round = 0; round < 40; ++round) {
    PlanFixture m;
    const uint32_t batch = pick(1, 3);
    const uint32_t steps = pick(1, 4);
    const uint32_t size = pick(1, 30);
    const uint32_t units = pick(1, 50);
    if (round % 4 == 0) {
      const TensorId x = input(m, {batch, size});
      const TensorId state = input(m, {batch, units});
      const TensorId next = result(m, {batch, units});
      m.node(kRnn, {x, constant(m, {units, size}), constant(m, {units, units}), constant(m, {units}), state, m.scalar(4)},
             {next, result(m, {batch, units})});
    } else if (round % 4 == 1) {
      const TensorId x = input(m, {batch, size});
      const TensorId state = input(m, {batch, 3 * units});
      const TensorId next = result(m, {batch, 3 * units});
      m.node(kSvdf,
             {x, constant(m, {units, size}), constant(m, {units, 3}), constant(m, {units}), state, m.scalar(1), m.scalar(0)},
             {next, result(m, {batch, units})});
    } else {
      const bool is_normalized = pick(0, 1) == 0;
      std::vector<TensorId> ids = {input(m, {batch, steps, size})};
      for (int gate = 0; gate < 4; ++gate) ids.push_back(constant(m, {units, size}));
      for (int gate = 0; gate < 4; ++gate) ids.push_back(constant(m, {units, units}));
      for (int peephole = 0; peephole < 3; ++peephole) ids.push_back(none(m));
      for (int gate = 0; gate < 4; ++gate) ids.push_back(constant(m, {units}));
      ids.insert(ids.end(), {none(m), none(m), input(m, {batch, units}), input(m, {batch, units}), m.scalar(4), real(m, 0.5F),
                             real(m, 0.0F), m.flag(false)});
      for (int gate = 0; gate < 4; ++gate) ids.push_back(is_normalized ? constant(m, {units}) : none(m));
      m.node(kUnidirectionalSequenceLstm, ids, {result(m, {batch, steps, units})});
    }
    ASSERT_NO_FATAL_FAILURE(expect_near(m)) << "round " << round;
  }
}

// The reference rounds a step's state before the next step reads it; float kernels would not.
TEST_P(RandomHalves, RnnsOverSequencesAreLeftToTheReference) {
  PlanFixture m;
  m.node(kUnidirectionalSequenceRnn,
         {input(m, {1, 3, 5}), constant(m, {6, 5}), constant(m, {6, 6}), constant(m, {6}), input(m, {1, 6}), m.scalar(4),
          m.scalar(0)},
         {result(m, {1, 3, 6})});
  EXPECT_EQ(run(*device_, m, Guard::kBehind), run(*reference_, m, Guard::kBehind));
}

}  // namespace
}  // namespace nnvk::cpu
