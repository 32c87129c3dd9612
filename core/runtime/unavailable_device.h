// A device that is known and cannot be used in this process.
#pragma once

#include <memory>
#include <string>

#include "core/runtime/device.h"

namespace nnvk {

// With the name, version and type of `known`. It runs no operation; compilations for it alone fail with UNAVAILABLE_DEVICE, and
// `why` is what they say.
std::unique_ptr<Device> make_unavailable_device(const DeviceInfo& known, std::string why);

}  // namespace nnvk
