// The texts that explain kernel choices, made from the facts that decided.
#include "vulkan/kernels/kernel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "softmax_kernels.h"
#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

using test::product_of;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A kernel with both variants, over tensors of this size.
std::string reason(uint64_t bytes, const DeviceTraits& traits, const std::string& choice = {}) {
  Dispatch dispatch;
  dispatch.kernel = kernels::kSoftmaxFloat.id;
  dispatch.groups = {1000, 2, 1};
  dispatch.choice = choice;
  const KernelInfo& kernel = kernel_info(dispatch.kernel);
  const std::vector<BoundBytes> bound(kernel.bindings.size(), BoundBytes{ViewFormat::kRgba32Sfloat, bytes});
  const auto variant = choose_variant(kernel, bound, traits);
  EXPECT_TRUE(variant);
  return variant ? choice_reason(dispatch, *variant, bound, traits) : "";
}

TEST(ChoiceReason, TheBestFormNeedsNoExcuse) {
  EXPECT_THAT(reason(1024, {}), HasSubstr("texel: its best form; 2,000 work groups of 64"));
}

TEST(ChoiceReason, AnotherFormSaysWhatTheBestOneLacked) {
  DeviceTraits small;
  small.max_texel_elements = 16;
  EXPECT_THAT(reason(1024, small), HasSubstr("words, not texel: a tensor of 1024 bytes exceeds the device's texel buffers"));
  DeviceTraits words;
  words.variants = {KernelVariant::kWords};
  EXPECT_THAT(reason(1024, words), HasSubstr("words, not texel: the device runs no texel kernels"));
}

TEST(ChoiceReason, WhatTheEmitterSaysComesFirst) {
  EXPECT_THAT(reason(16, {}, "the moon is full"), StartsWith("the moon is full; "));
}

TEST(ChoiceReason, LargeNumbersAreReadable) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(1234567), "1,234,567");
}

TEST(ConvolutionReason, TilesSayWhatKeepsTheDeviceBusy) {
  EXPECT_THAT(
      reason_of(RegisterTile{8, 1, 1}, product_of(98'304, 24), {}),
      StartsWith("8 pixels x 1 vector of channels: the largest tile within 64 registers, 294,912 invocations keep the device "
                 "busy (9,216 do)"));
  EXPECT_THAT(reason_of(RegisterTile{}, product_of(49, 40), {}),
              HasSubstr("1 pixel x 1 vector of channels: the largest tile within 64 registers that leaves the 9,216"));
  EXPECT_THAT(reason_of(RegisterTile{}, product_of(1, 40), {}), HasSubstr("there is one pixel"));
  EXPECT_THAT(reason_of(RegisterTile{4, 1, 1}, product_of(3, 40), {}), HasSubstr("all 3 pixels share their weights"));
}

TEST(ConvolutionReason, SoftwareVulkanCountsInstructions) {
  DeviceTraits software;
  software.machine.kind = MachineKind::kSoftware;
  const RegisterTile shared{16, 1, 8};
  EXPECT_THAT(reason_of(shared, product_of(3136, 16), software), HasSubstr("the fewest instructions"));
  EXPECT_THAT(reason_of(shared, product_of(3136, 16), software),
              HasSubstr("8 invocations read the input of their pixels together"));
}

TEST(ConvolutionReason, SlowWaysAreNamed) {
  ProductShape shape = product_of(49, 1);
  shape.window = kWindowPadded;
  EXPECT_THAT(reason_of(RegisterTile{}, shape, {}), Not(HasSubstr("element by element")));
  EXPECT_THAT(reason_of(RegisterTile{}, shape, {}), HasSubstr("the window leaves the image"));
  shape.input_unit = 1;
  shape.scalar_output = shape.narrow = true;
  EXPECT_THAT(reason_of(RegisterTile{}, shape, {}), HasSubstr("input element by element"));
  EXPECT_THAT(reason_of(RegisterTile{}, shape, {}), HasSubstr("another kernel narrows"));
}

TEST(ConvolutionReason, DepthwiseRowsAreUnrolledOrNot) {
  ProductShape shape;
  shape.geometry = {.batches = 1, .out_height = 100, .out_width = 160, .out_channels = 20};  // 20,000 tiles
  EXPECT_THAT(reason_of(DepthwiseChoice{.tile_pixels = 4, .filter_width = 3, .stride_width = 2}, shape, {}),
              HasSubstr("4 pixels of 1 row: the largest tile within 64 registers, 20,000 invocations keep the device busy (9,216 "
                        "do); rows of 3 taps unrolled, stride 2"));
  EXPECT_THAT(reason_of(DepthwiseChoice{}, shape, {}), HasSubstr("any filter width"));
}

}  // namespace
}  // namespace nnvk::vulkan
