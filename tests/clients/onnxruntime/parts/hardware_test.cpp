#include "clients/onnxruntime_provider/hardware.h"

#include <gmock/gmock.h>

namespace nnvk::clients::onnxruntime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::vector<KnownDevice> kKnown{{"vulkan-navi", {HardwareKind::kGpu, 0x1002, 0x73bf}},
                                      {"vulkan-navi-2", {HardwareKind::kGpu, 0x1002, 0x73bf}},
                                      {"vulkan-llvmpipe", {HardwareKind::kGpu, 0x10005, 0}},
                                      {"nnvk-cpu", {HardwareKind::kCpu, 0, 0}},
                                      {"nnapi-reference", {HardwareKind::kCpu, 0, 0}}};

TEST(Hardware, GpusAreFoundByTheirIds) {
  const std::vector<Hardware> hardware{{HardwareKind::kCpu, 0x1022, 0}, {HardwareKind::kGpu, 0x1002, 0x73bf}};
  EXPECT_THAT(match(hardware, kKnown), ElementsAre(Pair(0, 3), Pair(1, 0)));
}

TEST(Hardware, EqualGpusAreDifferentDevices) {
  const std::vector<Hardware> hardware{{HardwareKind::kGpu, 0x1002, 0x73bf}, {HardwareKind::kGpu, 0x1002, 0x73bf}};
  EXPECT_THAT(match(hardware, kKnown), ElementsAre(Pair(0, 0), Pair(1, 1)));
}

TEST(Hardware, OfOtherIdsOrKindsHasNoDevice) {
  const std::vector<Hardware> hardware{{HardwareKind::kGpu, 0x10de, 0x73bf}, {HardwareKind::kOther, 0x1002, 0x73bf}};
  EXPECT_THAT(match(hardware, kKnown), IsEmpty());
}

TEST(Hardware, OfThisMachineHasTheFastCpu) {
  const Hardware cpu{HardwareKind::kCpu, 0, 0};
  const Hardware gpu{HardwareKind::kGpu, 0x1002, 0x73bf};
  for (const std::vector<Hardware>& hardware : {std::vector<Hardware>{cpu}, {cpu, gpu}}) {
    const auto known = known_devices(hardware);
    ASSERT_TRUE(known) << known.error().message;
    EXPECT_EQ(known->size() > 1, hardware.size() > 1) << "without a GPU in the hardware, only the CPU is looked for";
    const auto pairs = match(hardware, *known);
    ASSERT_FALSE(pairs.empty());
    EXPECT_EQ((*known)[pairs[0].second].name, "nnvk-cpu");
  }
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
