// Messages distinguish small scales from each other and from 0.
#include <gtest/gtest.h>

#include "core/model/extension_registry.h"
#include "core/model/operand_rules.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

TEST(Messages, SayWhichScaleAnOperandHas) {
  const ExtensionRegistry extensions;
  const uint32_t dimension = 2;
  const auto floats = make_operand_info({static_cast<int32_t>(OperandType::kTensorFloat32), &dimension, 1, 1e-9F, 0}, extensions);
  ASSERT_FALSE(floats);
  EXPECT_NE(floats.error().message.find("scale is 1e-09, it must be 0"), std::string::npos) << floats.error().message;
}

TEST(Messages, SayHowScalesDiffer) {
  OperandInfo one;
  one.scale = 1.25e-8F;
  OperandInfo other;
  other.scale = 1.5e-8F;
  const Status status = check_same_quantization(one, other, "input and output", Code::kBadData);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "input and output must have the same scale and zero point, but have 1.25e-08, 0 and 1.5e-08, 0");
}

}  // namespace
}  // namespace nnvk
