// Composes the sample driver's library: nnvk's entry points behind a Support Library's table, with the NPU as the only device.
#include "api/composition.h"

#include "accelerators/sample_npu/npu_device.h"

namespace nnvk::api {

OwnDevices own_devices() { return OwnDevices::kNone; }

std::vector<std::unique_ptr<Device>> further_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(sample_npu::make_npu_device());
  return devices;
}

}  // namespace nnvk::api
