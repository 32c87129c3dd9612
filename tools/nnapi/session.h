// A model compiled for some devices, with buffers for its inputs and outputs; can be computed repeatedly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/devices.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// The folder in which compilations store data for later compilations of the same model.
struct Caching {
  std::string directory;  // empty: nowhere
  std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{};
};

struct CompileSettings {
  Caching caching = {};
  std::optional<int> priority = {};  // a PriorityCode; none: NNAPI's default
};

// Compiles for exactly these devices; if there are none, the library chooses. `model` must outlive the result. Errors that name
// an operation also name its origin: origins[i] for operation i.
Result<CompilationHandle> compile_for(const ModelBuilder& model, std::span<const DeviceEntry> devices,
                                      std::span<const std::string> origins, const CompileSettings& settings);
// Adds the origin to an error of the library that names an operation.
Error with_origin(Error error, std::span<const std::string> origins);

using Buffers = std::vector<std::vector<uint8_t>>;

// Makes an execution that reads these inputs and writes these outputs when it computes.
Result<ExecutionHandle> bound_execution(ANeuralNetworksCompilation* compilation, const Buffers& inputs, Buffers& outputs);

class Session {
 public:
  // Makes a session by compile_for(). `model` must outlive the session; its shapes must be known. Errors of run() name origins as
  // well.
  static Result<Session> compile(const ModelBuilder& model, std::span<const DeviceEntry> devices,
                                 std::span<const std::string> origins = {}, const Caching& caching = {});

  std::span<uint8_t> input(size_t index) { return inputs_[index]; }
  std::span<const uint8_t> output(size_t index) const { return outputs_[index]; }
  double compile_seconds() const { return compile_seconds_; }
  ANeuralNetworksCompilation* compilation() const { return compilation_.get(); }

  // Computes once; returns the wall time in seconds. The first call binds the buffers, later calls reuse them.
  Result<double> run();
  // Switches per-operation times on or off from the next run on. Makes a new execution.
  Status set_profiling(bool enable);

  // These functions return the JSON of nnvk_describeCompilation() and nnvk_describeExecution().
  Result<std::string> describe_compilation() const;
  Result<std::string> describe_execution() const;

 private:
  Status bind();

  CompilationHandle compilation_;
  ExecutionHandle execution_;
  Buffers inputs_;
  Buffers outputs_;
  std::vector<std::string> origins_;
  double compile_seconds_ = 0;
  bool profiling_ = false;
};

}  // namespace nnvk::tools
