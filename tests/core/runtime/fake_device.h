// A device for tests of the runtime: adds 1 to every float of its inputs, at once or when the test says so, and fails on demand.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::testing {

struct FakeBehaviour {
  bool supports = true;
  double predicted_seconds = 1.0;
  Status prepare_result;
  Status submit_result;          // returned by submit()
  Status execution_result;       // in the report
  bool hold = false;             // executions finish only at release()
  Shape reported_output;         // reported instead of the bound shape when not empty
  std::vector<std::byte> keeps;  // what prepare() leaves in a cache that has nothing
};

// Writes input 0 plus one, float by float, to output 0.
class FakePlan : public PreparedPlan {
 public:
  explicit FakePlan(FakeBehaviour& behaviour) : behaviour_(behaviour) {}
  ~FakePlan() override { release(); }

  Result<Submission> submit(const Request& request) override {
    ++submissions;
    {
      const std::lock_guard lock(mutex_);
      last_deadline = request.deadline;
      last_loop_timeout = request.loop_timeout;
      last_attributes = request.attributes;
    }
    if (!behaviour_.submit_result) return tl::unexpected<Error>(behaviour_.submit_result.error());
    auto report = std::make_shared<ExecutionReport>();
    Submission submission{Fence::pending(), report};
    const std::vector<Binding> inputs(request.inputs.begin(), request.inputs.end());
    const std::vector<Binding> outputs(request.outputs.begin(), request.outputs.end());
    auto work = [this, report, inputs, outputs, done = submission.done] {
      report->result = behaviour_.execution_result;
      if (report->result) {
        for (size_t i = 0; i + 4 <= inputs[0].size && i + 4 <= outputs[0].size; i += 4) {
          float value = 0;
          std::memcpy(&value, inputs[0].data + i, 4);
          value += 1.0F;
          std::memcpy(outputs[0].data + i, &value, 4);
        }
        report->driver_nanoseconds = 2000;
        report->hardware_nanoseconds = 1000;
      }
      OutputReport output;
      output.shape = behaviour_.reported_output.dims.empty() ? outputs[0].shape : behaviour_.reported_output;
      output.sufficient = report->result.has_value();
      report->outputs.push_back(output);
      report->result ? done.signal() : done.fail(report->result.error());
    };
    if (behaviour_.hold) {
      const std::lock_guard lock(mutex_);
      held_.push_back(work);
    } else {
      work();
    }
    return submission;
  }

  Counters counters() const override { return {{"executions", submissions.load()}}; }

  // Finishes everything that was held back.
  void release() {
    std::vector<std::function<void()>> held;
    {
      const std::lock_guard lock(mutex_);
      held.swap(held_);
    }
    for (const auto& finish : held) finish();
  }

  std::atomic<uint64_t> submissions{0};
  std::optional<std::chrono::steady_clock::time_point> last_deadline;
  std::chrono::nanoseconds last_loop_timeout{0};
  std::shared_ptr<const ExtensionAttributes> last_attributes;

 private:
  FakeBehaviour& behaviour_;
  std::mutex mutex_;
  std::vector<std::function<void()>> held_;
};

class FakeDevice : public Device {
 public:
  explicit FakeDevice(std::string name, DeviceType type = DeviceType::kGpu) {
    info_.name = std::move(name);
    info_.version = "1";
    info_.type = type;
    info_.feature_level = 1000008;
  }

  const DeviceInfo& info() const override { return info_; }
  std::vector<Placement> place(const Plan& plan) const override {
    return std::vector<Placement>(
        plan.nodes.size(), {behaviour.supports, behaviour.supports ? "" : "the test says no", behaviour.predicted_seconds});
  }
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan_to_run, const PrepareOptions& options) override {
    ++prepared;
    last_options = options;
    found.clear();
    if (options.cache != nullptr) {
      const auto kept = options.cache->find(*plan_to_run);
      found.assign(kept.begin(), kept.end());
      if (found.empty()) options.cache->keep(*plan_to_run, behaviour.keeps);
    }
    if (!behaviour.prepare_result) return tl::unexpected<Error>(behaviour.prepare_result.error());
    auto plan = std::make_unique<FakePlan>(behaviour);
    last_plan = plan.get();
    return std::unique_ptr<PreparedPlan>(std::move(plan));
  }
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override {
    if (allocate_memory) return allocate_memory(request);
    return fail(Code::kOpFailed, "no memory");
  }
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

  DeviceInfo& changeable_info() { return info_; }

  FakeBehaviour behaviour;
  std::function<Result<std::unique_ptr<DeviceMemory>>(const MemoryRequest&)> allocate_memory;  // none: it has no memory
  int prepared = 0;
  PrepareOptions last_options;
  std::vector<std::byte> found;   // in the cache, by the last prepare()
  FakePlan* last_plan = nullptr;  // of the last prepare()

 private:
  DeviceInfo info_;
};

}  // namespace nnvk::testing
