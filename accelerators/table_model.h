// Makes a model in a Support Library from a description.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "accelerators/driver_model.h"
#include "accelerators/sl_table.h"

namespace nnvk::accelerators {

// Memory that was shared with a table driver: the library's own object for it.
struct TableRegion {
  TableMemory memory;
  uint64_t size = 0;
};
using TableRegions = std::function<std::shared_ptr<const TableRegion>(RegionId)>;  // null: there is none

struct BuiltModel {
  std::vector<std::shared_ptr<const TableRegion>> regions;  // of constants; freed after the model
  TableModel model;
  // The library's type codes of the operands; extension types have a prefix that differs between libraries.
  std::vector<int32_t> types;
};

// Builds a model from `description`, which must have passed check_model(). Returns the library's errors, or BAD_DATA for
// constants outside their regions.
Result<BuiltModel> build_model(const SlTable& table, const ModelDescription& description, const TableRegions& regions);

}  // namespace nnvk::accelerators
