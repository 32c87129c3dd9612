// Which forms are tried, when a form counts as slower, and how the result is stored. All times are invented.
#include "vulkan/slower_forms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cpu_fallback/reference_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan {
namespace {

DeviceTraits gpu() {
  DeviceTraits traits;
  traits.machine = {MachineKind::kDiscrete, 40, 64};
  traits.registers = 128;
  traits.max_group_invocations = 1024;
  traits.max_shared_memory = 32768;
  return traits;
}

// A machine on which plans take a second each, and `slow` times as long for each form in `slow_forms` that is not left out.
class InventedMachine {
 public:
  InventedMachine(KernelForms slow_forms, double slow) : slow_forms_(slow_forms), slow_(slow) {}

  Result<KernelForms> find(const DeviceTraits& traits) {
    return find_slower_forms(traits, cpu::reference_evaluator(),
                             [this](KernelForms slower, const std::vector<PlanPointer>& plans) {
                               asked.push_back(slower);
                               EXPECT_FALSE(plans.empty());
                               double seconds = 1;
                               for (const KernelForm form : kKernelForms) {
                                 if (slow_forms_.contains(form) && !slower.contains(form)) seconds *= slow_;
                               }
                               return Result<std::vector<double>>(std::vector<double>(plans.size(), seconds));
                             });
  }
  std::vector<KernelForms> asked;

 private:
  KernelForms slow_forms_;
  double slow_;
};

TEST(SlowerForms, AreThoseThatTakeLongerThanWithoutThem) {
  InventedMachine tiles_are_slow({KernelForm::kTiles}, 1.5);
  EXPECT_EQ(tiles_are_slow.find(gpu()), KernelForms{KernelForm::kTiles});
  InventedMachine split_is_slow({KernelForm::kSplit}, 1.5);
  EXPECT_EQ(split_is_slow.find(gpu()), KernelForms{KernelForm::kSplit});
}

// An AMD GPU with all features that forms of matrix products need.
DeviceTraits gpu_with_everything() {
  DeviceTraits traits = gpu();
  traits.features = {KernelFeature::kDotProduct, KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kMemoryModel,
                     KernelFeature::kCooperativeMatrix};
  traits.half_matrices = traits.byte_matrices = {16, 16, 16};
  traits.subgroup_size = 32;
  traits.fast_dot_products = true;
  return traits;
}

TEST(SlowerForms, EveryFormOfProductsIsTriedWhereADeviceHasIt) {
  for (const KernelForm form : {KernelForm::kMatrix, KernelForm::kTiles, KernelForm::kSplit}) {
    EXPECT_EQ(InventedMachine({form}, 2).find(gpu_with_everything()), KernelForms{form}) << name_of(form);
  }
  // The device chooses these forms only without matrices, so the search measures them after it has left out matrices.
  for (const KernelForm form : {KernelForm::kDot, KernelForm::kHalf}) {
    const KernelForms both{KernelForm::kMatrix, form};
    EXPECT_EQ(InventedMachine(both, 2).find(gpu_with_everything()), both) << name_of(form);
  }
}

TEST(SlowerForms, WhatIsFasterOrAboutAsFastStays) {
  EXPECT_EQ(InventedMachine({KernelForm::kTiles}, 0.5).find(gpu()), KernelForms());
  EXPECT_EQ(InventedMachine({KernelForm::kTiles}, 1.02).find(gpu()), KernelForms());
}

TEST(SlowerForms, EachIsMeasuredWithAndWithoutItBesideWhatIsLeftOutAlready) {
  InventedMachine machine({KernelForm::kSplit}, 2);
  ASSERT_TRUE(machine.find(gpu()));
  const KernelForms split{KernelForm::kSplit};
  const KernelForms both{KernelForm::kTiles, KernelForm::kSplit};
  EXPECT_EQ(machine.asked, (std::vector<KernelForms>{{}, split, split, both}));
}

TEST(SlowerForms, AreNotLookedForWhereNothingIsChosenOrAFormIsAskedFor) {
  DeviceTraits software = gpu();
  software.machine.kind = MachineKind::kSoftware;
  InventedMachine machine({}, 1);
  EXPECT_EQ(machine.find(software), KernelForms());
  DeviceTraits plain = gpu();
  plain.forms = {KernelForm::kPlainProducts};
  EXPECT_EQ(machine.find(plain), KernelForms());
  EXPECT_TRUE(machine.asked.empty());
}

TEST(SlowerForms, AreFoundAnewHoweverTheDeviceChoosesNow) {
  DeviceTraits calibrated = gpu();
  calibrated.slower = {KernelForm::kTiles, KernelForm::kSplit};
  EXPECT_EQ(InventedMachine({KernelForm::kTiles}, 0.5).find(calibrated), KernelForms());
}

TEST(SlowerForms, ErrorsOfTheDeviceEndTheSearch) {
  const auto found = find_slower_forms(gpu(), cpu::reference_evaluator(),
                                       [](KernelForms, const std::vector<PlanPointer>&) -> Result<std::vector<double>> {
                                         return fail(Code::kDeadObject, "it is lost");
                                       });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "it is lost");
}

TEST(SlowerForms, AreKeptByName) {
  for (const KernelForms forms :
       {KernelForms{}, KernelForms{KernelForm::kTiles}, KernelForms{KernelForm::kDot, KernelForm::kSplit}}) {
    EXPECT_EQ(kept_forms(kept_bytes(forms)), forms);
  }
  const std::string damaged = "tiles, of another build";
  EXPECT_EQ(kept_forms(std::as_bytes(std::span(damaged))), KernelForms());
  EXPECT_EQ(describe_slower({}), "");
  EXPECT_EQ(describe_slower({KernelForm::kTiles}), "leaves out kernels tiles: measured to be slower");
}

TEST(KeptChoicesOfDevices, ChangeHowADeviceIsOpenedAndWhatItsCachesBelongToButNotItsCalibration) {
  DeviceInfo asked;
  const auto tiles = kept_bytes({KernelForm::kTiles});
  const auto keeps_tiles = [&](const DeviceInfo& device) {
    asked = device;
    return tiles;
  };
  const auto before = discover_devices(cpu::reference_evaluator());
  const auto after = discover_devices(cpu::reference_evaluator(), {}, keeps_tiles);
  if (before.empty()) GTEST_SKIP() << "no Vulkan device";
  ASSERT_EQ(before.size(), after.size());
  const DeviceInfo& old = before.back()->info();
  const DeviceInfo& calibrated = after.back()->info();
  EXPECT_EQ(asked.name, calibrated.name);
  EXPECT_EQ(asked.calibration_identity, calibrated.calibration_identity);
  EXPECT_EQ(old.calibration_identity, calibrated.calibration_identity);
  EXPECT_NE(old.cache_identity, calibrated.cache_identity);
  const auto left_out = [](const DeviceInfo& info) {
    const auto found = std::ranges::find(info.properties, "kernel forms left out", &Property::name);
    return found == info.properties.end() ? std::string() : found->value;
  };
  EXPECT_EQ(left_out(old), "none");
  EXPECT_EQ(left_out(calibrated), "tiles (measured to be slower)");
}

TEST(KeptChoicesOfDevices, ADeviceWithoutAChoiceMeasuresNothing) {
  const auto devices = discover_devices(cpu::reference_evaluator(), {.forms = {KernelForm::kPlainProducts}});
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  const auto choices = devices[0]->measure_choices();
  ASSERT_TRUE(choices) << choices.error().text();
  EXPECT_TRUE(choices->bytes.empty());
  EXPECT_EQ(choices->text, "");
  EXPECT_EQ(choices->device, nullptr);
}

}  // namespace
}  // namespace nnvk::vulkan
