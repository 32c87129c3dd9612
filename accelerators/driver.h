// The driver of one plugin: the narrow interface between nnvk's devices and the code that runs their models. One implementation
// calls the function table of a library in this process (table_driver.h). The other sends calls over a socket to a host process,
// where the first implementation serves them (host/hosted_driver.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Takes the answer of an execution. Drivers call it exactly once per execution, on any thread, possibly within execute(). It must
// return soon: it may start calls of the driver, but must not wait for their results.
using ExecutionDone = std::function<void(ExecutionAnswer answer)>;

// A driver of accelerators. It is thread-safe. An implementation checks the form of a plugin's answers (lengths, counts,
// enumerations) before it passes them on. The device checks the values by check_device(), check_compiled() and check_answer().
// Errors carry NNAPI's codes. DEAD_OBJECT: the driver is lost, and may return with a new generation. UNAVAILABLE_DEVICE: the
// driver is missing, or was given up because it did not answer in time. No call throws.
class Driver {
 public:
  // Frees all remaining objects. Call it only after all executions have ended.
  virtual ~Driver() = default;

  // Returns the driver's devices, in its order; they are the same in every generation. Blocks; starts the driver if needed.
  virtual Result<std::vector<DeviceDescription>> devices() = 0;

  // Describes how the driver's code is isolated from the rest of the machine. The text is empty if the code is not isolated or
  // has not started.
  virtual std::string confinement() const { return {}; }

  // Returns the number of the generation: 1 at first, and one more after every loss of the driver's state. Ids of earlier
  // generations are invalid: calls with them return DEAD_OBJECT or do nothing. Executions that ran at a loss end in DEAD_OBJECT.
  virtual uint64_t generation() const = 0;

  // Waits until a lost driver may restart, for callers that can wait. Returns at once if the driver may restart now, or only
  // after `limit`.
  virtual void wait_out_pause(std::chrono::steady_clock::time_point /*limit*/) {}

  // Lets the driver use memory of this process until unshare(). Share a memory once, and refer to it often.
  virtual Result<RegionId> share(const SharedMemory& memory) = 0;
  // Ends the sharing of a region, which no running execution may use. Compilations keep memory that they were made from. Ignores
  // unknown ids.
  virtual void unshare(RegionId region) = 0;

  // Returns, per operation, whether the device supports it. `device`: index into devices(). Blocks.
  virtual Result<std::vector<OperationSupport>> supported_operations(uint32_t device, const ModelDescription& model) = 0;

  // Compiles a model. Blocks. Returns MISSED_DEADLINE_* if the deadline passes before the compilation or during it.
  virtual Result<CompiledModel> compile(const CompilationRequest& request) = 0;
  // Frees the compilation, of which no execution may be running. Ignores unknown ids.
  virtual void free_compilation(CompilationId compilation) = 0;

  // Allocates memory of the device for these roles, with undefined contents. OP_FAILED if the device has none.
  virtual Result<MemoryId> allocate(const DeviceMemoryRequest& request) = 0;
  // Frees the memory, which no running execution may use. Ignores unknown ids.
  virtual void free_memory(MemoryId memory) = 0;
  // These functions copy whole memories; the range must have exactly the memory's size. They block.
  virtual Status copy_to_memory(const SharedRange& from, MemoryId to) = 0;
  virtual Status copy_from_memory(MemoryId from, const SharedRange& to) = 0;

  // Starts an execution; waits for it only with `caller_waits`. The caller keeps everything that the request names until the
  // driver has called `done`. The answer reports all errors, also those found before the start. Only the request's deadline ends
  // the execution early.
  virtual void execute(const ExecutionRequest& request, ExecutionDone done) = 0;
};

}  // namespace nnvk::accelerators
