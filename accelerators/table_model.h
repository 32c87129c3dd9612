// Makes a model of a Support Library from a description.
#pragma once

#include <functional>
#include <map>
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
  // The type codes of the model's inputs and outputs in this library; extensions have a prefix of its own.
  std::vector<int32_t> input_types;
  std::vector<int32_t> output_types;
};

// `description` has passed check_model(). The library's errors; BAD_DATA for constants outside their regions.
Result<BuiltModel> build_model(const SlTable& table, const ModelDescription& description, const TableRegions& regions);

}  // namespace nnvk::accelerators
