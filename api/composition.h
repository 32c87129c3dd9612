// The differences between the libraries that share the entry points: each library defines these functions once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::api {

// The devices of nnvk itself that clients see.
enum class OwnDevices : uint8_t {
  kAll,
  kAllButReference,  // a Support Library leaves that one to the platform (docs/nnapi/support_library.md)
  kNone,             // the library is a driver of something else
};
OwnDevices own_devices();

// Devices besides nnvk's own, which precede the CPU devices in the list of devices.
std::vector<std::unique_ptr<Device>> further_devices();

// Whether the library looks for plugins. If it is a driver, the runtime that loaded it does so.
bool loads_plugins();

}  // namespace nnvk::api
