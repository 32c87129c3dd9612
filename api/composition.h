// What differs between the libraries that are made of the same entry points: each defines it once.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::api {

// Whether clients see nnapi-reference. A Support Library leaves it to the platform (docs/nnapi/support_library.md).
bool offers_reference_device();

// Devices besides those that every library looks for; they come before the CPU devices.
std::vector<std::unique_ptr<Device>> further_devices();

}  // namespace nnvk::api
