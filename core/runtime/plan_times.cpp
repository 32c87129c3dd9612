// Prepares plans, binds memory to them and runs them.
#include "core/runtime/plan_times.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Other work on the machine varies, so samples run in several rounds, and the shortest execution counts.
constexpr int kRounds = 5;
constexpr size_t kSamplesPerRound = 32;  // prepared together
constexpr int kLeastRuns = 2;            // of a plan in a round
constexpr double kSecondsPerRound = 2e-3;

// The tensor that an execution reads or writes.
class SampleMemory {
 public:
  static Result<SampleMemory> make(Device& device, const OperandInfo& info, SamplePlace place) {
    SampleMemory memory;
    memory.binding_.shape = info.shape;
    const size_t size = info.byte_size().value_or(0);
    memory.host_.resize(size);
    for (size_t i = 0; i + sizeof(float) <= size && element_size(info.type) == sizeof(float); i += sizeof(float)) {
      const float value = static_cast<float>(i % 89) / 89.0F - 0.5F;
      std::memcpy(memory.host_.data() + i, &value, sizeof value);
    }
    auto on_device = place == SamplePlace::kDevice ? device.allocate({size, false}) : fail(Code::kOpFailed, "not asked for");
    if (on_device) {
      memory.device_ = *std::move(on_device);
      NNVK_ASSIGN(const Fence written, memory.device_->write(memory.host_));
      NNVK_TRY(written.wait());
      memory.binding_.device_memory = memory.device_.get();
    } else {
      memory.binding_.data = memory.host_.data();
      memory.binding_.size = size;
    }
    return memory;
  }
  const Binding& binding() const { return binding_; }

 private:
  Binding binding_;
  std::vector<std::byte> host_;
  std::unique_ptr<DeviceMemory> device_;
};

// A prepared plan, with memory for its inputs and outputs.
class ReadySample {
 public:
  static Result<ReadySample> make(Device& device, const std::shared_ptr<const Plan>& plan, SamplePlace place) {
    ReadySample ready;
    NNVK_ASSIGN(ready.prepared_, device.prepare(plan, {}));
    const auto bind = [&](const std::vector<TensorId>& tensors, std::vector<Binding>& bindings) -> Status {
      for (const TensorId id : tensors) {
        NNVK_ASSIGN(SampleMemory memory, SampleMemory::make(device, plan->tensors[id].info, place));
        bindings.push_back(memory.binding());
        ready.memories_.push_back(std::move(memory));
      }
      return {};
    };
    NNVK_TRY(bind(plan->inputs, ready.inputs_));
    NNVK_TRY(bind(plan->outputs, ready.outputs_));
    NNVK_TRY(ready.run_once());  // not timed: records commands and allocates memory
    ready.shortest_ = std::numeric_limits<double>::infinity();
    return ready;
  }
  Status run_round() {
    const auto began = Clock::now();
    for (int run = 0; run < kLeastRuns || seconds_since(began) < kSecondsPerRound; ++run) NNVK_TRY(run_once());
    return {};
  }
  double shortest() const { return shortest_; }

 private:
  Status run_once() {
    Request request;
    request.inputs = inputs_;
    request.outputs = outputs_;
    request.may_run_inline = true;
    const auto start = Clock::now();
    NNVK_ASSIGN(const Submission submission, prepared_->submit(request));
    NNVK_TRY(submission.done.wait());
    shortest_ = std::min(shortest_, seconds_since(start));
    return {};
  }

  std::vector<SampleMemory> memories_;
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  std::unique_ptr<PreparedPlan> prepared_;  // destroyed first: it waits for running executions
  double shortest_ = 0;
};

}  // namespace

Result<std::vector<double>> shortest_executions(Device& device, const std::vector<std::shared_ptr<const Plan>>& plans,
                                                SamplePlace place) {
  std::vector<double> seconds;
  for (size_t first = 0; first < plans.size(); first += kSamplesPerRound) {
    std::vector<ReadySample> samples;
    for (size_t i = first; i < std::min(plans.size(), first + kSamplesPerRound); ++i) {
      NNVK_ASSIGN(ReadySample sample, ReadySample::make(device, plans[i], place));
      samples.push_back(std::move(sample));
    }
    for (int round = 0; round < kRounds; ++round) {
      for (ReadySample& sample : samples) NNVK_TRY(sample.run_round());
    }
    for (const ReadySample& sample : samples) seconds.push_back(sample.shortest());
  }
  return seconds;
}

}  // namespace nnvk
