// The fake device with the operations of "nnvk.test" that it lists, and perhaps ADD of floats.
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::test {

// `info`: the device's description. It runs the operations of "nnvk.test" that the description lists.
std::unique_ptr<Device> make_extension_device(DeviceInfo info, bool runs_add);

}  // namespace nnvk::test
