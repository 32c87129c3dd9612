// The texts that explain kernel choices, made from the facts that decided.
#include "vulkan/kernels/choice_reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shaders/convolution_params.h"
#include "softmax_kernels.h"
#include "vulkan/kernels/convolution_reason.h"

namespace nnvk::vulkan {
namespace {

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
  const ConvolutionChoice large{.window = kWindowPointwise, .tile = {8, 1, 1}};
  EXPECT_THAT(
      reason_of(large, 100'000, 294'912, {}),
      StartsWith("8 pixels x 1 vector of channels: the largest tile within 64 registers, 294,912 invocations keep the device "
                 "busy (9,216 do)"));
  const ConvolutionChoice small{.window = kWindowPadded, .tile = {}};
  EXPECT_THAT(reason_of(small, 49, 1960, {}),
              HasSubstr("1 pixel x 1 vector of channels: the largest tile within 64 registers that leaves the 9,216"));
  EXPECT_THAT(reason_of(small, 1, 40, {}), HasSubstr("there is one pixel"));
  const ConvolutionChoice few{.window = kWindowPointwise, .tile = {4, 1, 1}};
  EXPECT_THAT(reason_of(few, 3, 40, {}), HasSubstr("all 3 pixels share their weights"));
}

TEST(ConvolutionReason, SoftwareVulkanCountsInstructions) {
  DeviceTraits software;
  software.machine.kind = MachineKind::kSoftware;
  const ConvolutionChoice shared{.window = kWindowPointwise, .tile = {16, 1, 8}};
  EXPECT_THAT(reason_of(shared, 3136, 3136, software), HasSubstr("the fewest instructions"));
  EXPECT_THAT(reason_of(shared, 3136, 3136, software), HasSubstr("8 invocations read the input of their pixels together"));
}

TEST(ConvolutionReason, SlowWaysAreNamed) {
  ConvolutionChoice choice{.window = kWindowPadded, .tile = {}};
  EXPECT_THAT(reason_of(choice, 49, 49, {}), Not(HasSubstr("element by element")));
  EXPECT_THAT(reason_of(choice, 49, 49, {}), HasSubstr("the window leaves the image"));
  choice.scalar_input = choice.scalar_output = choice.narrow = true;
  EXPECT_THAT(reason_of(choice, 49, 49, {}), HasSubstr("input element by element"));
  EXPECT_THAT(reason_of(choice, 49, 49, {}), HasSubstr("another kernel narrows"));
}

TEST(ConvolutionReason, DepthwiseRowsAreUnrolledOrNot) {
  EXPECT_THAT(reason_of(DepthwiseChoice{.tile_pixels = 4, .filter_width = 3, .stride_width = 2}, 20'000, {}),
              HasSubstr("4 pixels of 1 row: the largest tile within 64 registers, 20,000 invocations keep the device busy (9,216 "
                        "do); rows of 3 taps unrolled, stride 2"));
  EXPECT_THAT(reason_of(DepthwiseChoice{}, 20, {}), HasSubstr("any filter width"));
}

}  // namespace
}  // namespace nnvk::vulkan
