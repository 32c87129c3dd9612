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

// Lists the devices of the library that have a valid description (check_device()); logs all others.
Result<std::vector<TableDevice>> list_devices(const SlTable& table);

}  // namespace nnvk::accelerators
