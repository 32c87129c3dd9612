// Adds the extension devices to the devices of a test library.
#include "api/composition.h"
#include "core/runtime/runtime.h"
#include "tests/support/extension_device/extension_device.h"
#include "tests/support/extension_device/test_extension.h"

namespace nnvk::api {
namespace {

using test::kTestExtension;

DeviceInfo describe(const char* name, std::vector<uint16_t> operations, bool disputed_is_tensor) {
  DeviceInfo info;
  info.name = name;
  info.version = "1";
  info.type = DeviceType::kAccelerator;
  info.feature_level = kRuntimeFeatureLevel;
  info.extensions = {
      {kTestExtension, {{test::kFixed16, true, 2}, {test::kFactor, false, 8}}, std::move(operations)},
      {test::kDisputedExtension, {{test::kDisputedType, disputed_is_tensor, 4}}, {}},
  };
  return info;
}

}  // namespace

std::vector<std::unique_ptr<Device>> further_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(test::make_extension_device(
      describe(test::kExtensionDeviceName, {test::kToFixed, test::kScaleBy, test::kToFloat}, true), true));
  devices.push_back(test::make_extension_device(describe(test::kScalingDeviceName, {test::kScaleBy}, false), false));
  return devices;
}

}  // namespace nnvk::api
