// One execution of a plan in segments: a state machine that submits a part of the model and continues when its fence settles. It
// blocks only if the caller waits for the result (caller_waits), or after a failure while a device still uses the run's memory.
// Values pass between devices through host memory; a value that only its own device reads stays there.
//
//              +-----------+ the part has run: the next one starts
//              v           |
//   start --> Computing ---+-- no part is left, but results lie in device memory --> ReadingBack --> end
//              ^     |     +-- no part is left ----------------------------------------------------> end
//              |     |
//              |     v its device has failed: the part runs again on the fallback's device
//             Fetching, which copies the part's inputs from device memory to the host
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/plan/rewrites.h"
#include "core/plan/segments.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"
#include "core/runtime/memory_pools.h"
#include "core/runtime/owned_request.h"
#include "core/runtime/running_count.h"
#include "core/runtime/segmented_report.h"

namespace nnvk {

// A segment without control flow, or a model to which control flow refers, prepared to run.
struct PreparedModel {
  std::unique_ptr<PreparedPlan> prepared;
  PlanPointer straight;                  // the plan of `prepared`, if one device runs it in one submission; else null
  std::unique_ptr<PreparedPlan> rescue;  // the same on the fallback's device, made after the device's first failure
};

struct PreparedSegment {
  Segment segment;
  Device* device = nullptr;           // null: control flow whose models run on several devices
  PreparedModel first;                // the straight plan, the then-model or the condition model
  PreparedModel second;               // the else-model or the body
  bool times_every_condition = true;  // kWhile: the loop may time out even if its condition ends it
  // Per output of the straight plan, of both branches or of the body: true if it may stay in the memory of the device.
  std::vector<bool> may_stay_on_device;
};

// One tensor during a run. Copies share the bytes.
struct Value {
  Binding binding;                                // the place of its bytes, for the steps that read them
  std::shared_ptr<std::vector<std::byte>> owned;  // keeps the bytes alive on the host
  std::shared_ptr<DeviceMemory> on_device;        // or on a device; both null: the client or the plan owns them
  const Device* written_by = nullptr;             // null: the client, or several devices
};

// The state of a prepared plan that its running executions share.
struct SegmentedState {
  explicit SegmentedState(LaunchQueue& queue) : launches(queue) {}

  LaunchQueue& launches;
  int32_t priority = 100;
  std::shared_ptr<const Plan> plan;
  std::vector<PreparedSegment> segments;
  std::vector<bool> read_later;  // per tensor: a segment takes it as an input
  DeviceMemoryPool device_memory;
  HostBufferPool buffers;
  SharedMemoryPool shared_memory;
  // True if values that leave a device are in shared_memory, which accelerators in other processes use in place.
  bool shares_memory = false;
  Device* rescue = nullptr;  // runs steps again that failed on their device; may be null
  std::atomic<uint64_t> executions{0};
  std::atomic<uint64_t> rescued{0};
  std::atomic<uint64_t> bytes_copied_out{0};  // by the host, from values between steps to the client
  std::mutex rescue_mutex;
  RunningCount running;

  // Returns `model` on the fallback's device, prepared at the first call.
  Result<PreparedPlan*> rescue_plan(PreparedModel& model);
  // Returns room for a value that `device` writes: memory of the device if the value may stay there, else shared memory if the
  // run shares memory with drivers. If the size is not certain, or neither gives memory, the room is host memory that grows as
  // needed: a buffer that `key` identifies in `buffers`.
  Value room_for(const OperandInfo& info, uint64_t key, Device* device, bool may_stay_on_device);
};

class SegmentedRun : public std::enable_shared_from_this<SegmentedRun> {
 public:
  // The run counts as entered in `shared.running` from before start() until just before submission().done settles. By then it has
  // released the plan and all memory, even if other owners still hold the run itself.
  SegmentedRun(SegmentedState& shared, const Request& request) : shared_(shared), client_(request) {}

  Submission submission() const { return {done_, report_.shared()}; }
  void start();

 private:
  struct Target {
    Value value;
    uint64_t key = 0;                          // of its buffer in SegmentedState::buffers
    std::optional<size_t> client_output = {};  // the device writes the memory of this output of the client
  };
  struct Loop {
    std::vector<Value> values;
    std::chrono::nanoseconds preparation_before;  // the devices' time for preparations before the loop
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  };
  // The ways in which the run uses a part's results.
  struct Step {};              // they are tensors of the whole plan
  struct Condition : Loop {};  // the result says whether the loop goes on
  struct Body : Loop {};       // they are the loop's next values
  // A model that a device computes for this run.
  struct Part {
    std::variant<Step, Condition, Body> use;
    PreparedSegment* segment;
    PreparedModel* model;  // of the segment
    std::vector<Value> inputs;
    std::vector<Target> targets;
    bool on_rescue;  // it failed on its own device
  };
  // The states drawn above.
  struct Computing {
    Part part;
    std::shared_ptr<const ExecutionReport> report;
  };
  struct Fetching : Part {};
  struct ReadingBack {};
  struct UnderWay {
    Fence done;
    std::variant<Computing, Fetching, ReadingBack> state;
  };

  Status advance();
  void finish(Status result);
  // Leaves a state whose fence has settled with `done`, and starts the next one. Returns false if there is none.
  Result<bool> next();
  Result<bool> leave(Computing& computing, const Status& done);
  // These functions use the results of a part that has run, and start the next part.
  Result<bool> use(Step& step, Part& part);
  Result<bool> use(Condition& condition, Part& part);
  Result<bool> use(Body& body, Part& part);
  Result<bool> start_step();
  Result<bool> start_condition(PreparedSegment& prepared, Loop loop);
  Result<bool> read_back();
  Result<bool> submit(Part part);
  Result<bool> run_on_rescue(Part part, const Error& error);
  bool is_rescuable(const Part& part, const Error& error, bool was_launched) const;
  const Device* device_of(const Part& part) const { return part.on_rescue ? shared_.rescue : part.segment->device; }
  Status bind_inputs();
  Status take_results(Part& part, const ExecutionReport& report);
  Status deliver();
  Status check_deadline() const;
  Status check_loop_time(const Loop& loop, const PreparedSegment& prepared, bool goes_on);
  Target target_for(const PreparedSegment& prepared, size_t output);
  std::vector<Value> values_of(const std::vector<TensorId>& tensors) const;

  SegmentedState& shared_;  // the plan's, which waits for its runs
  OwnedRequest client_;
  const Fence done_ = Fence::pending();
  SegmentedReport report_;
  std::vector<Value> values_;          // per tensor of the plan
  size_t step_ = 0;                    // the segment that runs or comes next
  std::optional<UnderWay> under_way_;  // nothing: between parts
};

}  // namespace nnvk
