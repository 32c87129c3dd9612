// The devices of the test libraries besides the usual ones.
#include "api/composition.h"
#include "core/runtime/runtime.h"
#include "tests/support/extension_device/extension_device.h"
#include "tests/support/extension_device/test_extension.h"

namespace nnvk::api {
namespace {

using testing::kTestExtension;

DeviceInfo describe(const char* name, std::vector<uint16_t> operations, bool disputed_is_tensor) {
  DeviceInfo info;
  info.name = name;
  info.version = "1";
  info.type = DeviceType::kAccelerator;
  info.feature_level = kRuntimeFeatureLevel;
  info.extensions = {
      {kTestExtension, {{testing::kFixed16, true, 2}, {testing::kFactor, false, 8}}, std::move(operations)},
      {testing::kDisputedExtension, {{testing::kDisputedType, disputed_is_tensor, 4}}, {}},
  };
  return info;
}

}  // namespace

std::vector<std::unique_ptr<Device>> further_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(testing::make_extension_device(
      describe(testing::kExtensionDeviceName, {testing::kToFixed, testing::kScaleBy, testing::kToFloat}, true), true));
  devices.push_back(testing::make_extension_device(describe(testing::kScalingDeviceName, {testing::kScaleBy}, false), false));
  return devices;
}

}  // namespace nnvk::api
