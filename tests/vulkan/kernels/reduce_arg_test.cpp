// MEAN, REDUCE_*, ARGMAX and ARGMIN on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};

OperandInfo typed(OperandType type, Shape shape) {
  return is_float(type) ? tensor(type, std::move(shape))
                        : tensor(type, std::move(shape), 0.5F, type == kTensorQuant8Asymm ? 7 : -3);
}

TEST(MeanKernel, AveragesOverAnyAxes) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> axes_cases[] = {{1, 2}, {0}, {3}, {-1, 1}, {0, 2}, {0, 1, 2, 3}, {2, 2, -2}};
  for (const OperandType type : kTypes) {
    for (const auto& axes : axes_cases) {
      for (const Shape& shape : {Shape{2, 3, 5, 8}, Shape{2, 3, 5, 7}, Shape{1, 7, 7, 64}, Shape{1, 1, 1, 1}}) {
        for (const int32_t keep : {0, 1}) {
          OneNode node(OperationCode::kMean);
          node.random_input(typed(type, shape), 1);
          node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(axes.size())}), raw_values(axes)).scalar(keep);
          expect_same_as_reference(node.output(typed(type, Shape::unknown_rank())));
        }
      }
    }
  }
}

// Sums that 32 bits do not hold.
TEST(MeanKernel, AveragesMoreElementsThanAWordHolds) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    const OperandInfo in = tensor(type, {8200, 2050}, 0.5F, 0);
    std::vector<std::byte> bytes(in.shape.element_count(), type == kTensorQuant8Asymm ? std::byte{255} : std::byte{0x81});
    bytes[5] = std::byte{0};  // so that the average is no integer and rounds down
    OneNode node(OperationCode::kMean);
    node.input(in, std::move(bytes)).constant(tensor(kTensorInt32, {2}), raw_values(std::vector<int32_t>{0, 1})).scalar(0);
    expect_same_as_reference(node.output(tensor(type, {1}, 0.5F, 0)));
  }
}

OneNode reduction(OperationCode code, const OperandInfo& in, std::vector<std::byte> values, const std::vector<int32_t>& axes,
                  bool keep) {
  OneNode node(code);
  node.input(in, std::move(values));
  node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(axes.size())}), raw_values(axes)).scalar(keep);
  OperandInfo out = in;
  out.shape = Shape::unknown_rank();
  node.output(out);
  return node;
}

struct Reduction {
  OperationCode code;
  std::vector<OperandType> types;
};

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all = {
      {OperationCode::kReduceAll, {kTensorBool8}},
      {OperationCode::kReduceAny, {kTensorBool8}},
      {OperationCode::kReduceMax, {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}},
      {OperationCode::kReduceMin, {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}},
      {OperationCode::kReduceProd, {kTensorFloat32, kTensorFloat16}},
      {OperationCode::kReduceSum, {kTensorFloat32, kTensorFloat16}},
  };
  return all;
}

TEST(ReduceKernel, FoldsAnyAxes) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> axes_cases[] = {{1, 2}, {0}, {3}, {-1, 1}, {0, 2}, {0, 1, 2, 3}, {2, 2, -2}, {1}, {-4, -2}};
  for (const Reduction& reduce : reductions()) {
    for (const OperandType type : reduce.types) {
      for (const auto& axes : axes_cases) {
        for (const Shape& shape : {Shape{2, 3, 5, 8}, Shape{2, 3, 4, 7}, Shape{1, 1, 1, 1}}) {
          const OperandInfo in = is_quant8_asymm(type) ? typed(type, shape) : tensor(type, shape);
          // Few booleans of one kind in a row, products that stay in range.
          const float range = reduce.code == OperationCode::kReduceProd ? 1.5F : 4.0F;
          for (const bool keep : {false, true}) {
            expect_same_as_reference(reduction(reduce.code, in, random_values(in, 1, range), axes, keep));
          }
        }
      }
    }
  }
}

TEST(ReduceKernel, AnyByteButZeroIsTrue) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<uint8_t> values = {2, 255, 128, 1, 0, 3, 0, 0, 0, 64, 64, 64};
  const OperandInfo in = tensor(kTensorBool8, {4, 3});
  for (const OperationCode code : {OperationCode::kReduceAll, OperationCode::kReduceAny}) {
    for (const int32_t axis : {0, 1}) expect_same_as_reference(reduction(code, in, raw_values(values), {axis}, false));
  }
}

TEST(ReduceKernel, ExtremaIgnoreNanAndStartFinite) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {nan, 1, nan, nan, nan, nan, inf, inf, inf, -inf, -inf, -inf, nan, -2, -3, 0, inf, -inf};
  for (const OperandType type : {kTensorFloat32, kTensorFloat16}) {
    const OperandInfo in = tensor(type, {6, 3});
    for (const OperationCode code : {OperationCode::kReduceMax, OperationCode::kReduceMin}) {
      for (const int32_t axis : {0, 1}) expect_same_as_reference(reduction(code, in, float_values(type, values), {axis}, false));
    }
  }
}

TEST(ReduceKernel, ZeroAbsorbsProducts) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0, inf, 2, nan, 0, 5, -0.0F, -inf, 1, inf, 3, -1, nan, 1, 2, 1e30F, 1e30F, 0};
  const OperandInfo in = tensor(kTensorFloat32, {6, 3});
  for (const int32_t axis : {0, 1}) {
    expect_same_as_reference(reduction(OperationCode::kReduceProd, in, float_values(kTensorFloat32, values), {axis}, true));
  }
}

TEST(ReduceKernel, AxesOutsideTheRankFail) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo in = tensor(kTensorFloat32, {2, 3});
  for (const int32_t axis : {2, -3, INT32_MIN, INT32_MAX}) {
    expect_same_failure(reduction(OperationCode::kReduceSum, in, random_values(in, 1), {0, axis}, false));
  }
}

constexpr OperationCode kSearches[] = {OperationCode::kArgmax, OperationCode::kArgmin};

TEST(ArgKernel, FindsTheFirstWinner) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kSearches) {
    for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
      for (const int32_t axis : {0, 1, -1}) {
        for (const Shape& shape : {Shape{3, 5, 7}, Shape{2, 300, 4}, Shape{1, 1, 1}}) {
          OneNode node(code);
          // A small range makes ties certain for the integers.
          node.random_input(type == kTensorInt32 ? tensor(type, shape) : typed(type, shape), 2, 3.0F).scalar(axis);
          expect_same_as_reference(node.output(tensor(kTensorInt32, {kUnknownDimension, kUnknownDimension})));
        }
      }
    }
  }
}

TEST(ArgKernel, NanWinsOnlyAtIndexZero) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {nan, 1, 5, 1, nan, 5, 2, 2, nan, inf, -inf, nan, -inf, inf, nan, 0.0F, -0.0F, 0.0F};
  for (const OperationCode code : kSearches) {
    for (const int32_t axis : {0, 1}) {
      OneNode node(code);
      node.input(tensor(kTensorFloat32, {6, 3}), float_values(kTensorFloat32, values)).scalar(axis);
      expect_same_as_reference(node.output(tensor(kTensorInt32, {kUnknownDimension})));
    }
  }
}

// A device may flush denormals when it computes; selections must not depend on it.
TEST(ArgKernel, DenormalsHaveAnOrder) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {0.0F, 1e-40F, 2e-40F, 0.0F, -1e-40F, -2e-40F};
  for (const OperationCode code : kSearches) {
    OneNode node(code);
    node.input(tensor(kTensorFloat32, {2, 3}), float_values(kTensorFloat32, values)).scalar(1);
    expect_same_as_reference(node.output(tensor(kTensorInt32, {2})));
  }
}

TEST(ArgKernel, IntegersAreComparedOverTheirWholeRange) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> values = {0, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN, -1};
  for (const OperationCode code : kSearches) {
    OneNode node(code);
    node.input(tensor(kTensorInt32, {2, 4}), raw_values(values)).scalar(1);
    expect_same_as_reference(node.output(tensor(kTensorInt32, {2})));
  }
}

TEST(ArgKernel, OneDimensionGivesOneIndex) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kSearches) {
    OneNode node(code);
    node.random_input(tensor(kTensorFloat32, {1001}), 3).scalar(0);
    expect_same_as_reference(node.output(tensor(kTensorInt32, {1})));
  }
}

// More elements than one invocation folds in one go, in every arrangement of kept and reduced dimensions.
TEST(ReduceKernel, LongFoldsAgree) {
  NNVK_REQUIRE_VULKAN();
  struct Case {
    Shape shape;
    std::vector<int32_t> axes;
  };
  const Case cases[] = {{{70001}, {0}},    {{3, 40000}, {1}},          {{20001, 5}, {0}},
                        {{20001, 8}, {0}}, {{130, 3, 131, 2}, {0, 2}}, {{2, 17000, 3, 3}, {-1, 1}}};
  for (const Reduction& reduce : reductions()) {
    for (const OperandType type : reduce.types) {
      for (const Case& c : cases) {
        const OperandInfo in = is_quant8_asymm(type) ? typed(type, c.shape) : tensor(type, c.shape);
        std::vector<std::byte> values = random_values(in, 1);
        if (reduce.code == OperationCode::kReduceProd || reduce.code == OperationCode::kReduceSum) {
          // Sums and products that are exact in any order: few numbers other than one, minus one and zero.
          std::vector<float> floats(c.shape.element_count(), reduce.code == OperationCode::kReduceProd ? 1.0F : 0.0F);
          for (size_t i = 7; i < floats.size(); i += 1009) floats[i] = i % 2 == 0 ? -1.0F : (i % 3 == 0 ? 2.0F : 1.0F);
          if (reduce.code == OperationCode::kReduceProd) {
            for (float& f : floats) f = f == 2.0F ? -1.0F : f;
          }
          values = float_values(type, floats);
        } else if (type == kTensorBool8) {
          const bool all = reduce.code == OperationCode::kReduceAll;
          values.assign(values.size(), all ? std::byte{1} : std::byte{0});
          values.back() = all ? std::byte{0} : std::byte{1};
        }
        expect_same_as_reference(reduction(reduce.code, in, std::move(values), c.axes, false));
      }
    }
  }
}

TEST(MeanKernel, LongAveragesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const Shape& shape : {Shape{3, 50000}, Shape{50000, 3}}) {
      OneNode node(OperationCode::kMean);
      node.random_input(typed(type, shape), 1);
      node.constant(tensor(kTensorInt32, {1}), raw_values(std::vector<int32_t>{shape[0] == 3 ? 1 : 0})).scalar(1);
      expect_same_as_reference(node.output(typed(type, Shape::unknown_rank())), {1e-4, 1e-4});
    }
  }
}

TEST(ArgKernel, LongAxesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kSearches) {
    for (const OperandType type : {kTensorFloat32, kTensorInt32, kTensorQuant8Asymm}) {
      OneNode node(code);
      node.random_input(type == kTensorQuant8Asymm ? typed(type, {70001, 3}) : tensor(type, {70001, 3}), 4, 1e6F).scalar(0);
      expect_same_as_reference(node.output(tensor(kTensorInt32, {3})));
    }
    std::vector<int32_t> rising(70001);
    std::iota(rising.begin(), rising.end(), 0);
    OneNode node(code);  // the largest value is the last
    node.input(tensor(kTensorInt32, {70001}), raw_values(rising)).scalar(0);
    expect_same_as_reference(node.output(tensor(kTensorInt32, Shape::unknown_rank())));
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
