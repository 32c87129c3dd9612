// The table of forms: its order, and products for which no special form is left. No GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

// The number of a product's row in the table.
size_t row_of(const ProductShape& shape, const DeviceTraits& traits) {
  size_t row = 0;
  const bool found = std::apply(
      [&](const auto&... form) { return ((choose(form, shape, traits).has_value() || (++row, false)) || ...); }, kProductForms);
  EXPECT_TRUE(found);
  return row;
}

TEST(ProductForms, EveryProductHasAFormOnTheLeastDevice) {
  DeviceTraits least;
  least.variants = {KernelVariant::kWords};
  least.max_storage_buffers = 4;
  least.forms = {KernelForm::kPlainProducts};
  least.slower = kAllKernelForms;
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorQuant8Asymm}) {
    for (const bool depthwise : {false, true}) {
      ProductShape shape = test::product_of(49, 16);
      shape.type = type;
      shape.depthwise = depthwise;
      EXPECT_EQ(row_of(shape, least), depthwise ? 7U : 5U);
    }
  }
}

TEST(ProductForms, CalibrationsMeasureFormsThatReplaceOthersFirst) {
  EXPECT_THAT(special_product_forms(), testing::ElementsAre(KernelForm::kMatrix, KernelForm::kDot, KernelForm::kHalf,
                                                            KernelForm::kSplit, KernelForm::kTiles));
}

TEST(ProductForms, ARequestForPlainProductsExcludesAllOthers) {
  DeviceTraits traits;
  traits.forms = kAllKernelForms;
  EXPECT_EQ(row_of(test::product_of(3, 16), traits), 5U);
  traits.forms = {KernelForm::kSplit, KernelForm::kTiles};
  EXPECT_EQ(row_of(test::product_of(3, 16), traits), 3U) << "the first row that is requested";
}

}  // namespace
}  // namespace nnvk::vulkan
