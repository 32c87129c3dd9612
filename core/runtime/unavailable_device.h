// A device that is known and cannot be used in this process.
#pragma once

#include <memory>
#include <string>

#include "core/runtime/device.h"

namespace nnvk {

// A device with the name, version and type of `known` that runs no operation. Compilations for it alone fail with
// UNAVAILABLE_DEVICE and the message `why`.
std::unique_ptr<Device> make_unavailable_device(const DeviceInfo& known, std::string why);

}  // namespace nnvk
