// ROI_ALIGN and ROI_POOLING beyond the vectors: the order in which NaN is met, and millions of samples.
#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(RoiPooling, NanIsTakenFirstAndNotReplaced) {
  const auto pool = [](const std::vector<float>& row) {
    const auto r = run_operation<float>(OperationCode::kRoiPooling,
                                        {floats({1, 1, 2, 1}, row), floats({1, 4}, {0, 0, 1, 0}), ints({1}, {0}), int_scalar(1),
                                         int_scalar(1), float_scalar(1), float_scalar(1), bool_scalar(false)},
                                        kTensorFloat32);
    return r.values.at(0);
  };
  EXPECT_TRUE(std::isnan(pool({kNan, 5})));
  EXPECT_EQ(pool({5, kNan}), 5.0F);
}

TEST(RoiAlign, ASingleCellMayHaveMillionsOfSamples) {
  const auto mean = run_operation<float>(
      OperationCode::kRoiAlign,
      {floats({1, 2, 2, 1}, {0.5F, 0.5F, 0.5F, 0.5F}), floats({1, 4}, {0, 0, 1, 1}), ints({1}, {0}), int_scalar(1), int_scalar(1),
       float_scalar(1), float_scalar(1), int_scalar(1500), int_scalar(1500), bool_scalar(false)},
      kTensorFloat32);
  ASSERT_EQ(mean.values.size(), 1U);
  EXPECT_NEAR(mean.values[0], 0.5F, 0.01F);  // millions of float32 additions
}

}  // namespace
}  // namespace nnvk::cpu
