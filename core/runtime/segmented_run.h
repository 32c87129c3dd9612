// One execution of a plan in segments: a state machine that submits a segment and continues when its fence settles. It blocks
// only if the caller waits for the result (caller_waits), or after a failure while a device still uses the run's memory.
// Values pass between devices through host memory; a value that only its own device reads stays there.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/plan/rewrites.h"
#include "core/plan/segments.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"
#include "core/runtime/memory_pools.h"
#include "core/runtime/owned_request.h"
#include "core/runtime/running_count.h"

namespace nnvk {

// A segment without control flow, or a model that control flow refers to, prepared to run.
struct PreparedModel {
  std::unique_ptr<PreparedPlan> prepared;
  PlanPointer straight;                  // the prepared plan, if one device runs it in one submission; else null
  std::unique_ptr<PreparedPlan> rescue;  // the same on the fallback's device, made after the device's first failure
};

struct PreparedSegment {
  Segment segment;
  Device* device = nullptr;           // null: control flow whose models run on several devices
  PreparedModel first;                // the straight plan, the then-model or the condition model
  PreparedModel second;               // the else-model or the body
  bool times_every_condition = true;  // kWhile: also one that ends the loop
  // Per output of the part that writes device memory (the straight plan, both branches, the body): it may stay on the device.
  std::vector<bool> may_stay_on_device;
};

// One tensor during a run. Copies share the bytes.
struct Value {
  Binding binding;                                // the place of its bytes, for the steps that read them
  std::shared_ptr<std::vector<std::byte>> owned;  // keeps them on the host,
  std::shared_ptr<DeviceMemory> on_device;        // or on a device; neither: they belong to the client or to the plan
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
  bool shares_memory =
      false;  // values that leave a device lie in shared_memory, which accelerators in other processes use in place
  Device* rescue = nullptr;  // runs steps again that failed on their device; may be null
  std::atomic<uint64_t> executions{0};
  std::atomic<uint64_t> rescued{0};
  std::atomic<uint64_t> bytes_copied_out{0};  // by the host, from values between steps to the client
  std::mutex rescue_mutex;
  RunningCount running;

  // `model` on the fallback's device, prepared on first use.
  Result<PreparedPlan*> rescue_plan(PreparedModel& model);
};

class SegmentedRun : public std::enable_shared_from_this<SegmentedRun> {
 public:
  // The run counts as entered in `state.running` from before start() until just before submission().done settles. By then it has
  // released the plan and all memory, whoever still holds the run itself.
  SegmentedRun(SegmentedState& state, const Request& request) : state_(state), client_(request) {}

  Submission submission() const { return {done_, report_}; }
  void start();

 private:
  enum class LoopPhase : uint8_t { kEnter, kCondition, kBody };
  // An output of the submission that is under way.
  struct Target {
    TensorId tensor = kNoTensor;  // of the whole plan; kNoTensor for conditions and loop values
    Value value;
    size_t client_output = SIZE_MAX;  // the device writes the client's memory; SIZE_MAX: it does not
    uint64_t key = 0;                 // of its buffer in SegmentedState::buffers
  };

  // The last submission.
  struct Attempt {
    PreparedModel* model = nullptr;  // null: results are being read back to the host
    const PreparedSegment* segment = nullptr;
    std::vector<Value> inputs;
    bool on_rescue = false;
  };

  Status advance(bool may_run_inline);
  void finish(Status result);
  Result<bool> next(bool may_run_inline);
  Status settle_pending(bool may_run_inline);
  Result<bool> enter_loop_phase(PreparedSegment& prepared, bool may_run_inline);
  Status bind_inputs();
  Status submit(PreparedModel& model, const PreparedSegment& segment, std::vector<Value> inputs, bool may_run_inline);
  Status send(bool may_run_inline);
  Status run_on_rescue(const Error& error, bool may_run_inline);
  Result<bool> fetch_inputs();
  bool is_rescuable(const Error& error, bool was_launched) const;
  const Device* running_device() const;
  Status absorb();
  Status absorb_output(Target& target, const OutputReport& report);
  void absorb_profile(const ExecutionReport& report);
  Result<bool> read_back();
  Status deliver();
  Status check_loop_time(const PreparedSegment& prepared, bool goes_on);
  Target target_for(const PreparedSegment& prepared, size_t output);
  Target room_for(const OperandInfo& info, uint64_t key, Device* device, bool may_stay_on_device);
  std::vector<Value> values_of(const std::vector<TensorId>& tensors) const;

  SegmentedState& state_;  // the plan's, which waits for its runs
  OwnedRequest client_;
  Fence done_ = Fence::pending();
  std::shared_ptr<ExecutionReport> report_ = std::make_shared<ExecutionReport>();
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  std::vector<Value> values_;  // per tensor of the plan
  size_t step_ = 0;
  std::vector<Target> targets_;  // outputs of the submission under way
  Submission pending_{Fence::already_signalled(), nullptr};
  bool is_pending_ = false;
  bool has_begun_ = false;  // a part has run
  bool is_read_back_ = false;
  bool is_timed_ = false;     // the device measures durations
  bool is_fetching_ = false;  // inputs of attempt_ are on their way to the host
  Attempt attempt_;

  LoopPhase phase_ = LoopPhase::kEnter;
  std::vector<Value> loop_values_;
  std::chrono::steady_clock::time_point loop_started_;
  // The devices' time for preparations: in total, and before the loop.
  std::chrono::nanoseconds preparation_{0};
  std::chrono::nanoseconds preparation_before_loop_{0};
};

}  // namespace nnvk
