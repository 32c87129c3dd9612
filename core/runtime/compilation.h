// A model that finish() prepares for devices: as a plan, simplified, placed and partitioned (docs/nnapi/compilation.md).
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
#include "core/runtime/host_reason.h"
#include "core/runtime/picture_input.h"
#include "core/runtime/running_count.h"
#include "core/runtime/runtime.h"
#include "core/runtime/segmented_plan.h"
#include "core/runtime/shrinkable_file.h"

namespace nnvk {

// Adds an attribute. Returns BAD_DATA if the attribute is already set or the registry has no prefix left.
Status add_attribute(ExtensionAttributes& attributes, ExtensionRegistry& extensions, const std::string& extension, uint16_t code,
                     std::span<const std::byte> data);

// Returns, per operation of a finished model in the order of addOperation, whether one of `devices` supports it. nnvk does not
// offer a device operations that are newer than its feature level.
std::vector<bool> supported_operations(const Model& model, const std::vector<Device*>& devices);

// The part of a compilation that its executions share and change after finish(). It is thread-safe.
struct SharedByExecutions {
  // The numbers of fenced executions whose dependencies were pending, by the way in which they reached their device.
  std::atomic<uint64_t> queued_behind{0};  // submitted in the device's queue behind their dependencies
  HostLaunches through_host;               // submitted by the host after the dependencies had ended
  std::atomic<uint64_t> fell_back{0};      // executions that continued with fallback()
  PictureConversions pictures;             // converts the pictures bound to inputs of executions into tensors
  RunningCount waiting;                    // executions that wait for fences and have not been submitted to a device
  std::mutex fallback_mutex;               // guards the following member
  PreparedDeployment fallback;             // the whole model on the fallback's device, prepared when an execution needs it
};

class Compilation {
 public:
  // Makes a compilation for all eligible devices, with CPU fallback. `model` is finished; it and `runtime` must outlive the
  // compilation.
  Compilation(const Model& model, Runtime& runtime);
  // Makes a compilation for exactly these devices, without fallback.
  Compilation(const Model& model, Runtime& runtime, std::vector<Device*> devices);
  // Blocks until no execution waits for fences any more.
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  Status set_preference(int32_t preference);
  Status set_priority(int32_t priority);
  // Keeps the results of the compilation in the directory: later compilations of the same model with the same 32-byte token reuse
  // them. If nnvk cannot use the directory, only caching is disabled. The last call wins.
  Status set_caching(const std::string& directory, const uint8_t* token);
  // Does the same as set_caching(), with files that the client has opened. nnvk duplicates the descriptors; BAD_DATA if that
  // fails. If the device needs another number of files, only caching is disabled.
  Status set_caching_files(std::span<const int> model_files, std::span<const int> data_files, const uint8_t* token);
  Status set_timeout(uint64_t nanoseconds);
  Status add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length);
  // Names one set of shapes of the inputs, for which finish() compiles (nnvk/shapes.h). Unknown parts are as the model declares.
  Status add_input_shapes(std::span<const Shape> shapes);
  // Compiles the model. The client may call it once. Afterwards the compilation counts as finished, whatever the result.
  Status finish();

  // Returns BAD_STATE unless finish() succeeded.
  Status require_ready() const;
  // Returns BAD_DATA unless the client chose exactly one device. `what` names the setting that needs this: "a timeout".
  Status require_one_explicit_device(const char* what) const;
  bool finished() const { return finished_; }
  // Returns the identity of this compilation: while somebody holds the pointer, no other compilation has an equal one, even a
  // later one.
  const std::shared_ptr<const void>& identity() const { return identity_; }
  const Status& finish_result() const { return finish_result_; }
  bool has_explicit_devices() const { return explicit_; }
  const Model& model() const { return model_; }
  Runtime& runtime() const { return runtime_; }
  const std::vector<OperandInfo>& input_infos() const { return input_infos_; }
  const std::vector<OperandInfo>& output_infos() const { return output_infos_; }

  // These functions require a successful finish(). They return the plan that runs the model, and its parts, which run one after
  // the other.
  PreparedPlan& runner() const { return *ready_.runner; }
  const std::vector<PlanPart>& parts() const { return ready_.parts; }
  const std::vector<Device*>& devices_used() const { return ready_.devices; }
  // Returns the names of the devices that run the model, for logs: "vulkan-llvmpipe, nnvk-cpu". With `of_fallback`, returns the
  // name of the fallback's device instead.
  std::string device_names(bool of_fallback) const;
  // Returns true if all parts run on the reference, which computes within the call and has no fences
  // (docs/nnapi/execution.md#modes).
  bool is_on_reference_alone() const { return is_alone(runtime_.reference()); }
  bool is_on_fallback_alone() const { return is_alone(runtime_.fallback()); }
  // Returns true if all parts run on one of the two CPU devices, which read and write the client's memory with the processor.
  bool is_on_cpu_alone() const { return is_on_reference_alone() || is_on_fallback_alone(); }
  // Returns the whole model on the fallback's device, prepared at the first call; an error if there is no fallback. Thread-safe.
  Result<PreparedPlan*> fallback() const;
  bool may_fall_back() const;
  int32_t priority() const { return options_.priority; }
  // Returns the device that converts pictures: the first of the model's devices that can, else the fallback's.
  Device& picture_device() const;
  // Returns true if input `index` may be in picture_device()'s memory: the device runs the whole model; the host does not read
  // the input.
  bool takes_input_on_picture_device(size_t index) const;
  const std::vector<bool>& inputs_read_by_host() const { return inputs_read_by_host_; }
  // Returns UNMAPPABLE if a file behind constants has become too short (shrinkable_file.h). Call it before every execution.
  Status check_constant_files() const;
  // Tells whether nnvk can record executions into command buffers for `device`, which must run the model in one submission.
  // BAD_DATA if the compilation was not made for this device.
  Result<Recordability> recordability_on(const Device& device) const;
  SharedByExecutions& shared() const { return *shared_; }

 private:
  Status require_open() const;
  bool is_alone(const Device& device) const { return ready_.devices.size() == 1 && ready_.devices.front() == &device; }
  Status compile();
  Status prepare_named_shapes() const;
  Result<PreparedDeployment> prepare_on_devices(const PlanPointer& plan) const;
  Result<PreparedDeployment> prepare_on_fallback(const PlanPointer& plan, const PrepareOptions& options) const;
  void log_parts() const;
  // Returns the cache for a plan on a device, or null if there is none. `is_whole`: the plan is not one of several parts.
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
  std::vector<std::shared_ptr<const ShrinkableFile>> constant_files_;  // behind constants that devices read; each once
  std::vector<bool> inputs_read_by_host_;         // per input: used as shape, position, condition etc., in referenced models too
  std::vector<std::vector<Shape>> named_shapes_;  // sets of shapes of all inputs, which executions will have
  const std::unique_ptr<SharedByExecutions> shared_ = std::make_unique<SharedByExecutions>();
};

}  // namespace nnvk
