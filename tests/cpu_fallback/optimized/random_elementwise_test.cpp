// Element by element and along axes: random nodes of every type against the reference, on every instruction set.
#include <algorithm>
#include <array>
#include <functional>

#include "core/base/half.h"
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace nnvk::test;
using enum OperationCode;

constexpr LayerTypes kElementTypes[] = {
    {"Float", kTensorFloat32, kTensorFloat32},
    {"Half", kTensorFloat16, kTensorFloat16},
    {"Unsigned", kTensorQuant8Asymm, kTensorQuant8Asymm},
    {"Signed", kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned},
    {"Int", kTensorInt32, kTensorInt32},
    {"Bool", kTensorBool8, kTensorBool8},
};

constexpr float kSpecialFloats[] = {0.0F,  -0.0F,  1.0F,       -1.0F,         INFINITY, -INFINITY, NAN,  1e-40F, -1e-40F,
                                    3e38F, -3e38F, 88.7F,      -103.5F,       -87.4F,   0.5F,      1.5F, -2.5F,  40000.0F,
                                    1e10F, -1e10F, 8388609.0F, 2147483648.0F, 65520.0F, 255.5F,    6.0F, -3.0F};

constexpr uint64_t kMostElements = 20000;

class RandomElementwise : public RandomNodes {
 protected:
  OperandType type() const { return GetParam().image; }
  bool is_real() const { return is_float_tensor(type()); }
  bool is_bytes() const { return is_quant8_asymm(type()); }

  // Floats are of every size, with special values among them.
  std::vector<std::byte> elements(OperandType type, size_t count) {
    std::vector<std::byte> bytes(count * element_size(type));
    for (size_t i = 0; i < count && is_float_tensor(type); ++i) {
      float value = std::uniform_real_distribution<float>(-1, 1)(random_) * scale_;
      if (has_specials_ && pick(0, 19) == 0) value = kSpecialFloats[pick(0, std::size(kSpecialFloats) - 1)];
      if (is_positive_) value = std::fabs(value);
      const uint16_t half = float_to_half(value);
      const auto* const stored = type == kTensorFloat32 ? static_cast<const void*>(&value) : &half;
      std::memcpy(bytes.data() + i * element_size(type), stored, element_size(type));
    }
    if (is_float_tensor(type)) return bytes;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(pick(0, 255));
    if (type == kTensorBool8) {
      for (std::byte& byte : bytes) byte = pick(0, 2) == 0 ? std::byte{0} : byte;
    }
    if (type == kTensorInt32 && pick(0, 1) == 0) {  // small numbers, so that pairs are equal now and then
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] =
            i % 4 == 0 ? bytes[i] : std::byte{(bytes[i / 4 * 4] & std::byte{128}) != std::byte{0} ? uint8_t{255} : uint8_t{0}};
      }
    }
    return bytes;
  }

  TensorId in(PlanFixture& m, const Shape& shape, OperandType type) {
    const bool is_quantized = is_quant8_asymm(type) || type == kTensorQuant8Symm;
    const float scale = is_quantized ? 0.01F * static_cast<float>(pick(1, 40)) : 0.0F;
    const TensorId id = m.input(shape, type, scale, is_quantized ? zero_point(type) : 0);
    inputs_.push_back(elements(type, shape.element_count()));
    return id;
  }
  TensorId in(PlanFixture& m, const Shape& shape) { return in(m, shape, type()); }
  // An output with the quantization of `like`, for operations that preserve it.
  TensorId out_like(PlanFixture& m, const Shape& shape, TensorId like) {
    const OperandInfo info = m.raw().tensors[like].info;
    return m.output(shape, info.type, info.scale, info.zero_point);
  }
  TensorId out(PlanFixture& m, const Shape& shape, float scale) {
    return m.output(shape, type(), is_bytes() ? scale : 0.0F, is_bytes() ? zero_point(type()) : 0);
  }

  // A shape, and one that broadcasts to it.
  std::pair<Shape, Shape> broadcast_shapes() {
    Shape shape;
    const uint32_t rank = pick(1, 4);
    for (uint32_t d = 0; d < rank; ++d) shape.dims.push_back(pick(0, 3) == 0 ? 1 : pick(0, 2) == 0 ? pick(2, 70) : pick(2, 9));
    if (pick(0, 9) == 0) shape.dims.back() = pick(1000, 9000);  // rows of several blocks, for several threads
    while (shape.element_count() > kMostElements) *std::ranges::max_element(shape.dims) /= 2;
    Shape small = shape;
    for (uint32_t& dim : small.dims) dim = pick(0, 1) == 0 ? 1 : dim;
    if (pick(0, 2) == 0) small.dims.erase(small.dims.begin(), small.dims.begin() + pick(0, rank - 1));
    return {shape, small};
  }
  Shape random_shape() { return broadcast_shapes().first; }

  static float as_float(const std::byte* at, OperandType type) {
    if (type == kTensorFloat16) {
      uint16_t half = 0;
      std::memcpy(&half, at, sizeof half);
      return half_to_float(half);
    }
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  // Conversions and copies of halves: NaN keeps its kind too.
  void expect_same_bytes(const PlanFixture& m) {
    const std::vector<std::byte> wanted = run(*reference_, m, Guard::kBehind);
    with_every_instruction_set([&](const std::string& name) {
      for (const Guard guard : {Guard::kBefore, Guard::kBehind}) ASSERT_EQ(run(*device_, m, guard), wanted) << name;
    });
    EXPECT_NE(kernel_, "reference");
    inputs_.clear();
  }

  // Integers to the bit; floats within `relative` of the reference's, or `absolute` near 0, halves within one step more.
  void expect_same(const PlanFixture& m, double relative, double absolute = 0) {
    const std::vector<std::byte> wanted = run(*reference_, m, Guard::kBehind);
    const auto plan = m.plan();
    const OperandType out_type = plan->tensors[plan->outputs[0]].info.type;
    if (out_type == kTensorFloat16) {
      relative += 1.0 / 1024;
      absolute += 6e-8;
    }
    const auto compare = [&](const std::vector<std::byte>& got) {
      ASSERT_EQ(got.size(), wanted.size());
      if (!is_float_tensor(out_type)) {
        ASSERT_EQ(got, wanted);
        return;
      }
      for (size_t i = 0; i < got.size(); i += element_size(out_type)) {
        const float a = as_float(got.data() + i, out_type);
        const float b = as_float(wanted.data() + i, out_type);
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        ASSERT_LE(std::fabs(double{a} - b), absolute + relative * std::fabs(b)) << "element " << i / element_size(out_type);
      }
    };
    const auto run_guarded = [&](const std::string& name) {
      for (const Guard guard : {Guard::kBefore, Guard::kBehind}) {
        const std::vector<std::byte> got = run(*device_, m, guard);
        EXPECT_EQ(kernel_ == "reference", is_left_to_reference_) << name;
        ASSERT_NO_FATAL_FAILURE(compare(got)) << name;
      }
    };
    if (uses_every_instruction_set_) {
      with_every_instruction_set(run_guarded);
    } else {
      run_guarded("the best instruction set");
    }
    inputs_.clear();
  }

  float scale_ = 4.0F;
  bool has_specials_ = true;
  bool is_positive_ = false;
  bool is_left_to_reference_ = false;
  bool uses_every_instruction_set_ = true;
};

INSTANTIATE_TEST_SUITE_P(Types, RandomElementwise, ::testing::ValuesIn(kElementTypes),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(RandomElementwise, ArithmeticOfTensorsThatBroadcast) {
  if (type() == kTensorBool8) return;
  for (int round = 0; round < 40; ++round) {
    PlanFixture m;
    const auto [large, small] = broadcast_shapes();
    const bool is_first_large = pick(0, 1) == 0;
    const TensorId a = in(m, is_first_large ? large : small);
    const TensorId b = in(m, is_first_large ? small : large);
    const OperationCode code = std::array{kAdd, kSub, kMul, kDiv}[pick(0, is_bytes() ? 2 : 3)];
    const TensorId y = out(m, large, 0.5F);
    m.node(code, {a, b, m.scalar(type() == kTensorInt32 ? 0 : pick_int(0, 3))}, {y});
    if (type() != kTensorInt32 && pick(0, 2) == 0) m.raw().nodes[0].fused_activation = static_cast<FusedActivation>(pick(0, 3));
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, ExtremesPreluAndComparisons) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const auto [large, small] = broadcast_shapes();
    const TensorId a = in(m, large);
    const TensorId b = in(m, small);
    const bool is_bool = type() == kTensorBool8;
    const bool has_prelu = is_real() || is_bytes();
    switch (is_bool ? 1 : pick(0, has_prelu ? 2 : 1)) {
      case 0:
        m.node(pick(0, 1) == 0 ? kMaximum : kMinimum, {a, b}, {pick(0, 1) == 0 ? out_like(m, large, a) : out(m, large, 0.1F)});
        break;
      case 1:
        m.node(std::array{kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kLogicalAnd,
                          kLogicalOr}[pick(0, is_bool ? 7 : 5)],
               {a, b}, {m.output(large, kTensorBool8)});
        break;
      default:
        m.node(kPrelu, {a, b}, {out(m, large, 0.2F)});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, Powers) {
  if (!is_real()) return;
  for (int round = 0; round < 15; ++round) {
    PlanFixture m;
    const auto [large, small] = broadcast_shapes();
    is_positive_ = true;
    has_specials_ = round % 3 == 0;
    const TensorId a = in(m, large);
    is_positive_ = false;
    m.node(kPow, {a, in(m, small)}, {out(m, large, 0)});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 1.2e-7)) << "round " << round;
  }
}

TEST_P(RandomElementwise, FunctionsOfOneElement) {
  for (int round = 0; round < 75; ++round) {
    PlanFixture m;
    const Shape shape = random_shape();
    scale_ = round % 2 == 0 ? 4.0F : 200.0F;
    const TensorId x = in(m, shape);
    if (type() == kTensorBool8) {
      m.node(kLogicalNot, {x}, {out(m, shape, 0)});
    } else if (type() == kTensorInt32) {
      m.node(pick(0, 1) == 0 ? kAbs : kNeg, {x}, {out(m, shape, 0)});
    } else if (is_bytes()) {
      const bool is_signed = type() == kTensorQuant8AsymmSigned;
      const uint32_t which = pick(0, 6);
      const TensorId y = which < 3    ? out_like(m, shape, x)
                         : which == 3 ? m.output(shape, type(), 1.0F / 256, is_signed ? -128 : 0)
                         : which == 4 ? m.output(shape, type(), 1.0F / 128, is_signed ? 0 : 128)
                                      : out(m, shape, 0.05F);
      m.node(std::array{kRelu, kRelu1, kRelu6, kLogistic, kTanh, kHardSwish, kRsqrt}[which], {x}, {y});
    } else {
      constexpr std::array kCodes = {kRelu,  kRelu1,    kRelu6, kHardSwish, kAbs, kNeg, kFloor, kSqrt,
                                     kRsqrt, kLogistic, kTanh,  kExp,       kLog, kSin, kElu};
      const OperationCode code = kCodes[pick(0, kCodes.size() - 1)];
      std::vector<TensorId> operands = {x};
      if (code == kElu) {
        operands.push_back(type() == kTensorFloat32 ? m.constant<float>({}, kFloat32, {0.75F})
                                                    : m.constant<uint16_t>({}, kFloat16, {float_to_half(0.75F)}));
      }
      m.node(code, operands, {out(m, shape, 0)});
      const bool is_exact = std::ranges::find(kCodes, code) - kCodes.begin() < 9;
      ASSERT_NO_FATAL_FAILURE(expect_same(m, is_exact ? 0 : 6e-7,
                                          is_exact       ? 0
                                          : code == kElu ? 1e-7
                                                         : 3e-45))
          << "round " << round;
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, ConversionsFromEveryType) {
  constexpr std::array kCastTypes = {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorQuant8Asymm};
  for (int round = 0; round < 50; ++round) {
    PlanFixture m;
    const Shape shape = random_shape();
    scale_ = pick(0, 1) == 0 ? 300.0F : 3e9F;
    const bool can_cast = type() != kTensorQuant8AsymmSigned && type() != kTensorBool8;
    const uint32_t which = pick(0, 2);
    if (is_bytes() && which > 0) {
      const TensorId x = in(m, shape, which == 1 ? type() : kTensorQuant8Symm);
      m.node(kDequantize, {x}, {m.output(shape, pick(0, 1) == 0 ? kTensorFloat32 : kTensorFloat16)});
    } else if (is_real() && which > 0) {
      scale_ = 50.0F;
      const OperandType to = pick(0, 1) == 0 ? kTensorQuant8Asymm : kTensorQuant8AsymmSigned;
      const TensorId x = in(m, shape);
      // Steps of a power of two put many elements of a half right between two.
      m.node(kQuantize, {x}, {m.output(shape, to, pick(0, 1) == 0 ? 0.25F : 0.37F, zero_point(to))});
    } else {
      const OperandType to = can_cast ? kCastTypes[pick(0, kCastTypes.size() - 1)] : type();
      const TensorId x = in(m, shape);
      m.node(kCast, {x},
             {m.output(shape, to,
                       to == type()               ? m.raw().tensors[x].info.scale
                       : to == kTensorQuant8Asymm ? 1.0F
                                                  : 0.0F,
                       to == type() ? m.raw().tensors[x].info.zero_point : 0)});
    }
    const auto plan = m.plan();
    const bool gives_halves = plan->tensors[plan->outputs[0]].info.type == kTensorFloat16;
    ASSERT_NO_FATAL_FAILURE(gives_halves ? expect_same_bytes(m) : expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, SoftmaxAlongAnyAxis) {
  if (!is_real() && !is_bytes()) return;
  has_specials_ = false;
  for (int round = 0; round < 24; ++round) {
    PlanFixture m;
    Shape shape = random_shape();
    if (round % 10 == 0) shape.dims.back() = pick(3000, 9000);
    const auto rank = static_cast<int32_t>(shape.rank());
    const int32_t axis = pick(0, 1) == 0 ? -1 : pick_int(0, static_cast<uint32_t>(rank - 1));
    if (axis >= 0 && axis != rank - 1 && shape.dims.back() >= 3000) continue;
    scale_ = round % 2 == 0 ? 3.0F : 100.0F;
    has_specials_ = is_real() && round % 8 == 7;
    const bool is_signed = type() == kTensorQuant8AsymmSigned;
    const float beta = 0.25F * static_cast<float>(pick(1, 8));
    const TensorId b = type() == kTensorFloat16 ? m.constant<uint16_t>({}, kFloat16, {float_to_half(beta)})
                                                : m.constant<float>({}, kFloat32, {beta});
    const TensorId x = in(m, shape);
    const TensorId y = m.output(shape, type(), is_bytes() ? 1.0F / 256 : 0.0F, is_signed ? -128 : 0);
    const bool is_logarithm = is_real() && pick(0, 2) == 0;
    m.node(is_logarithm ? kLogSoftmax : kSoftmax, {x, b, m.scalar(axis)}, {y});
    // The reference adds element by element, so its rounding errors grow with the length of slices.
    const double error = 2e-6 + 3e-9 * (axis < 0 ? shape.dims.back() : shape[static_cast<size_t>(axis)]);
    ASSERT_NO_FATAL_FAILURE(expect_same(m, error, is_logarithm ? 2 * error : 1e-37)) << "round " << round;
  }
}

TEST_P(RandomElementwise, ReductionsOfAnyAxes) {
  if (type() == kTensorInt32) return;
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    Shape shape = random_shape();
    if (round % 4 == 0) shape = {pick(2, 5), pick(2, 9), pick(2, 20), pick(2, pick(0, 1) == 0 ? 70 : 5)};
    const auto rank = static_cast<uint32_t>(shape.rank());
    std::vector<int32_t> axes;
    Shape result = shape;
    for (uint32_t d = 0; d < rank; ++d) {
      const bool is_last = d + 1 == rank && axes.empty();
      if (pick(0, 1) == 0 && !is_last) continue;
      axes.push_back(pick(0, 1) == 0 ? static_cast<int32_t>(d) : static_cast<int32_t>(d) - static_cast<int32_t>(rank));
      result.dims[d] = 1;
    }
    const std::vector<OperationCode> codes = is_real()    ? std::vector{kMean, kReduceSum, kReduceProd, kReduceMax, kReduceMin}
                                             : is_bytes() ? std::vector{kMean, kReduceMax, kReduceMin}
                                                          : std::vector{kReduceAll, kReduceAny};
    const OperationCode code = codes[pick(0, static_cast<uint32_t>(codes.size() - 1))];
    const bool is_extreme = code == kReduceMax || code == kReduceMin;
    has_specials_ = is_extreme || code == kReduceProd;
    const TensorId x = in(m, shape);
    const TensorId keep = code == kMean ? m.scalar(1) : m.flag(true);
    m.node(code, {x, m.constant<int32_t>({static_cast<uint32_t>(axes.size())}, kTensorInt32, axes), keep},
           {out_like(m, result, x)});
    const double count = static_cast<double>(shape.element_count()) / static_cast<double>(result.element_count());
    const bool is_sum = code == kMean || code == kReduceSum;
    const double error = is_sum ? 2e-7 * scale_ * count / (code == kMean ? 10 : 1) : 0;
    ASSERT_NO_FATAL_FAILURE(expect_same(m, is_sum ? 1e-6 : 0, error)) << "round " << round;
  }
}

// If all elements are NaN or -infinity, REDUCE_MAX gives the type's smallest finite number. REDUCE_MIN is the reverse.
TEST_P(RandomElementwise, ExtremesOfNothing) {
  if (!is_real()) return;
  for (const float value : {NAN, -INFINITY, INFINITY}) {
    for (const OperationCode code : {kReduceMax, kReduceMin}) {
      PlanFixture m;
      const TensorId x = in(m, {7, 40});
      for (size_t i = 0; i < 7UL * 40; ++i) {
        const uint16_t half = float_to_half(value);
        const auto* const stored = type() == kTensorFloat32 ? static_cast<const void*>(&value) : &half;
        std::memcpy(inputs_.back().data() + i * element_size(type()), stored, element_size(type()));
      }
      m.node(code, {x, m.constant<int32_t>({1}, kTensorInt32, {1}), m.flag(false)}, {out(m, {7}, 0)});
      ASSERT_NO_FATAL_FAILURE(expect_same_bytes(m)) << value;
    }
  }
}

TEST_P(RandomElementwise, PositionsOfExtremes) {
  if (type() == kTensorBool8) return;
  for (int round = 0; round < 50; ++round) {
    PlanFixture m;
    const Shape shape = random_shape();
    const uint32_t axis = pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    Shape result = shape;
    result.dims.erase(result.dims.begin() + axis);
    if (result.dims.empty()) result.dims.push_back(1);
    m.node(pick(0, 1) == 0 ? kArgmax : kArgmin, {in(m, shape), m.scalar(static_cast<int32_t>(axis))},
           {m.output(result, kTensorInt32)});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, ElementsThatAMaskSelects) {
  if (type() == kTensorBool8) return;
  for (int round = 0; round < 30; ++round) {
    PlanFixture m;
    const Shape shape = random_shape();
    const TensorId mask = in(m, shape, kTensorBool8);
    const TensorId a = in(m, shape);
    const TensorId b = in(m, shape);
    m.node(kSelect, {mask, a, b}, {pick(0, 1) == 0 ? out_like(m, shape, a) : out(m, shape, 0.1F)});
    ASSERT_NO_FATAL_FAILURE(type() == kTensorFloat16 ? expect_same_bytes(m) : expect_same(m, 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, Normalizations) {
  if (!is_real() && !is_bytes()) return;
  has_specials_ = false;
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const Shape shape = {pick(1, 3), pick(1, 9), pick(1, 9), pick(1, 90)};
    const TensorId x = in(m, shape);
    const uint32_t which = is_bytes() ? 0 : pick(0, 2);
    const TensorId axis = m.scalar(pick(0, 1) == 0 ? -1 : pick_int(0, 3));
    const bool is_half = type() == kTensorFloat16;
    const auto real = [&](float value) {
      return is_half ? m.constant<uint16_t>({}, kFloat16, {float_to_half(value)}) : m.constant<float>({}, kFloat32, {value});
    };
    if (which == 0) {
      const bool is_signed = type() == kTensorQuant8AsymmSigned;
      m.node(kL2Normalization, {x, axis},
             {m.output(shape, type(), is_bytes() ? 1.0F / 128 : 0.0F, is_bytes() && !is_signed ? 128 : 0)});
    } else if (which == 1) {
      m.node(kLocalResponseNormalization, {x, m.scalar(pick_int(0, 20)), real(1.5F), real(0.5F), real(0.75F), axis},
             {out(m, shape, 0)});
    } else {
      m.node(kInstanceNormalization, {x, real(1.25F), real(0.5F), real(0.125F), m.flag(pick(0, 1) == 0)}, {out(m, shape, 0)});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, 3e-6, which == 2 ? 4e-6 : 0)) << "round " << round;
  }
}

TEST_P(RandomElementwise, DequantizationByChannel) {
  if (type() != kTensorQuant8AsymmSigned) return;
  for (int round = 0; round < 40; ++round) {
    PlanFixture m;
    Shape shape = random_shape();
    if (round % 10 == 0) shape = {pick(1, 3), pick(2100, 5000)};
    const TensorId x = m.input(shape, kTensorQuant8SymmPerChannel);
    inputs_.push_back(elements(kTensorQuant8SymmPerChannel, shape.element_count()));
    auto scales = std::make_shared<ChannelQuant>();
    scales->channel_dim = pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    for (uint32_t c = 0; c < shape[scales->channel_dim]; ++c) scales->scales.push_back(0.01F * static_cast<float>(pick(1, 200)));
    m.raw().tensors[x].info.channel_quant = std::move(scales);
    m.node(kDequantize, {x}, {m.output(shape, pick(0, 1) == 0 ? kTensorFloat32 : kTensorFloat16)});
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(m)) << "round " << round;
  }
}

TEST_P(RandomElementwise, LargestElements) {
  if (type() == kTensorBool8) return;
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const uint32_t rows = pick(1, 5);
    const uint32_t size = pick(0, 1) == 0 ? pick(1, 40) : pick(41, 3000);
    const uint32_t count = pick(0, 2) == 0 ? size : pick(1, std::min(size, pick(0, 1) == 0 ? 5U : 200U));
    has_specials_ = round % 3 != 0;
    const TensorId x = in(m, {rows, size});
    if (round % 5 == 0) {  // equal elements, and rows that grow or fall
      std::vector<std::byte>& bytes = inputs_.back();
      const size_t width = element_size(type());
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = i % width + 1 == width ? static_cast<std::byte>(i / width / 7) : std::byte{0};
      if (round % 2 == 0) std::ranges::reverse(bytes);
    }
    const TensorId values = out_like(m, {rows, count}, x);
    m.node(kTopkV2, {x, m.scalar(static_cast<int32_t>(count))}, {values, m.output({rows, count}, kTensorInt32)});
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(m)) << "round " << round;
  }
}

// Both threads of the device get parts.
TEST_P(RandomElementwise, LargeTensors) {
  uses_every_instruction_set_ = false;
  has_specials_ = false;
  const Shape shape = {5, 67, 1000};
  const bool is_bool = type() == kTensorBool8;
  const auto check = [&](OperationCode code, size_t tensors,
                         const std::function<void(PlanFixture&, std::vector<TensorId>&)>& more, double relative = 0) {
    PlanFixture m;
    std::vector<TensorId> operands;
    for (size_t i = 0; i < tensors; ++i) operands.push_back(in(m, i == 0 || code == kSelect ? shape : Shape{67, 1000}));
    std::vector<TensorId> results = operands;
    more(m, results);
    operands.insert(operands.end(), results.begin() + static_cast<int64_t>(tensors), results.end() - 1);
    if (code == kSelect) {
      operands.insert(operands.begin(), in(m, shape, kTensorBool8));
    }
    m.node(code, operands, {results.back()});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, relative)) << static_cast<int>(code);
  };
  using Operands = std::vector<TensorId>;
  const auto same = [&](PlanFixture& m, Operands& o) { o.push_back(out_like(m, shape, o[0])); };
  const auto truth = [&](PlanFixture& m, Operands& o) { o.push_back(m.output(shape, kTensorBool8)); };
  const auto row = [&](PlanFixture& m, Operands& o) {
    o.push_back(m.scalar(1));
    o.push_back(m.output({5, 1000}, kTensorInt32));
  };
  const auto folded = [&](bool mean, int32_t axis) {
    return [&, mean, axis](PlanFixture& m, Operands& o) {
      o.push_back(m.constant<int32_t>({1}, kTensorInt32, {axis}));
      o.push_back(mean ? m.scalar(1) : m.flag(true));
      o.push_back(out_like(m, axis == 1 ? Shape{5, 1, 1000} : Shape{5, 67, 1}, o[0]));
    };
  };
  check(kEqual, 2, truth);
  check(kCast, 1, same);
  if (is_bool) {
    check(kLogicalAnd, 2, same);
    check(kLogicalNot, 1, same);
    check(kReduceAny, 1, folded(false, 1));
    return;
  }
  check(kMaximum, 2, same);
  check(kSelect, 2, same);
  check(kArgmax, 1, row);
  check(kAdd, 2, [&](PlanFixture& m, Operands& o) {
    o.push_back(m.scalar(0));
    o.push_back(is_bytes() ? out(m, shape, 0.5F) : out_like(m, shape, o[0]));
  });
  if (type() == kTensorInt32) return;
  check(kRelu, 1, same);
  check(kMean, 1, folded(true, 1), 1e-5);
  check(kReduceMax, 1, folded(false, 2));
  if (is_real()) {
    check(
        kL2Normalization, 1,
        [&](PlanFixture& m, Operands& o) {
          o.push_back(m.scalar(1));
          o.push_back(out_like(m, shape, o[0]));
        },
        1e-5);
  }
  check(kReduceMax, 1, [&](PlanFixture& m, Operands& o) {
    o.push_back(m.constant<int32_t>({2}, kTensorInt32, {0, 2}));
    o.push_back(m.flag(true));
    o.push_back(out_like(m, {1, 67, 1}, o[0]));
  });
  check(
      kSoftmax, 1,
      [&](PlanFixture& m, Operands& o) {
        o.push_back(type() == kTensorFloat16 ? m.constant<uint16_t>({}, kFloat16, {float_to_half(1)})
                                             : m.constant<float>({}, kFloat32, {1}));
        o.push_back(m.output(shape, type(), is_bytes() ? 1.0F / 256 : 0.0F, type() == kTensorQuant8AsymmSigned ? -128 : 0));
      },
      1e-5);
}

}  // namespace
}  // namespace nnvk::cpu
