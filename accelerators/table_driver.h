// A driver over the function table of a Support Library in this process. In-process plugins use it directly, and a plugin host
// serves it.
#pragma once

#include <memory>
#include <string>

#include "accelerators/driver.h"

struct NnApiSLDriverImpl;

namespace nnvk::accelerators {

struct TableDriverOptions {
  unsigned threads = 4;   // for executions, which block in the plugin
  uint64_t first_id = 1;  // of regions, compilations and memories, each counted on its own
};

// Loads the library and its table for the life of the process: driver libraries do not survive being unloaded. UNAVAILABLE_DEVICE
// describes the fault of the file or the table.
Result<std::unique_ptr<Driver>> load_table_driver(const std::string& library, const TableDriverOptions& options = {});

// Makes a driver over an existing table (tests), which must outlive it.
Result<std::unique_ptr<Driver>> make_table_driver(const NnApiSLDriverImpl& table, const TableDriverOptions& options = {});

}  // namespace nnvk::accelerators
