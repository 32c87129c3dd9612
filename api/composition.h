// The differences between the libraries that share the entry points: each library defines these functions once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::api {

// The devices of nnvk itself that clients see. A library with fewer than all is a driver: it looks for no plugins, because the
// runtime that loaded it does.
enum class OwnDevices : uint8_t {
  kAll,
  kAllButReference,  // a Support Library leaves that one to the platform (docs/nnapi/support_library.md)
  kNone,             // the library is a driver of something else
};
OwnDevices own_devices();

// Returns the devices besides nnvk's own; they precede the CPU devices in the list of devices.
std::vector<std::unique_ptr<Device>> further_devices();

}  // namespace nnvk::api
