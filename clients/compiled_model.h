// A model compiled by NNAPI for one set of shapes, and its executions on a framework's memory.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "clients/device_choice.h"
#include "importers/imported_model.h"
#include "tools/nnapi/handles.h"

namespace nnvk::clients {

// The bytes of an input, as the framework holds them: INT64 where the port is wide.
struct InputBytes {
  const void* data = nullptr;
  size_t size = 0;
};

class CompiledModel {
 public:
  // Compiles the model for its inputs and outputs, all of whose shapes must be known. The error is the library's reason.
  static Result<std::unique_ptr<CompiledModel>> compile(importers::ImportedModel model, const PluginOptions& options,
                                                        const DeviceChoice& devices);

  const std::vector<importers::Port>& inputs() const { return model_.inputs; }
  const std::vector<importers::Port>& outputs() const { return model_.outputs; }
  const std::vector<importers::StatePort>& states() const { return model_.states; }
  // Returns the shapes of the outputs, as the framework makes them.
  const std::vector<std::vector<int64_t>>& output_shapes() const { return output_shapes_; }

  // Computes from these inputs into these outputs, which hold framework_bytes() each. Any number of threads may call this. Fails
  // for an input of another size, for an INT64 value beyond 32 bits, and if a device fails; the error names the input or the
  // device.
  Status compute(std::span<const InputBytes> inputs, std::span<void* const> outputs);

 private:
  // An execution with the memory that it reads and writes. NNAPI binds memory once, so it serves calls with the same addresses.
  struct Binding {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::vector<std::vector<int32_t>> narrow_inputs;  // per port; empty unless it is wide
    std::vector<std::vector<int32_t>> narrow_outputs;
    tools::ExecutionHandle execution;
  };

  CompiledModel(importers::ImportedModel model, std::string device_names);
  Status finish(const PluginOptions& options, const DeviceChoice& devices);
  Status check_sizes(std::span<const InputBytes> inputs) const;
  Result<std::unique_ptr<Binding>> bound(std::span<const InputBytes> inputs, std::span<void* const> outputs);
  std::unique_ptr<Binding> idle_binding(std::span<const InputBytes> inputs, std::span<void* const> outputs);
  void keep(std::unique_ptr<Binding> binding);

  importers::ImportedModel model_;
  tools::CompilationHandle compilation_;  // after model_, which must outlive it
  std::string device_names_;
  std::vector<std::vector<int64_t>> output_shapes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Binding>> idle_;  // the last used one last
};

}  // namespace nnvk::clients
