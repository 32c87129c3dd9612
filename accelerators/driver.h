// One plugin's driver: the narrow interface between our devices and the code that runs their models. It has two implementations.
// One calls the function table of a library in this process (table_driver.h). The other sends the calls over a socket to a host
// process, in which the first one serves them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Called exactly once per execution, on any thread, possibly within execute(). It must return soon: it may start calls of the
// driver, but must not wait for their results.
using ExecutionDone = std::function<void(ExecutionAnswer answer)>;

// Thread-safe. An implementation checks the form of a plugin's answers (lengths, counts, enumerations) before it passes them on.
// The device checks the values with check_device(), check_compiled() and check_answer().
//
// Errors carry NNAPI's codes. DEAD_OBJECT: the driver is lost, and may return with a new generation. UNAVAILABLE_DEVICE: the
// driver is missing, or was given up because it did not answer in time. No call throws.
class Driver {
 public:
  // Frees all remaining objects. All executions have ended.
  virtual ~Driver() = default;

  // The driver's devices, in its order; read once, and the same in every generation. Blocks; starts the driver if needed.
  virtual Result<std::vector<DeviceDescription>> devices() = 0;

  // Describes how the driver's code is isolated from the rest of the machine; empty if it is not, or if the driver has not
  // started.
  virtual std::string confinement() const { return {}; }

  // 1 at first, and one more after every loss of the driver's state. Ids of earlier generations are void: calls with them return
  // DEAD_OBJECT, or do nothing. Executions that ran at a loss end in DEAD_OBJECT.
  virtual uint64_t generation() const = 0;

  // For callers that can wait: waits until a lost driver may be started again. Returns at once if that is after `limit`, or if no
  // pause is left.
  virtual void wait_out_pause(std::chrono::steady_clock::time_point /*limit*/) {}

  // Lets the driver use memory of this process, until unshare(). Share it once, and refer to it often.
  virtual Result<RegionId> share(const SharedMemory& memory) = 0;
  // No running execution may use the region. Compilations keep the memory they were made from. Ignores unknown ids.
  virtual void unshare(RegionId region) = 0;

  // One flag per operation. `device`: index into devices(). Blocks.
  virtual Result<std::vector<bool>> supported_operations(uint32_t device, const ModelDescription& model) = 0;

  // Blocks. If the deadline passes before or meanwhile, returns MISSED_DEADLINE_*.
  virtual Result<CompiledModel> compile(const CompilationRequest& request) = 0;
  // No execution of it may be running. Ignores unknown ids.
  virtual void free_compilation(CompilationId compilation) = 0;

  // Memory of the device for these roles; contents undefined. OP_FAILED if it has none.
  virtual Result<MemoryId> allocate(const DeviceMemoryRequest& request) = 0;
  // No running execution may use it. Ignores unknown ids.
  virtual void free_memory(MemoryId memory) = 0;
  // Copy whole contents; the range has exactly their size. Block.
  virtual Status copy_to_memory(const SharedRange& from, MemoryId to) = 0;
  virtual Status copy_from_memory(MemoryId from, const SharedRange& to) = 0;
  virtual Status copy_memory(MemoryId from, MemoryId to) = 0;

  // Starts an execution. Does not wait for it unless `caller_waits`. The caller keeps everything that the request names until
  // `done` was called. Errors are in the answer, also those found before the start. Only its deadline ends an execution early.
  virtual void execute(const ExecutionRequest& request, ExecutionDone done) = 0;
};

}  // namespace nnvk::accelerators
