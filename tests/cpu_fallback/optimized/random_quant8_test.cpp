// 8-bit layers with every instruction set: shapes just below and above tile and block sizes, and sums at the edges of results.
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomQuant8 : public RandomNodes {
 protected:
  float filter_scale(const PlanFixture& m, TensorId filter, uint32_t channel) const {
    const auto plan = m.plan();
    const OperandInfo& info = plan->tensors[filter].info;
    return info.channel_quant != nullptr ? info.channel_quant->scales[channel] : info.scale;
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomQuant8, ::testing::ValuesIn(std::span(kLayerTypes).subspan(1)),
                         [](const auto& info) { return info.param.name; });

// A convolution without stride and padding; y has the scale of its result.
void add_convolution(PlanFixture& m, TensorId x, TensorId f, TensorId b, TensorId y, int32_t activation) {
  m.node(OperationCode::kConv2d,
         {x, f, b, m.scalar(0), m.scalar(0), m.scalar(0), m.scalar(0), m.scalar(1), m.scalar(1), m.scalar(activation)}, {y});
}

// Covers every tile height and width, full and partial, and scales for each of the rounding methods.
TEST_P(RandomQuant8, PointwiseConvolutions) {
  with_every_instruction_set([&](const std::string& set) {
    for (int round = 0; round < 25; ++round) {
      PlanFixture m;
      const uint32_t width = pick(0, 1) == 0 ? pick(1, 30) : pick(90, 250);
      const uint32_t in = pick(0, 1) == 0 ? 4 * pick(1, 20) : pick(1, 140);
      const uint32_t out = pick(0, 1) == 0 ? 16 * pick(1, 12) : pick(1, 150);
      const TensorId x = input(m, {1, 1, width, in});
      const TensorId f = filter(m, {out, 1, 1, in}, 0);
      const TensorId b = bias(m, out);
      constexpr float kScales[] = {0.03F, 0.2F, 1.0F, 8.0F, 64.0F, 1000.0F};
      const TensorId y = output(m, {1, 1, width, out}, kScales[pick(0, 5)] * std::sqrt(static_cast<float>(in)));
      add_convolution(m, x, f, b, y, pick_int(0, 3));
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set << " round " << round;
    }
  });
}

TEST_P(RandomQuant8, DepthwiseConvolutions) {
  with_every_instruction_set([&](const std::string& set) {
    for (int round = 0; round < 40; ++round) {
      PlanFixture m;
      Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      const bool is_common = pick(0, 1) == 0;  // 3 x 3 as in networks
      if (is_common) {
        w.filter_height = w.filter_width = 3;
        w.left = w.right = w.top = w.bottom = 1;
        w.stride_width = w.stride_height = pick_int(1, 2);
        w.dilation_width = w.dilation_height = pick(0, 3) == 0 ? 2 : 1;
        w.height = pick(4, 12);
        w.width = pick(4, 50);
        w.out_height = outputs(w.height, 2, 3, w.stride_height, w.dilation_height);
        w.out_width = outputs(w.width, 2, 3, w.stride_width, w.dilation_width);
      }
      const uint32_t channels = pick(0, 1) == 0 ? 8 * pick(1, 25) : pick(1, 200);
      const TensorId x = input(m, {w.batches, w.height, w.width, channels});
      const TensorId f = filter(m, {1, w.filter_height, w.filter_width, channels}, 3);
      const TensorId b = bias(m, channels);
      const TensorId y = output(m, {w.batches, w.out_height, w.out_width, channels}, 25.0F);
      m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {x, f, b, 1, pick_int(0, 3), false}), {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set << " round " << round;
    }
  });
}

// The filter has more taps than the kernel's table of tap positions holds, so the kernel fills the table several times.
TEST_P(RandomQuant8, LargeDepthwiseFilters) {
  with_every_instruction_set([&](const std::string& set) {
    PlanFixture m;
    const TensorId x = input(m, {1, 9, 13, 70});
    const TensorId f = filter(m, {1, 7, 9, 70}, 3);
    const TensorId b = bias(m, 70);
    const TensorId y = output(m, {1, 9, 13, 70}, 60.0F);
    m.node(OperationCode::kDepthwiseConv2d,
           {x, f, b, m.scalar(4), m.scalar(4), m.scalar(3), m.scalar(3), m.scalar(1), m.scalar(1), m.scalar(1), m.scalar(0)},
           {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set;
  });
}

// Averages are such convolutions: the kernel stores one group of taps for them. Windows of one to 63 taps, in the image and
// beyond it.
TEST_P(RandomQuant8, DepthwiseFiltersWhoseTapsAreEqual) {
  with_every_instruction_set([&](const std::string& set) {
    for (int round = 0; round < 40; ++round) {
      PlanFixture m;
      Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      if (pick(0, 1) == 0) {  // over a whole image
        w.height = w.filter_height = pick(1, 7);
        w.width = w.filter_width = pick(1, 9);
        w.left = w.right = w.top = w.bottom = 0;
        w.dilation_width = w.dilation_height = 1;
        w.out_height = w.out_width = 1;
      }
      const uint32_t channels = pick(0, 1) == 0 ? 8 * pick(1, 25) : pick(1, 200);
      const TensorId x = input(m, {w.batches, w.height, w.width, channels});
      const TensorId f = filter(m, {1, w.filter_height, w.filter_width, channels}, 3);
      auto& weights = m.raw().tensors[f];
      const auto repeated = std::make_shared<std::vector<std::byte>>(weights.value.begin(), weights.value.end());
      for (size_t i = channels; i < repeated->size(); ++i) (*repeated)[i] = (*repeated)[i - channels];
      const bool is_almost_equal = pick(0, 3) == 0;
      if (is_almost_equal) repeated->back() ^= std::byte{1};
      weights.value = *repeated;
      weights.owner = repeated;
      const TensorId b = bias(m, channels);
      const TensorId y = output(m, {w.batches, w.out_height, w.out_width, channels}, 60.0F);
      m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {x, f, b, 1, pick_int(0, 3), false}), {y});
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set << " round " << round;
    }
  });
}

// Weights equal to their zero point leave only the bias: sums at and next to every edge between two results, and very large sums.
TEST_P(RandomQuant8, SumsAtTheEdgesOfResults) {
  constexpr uint32_t kChannels = 600;
  const OperandType filter_type = GetParam().filter;
  const bool is_per_channel = filter_type == kTensorQuant8SymmPerChannel;
  with_every_instruction_set([&](const std::string& set) {
    for (const float out_scale : {1e-12F, 1e-7F, 0.01F, 0.1F, 0.3F, 2.0F, 40.0F, 3000.0F, 5e6F, 4e8F}) {
      for (const bool has_huge_sums : {false, true}) {
        for (const int32_t activation : {0, 1, 3}) {
          PlanFixture m;
          const TensorId x = input(m, {1, 1, 1, 4});
          const int32_t zero = zero_point(filter_type);
          const TensorId f =
              m.constant({kChannels, 1, 1, 4}, filter_type, std::vector<std::byte>(kChannels * 4, static_cast<std::byte>(zero)),
                         is_per_channel ? 0.0F : 0.25F, zero);
          if (is_per_channel) {
            auto scales = std::make_shared<ChannelQuant>();
            for (uint32_t c = 0; c < kChannels; ++c) scales->scales.push_back(0.001F * static_cast<float>(pick(1, 500)));
            m.raw().tensors[f].info.channel_quant = std::move(scales);
          }
          std::vector<int32_t> sums(kChannels);
          for (uint32_t c = 0; c < kChannels; ++c) {
            const double edge = (pick_int(0, 600) - 300 + 0.5) * out_scale / (0.5 * filter_scale(m, f, c));
            const double sum = edge + pick_int(0, 4) - 2;
            sums[c] = static_cast<int32_t>(std::clamp(sum, -2147483647.0, 2147483647.0));
            if (has_huge_sums && pick(0, 3) == 0)
              sums[c] = static_cast<int32_t>((pick(0, 1) == 0 ? 0x7FFFFF00U : 0x80000000U) + pick(0, 255));
          }
          const TensorId b = m.constant({kChannels}, kTensorInt32, sums, 0.125F);
          const TensorId y = output(m, {1, 1, 1, kChannels}, out_scale);
          add_convolution(m, x, f, b, y, activation);
          ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set << " scale " << out_scale << " activation " << activation;
        }
      }
    }
  });
}

// A sum of products so large that the half unit of the second rounding overflows 32 bits. The largest sum that the inputs allow
// decides which formula is exact.
TEST_P(RandomQuant8, SumsAlmostTooLargeForTheSecondRounding) {
  if (GetParam().filter == kTensorQuant8SymmPerChannel) return;  // FULLY_CONNECTED has no such signature
  constexpr uint32_t kDepth = 20000;
  constexpr uint32_t kUnits = 3;
  with_every_instruction_set([&](const std::string& set) {
    PlanFixture m;
    const bool is_signed = GetParam().image == kTensorQuant8AsymmSigned;
    const int32_t lowest = is_signed ? -128 : 0;
    const auto highest = static_cast<std::byte>(lowest + 255);
    const TensorId x = m.input({1, kDepth}, GetParam().image, 0.5F, lowest);
    inputs_.emplace_back(kDepth, highest);
    const TensorId f =
        m.constant({kUnits, kDepth}, GetParam().filter, std::vector<std::byte>(size_t{kUnits} * kDepth, highest), 0.25F, lowest);
    const TensorId b = m.constant({kUnits}, kTensorInt32, std::vector<int32_t>(kUnits, 0), 0.125F);
    const float out_scale = 0.125F * 0x1p31F / 0.95F;
    const TensorId y = m.output({1, kUnits}, GetParam().image, out_scale, lowest);
    m.node(OperationCode::kFullyConnected, {x, f, b, m.scalar(0)}, {y});
    ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set;
  });
}

// All pairs of bytes.
TEST_P(RandomQuant8, Sums) {
  with_every_instruction_set([&](const std::string& set) {
    for (const float out_scale : {0.02F, 0.25F, 0.5F, 1.0F, 7.0F}) {
      for (const OperationCode code : {OperationCode::kAdd, OperationCode::kSub}) {
        PlanFixture m;
        const OperandType type = GetParam().image;
        const Shape shape{256, 259};
        const TensorId a = m.input(shape, type, 0.5F, zero_point(type));
        const TensorId b = m.input(shape, type, 0.03125F * static_cast<float>(pick(1, 40)), zero_point(type));
        for (const bool by_row : {true, false}) {
          std::vector<std::byte> bytes(size_t{256} * 259);
          for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(by_row ? i / 259 : i % 259);
          inputs_.push_back(std::move(bytes));
        }
        const TensorId y = output(m, shape, out_scale);
        m.node(code, {a, b, m.scalar(pick_int(0, 3))}, {y});
        ASSERT_NO_FATAL_FAILURE(expect_equal(m, 0)) << set << " scale " << out_scale;
      }
    }
  });
}

}  // namespace
}  // namespace nnvk::cpu
