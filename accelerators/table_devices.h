// The devices of a Support Library and their descriptions.
#pragma once

#include <vector>

#include "accelerators/driver_model.h"
#include "accelerators/sl_table.h"

namespace nnvk::accelerators {

struct TableDevice {
  const ANeuralNetworksDevice* handle = nullptr;  // lives with the library
  DeviceDescription description;
};

// All devices of the library with a valid description (check_device()); logs and leaves out the others.
Result<std::vector<TableDevice>> list_devices(const SlTable& table);

}  // namespace nnvk::accelerators
