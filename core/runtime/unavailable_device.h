// A device that nnvk knows but cannot use in this process.
#pragma once

#include <memory>
#include <string>

#include "core/runtime/device.h"

namespace nnvk {

// Returns a device with the name, version, type and feature level of `known`. It runs nothing: compilations, memories and
// measurements fail with UNAVAILABLE_DEVICE and `why`.
std::unique_ptr<Device> make_unavailable_device(const DeviceInfo& known, std::string why);

}  // namespace nnvk
