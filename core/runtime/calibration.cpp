// Runs the sample plans with the device's own memory where it has some, so that no copies are measured.
#include "core/runtime/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/log.h"
#include "core/runtime/sample_plans.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Other work on the machine comes and goes: samples are run in several rounds, and the shortest execution counts.
constexpr int kRounds = 5;
constexpr size_t kSamplesPerRound = 32;  // that are prepared at once
constexpr int kLeastRuns = 2;            // in a round
constexpr double kSecondsPerRound = 2e-3;
constexpr size_t kSmallNodes = 32;

// The tensor that an execution reads or writes: on the device, or in host memory where it has none.
class SampleMemory {
 public:
  static Result<SampleMemory> make(Device& device, const OperandInfo& info) {
    SampleMemory memory;
    memory.binding_.shape = info.shape;
    const size_t size = info.byte_size().value_or(0);
    memory.host_.resize(size);
    for (size_t i = 0; i + sizeof(float) <= size && element_size(info.type) == sizeof(float); i += sizeof(float)) {
      const float value = static_cast<float>(i % 89) / 89.0F - 0.5F;
      std::memcpy(memory.host_.data() + i, &value, sizeof value);
    }
    if (auto on_device = device.allocate({size, false})) {
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

// A plan made ready, with memory for its inputs and outputs.
class ReadySample {
 public:
  static Result<ReadySample> make(Device& device, const std::shared_ptr<const Plan>& plan) {
    ReadySample ready;
    NNVK_ASSIGN(ready.prepared_, device.prepare(plan, {}));
    NNVK_TRY(bind(device, *plan, plan->inputs, ready.memories_, ready.inputs_));
    NNVK_TRY(bind(device, *plan, plan->outputs, ready.memories_, ready.outputs_));
    NNVK_TRY(ready.run_once());  // records and allocates
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
  static Status bind(Device& device, const Plan& plan, const std::vector<TensorId>& tensors, std::vector<SampleMemory>& memories,
                     std::vector<Binding>& bindings) {
    for (const TensorId id : tensors) {
      NNVK_ASSIGN(SampleMemory memory, SampleMemory::make(device, plan.tensors[id].info));
      bindings.push_back(memory.binding());
      memories.push_back(std::move(memory));
    }
    return {};
  }
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
  std::unique_ptr<PreparedPlan> prepared_;  // goes first: it waits for what still runs
  double shortest_ = 0;
};

// The shortest execution of each plan.
Result<std::vector<double>> shortest_executions(Device& device, const std::vector<std::shared_ptr<const Plan>>& plans) {
  std::vector<double> seconds;
  for (size_t first = 0; first < plans.size(); first += kSamplesPerRound) {
    std::vector<ReadySample> samples;
    for (size_t i = first; i < std::min(plans.size(), first + kSamplesPerRound); ++i) {
      NNVK_ASSIGN(ReadySample sample, ReadySample::make(device, plans[i]));
      samples.push_back(std::move(sample));
    }
    for (int round = 0; round < kRounds; ++round) {
      for (ReadySample& sample : samples) NNVK_TRY(sample.run_round());
    }
    for (const ReadySample& sample : samples) seconds.push_back(sample.shortest());
  }
  return seconds;
}

// What an execution takes besides its nodes.
Result<double> seconds_to_start(Device& device) {
  const std::vector<std::shared_ptr<const Plan>> plans{smallest_plan(1).plan, smallest_plan(kSmallNodes).plan};
  NNVK_ASSIGN(const std::vector<double> seconds, shortest_executions(device, plans));
  const double one = seconds[0];
  const double many = seconds[1];
  return std::max(0.0, one - std::max(0.0, many - one) / (kSmallNodes - 1));
}

// One sample: a node, and what it took.
struct Measured {
  const SamplePlan* plan = nullptr;
  CostClass kind;
  CostSample sample;
};

std::string describe(const Measured& measured, double predicted) {
  const Plan& plan = *measured.plan->plan;
  const PlanNode& node = plan.nodes.front();
  const auto microseconds = [](double seconds) { return std::to_string(seconds * 1e6) + " us"; };
  return operation_name(node.code) + " (" + cost_family_name(measured.kind.family) + ") " +
         plan.tensors[node.inputs.front()].info.shape.to_string() + " to " +
         plan.tensors[node.outputs.front()].info.shape.to_string() + (measured.kind.is_8bit ? ", 8-bit" : "") +
         (measured.kind.channels_first ? ", NCHW" : "") +
         (measured.kind.kernel == KernelKind::kReference ? ", reference kernel" : "") + ": " +
         microseconds(measured.sample.seconds) + ", predicted " + microseconds(predicted);
}

// `start`: what an execution takes besides its nodes.
Result<std::vector<Measured>> measure_samples(Device& device, const std::vector<SamplePlan>& plans, double start) {
  std::vector<Measured> measured;
  std::vector<std::shared_ptr<const Plan>> supported;
  for (const SamplePlan& plan : plans) {
    const std::vector<Placement> placements = device.place(*plan.plan);
    if (placements.empty() || !placements.front().supported) continue;
    const NodeView node = declared_view(*plan.plan, plan.plan->nodes.front());
    measured.push_back({&plan, cost_class(node.view(), placements.front().kernel), {cost_sizes(node.view()), 0}});
    supported.push_back(plan.plan);
  }
  NNVK_ASSIGN(const std::vector<double> seconds, shortest_executions(device, supported));
  for (size_t i = 0; i < measured.size(); ++i) {
    // Should the start have been measured too long, most of the time is still the nodes'.
    const double of_nodes = std::max(seconds[i] - start, seconds[i] / 2);
    measured[i].sample.seconds = of_nodes / static_cast<double>(measured[i].plan->count);
  }
  return measured;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Result<Calibration> calibrate(Device& device) {
  const CostModel* const costs = device.costs();
  if (costs == nullptr) return fail(Code::kOpFailed, device.info().name + " predicts times in a way of its own");
  const auto began = Clock::now();
  NNVK_ASSIGN(const double start, seconds_to_start(device));
  const std::vector<SamplePlan> plans = sample_plans();
  NNVK_ASSIGN(const std::vector<Measured> measured, measure_samples(device, plans, start));
  std::map<CostClass, std::vector<CostSample>> samples;
  for (const Measured& sample : measured) samples[sample.kind].push_back(sample.sample);
  Calibration calibration;
  for (const auto& [kind, of_class] : samples) {
    calibration.rates.emplace(kind, fit_cost_rates(of_class, costs->assumed_rates(kind)));
  }
  std::vector<double> errors;
  for (const Measured& sample : measured) {
    const double predicted = seconds_of(sample.sample.sizes, calibration.rates[sample.kind]);
    errors.push_back(std::abs(predicted / sample.sample.seconds - 1.0));
    if (!log_enabled(Detail::kManager)) continue;
    log_line(Detail::kManager, "Calibration", device.info().name + ": " + describe(sample, predicted));
  }
  calibration.samples = errors.size();
  calibration.median_error = median(std::move(errors));
  calibration.seconds = seconds_since(began);
  return calibration;
}

void complete_with_reference(Calibration& device, const Calibration& reference) {
  for (const auto& [kind, rates] : reference.rates) {
    if (kind.kernel == KernelKind::kReference) device.rates.emplace(kind, rates);
  }
}

}  // namespace nnvk
