// What differs between the libraries that are made of the same entry points: each defines it once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::api {

// Which devices of nnvk's own clients see.
enum class OwnDevices : uint8_t {
  kAll,
  kAllButReference,  // a Support Library leaves that one to the platform (docs/nnapi/support_library.md)
  kNone,             // the library is a driver of something else
};
OwnDevices own_devices();

// Devices besides nnvk's own; they come before the CPU devices.
std::vector<std::unique_ptr<Device>> further_devices();

// Whether plugins are looked for. A driver that somebody else has loaded leaves that to him.
bool loads_plugins();

}  // namespace nnvk::api
