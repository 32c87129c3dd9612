// What the devices of a Support Library say of themselves.
#pragma once

#include <vector>

#include "accelerators/driver_model.h"
#include "accelerators/sl_table.h"

namespace nnvk::accelerators {

struct TableDevice {
  const ANeuralNetworksDevice* handle = nullptr;  // lives with the library
  DeviceDescription description;
};

// All devices of the library that describe themselves well (check_device()); the others are logged and left out.
Result<std::vector<TableDevice>> list_devices(const SlTable& table);

}  // namespace nnvk::accelerators
