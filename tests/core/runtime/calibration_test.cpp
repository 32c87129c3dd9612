// Calibrations: their contents and their files.
#include "core/runtime/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <utility>

#include "core/runtime/calibration_file.h"
#include "core/runtime/sample_plans.h"
#include "cpu_fallback/cpu_device.h"
#include "tests/support/fake_device.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

Calibration some_calibration() {
  Calibration calibration;
  calibration.costs.transfers = {1e-5, 2e-6, 3e-10};
  calibration.costs.rates[{CostFamily::kConvolution, true, false, KernelKind::kOwn}] = {1e-6, 2e-9, 0, 4e-9};
  calibration.costs.choices = {std::byte{7}, std::byte{0}};
  calibration.costs.rates[{CostFamily::kPooling, false, true, KernelKind::kReference}] = {5e-6, 0, 6e-9, 0};
  return calibration;
}

TEST(CalibrationFile, GivesBackWhatWasKeptForTheSameDeviceAlone) {
  const TemporaryFolder folder;
  const std::string inner = folder.file("made") + "/on/demand";
  const FakeDevice device("a device: \"1/2\"");
  EXPECT_FALSE(read_calibration(inner, device.info())) << "there is none yet";
  const auto path = keep_calibration(inner, device.info(), some_calibration());
  ASSERT_TRUE(path) << path.error().text();
  const auto kept = read_calibration(inner, device.info());
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(*kept, some_calibration().costs);
  std::filesystem::copy_file(*path, inner + "/calibration-another");
  EXPECT_FALSE(read_calibration(inner, FakeDevice("another").info()));
}

TEST(CalibrationFile, IsIgnoredAfterAnUpdateOfTheDriverOrTheKernels) {
  const TemporaryFolder folder;
  FakeDevice device("device");
  ASSERT_TRUE(keep_calibration(folder.path(), device.info(), some_calibration()));
  const DeviceInfo before = device.info();
  device.changeable_info().version = before.version + ", updated";
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
  device.changeable_info() = before;
  device.changeable_info().cache_identity = before.cache_identity + ", other kernels";
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
  device.changeable_info() = before;
  EXPECT_TRUE(read_calibration(folder.path(), device.info()));
}

TEST(CalibrationFile, BelongsToTheDeviceAsItIsBeforeItHasReadOne) {
  const TemporaryFolder folder;
  FakeDevice device("device");
  device.changeable_info().calibration_identity = "hardware";
  ASSERT_TRUE(keep_calibration(folder.path(), device.info(), some_calibration()));
  device.changeable_info().cache_identity += ", other choices";
  EXPECT_TRUE(read_calibration(folder.path(), device.info()));
  device.changeable_info().calibration_identity = "other hardware";
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
}

TEST(CalibrationFile, IsIgnoredWhenItIsDamagedOrHoldsNoTimes) {
  const TemporaryFolder folder;
  const FakeDevice device("device");
  const std::string path = *keep_calibration(folder.path(), device.info(), some_calibration());
  const auto size = std::filesystem::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size) - 3);
    file.put('x');
  }
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
  std::filesystem::resize_file(path, size / 2);
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
  for (const double no_time : {std::nan(""), double{INFINITY}, -1e-9}) {
    Calibration senseless = some_calibration();
    senseless.costs.rates.begin()->second[0] = no_time;
    ASSERT_TRUE(keep_calibration(folder.path(), device.info(), senseless));
    EXPECT_FALSE(read_calibration(folder.path(), device.info())) << no_time;
    senseless = some_calibration();
    senseless.costs.transfers.seconds_per_byte = no_time;
    ASSERT_TRUE(keep_calibration(folder.path(), device.info(), senseless));
    EXPECT_FALSE(read_calibration(folder.path(), device.info())) << no_time;
  }
  ASSERT_TRUE(keep_calibration(folder.path(), device.info(), Calibration()));
  EXPECT_FALSE(read_calibration(folder.path(), device.info())) << "it is empty";
  ASSERT_TRUE(keep_calibration(folder.path(), device.info(), some_calibration())) << "the next one replaces it";
  EXPECT_TRUE(read_calibration(folder.path(), device.info()));
}

TEST(CalibrationFile, IsGoodForTheKernelsAndTheDriverThatWereMeasured) {
  const TemporaryFolder folder;
  FakeDevice device("device");
  device.changeable_info().kernels_version = "of today";
  ASSERT_TRUE(keep_calibration(folder.path(), device.info(), some_calibration()));
  EXPECT_TRUE(read_calibration(folder.path(), device.info()));
  device.changeable_info().kernels_version = "of tomorrow";
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
  device.changeable_info().kernels_version = "of today";
  device.changeable_info().version = "another driver";
  EXPECT_FALSE(read_calibration(folder.path(), device.info()));
}

TEST(Calibrations, DevicesWithTimesOfTheirOwnHaveNone) {
  FakeDevice device("fake");
  EXPECT_FALSE(calibrate(device));
}

// The CPU device, but measure_choices() offers a replacement with other choices.
class DeviceWithChoices final : public Device {
 public:
  const DeviceInfo& info() const override { return cpu_->info(); }
  CostModel* costs() override { return cpu_->costs(); }
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork) const override {
    ++*uses_;
    return cpu_->place(plan, groundwork);
  }
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    return cpu_->prepare(std::move(plan), options);
  }
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override { return cpu_->allocate(request); }
  Result<Ceilings> measure_ceilings() override { return cpu_->measure_ceilings(); }
  Result<MeasuredChoices> measure_choices() override {
    MeasuredChoices choices{{std::byte{3}}, "chooses otherwise", std::make_unique<DeviceWithChoices>()};
    chosen_uses = static_cast<DeviceWithChoices&>(*choices.device).uses_;
    return choices;
  }
  size_t uses() const { return *uses_; }
  std::shared_ptr<size_t> chosen_uses;

 private:
  std::unique_ptr<Device> cpu_ = cpu::make_cpu_device({1});
  std::shared_ptr<size_t> uses_ = std::make_shared<size_t>(0);
};

TEST(Calibrations, MeasureADeviceAsItWillChoose) {
  DeviceWithChoices device;
  const auto calibration = calibrate(device);
  ASSERT_TRUE(calibration) << calibration.error().text();
  EXPECT_EQ(calibration->costs.choices, std::vector<std::byte>{std::byte{3}});
  EXPECT_EQ(calibration->choices, "chooses otherwise");
  EXPECT_EQ(device.uses(), 0U);
  EXPECT_GT(*device.chosen_uses, 0U);
}

TEST(Calibrations, SamplesAreWhatTheCpuDeviceRuns) {
  const auto device = cpu::make_cpu_device({1});
  std::vector<PlanPointer> samples = sample_plans();
  const std::vector<PlanPointer> products = product_plans();
  samples.insert(samples.end(), products.begin(), products.end());
  for (const PlanPointer& sample : samples) {
    for (const Placement& placement : device->place(*sample)) EXPECT_TRUE(placement.supported);
    const auto prepared = device->prepare(sample, {});
    EXPECT_TRUE(prepared) << sample->describe(sample->nodes.front()) << ": " << prepared.error().text();
  }
}

TEST(Calibrations, EveryFamilyOfCostsWithARateHasSamplesInBothTypes) {
  std::set<std::pair<CostFamily, bool>> sampled;
  for (const PlanPointer& sample : sample_plans()) {
    const CostClass kind = cost_class(declared_view(*sample, sample->nodes.front()).view(), KernelKind::kOwn);
    sampled.insert({kind.family, kind.is_8bit});
  }
  EXPECT_EQ(sampled.size(), 2 * (kCostFamilyCount - 1));
  EXPECT_FALSE(sampled.contains({CostFamily::kOther, false}));
}

TEST(Calibrations, EveryRateIsATime) {
  const auto device = cpu::make_cpu_device({1});
  const auto calibration = calibrate(*device);
  ASSERT_TRUE(calibration) << calibration.error().text();
  EXPECT_GT(calibration->samples, 100U);
  EXPECT_LT(calibration->median_error, 1.0);
  const TransferCosts& transfers = calibration->costs.transfers;
  EXPECT_GE(transfers.seconds_per_step, 0);
  EXPECT_LT(transfers.seconds_per_step, 1e-3);
  EXPECT_GE(transfers.seconds_per_tensor, 0);
  EXPECT_GE(transfers.seconds_per_byte, 0);
  EXPECT_LT(transfers.seconds_per_byte, 1e-7) << "of one byte, however busy the machine";
  for (const auto& [kind, rates] : calibration->costs.rates) {
    double sum = 0;
    for (const double rate : rates) {
      EXPECT_TRUE(std::isfinite(rate) && rate >= 0) << cost_family_name(kind.family);
      sum += rate;
    }
    EXPECT_GT(sum, 0) << cost_family_name(kind.family);
  }
}

TEST(Calibrations, TheReferenceCompletesWhatADeviceWasNotSeenToUse) {
  Calibration device = some_calibration();
  Calibration reference = some_calibration();
  const CostClass pooling{CostFamily::kPooling, false, true, KernelKind::kReference};
  const CostClass resize{CostFamily::kResize, false, false, KernelKind::kReference};
  reference.costs.rates[pooling] = {7, 7, 7, 7};
  reference.costs.rates[resize] = {8, 8, 8, 8};
  complete_with_reference(device, reference);
  EXPECT_EQ(device.costs.rates[pooling], some_calibration().costs.rates[pooling]) << "what was measured stays";
  EXPECT_EQ(device.costs.rates[resize], (CostRates{8, 8, 8, 8}));
  EXPECT_EQ(device.costs.rates.size(), 3U);
}

}  // namespace
}  // namespace nnvk::test
