// A model compiled for one set of shapes, and single runs of it on memory of its own.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "python/aligned_bytes.h"
#include "python/model_source.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/handles.h"

namespace nnvk::python {

// The decisions of the caller of nnvk.load().
struct LoadOptions {
  std::vector<tools::DeviceEntry> devices;  // empty: the library chooses among all
  std::optional<int> priority;              // a PriorityCode
  std::string cache_folder;                 // empty: nothing is kept
  bool relaxed = false;                     // float32 may be computed in float16
};

class CompiledShapes {
 public:
  // Compiles the model. Errors name the operator, the device and the device's reason.
  static Result<std::shared_ptr<const CompiledShapes>> compile(ImportedModel model, const LoadOptions& options);

  const ImportedModel& model() const { return model_; }
  ANeuralNetworksCompilation* compilation() const { return compilation_.get(); }
  // Returns the JSON of nnvk_describeCompilation().
  Result<std::string> describe() const;
  // Returns whether started runs may have a fence: all devices give one but nnapi-reference.
  bool may_have_fences() const { return may_have_fences_; }

  // Returns how many bytes the buffer of an output of unknown shape gets at first: as many as the largest result so far needed.
  uint64_t expected_bytes(size_t output) const;
  void remember_bytes(size_t output, uint64_t bytes) const;

 private:
  explicit CompiledShapes(ImportedModel model) : model_(std::move(model)) {}

  ImportedModel model_;
  tools::CompilationHandle compilation_;  // after model_, which must outlive it
  bool may_have_fences_ = true;
  mutable std::mutex mutex_;
  mutable std::map<size_t, uint64_t> expected_bytes_;
};

// The memory of an input, which the caller keeps until the run has ended. Elements have 64 bits where the port is wide.
struct InputMemory {
  const void* data = nullptr;
  std::vector<int64_t> shape;
};

// The result of an output. Elements have 32 bits where the port is wide.
struct OutputMemory {
  AlignedBytes bytes;
  std::vector<int64_t> shape;  // known after the run, at the latest
};

class Run {
 public:
  explicit Run(std::shared_ptr<const CompiledShapes> compiled) : compiled_(std::move(compiled)) {}

  // Takes the inputs: one per port, of the port's shape. Error: a 64-bit value that does not fit 32 bits.
  Status take_inputs(std::vector<InputMemory> inputs);
  // Measures the times of operations in the following computations.
  void measure_operations() { is_profiling_ = true; }

  // Computes once. Outputs of unknown shape get the memory that they need. May be called again.
  Status compute();
  // Starts a computation behind the dependencies. Fails if an output has no known shape. The run, and all memory of inputs, must
  // stay until the event has ended.
  Result<tools::EventHandle> start(std::span<const ANeuralNetworksEvent* const> dependencies);
  // Waits for the event of start() and turns its result into an error.
  Status wait(ANeuralNetworksEvent* event) const;

  // Returns the JSON of nnvk_describeExecution() for the last computation.
  Result<std::string> describe() const;
  const CompiledShapes& compiled() const { return *compiled_; }
  std::vector<OutputMemory>& outputs() { return outputs_; }

 private:
  Status bind();
  Status bind_input(size_t index);
  Status bind_output(size_t index);
  // Reads the shapes of outputs after a computation. Returns true if a buffer was too small.
  Result<bool> read_shapes();
  // Gives results that need less than half of their buffer a buffer of their size.
  void give_back_memory();
  Status with_origin(const Status& status) const;

  std::shared_ptr<const CompiledShapes> compiled_;
  std::vector<InputMemory> inputs_;
  std::vector<std::vector<int32_t>> narrow_inputs_;  // per port; empty unless it is wide
  std::vector<OutputMemory> outputs_;
  tools::ExecutionHandle execution_;  // after the memory that it uses
  bool is_profiling_ = false;
};

}  // namespace nnvk::python
