// The devices that the suite runs on, one row each.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::test {

struct DeviceRow {
  const char* name;
  std::function<std::unique_ptr<Device>()> make;  // null if the machine has none
  bool has_memory;                                // the device allocates memory of its own
  bool is_cut;                                    // its plans run in steps on several devices
  bool queues;                                    // executions may follow others of the device that have not run
};

inline void PrintTo(const DeviceRow& row, std::ostream* stream) { *stream << row.name; }

std::vector<DeviceRow> device_rows();

// The device of this row that the tests of the program share; null if the machine has none.
Device* shared_device(const DeviceRow& row);

// The number of errors that the Vulkan validation layers have reported so far.
uint64_t complaints();

}  // namespace nnvk::test
