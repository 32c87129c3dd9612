// A model compiled by a Support Library, and its executions.
#pragma once

#include <memory>
#include <vector>

#include "accelerators/table_model.h"

namespace nnvk::accelerators {

// Finds the library's object for an id of device memory.
using TableMemories = std::function<std::shared_ptr<const TableMemory>(MemoryId)>;  // null: there is none

// Functions that find the library's objects for a table driver's ids.
struct TableObjects {
  TableRegions regions;
  TableMemories memories;
};

// A model that the library behind an SlTable has compiled. It is thread-safe: many executions may run at once.
class TableCompilation {
 public:
  // Compiles for `device`. Blocks.
  static Result<std::unique_ptr<TableCompilation>> create(const SlTable& table, const ANeuralNetworksDevice* device,
                                                          const CompilationRequest& request, const TableRegions& regions);

  // Returns one preference per input, or per output, of the model.
  std::vector<MemoryPreference> preferences(bool of_inputs) const;
  int32_t priority() const { return priority_; }
  ANeuralNetworksCompilation* handle() const { return compilation_.get(); }

  // Runs an execution on the calling thread until the library has finished.
  ExecutionAnswer run(const ExecutionRequest& request, const TableObjects& objects) const;

 private:
  TableCompilation(const SlTable& table, BuiltModel model, const ModelDescription& description);
  Status set_up(const CompilationRequest& request);
  Status set_argument(ANeuralNetworksExecution* execution, bool is_input, size_t index, const ArgumentPlace& place,
                      const TableObjects& objects) const;
  Status prepare(ANeuralNetworksExecution* execution, const ExecutionRequest& request) const;
  Status read_outputs(ANeuralNetworksExecution* execution, const ExecutionRequest& request, ExecutionAnswer& answer) const;

  const SlTable table_;
  BuiltModel model_;  // freed after the compilation
  TableObject<ANeuralNetworksCompilation> compilation_;
  std::vector<ModelOperand> inputs_;  // with the library's type codes
  std::vector<ModelOperand> outputs_;
  int32_t priority_ = 100;
};

}  // namespace nnvk::accelerators
