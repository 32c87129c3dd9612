// A driver over a Support Library's function table in this process: in-process plugins use it directly, a plugin host serves it.
#pragma once

#include <memory>
#include <string>

#include "accelerators/driver.h"
#include "accelerators/sl_table.h"

namespace nnvk::accelerators {

struct TableDriverOptions {
  unsigned threads = 4;   // for executions, which block in the plugin
  uint64_t first_id = 1;  // of regions, compilations and memories, each counted separately
};

// Loads the library and its table for the life of the process, because driver libraries do not survive being unloaded.
// UNAVAILABLE_DEVICE describes the fault of the file or the table.
Result<std::unique_ptr<Driver>> load_table_driver(const std::string& library, const TableDriverOptions& options = {});

// Makes a driver over a checked table, which must outlive the driver.
Result<std::unique_ptr<Driver>> make_table_driver(const SlTable& table, const TableDriverOptions& options = {});

}  // namespace nnvk::accelerators
