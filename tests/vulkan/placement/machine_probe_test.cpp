// Probes of a GPU's speed: what they measure, when they run, and what they keep. Lavapipe stands in for a GPU
// (KernelForm::kHardware).
#include "vulkan/machine_probe.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/runtime/calibration_file.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/temporary_folder.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan {
namespace {

using test::PlanFixture;
using test::TemporaryFolder;

constexpr MachineSpeed kSlow{.multiply_adds_per_second = 1e6,
                             .bytes_per_second = 1e5,
                             .uploaded_bytes_per_second = 1e4,
                             .seconds_per_dispatch = 1e-3,
                             .seconds_per_submission = 1e-2};

// Devices of this test keep their files in a folder of its own.
class Probes : public testing::Test {
 protected:
  void SetUp() override {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr) before_ = cache;
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override { before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1); }

  static std::unique_ptr<Device> open(KernelForms forms) {
    auto devices = discover_devices(cpu::reference_evaluator(), {.forms = forms});
    return devices.empty() ? nullptr : std::move(devices.front());
  }
  static double seconds_of_addition(const Device& device) {
    PlanFixture m;
    const TensorId x = m.input({1000}, OperandType::kTensorFloat32);
    const TensorId y = m.output({1000}, OperandType::kTensorFloat32);
    m.node(OperationCode::kAdd, {x, x, m.scalar(0)}, {y});
    return device.place(*m.plan()).front().predicted_seconds;
  }
  // Returns the files that hold speeds.
  size_t kept() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.path().filename().string().starts_with("speed-")) ++count;
    }
    return count;
  }

  const TemporaryFolder folder_;
  std::string before_;
};

TEST_F(Probes, RunWhenAGpuFirstPredictsTimesAndNeverAgain) {
  const auto device = open({KernelForm::kHardware});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  EXPECT_EQ(kept(), 0U) << "opening and listing measure nothing";
  EXPECT_GT(seconds_of_addition(*device), 0);
  ASSERT_EQ(kept(), 1U);
  const auto bytes = read_speed(folder_.path() + "/nnvk", device->info());
  ASSERT_TRUE(bytes) << bytes.error().text();
  EXPECT_TRUE(speed_of(*bytes));
}

TEST_F(Probes, OfEarlierProcessesDecidePredictions) {
  const auto device = open({KernelForm::kHardware});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  ASSERT_TRUE(keep_speed(folder_.path() + "/nnvk", device->info(), bytes_of(kSlow)));
  // 1,000 elements of 4 bytes come in and go out.
  EXPECT_GT(seconds_of_addition(*device), kSlow.seconds_per_dispatch + 8000 / kSlow.bytes_per_second);
  EXPECT_EQ(device->costs()->transfers().seconds_per_step, kSlow.seconds_per_submission);
}

TEST_F(Probes, ReplaceADamagedFile) {
  const auto device = open({KernelForm::kHardware});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  const std::vector<std::byte> damaged(3);
  ASSERT_TRUE(keep_speed(folder_.path() + "/nnvk", device->info(), damaged));
  EXPECT_GT(seconds_of_addition(*device), 0);
  EXPECT_TRUE(speed_of(*read_speed(folder_.path() + "/nnvk", device->info())));
}

TEST_F(Probes, AreNotNeededByACalibratedDevice) {
  const auto device = open({KernelForm::kHardware});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  MeasuredCosts costs;
  costs.rates[{CostFamily::kElementwise}] = {5.0, 0, 0, 0};
  device->costs()->use(costs);
  EXPECT_DOUBLE_EQ(seconds_of_addition(*device), 5.0);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Probes, DoNotRunOnSoftwareWhoseCostsWereMeasured) {
  const auto device = open({});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  bool is_software = false;
  for (const Property& property : device->info().properties) is_software |= property.value == "software on the CPU";
  if (!is_software) GTEST_SKIP() << device->info().name << " is no software";
  EXPECT_GT(seconds_of_addition(*device), 0);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Probes, KeepTheFactorOfTheSettings) {
  const auto device = open({KernelForm::kHardware});
  if (device == nullptr) GTEST_SKIP() << "no Vulkan device";
  ASSERT_TRUE(keep_speed(folder_.path() + "/nnvk", device->info(), bytes_of(kSlow)));
  const auto other = open({KernelForm::kHardware});
  other->costs()->multiply_by(3);
  EXPECT_DOUBLE_EQ(seconds_of_addition(*other), 3 * seconds_of_addition(*device));
}

TEST(MachineSpeedFile, HoldsFiguresAboveZeroAlone) {
  EXPECT_EQ(speed_of(bytes_of(kSlow)), kSlow);
  std::vector<std::byte> bytes = bytes_of(kSlow);
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(speed_of(bytes)) << "too long";
  bytes.resize(bytes.size() - 2);
  EXPECT_FALSE(speed_of(bytes)) << "too short";
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    MachineSpeed speed = kSlow;
    speed.seconds_per_dispatch = bad;
    EXPECT_FALSE(speed_of(bytes_of(speed))) << bad;
  }
}

}  // namespace
}  // namespace nnvk::vulkan
