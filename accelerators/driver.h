// One plugin's driver: the narrow seam between our devices and what runs their models. Two implementations: over the function
// table of a library in this process (table_driver.h), and over a socket to a host process in which that one serves the same
// calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Called exactly once per execution, on any thread, also from within execute(). Short: it must not call the driver and wait.
using ExecutionDone = std::function<void(ExecutionAnswer answer)>;

// Thread-safe. Whatever an implementation hands on from a plugin it has checked for form (lengths, counts, enumerations); what
// the values mean is checked by check_device(), check_compiled() and check_answer() on the side of the device.
//
// Errors carry NNAPI's codes. DEAD_OBJECT: the driver is gone, and may be back with a new generation. UNAVAILABLE_DEVICE: it is
// not there, or was given up because it did not answer in time. No call throws.
class Driver {
 public:
  // Frees everything that is left. All executions are over.
  virtual ~Driver() = default;

  // What the driver offers, in its order; asked once, and the same in every generation. Blocks; starts the driver where it needs
  // to be started.
  virtual Result<std::vector<DeviceDescription>> devices() = 0;

  // What keeps the driver's code from the rest of the machine, in words; empty where nothing does, or where the driver is not
  // started.
  virtual std::string confinement() const { return {}; }

  // Counts from 1, one more after every loss of the driver's state. Ids of earlier generations are void: calls with them end in
  // DEAD_OBJECT, or do nothing. Executions that were running ended in DEAD_OBJECT.
  virtual uint64_t generation() const = 0;

  // For who has time and something to ask: waits until a lost driver may be started again. Returns at once where that is after
  // `limit`, or where there is nothing to wait for.
  virtual void wait_out_pause(std::chrono::steady_clock::time_point /*limit*/) {}

  // Lets the driver use memory of this process, until unshare(). Shared once, named often.
  virtual Result<RegionId> share(const SharedMemory& memory) = 0;
  // No running execution names the region. Compilations keep what they were made from. Unknown ids: nothing happens.
  virtual void unshare(RegionId region) = 0;

  // One flag per operation. `device`: index into devices(). Blocks.
  virtual Result<std::vector<bool>> supported_operations(uint32_t device, const ModelDescription& model) = 0;

  // Blocks. A deadline that passes before or meanwhile: MISSED_DEADLINE_*.
  virtual Result<CompiledModel> compile(const CompilationRequest& request) = 0;
  // No execution of it is running. Unknown ids: nothing happens.
  virtual void free_compilation(CompilationId compilation) = 0;

  // Memory of the device for these roles; contents undefined. OP_FAILED where it has none.
  virtual Result<MemoryId> allocate(const DeviceMemoryRequest& request) = 0;
  // No running execution names it. Unknown ids: nothing happens.
  virtual void free_memory(MemoryId memory) = 0;
  // Whole contents; the range has exactly their size. Block.
  virtual Status copy_to_memory(const SharedRange& from, MemoryId to) = 0;
  virtual Status copy_from_memory(MemoryId from, const SharedRange& to) = 0;
  virtual Status copy_memory(MemoryId from, MemoryId to) = 0;

  // Starts an execution. Does not wait for it unless `caller_waits`. What it names stays until `done` was called. Errors come in
  // the answer, also those found before the start. The one way to end an execution early is its deadline.
  virtual void execute(const ExecutionRequest& request, ExecutionDone done) = 0;
};

}  // namespace nnvk::accelerators
