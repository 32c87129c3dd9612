// A model made ready on devices: build the plan, simplify it, place it, partition it, prepare it (docs/nnapi/compilation.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/plan/plan.h"
#include "core/plan/recordability.h"
#include "core/runtime/compilation_cache.h"
#include "core/runtime/device.h"
#include "core/runtime/picture_input.h"
#include "core/runtime/running_count.h"
#include "core/runtime/runtime.h"
#include "core/runtime/segmented_plan.h"
#include "core/runtime/shrinkable_file.h"

namespace nnvk {

// BAD_DATA when the attribute is there already or no prefix is left.
Status add_attribute(ExtensionAttributes& attributes, ExtensionRegistry& extensions, const std::string& extension, uint16_t code,
                     std::span<const std::byte> data);

// Which devices run which operations of a finished model: one flag per operation in the order of addOperation, true when one of
// `devices` supports it. Operations newer than a device's feature level are not offered to it.
std::vector<bool> supported_operations(const Model& model, const std::vector<Device*>& devices);

class Compilation {
 public:
  // For all eligible devices, with CPU fallback. `model` is finished; it and `runtime` outlive the compilation.
  Compilation(const Model& model, Runtime& runtime);
  // For exactly these devices, without fallback.
  Compilation(const Model& model, Runtime& runtime, std::vector<Device*> devices);
  // Waits for executions that wait for fences.
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  Status set_preference(int32_t preference);
  Status set_priority(int32_t priority);
  // Later compilations of the same model with the same 32-byte token find what this one leaves in the directory. One that cannot
  // be used disables caching, and nothing else. The last call wins.
  Status set_caching(const std::string& directory, const uint8_t* token);
  // The same with files that the client has opened, which are duplicated; BAD_DATA when one cannot be. A number of files other
  // than the device needs disables caching.
  Status set_caching_files(std::span<const int> model_files, std::span<const int> data_files, const uint8_t* token);
  Status set_timeout(uint64_t nanoseconds);
  Status add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length);
  // May be called once; the compilation counts as finished whatever the result.
  Status finish();

  // BAD_STATE unless finish() succeeded.
  Status require_ready() const;
  // BAD_DATA unless the client chose exactly one device; `what` needs that.
  Status require_one_explicit_device(const char* what) const;
  bool finished() const { return finished_; }
  // Tells it from every other compilation as long as somebody holds it, also when the compilation is gone.
  const std::shared_ptr<const void>& identity() const { return identity_; }
  const Status& finish_result() const { return finish_result_; }
  bool has_explicit_devices() const { return explicit_; }
  const Model& model() const { return model_; }
  Runtime& runtime() const { return runtime_; }
  // Inputs and outputs of the model, in order.
  const std::vector<OperandInfo>& input_infos() const { return input_infos_; }
  const std::vector<OperandInfo>& output_infos() const { return output_infos_; }

  // After a successful finish(): what runs the model, and the parts it consists of, one after the other.
  PreparedPlan& runner() const { return *ready_.runner; }
  const std::vector<PlanPart>& parts() const { return ready_.parts; }
  const std::vector<Device*>& devices_used() const { return ready_.devices; }
  // "vulkan-llvmpipe" or "vulkan-llvmpipe, nnvk-cpu".
  std::string device_names(bool of_fallback) const;
  // Everything runs on the reference, which computes within the call and has no fences (docs/nnapi/execution.md#modes).
  bool is_on_reference_alone() const { return is_alone(runtime_.reference()); }
  // Everything runs on the device that the fallback would run it on.
  bool is_on_fallback_alone() const { return is_alone(runtime_.fallback()); }
  // Everything runs on one of these: it reads and writes the client's memory with the processor.
  bool is_on_cpu_alone() const { return is_on_reference_alone() || is_on_fallback_alone(); }
  // The whole model on the fallback's device, prepared on first use. The error says why there is no fallback. Thread-safe.
  Result<PreparedPlan*> fallback() const;
  // Counts an execution that goes on with fallback(); how many did, with it.
  uint64_t count_fallback() const { return ++executions_that_fell_back_; }
  bool may_fall_back() const;
  int32_t priority() const { return options_.priority; }
  // What makes tensors of the pictures that executions are given.
  PictureConversions& pictures() const { return pictures_; }
  // The device that makes them: the first that can of those that run the model, else the fallback's. And whether input `index`
  // may lie in its memory: it runs everything, and the host need not look.
  Device& picture_device() const;
  bool takes_input_on_picture_device(size_t index) const;
  // Per input: whether the host looks at its values (segments.h).
  const std::vector<bool>& inputs_read_by_host() const { return inputs_read_by_host_; }
  // Before every execution: UNMAPPABLE when a file behind constants has become too short (shrinkable_file.h).
  Status check_constant_files() const;
  // Whether executions can be written into command buffers for `device`: it must run everything in one go. BAD_DATA when the
  // compilation was not made for it.
  Result<Recordability> recordability_on(const Device& device) const;
  // How executions whose dependencies had not signalled came to their device.
  struct DependentCount {
    std::atomic<uint64_t> queued_behind{0};  // at once, behind what they depend on
    std::atomic<uint64_t> through_host{0};   // launched by the host when that had ended
  };
  DependentCount& dependent_executions() const { return dependent_executions_; }
  // While the object lives, an execution waits for fences; no device knows of it yet.
  std::shared_ptr<void> begin_waiting() const { return waiting_.hold(); }

 private:
  Status require_open() const;
  bool is_alone(const Device& device) const { return ready_.devices.size() == 1 && ready_.devices.front() == &device; }
  Status compile();
  // Distributes the model over the devices and makes the parts ready.
  Result<PreparedDeployment> prepare_on_devices(const PlanPointer& plan) const;
  Result<PreparedDeployment> prepare_on_fallback(const PlanPointer& plan, const PrepareOptions& options) const;
  void log_parts() const;
  // Null where there is none. `is_whole`: the plan is no part of several.
  std::unique_ptr<CompilationCache> cache_for(const Device& device, const Plan& plan, bool is_whole) const;

  const Model& model_;
  Runtime& runtime_;
  const std::shared_ptr<const void> identity_ = std::make_shared<const char>();
  std::vector<Device*> devices_;
  bool explicit_ = false;
  std::vector<OperandInfo> input_infos_;
  std::vector<OperandInfo> output_infos_;
  PrepareOptions options_;
  CachingRequest caching_;
  uint64_t timeout_nanoseconds_ = 0;
  bool finished_ = false;
  Status finish_result_;
  PreparedDeployment ready_;
  std::vector<std::shared_ptr<const ShrinkableFile>> constant_files_;  // that devices may read while they execute; each once
  std::vector<bool> inputs_read_by_host_;  // per input: shapes, positions, conditions and the like, in referenced models too
  // What executions, which cannot change the compilation, make for each other. Thread-safe.
  mutable PictureConversions pictures_;
  mutable DependentCount dependent_executions_;
  mutable RunningCount waiting_;  // for fences; no device knows of them yet
  mutable std::atomic<uint64_t> executions_that_fell_back_{0};
  mutable std::mutex fallback_mutex_;
  mutable PreparedDeployment fallback_;  // guarded by fallback_mutex_
};

}  // namespace nnvk
