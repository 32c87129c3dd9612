// Which variant runs on which device: invented rows of the kernel table, invented devices.
#include "vulkan/kernels/kernel_choice.h"

#include <gtest/gtest.h>

#include <array>

#include "reduce_kernels.h"
#include "vulkan/context/device_plan.h"

namespace nnvk::vulkan {
namespace {

constexpr std::array kBindings = {BindingInfo{"in_x", BindingKind::kInput}, BindingInfo{"out_y", BindingKind::kOutput}};
constexpr std::array<uint32_t, 1> kSpirv = {0x07230203};
constexpr KernelModule kPlainTexel{KernelVariant::kTexel, {}, kSpirv};
constexpr KernelModule kHalfTexel{KernelVariant::kTexel, {KernelFeature::kFloat16, KernelFeature::kStorage16}, kSpirv};
constexpr KernelModule kWordsModule{KernelVariant::kWords, {}, kSpirv};
constexpr KernelModule kHalfWords{KernelVariant::kWords, {KernelFeature::kFloat16}, kSpirv};

constexpr std::array kPlain = {kPlainTexel, kWordsModule};
constexpr std::array kHalf = {kHalfTexel, kWordsModule};

KernelInfo kernel_with(std::span<const KernelModule> modules) {
  return {KernelId{1}, "Invented", "invented", {64, 1, 1}, kBindings, 0, {}, modules};
}

DeviceTraits device_with(KernelFeatures features) {
  DeviceTraits traits;
  traits.features = features;
  return traits;
}

constexpr std::array kSmall = {BoundBytes{ViewFormat::kRgba32Sfloat, 64}, BoundBytes{ViewFormat::kWords, 64}};

TEST(KernelChoice, TheFirstVariantThatTheDeviceRunsIsTaken) {
  const KernelInfo kernel = kernel_with(kPlain);
  EXPECT_EQ(choose_variant(kernel, kSmall, DeviceTraits{}), KernelVariant::kTexel);
  DeviceTraits without_texels;
  without_texels.variants = {KernelVariant::kWords};
  EXPECT_EQ(choose_variant(kernel, kSmall, without_texels), KernelVariant::kWords);
}

TEST(KernelChoice, AVariantThatNeedsAMissingFeatureGivesWayToTheNext) {
  const KernelInfo kernel = kernel_with(kHalf);
  const KernelFeatures both = {KernelFeature::kFloat16, KernelFeature::kStorage16};
  EXPECT_EQ(choose_variant(kernel, kSmall, device_with(both)), KernelVariant::kTexel);
  for (const KernelFeatures& some : {KernelFeatures{}, {KernelFeature::kFloat16}, {KernelFeature::kStorage16}}) {
    EXPECT_EQ(choose_variant(kernel, kSmall, device_with(some)), KernelVariant::kWords) << some.bits();
  }
}

TEST(KernelChoice, AKernelWhoseFeaturesTheDeviceLacksNeverRuns) {
  const std::array modules = {kHalfTexel, kHalfWords};
  const KernelInfo kernel = kernel_with(modules);
  const auto chosen = choose_variant(kernel, kSmall, DeviceTraits{});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, Code::kResourceExhaustedPersistent);
  EXPECT_EQ(chosen.error().message, "it needs float16, which the device lacks");
  EXPECT_FALSE(has_features_of(kernel, DeviceTraits{}));
  EXPECT_TRUE(has_features_of(kernel, device_with({KernelFeature::kFloat16}))) << "as words";
  EXPECT_EQ(choose_variant(kernel, kSmall, device_with({KernelFeature::kFloat16})), KernelVariant::kWords);
}

TEST(KernelChoice, ADevicePlanDecidesWhatAKernelMayUse) {
  DeviceSnapshot s;
  s.queue_families = {{VK_QUEUE_COMPUTE_BIT, 1, 0}};
  s.memory_types = {{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0}};
  s.memory_heaps = {{1ULL << 30, false}};
  s.texel_formats = true;
  s.kernel_features = {KernelFeature::kFloat16, KernelFeature::kStorage16};
  const KernelInfo kernel = kernel_with(kHalf);
  EXPECT_EQ(choose_variant(kernel, kSmall, device_plan(s)->traits), KernelVariant::kWords) << "float16 needs its extension";
  s.extensions = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
  EXPECT_EQ(choose_variant(kernel, kSmall, device_plan(s)->traits), KernelVariant::kTexel);
}

TEST(KernelChoice, TensorsBeyondTheTexelLimitAreReadAsWords) {
  const KernelInfo kernel = kernel_with(kPlain);
  DeviceTraits traits;
  traits.max_texel_elements = 4;
  EXPECT_EQ(choose_variant(kernel, kSmall, traits), KernelVariant::kTexel);
  const std::array larger = {BoundBytes{ViewFormat::kRgba32Sfloat, 80}, BoundBytes{ViewFormat::kWords, 64}};
  EXPECT_EQ(choose_variant(kernel, larger, traits), KernelVariant::kWords);
  const std::array large_output = {BoundBytes{ViewFormat::kRgba32Sfloat, 64}, BoundBytes{ViewFormat::kWords, 1U << 20}};
  EXPECT_EQ(choose_variant(kernel, large_output, traits), KernelVariant::kTexel) << "outputs are not texels";
}

TEST(KernelChoice, WhatNoVariantHoldsIsAnErrorWithTheLimit) {
  const KernelInfo kernel = kernel_with(kPlain);
  DeviceTraits traits;
  traits.max_storage_range = 32;
  EXPECT_EQ(choose_variant(kernel, kSmall, traits).error().message,
            "a tensor of 64 bytes exceeds the device's storage buffer range of 32");
  traits = {};
  traits.max_storage_buffers = 1;
  EXPECT_EQ(choose_variant(kernel, kSmall, traits), KernelVariant::kTexel) << "one storage buffer, the output";
  traits.variants = {KernelVariant::kWords};
  EXPECT_EQ(choose_variant(kernel, kSmall, traits).error().message, "it binds 2 storage buffers, the device offers a shader 1");
}

TEST(KernelChoice, ADeviceHasTheFeaturesOfAKernelIfItHasThoseOfOneVariant) {
  const KernelInfo& kernel = kernel_info(kernels::kReduceFloatQuads.id);
  EXPECT_TRUE(has_features_of(kernel, DeviceTraits{})) << "kernels without features run everywhere";
  DeviceTraits nothing;
  nothing.variants = {};
  EXPECT_FALSE(has_features_of(kernel, nothing));
}

}  // namespace
}  // namespace nnvk::vulkan
