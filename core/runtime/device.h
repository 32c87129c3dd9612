// A processor that can run (part of) a plan: the small asynchronous seam between core and the devices.
// Implemented by vulkan/ and cpu_fallback/; core and api see only this.
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
#include "core/plan/plan.h"
#include "core/runtime/fence.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk {

enum class DeviceType : int32_t { kUnknown = 0, kOther = 1, kCpu = 2, kGpu = 3, kAccelerator = 4 };

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
  // Client memory whose address and length are multiples of these is used without a copy where that is possible. Powers of two.
  uint32_t preferred_alignment = 64;
  uint32_t preferred_padding = 64;
  std::vector<Property> properties;  // features, limits, driver, chosen plan
  // Whether prepare() uses a PreparationCache. It takes one cache file (a model cache): one file can be replaced in one step.
  bool caches = false;
  // What caches and calibrations depend on besides name and version: hardware ids, limits, chosen variants.
  std::string cache_identity;
  // What calibrations depend on besides name and version: what a device is before it has read one. Empty: cache_identity.
  std::string calibration_identity;
  // What calibrations depend on besides: changes with the sources of the kernels. Empty: with every build.
  std::string kernels_version;
  std::vector<ExtensionDescription> extensions;
  // The device does not list the operations of its extensions: place() is asked about all of them.
  bool places_all_extension_operations = false;
  bool converts_pictures = true;  // prepare() takes the operation that makes tensors of pictures
  // False: a child of fork cannot use the device, as its driver does not stand it.
  bool is_usable_in_children = true;
  std::string why_unavailable;  // nothing can be compiled for the device in this process, for this reason; empty: it can be used
};

// Whether a device runs one node, and how long it expects to take.
struct Placement {
  bool supported = false;
  std::string reason;  // why not; empty when supported
  double predicted_seconds = 0.0;
  KernelKind kernel = KernelKind::kOwn;  // that the prediction is for
  // The device could not be asked, for `reason`: another time it may run the node.
  bool is_unanswered = false;
};

// What earlier preparations kept of their work, and where a preparation leaves its own. Devices do no file I/O: core does.
class PreparationCache {
 public:
  virtual ~PreparationCache() = default;
  // What a preparation of an equal plan on this device kept; empty: nothing. Read it with care: it comes from a file. Valid until
  // prepare() returns.
  virtual std::span<const std::byte> find(const Plan& plan) = 0;
  // For later preparations of an equal plan.
  virtual void keep(const Plan& plan, std::vector<std::byte> contents) = 0;
};

// What a device works out of a model when it places it, for placing and preparing the same model and parts of it in the same
// compilation. Made by the device and opaque to everybody else; used by one thread at a time; the model outlives it.
class Groundwork {
 public:
  virtual ~Groundwork() = default;
};

struct PrepareOptions {
  int32_t preference = 1;  // ANEURALNETWORKS_PREFER_*
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*
  std::optional<std::chrono::steady_clock::time_point> deadline;
  PreparationCache* cache = nullptr;  // null: no caching
  Groundwork* groundwork = nullptr;   // of the device, as place() left it; null: there is none
  ExtensionAttributes attributes;     // the client's; part of what a cache entry is found by
};

// Memory that lives on a device: what executions of that device hand on to each other without the host. Not host-addressable.
// Whoever binds it keeps it alive until the submission's fence has settled.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual uint64_t size() const = 0;
  // Whether it becomes as large as what is written to it. Its size is then that of the last write, and 0 before.
  virtual bool grows() const { return false; }
  // Whether it went with its device, which was lost: DEAD_OBJECT for whoever uses it.
  virtual bool is_lost() const { return false; }
  // Copies the first bytes to `host`, which must live until the fence settles. Never blocks. What was written by submissions
  // whose fences have settled is seen.
  Result<Fence> read(std::span<std::byte> host) const { return read_from(0, host); }
  // Replaces the first bytes by `host`, which must live until the fence settles; memory that grows gets exactly this size. Never
  // blocks. BAD_DATA when it is larger than memory that does not grow.
  Result<Fence> write(std::span<const std::byte> host) { return write_to(0, host); }
  // The same for bytes from `offset` on, which is 0 for memory that grows.
  virtual Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const = 0;
  virtual Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) = 0;
};

// What an execution waits for and signals on its device, besides fences: an application's semaphores. Made by the device.
class DeviceSync {
 public:
  virtual ~DeviceSync() = default;
  // The execution comes to nothing after its start has succeeded: waits and signals all the same. Nothing where a submission took
  // them. Never waits.
  virtual void abandon() = 0;
};

class PreparedPlan;

// An input or output of a plan that the device has prepared.
struct MemoryRole {
  const PreparedPlan* plan = nullptr;  // alive during allocate(); afterwards only compared
  bool is_input = true;
  uint32_t index = 0;
};

struct MemoryRequest {
  uint64_t size = 0;
  bool grows = false;                      // the size is not known before something is written
  std::span<const MemoryRole> roles = {};  // all that it will be bound to; empty: anything
};

// Where one input or output of an execution lives.
struct Binding {
  std::byte* data = nullptr;  // host address; inputs are only read. Null for device memory or when omitted
  size_t size = 0;  // bytes available (may exceed what the tensor needs); 0 with device memory: all behind device_offset
  Shape shape;      // inputs: fully known; outputs: as declared, may be partly unknown
  bool omitted = false;
  DeviceMemory* device_memory = nullptr;
  size_t device_offset = 0;
  // Set when `data` lies in memory that outlives this execution: devices may import it and use it in place. Outputs: all `size`
  // bytes may then be overwritten, also those behind the tensor.
  std::shared_ptr<MappedMemory> mapping;
  // Outputs of unknown size inside the runtime: resized by the device to what the output needs, instead of `data` and `size`.
  // Not touched by others until the submission's fence has settled.
  std::vector<std::byte>* growable = nullptr;
};

// Where a submission stands in its device's queue, for others that follow it there. Made by the device and opaque to everybody
// else.
class QueuePlace {
 public:
  virtual ~QueuePlace() = default;
};

// One execution. submit() copies what it needs of this struct; the memory behind the bindings must live until the fence settles.
struct Request {
  std::span<const Binding> inputs;
  std::span<const Binding> outputs;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::chrono::nanoseconds loop_timeout{2'000'000'000};
  bool measure_timing = false;  // durations wanted (ANeuralNetworksExecution_setMeasureTiming)
  bool profile = false;         // per-node times wanted
  bool may_run_inline = false;  // the caller blocks anyway: a CPU device may compute on the calling thread
  bool caller_waits = false;    // and does nothing else before the fence has settled: submit() may wait for other devices as well
  // A plan in steps may run a step that failed on its device once more on the fallback's, where the compilation falls back.
  bool may_run_again_on_cpu = true;
  std::shared_ptr<const ExtensionAttributes> attributes;  // the client's; null: none
  std::shared_ptr<DeviceSync> sync;  // null: none. The work is on the device's queue when submit() returns, or submit() fails
  // Of submit_behind(): what this one follows, and a limit besides the deadline, from the moment that all of it has run (0:
  // none).
  std::span<const std::shared_ptr<const QueuePlace>> behind;
  std::chrono::nanoseconds duration{0};
};

struct OutputReport {
  Shape shape;             // as computed; unknown parts stay unknown if the run stopped before
  bool sufficient = true;  // the buffer was large enough
};

// What one node cost in one execution.
struct NodeProfile {
  uint32_t source_operation = 0;
  std::string operation;  // "CONV_2D"
  std::string kernel;     // kernel and variant, or "reference"
  uint64_t nanoseconds = 0;
  uint64_t bytes = 0;          // read and written, from shapes
  uint64_t multiply_adds = 0;  // 0 where the notion makes no sense
  std::string device;          // in a plan over several devices: the one that ran it; else empty
};

inline constexpr uint64_t kNoDuration = UINT64_MAX;

// Filled by the device before the fence settles; immutable afterwards.
struct ExecutionReport {
  Status result;                      // also OUTPUT_INSUFFICIENT_SIZE and deadline codes
  std::vector<OutputReport> outputs;  // one per plan output, or empty on other errors
  uint64_t hardware_nanoseconds = kNoDuration;
  uint64_t driver_nanoseconds = kNoDuration;
  std::vector<NodeProfile> profile;      // only with Request::profile
  uint64_t preparation_nanoseconds = 0;  // for making ready what these sizes need; later executions find it
  bool loop_timed_out = false;           // `result` is the loop timeout's, which would strike on any device
};

// A running execution. `done` settles after `report` is final. An execution error is in both.
struct Submission {
  Fence done;
  std::shared_ptr<const ExecutionReport> report;
  std::shared_ptr<const QueuePlace> place = nullptr;  // null: nothing can follow it in the device's queue
};

// Names and totals since the plan was prepared, for "nothing happens twice" tests: "pipelines_created", "weights_packed",
// "command_buffers_recorded", "device_allocations", "descriptor_sets_written", "bytes_copied_in", "bytes_copied_out",
// "bytes_copied_internal", "executions", "cache_hits" and "cache_misses" (preparations with a PreparationCache), "queued_behind"
// (submissions behind others that had not run) and "queued_behind_at_once" (those that needed no host after submit_behind()).
using Counters = std::map<std::string, uint64_t>;

// A plan made ready on one device. Thread-safe: submit() may be called from many threads at once.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;  // waits for its running executions
  // Starts one execution. What it depends on has settled: executions wait for fences themselves (computation.h).
  // Never blocks on the device. Errors found before launch (bad shapes, no memory) are returned; later ones are in the report.
  virtual Result<Submission> submit(const Request& request) = 0;
  // As submit(), but what it depends on are submissions to the same device that need not have run (Request::behind): the device
  // keeps the order, and the host has nothing to do in between. When one of them fails, this one runs on what it finds or not at
  // all; whoever submitted it tells its failure. A deadline that was over when its turn came is missed, whatever was computed.
  // Nothing: the host is needed (it has inputs to copy or values to look at), or the device keeps no such order.
  virtual Result<std::optional<Submission>> submit_behind(const Request&) { return std::optional<Submission>(); }
  // Whether submit() takes bindings to this memory as input or output `index`. Others are BAD_DATA: they go through the host
  // (host_transfer.h).
  virtual bool takes_device_memory(const DeviceMemory&, bool /*is_input*/, size_t /*index*/) const { return false; }
  // Whether submit() is one piece of work of the device, which can take a DeviceSync of it.
  virtual bool takes_sync(const DeviceSync&) const { return false; }
  virtual Counters counters() const = 0;
};

// What the device reaches on its own micro-benchmarks; 0 where not measured.
struct Ceilings {
  double fp32_gflops = 0;  // multiply-add counts 2
  double int8_gops = 0;
  double read_gigabytes_per_second = 0;
  double copy_gigabytes_per_second = 0;
};

class Device;

// What a device has found out about choices of its own by running plans.
struct MeasuredChoices {
  std::vector<std::byte> bytes;    // for a calibration's file; empty: nothing
  std::string text;                // for people; empty: nothing
  std::unique_ptr<Device> device;  // one that chooses so; null: the device that was asked does already
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // Null where placing works out nothing that preparing needs.
  virtual std::unique_ptr<Groundwork> begin_groundwork() const { return nullptr; }
  // What place() predicts times from, for whoever has measured the device: changed before anybody places a model. Null where the
  // device predicts in a way of its own.
  virtual CostModel* costs() { return nullptr; }
  // Runs plans to find out which of its kernels are faster: for calibrations. Takes a second or two where there is something to
  // choose. Blocks.
  virtual Result<MeasuredChoices> measure_choices() { return MeasuredChoices(); }
  // One entry per node of the plan. prepare() uses the same decision: what is supported here prepares and runs. Of extension
  // operations only those that info() lists count (placement.h).
  virtual std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const = 0;
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) = 0;
  // OP_FAILED where the device has no memory of its own.
  virtual Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) = 0;
  // Runs micro-benchmarks (takes a second or two). Blocks.
  virtual Result<Ceilings> measure_ceilings() = 0;
};

}  // namespace nnvk
