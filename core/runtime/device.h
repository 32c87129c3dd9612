// A processor that can run a plan or a part of it: the asynchronous interface between core and the devices. vulkan/ and
// cpu_fallback/ implement it; core and api use only this.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/extension.h"
#include "core/operations/cost_model.h"
#include "core/plan/node_placement.h"
#include "core/plan/plan.h"
#include "core/runtime/fence.h"
#include "core/runtime/mapped_memory.h"
#include "core/runtime/queue_id.h"

namespace nnvk {

// One line of a device's self-description (`nnvk devices`): group "limits", name "maxStorageBufferRange", value "134217728".
struct Property {
  std::string group;
  std::string name;
  std::string value;
};

struct DeviceInfo {
  std::string name;     // unique in the process: "nnapi-reference", "vulkan-llvmpipe"
  std::string version;  // changes when results or caches may change
  DeviceType type = DeviceType::kUnknown;
  int64_t feature_level = 0;  // ANEURALNETWORKS_FEATURE_LEVEL_* value, 1000008 for level 8
  // Devices use client memory without a copy, if possible, when its address and length are multiples of these numbers, which are
  // powers of two.
  uint32_t preferred_alignment = 64;
  uint32_t preferred_padding = 64;
  std::vector<Property> properties;  // features, limits, driver, chosen kernels
  // True if prepare() uses a PreparationCache. It is one file (a model cache), because nnvk replaces single files atomically.
  bool caches = false;
  // Data besides name and version on which caches and calibrations depend: hardware ids, limits, chosen variants.
  std::string cache_identity;
  // For calibrations instead of cache_identity: the device's state before it has read a calibration. Empty: cache_identity.
  std::string calibration_identity;
  // A text that changes with the sources of the kernels, on which calibrations depend. Empty: they depend on the build.
  std::string kernels_version;
  std::vector<ExtensionDescription> extensions;
  // True if `extensions` does not list the operations: nnvk then passes all operations of these extensions to place().
  bool places_all_extension_operations = false;
  bool puts_filters_in_order = false;  // prepare() takes plans with PlanTensor::transposed
  bool converts_pictures = true;       // prepare() accepts the operation that converts pictures to tensors
  // False if a child of fork cannot use the device, because its driver does not support that.
  bool is_usable_in_children = true;
  std::string why_unavailable;  // why nothing can be compiled for the device in this process; empty: it can be used
};

// Stores results of a preparation for later ones. Devices do no file I/O; core does that for them.
class PreparationCache {
 public:
  virtual ~PreparationCache() = default;
  // Returns the stored result of an equal plan on this device, valid until prepare() returns, or nothing. Do not trust its bytes.
  virtual std::span<const std::byte> find(const Plan& plan) = 0;
  virtual void keep(const Plan& plan, std::vector<std::byte> contents) = 0;
};

// A device's intermediate results from placing a model, which the same compilation reuses to place and prepare the model and its
// parts. Only the device that makes it knows its contents. One thread at a time uses it; the model outlives it.
class Groundwork {
 public:
  virtual ~Groundwork() = default;
};

struct PrepareOptions {
  int32_t preference = 1;  // ANEURALNETWORKS_PREFER_*
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*
  std::optional<std::chrono::steady_clock::time_point> deadline;
  PreparationCache* cache = nullptr;  // null: no caching
  Groundwork* groundwork = nullptr;   // from the device, after place(); null: none
  ExtensionAttributes attributes;     // the client's; part of a cache entry's key
};

// Memory on a device, which the host cannot address: passes data between executions of that device without the host. A caller
// that binds it keeps it alive until the submission's fence has settled.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual uint64_t size() const = 0;
  // Returns true if the memory grows to the size of the data written to it. Its size is then that of the last write, and 0
  // before.
  virtual bool grows() const { return false; }
  // Returns true if the memory's device was lost, and the memory with it: every use then fails with DEAD_OBJECT.
  virtual bool is_lost() const { return false; }
  // Copies the first bytes of the memory to `host`, which must live until the fence settles. Never blocks. The copy contains the
  // results of submissions that have settled.
  Result<Fence> read(std::span<std::byte> host) const { return read_from(0, host); }
  // Replaces the first bytes by `host`, which must live until the fence settles. Never blocks. Memory that grows gets exactly the
  // size of `host`; for other memory, a larger `host` is BAD_DATA.
  Result<Fence> write(std::span<const std::byte> host) { return write_to(0, host); }
  // These functions do the same as read() and write(), for bytes from `offset` on, which must be 0 for memory that grows.
  virtual Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const = 0;
  virtual Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) = 0;
};

// The semaphores for which an execution waits and which it signals on its device, besides fences. The device makes this object.
class DeviceSync {
 public:
  virtual ~DeviceSync() = default;
  // Waits for and signals the semaphores, unless a submission has done so. Call it if the execution fails after its start. Never
  // blocks.
  virtual void abandon() = 0;
};

class PreparedPlan;

struct MemoryRole {
  const PreparedPlan* plan = nullptr;  // alive during allocate(); afterwards only compared
  bool is_input = true;
  uint32_t index = 0;
};

struct MemoryRequest {
  uint64_t size = 0;
  bool grows = false;                      // the size is not known before something is written
  std::span<const MemoryRole> roles = {};  // all its future bindings; empty: any
};

struct Binding {
  std::byte* data = nullptr;  // host address; inputs are only read. Null for device memory or when omitted
  size_t size = 0;  // bytes available (may exceed what the tensor needs); 0 with device memory: all behind device_offset
  Shape shape;      // inputs: fully known; outputs: as declared, may be partly unknown
  bool omitted = false;
  DeviceMemory* device_memory = nullptr;
  size_t device_offset = 0;
  // Set if `data` is part of memory that outlives this execution: devices may import it and use it in place. Devices may then
  // overwrite all `size` bytes of an output, also those behind the tensor.
  std::shared_ptr<MappedMemory> mapping;
  // For outputs of unknown size inside the runtime: the device resizes it to the output's size, instead of using `data` and
  // `size`. Nobody else touches it until the submission's fence has settled.
  std::vector<std::byte>* growable = nullptr;

  // Makes the binding of an input in memory to which nobody may write.
  static Binding of_constant(std::span<const std::byte> bytes, Shape shape) {
    Binding constant;
    constant.data = const_cast<std::byte*>(bytes.data());
    constant.size = bytes.size();
    constant.shape = std::move(shape);
    return constant;
  }
};

class SyncFilePlace;

// A submission's place in its device's queue, behind which other submissions can follow. The device makes it. It is thread-safe.
class QueuePlace {
 public:
  virtual ~QueuePlace() = default;
  // Returns the device's queue. A device that finds its own queue here knows the type of the place.
  virtual QueueId queue() const = 0;
  // Returns a sync_file, owned by the caller, that signals when the submission's results are readable; -1: they already are.
  // Nothing if the driver provides none, or the host must still process the results.
  virtual std::optional<int> export_sync_file() const { return std::nullopt; }
  // Returns this place as a kernel fence (sync_file.h); null if it is none.
  virtual const SyncFilePlace* as_sync_file() const { return nullptr; }
};

// One execution. submit() copies the parts of this struct that it needs; the bound memory must live until the fence settles.
struct Request {
  std::span<const Binding> inputs;
  std::span<const Binding> outputs;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::chrono::nanoseconds loop_timeout{2'000'000'000};
  bool measure_timing = false;  // durations wanted (ANeuralNetworksExecution_setMeasureTiming)
  bool profile = false;         // per-node times wanted
  bool may_run_inline = false;  // the caller blocks anyway: a CPU device may compute on the calling thread
  bool needs_place = false;     // other executions follow this one in the queue, so no device computes it inside submit()
  bool caller_waits = false;    // The caller waits for the fence and does nothing else: submit() may wait for other devices.
  // True if a step that fails on its device may run again on the fallback's device, provided the compilation falls back.
  bool may_run_again_on_cpu = true;
  std::shared_ptr<const ExtensionAttributes> attributes;  // the client's; null: none
  std::shared_ptr<DeviceSync> sync;  // null: none. Unless submit() fails, the work is on the device's queue when it returns.
  // For submit_behind(): the submissions to follow, and a limit from the end of all of them, besides the deadline (0: none).
  std::span<const std::shared_ptr<const QueuePlace>> behind;
  std::chrono::nanoseconds duration{0};
};

struct OutputReport {
  Shape shape;             // as computed; unknown parts stay unknown if the run stopped before
  bool sufficient = true;  // the buffer was large enough
};

struct NodeProfile {
  uint32_t source_operation = 0;
  std::string operation;  // "CONV_2D"
  std::string kernel;     // kernel and variant, or "reference"
  uint64_t nanoseconds = 0;
  uint64_t bytes = 0;                       // read and written, from shapes
  uint64_t multiply_adds = 0;               // 0 if not applicable
  std::string device;                       // in a plan over several devices: the one that ran it; else empty
  std::vector<uint32_t> merged_operations;  // other operations of the model that the device computed in the same step
};

inline constexpr uint64_t kNoDuration = UINT64_MAX;

// The results and times of an execution. The device fills the report before the fence settles; nobody changes it afterwards.
struct ExecutionReport {
  Status result;                      // also OUTPUT_INSUFFICIENT_SIZE and deadline codes
  std::vector<OutputReport> outputs;  // one per plan output, or empty on other errors
  uint64_t hardware_nanoseconds = kNoDuration;
  uint64_t driver_nanoseconds = kNoDuration;
  std::vector<NodeProfile> profile;      // only with Request::profile
  uint64_t preparation_nanoseconds = 0;  // to prepare for these sizes; later executions reuse it
  bool loop_timed_out = false;           // a loop reached its timeout; it would on any device, so nothing runs again
};

// A running execution. `done` settles after `report` is final; both tell of an error of the execution.
struct Submission {
  Fence done;
  std::shared_ptr<const ExecutionReport> report;
  std::shared_ptr<const QueuePlace> place = nullptr;  // null: no other submission can follow it in the device's queue
};

// Names and totals since the plan was prepared, so that tests can check that no work happens twice: "pipelines_created",
// "weights_packed", "command_buffers_recorded", "device_allocations", "descriptor_sets_written", "bytes_copied_in",
// "bytes_copied_out", "bytes_copied_internal", "executions". "cache_hits" and "cache_misses" count preparations with a cache,
// "queued_behind" submissions behind pending ones, "queued_behind_at_once" those that then needed no host.
using Counters = std::map<std::string, uint64_t>;

// A plan prepared on one device. It is thread-safe: many threads may call submit() at once.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;  // waits for its running executions
  // Starts one execution, whose dependencies have settled: executions wait for fences themselves (computation.h). Never blocks on
  // the device. Returns errors found before the launch (bad shapes, no memory); the report has later errors.
  virtual Result<Submission> submit(const Request& request) = 0;
  // Does the same as submit(), but the dependencies are submissions to the same device that may still be pending
  // (Request::behind). The device keeps the order without the host. If a dependency fails, this execution runs on the memory as
  // it is, or not at all; the caller must report the failure. If the deadline has passed when the device starts the execution,
  // the device reports that, even if it has results. Returns nothing if the host is needed (inputs to copy, values to read), or
  // if the device keeps no such order.
  virtual Result<std::optional<Submission>> submit_behind(const Request&) { return std::optional<Submission>(); }
  // Returns true if submit() accepts this memory as input or output `index`. It rejects other device memory with BAD_DATA: such
  // data passes through the host (host_transfer.h).
  virtual bool takes_device_memory(const DeviceMemory&, bool /*is_input*/, size_t /*index*/) const { return false; }
  // Returns true if submit() makes a single submission, which can wait for and signal this DeviceSync.
  virtual bool takes_sync(const DeviceSync&) const { return false; }
  virtual Counters counters() const = 0;
};

// How fast a device moves data of one size over and over: small data stay in a cache.
struct TrafficRate {
  uint64_t bytes = 0;  // read and written in one pass
  double gigabytes_per_second = 0;
};

// The device's peak rates in its own micro-benchmarks; 0 if not measured.
struct Ceilings {
  double fp32_gflops = 0;  // multiply-add counts 2
  double int8_gops = 0;
  double read_gigabytes_per_second = 0;
  double copy_gigabytes_per_second = 0;
  std::vector<TrafficRate> traffic;  // by size, the smallest first; empty: reading is the only measure
};

class Device;

// The best kernel choices that a device has found by running plans.
struct MeasuredChoices {
  std::vector<std::byte> bytes;    // for a calibration's file; empty: nothing
  std::string text;                // for people; empty: nothing
  std::unique_ptr<Device> device;  // one that uses these choices; null: the measured device already does
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // Makes an object for intermediate results. Returns null if placing produces nothing that preparing can reuse.
  virtual std::unique_ptr<Groundwork> begin_groundwork() const { return nullptr; }
  // Returns the cost model of place(), which calibrations update before the first placement; null if the device predicts in its
  // own way.
  virtual CostModel* costs() { return nullptr; }
  // Runs plans, for calibrations, to find out which kernels are faster. Blocks for a second or two if the device has choices.
  virtual Result<MeasuredChoices> measure_choices() { return MeasuredChoices(); }
  // Returns one entry per node of the plan. prepare() decides alike: a node that is supported here prepares and runs. Only those
  // extension operations count that info() lists (placement.h).
  virtual std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const = 0;
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) = 0;
  // Allocates memory on the device. Returns OP_FAILED if the device has no memory of its own.
  virtual Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) = 0;
  // Measures the device's peak rates by micro-benchmarks. Blocks for a second or two.
  virtual Result<Ceilings> measure_ceilings() = 0;
};

}  // namespace nnvk
