// The state that a plugin's device shares with its plans and memories; these may outlive the device.
#pragma once

#include <memory>

#include "accelerators/driver.h"
#include "core/plan/resolve.h"
#include "core/runtime/worker_pool.h"

namespace nnvk::accelerators {

inline constexpr int32_t kDefaultPriority = 100;  // ANEURALNETWORKS_PRIORITY_MEDIUM

struct PluginContext {
  std::shared_ptr<Driver> driver;
  uint32_t device = 0;  // index into driver->devices()
  DeviceDescription description;
  HostEvaluator evaluator;
  WorkerPool workers{2, "nnvk plugin"};  // for calls that would block until a lost driver has restarted
};

// A compilation in the driver; the last user's destructor frees it.
class DriverCompilation {
 public:
  // Construct it before the driver compiles, so that a lack of memory cannot lose the compiled model.
  DriverCompilation(std::shared_ptr<Driver> driver, uint64_t generation) : driver_(std::move(driver)), generation_(generation) {}
  ~DriverCompilation() {
    if (compiled_.id != CompilationId::kNone && is_current()) driver_->free_compilation(compiled_.id);
  }
  DriverCompilation(const DriverCompilation&) = delete;
  DriverCompilation& operator=(const DriverCompilation&) = delete;

  // Sets the compiled model. Call it once, before other threads see the object.
  void set(CompiledModel compiled) noexcept { compiled_ = std::move(compiled); }
  const CompiledModel& compiled() const { return compiled_; }
  // Returns whether the driver still knows the compilation.
  bool is_current() const { return driver_->generation() == generation_; }

 private:
  const std::shared_ptr<Driver> driver_;
  CompiledModel compiled_;
  const uint64_t generation_;
};

}  // namespace nnvk::accelerators
