// One execution of a plan in segments: a small machine that submits a segment, goes on when its fence settles, and never waits.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/plan/segments.h"
#include "core/runtime/device.h"
#include "core/runtime/device_memory_pool.h"

namespace nnvk {

struct PreparedSegment {
  Segment segment;
  std::unique_ptr<PreparedPlan> first;   // the straight plan, the then-model or the condition model
  std::unique_ptr<PreparedPlan> second;  // the else-model or the body
  bool sizes_known = true;               // kWhile: nothing about its operands is open before it runs
  // Per output of what writes device memory (the straight plan, both branches, the body): it may stay on the device.
  std::vector<bool> may_stay_on_device;
};

// The bytes of one tensor during a run. Copies share the bytes.
struct Value {
  Shape shape;
  const std::byte* data = nullptr;
  size_t size = 0;
  bool omitted = false;
  std::shared_ptr<std::vector<std::byte>> owned;  // null: the bytes belong to the client, to the plan or to the device
  std::shared_ptr<DeviceMemory> on_device;        // set: the bytes are here, and nowhere on the host
  size_t device_offset = 0;
  std::shared_ptr<MappedMemory> mapping;  // of the client, that `data` lies in
};

// What running executions share with the plan that started them.
struct SegmentedState {
  std::shared_ptr<const Plan> plan;
  std::vector<PreparedSegment> segments;
  std::vector<bool> read_later;  // per tensor: a segment takes it as an input
  std::unique_ptr<DeviceMemoryPool> device_memory;
  std::atomic<uint64_t> executions{0};
  std::mutex mutex;
  std::condition_variable idle;
  size_t running = 0;
};

class SegmentedRun : public std::enable_shared_from_this<SegmentedRun> {
 public:
  SegmentedRun(std::shared_ptr<SegmentedState> state, const Request& request)
      : state_(std::move(state)),
        inputs_(request.inputs.begin(), request.inputs.end()),
        outputs_(request.outputs.begin(), request.outputs.end()),
        request_(request) {
    request_.inputs = inputs_;
    request_.outputs = outputs_;
  }

  Submission submission() const { return {done_, report_}; }
  void start() { advance(request_.may_run_inline); }
  void finish(Status result);

 private:
  enum class LoopPhase : uint8_t { kEnter, kCondition, kBody };
  // An output of the submission that is under way.
  struct Target {
    TensorId tensor = kNoTensor;  // of the whole plan; kNoTensor for conditions and loop values
    Value value;
    size_t client_output = SIZE_MAX;  // written straight into the client's memory
  };

  void advance(bool may_run_inline);
  Result<bool> next(bool may_run_inline);
  Result<bool> enter_loop_phase(const PreparedSegment& prepared, bool may_run_inline);
  Status bind_inputs();
  Status submit(PreparedPlan& plan, const std::vector<Value>& inputs, bool may_run_inline);
  Status absorb();
  Status absorb_output(Target& target, const OutputReport& report);
  Result<bool> read_back();
  Status deliver();
  Status check_loop_time(const PreparedSegment& prepared, bool goes_on) const;
  Target target_for(const PreparedSegment& prepared, size_t output);
  Target loop_target(const OperandInfo& info, bool may_stay_on_device);
  void make_room(Target& target, const OperandInfo& info, bool may_stay_on_device);
  std::vector<Value> values_of(const std::vector<TensorId>& tensors) const;
  Result<bool> condition_of(const Value& value) const;

  std::shared_ptr<SegmentedState> state_;
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  Request request_;
  Fence done_ = Fence::pending();
  std::shared_ptr<ExecutionReport> report_ = std::make_shared<ExecutionReport>();
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  std::vector<Value> values_;  // per tensor of the plan
  size_t step_ = 0;
  std::vector<Target> targets_;  // outputs of the submission under way
  Submission pending_{Fence::already_signalled(), nullptr};
  bool is_pending_ = false;
  bool is_read_back_ = false;

  LoopPhase phase_ = LoopPhase::kEnter;
  std::vector<Value> loop_values_;
  std::chrono::steady_clock::time_point loop_started_;
};

}  // namespace nnvk
