// Runs the sample plans, in the device's own memory if it has some, so that no copies are measured; the difference to host memory
// is the cost of copies. Measures the device's choices first, because they change the times of plans.
#include "core/runtime/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/log.h"
#include "core/runtime/plan_times.h"
#include "core/runtime/sample_plans.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSmallNodes = 32;
constexpr uint32_t kTransferredElements = 512 << 10;

// Measures the seconds that an execution takes besides its nodes, for example to submit work.
Result<double> seconds_to_start(Device& device) {
  const std::vector<std::shared_ptr<const Plan>> plans{addition_plan(1, 1), addition_plan(kSmallNodes, 1)};
  NNVK_ASSIGN(const std::vector<double> seconds, shortest_executions(device, plans));
  const double one = seconds[0];
  const double many = seconds[1];
  return std::max(0.0, one - std::max(0.0, many - one) / (kSmallNodes - 1));
}

// Measures the cost of copying one tensor to the device or back, and one byte of it. Zero if the device computes in host memory.
Result<TransferCosts> measure_transfers(Device& device) {
  const std::vector<std::shared_ptr<const Plan>> plans{addition_plan(1, 1), addition_plan(1, kTransferredElements)};
  NNVK_ASSIGN(const std::vector<double> in_place, shortest_executions(device, plans, SamplePlace::kDevice));
  NNVK_ASSIGN(const std::vector<double> with_copies, shortest_executions(device, plans, SamplePlace::kHost));
  constexpr double kTensors = 2;  // one input, one output
  const double small = std::max(0.0, with_copies[0] - in_place[0]);
  const double large = std::max(small, with_copies[1] - in_place[1]);
  return TransferCosts{.seconds_per_tensor = small / kTensors,
                       .seconds_per_byte = (large - small) / (kTensors * kTransferredElements * sizeof(float))};
}

struct Measured {
  PlanPointer plan;
  CostClass kind;
  CostSample sample;
};

std::string describe(const Measured& measured, double predicted) {
  const Plan& plan = *measured.plan;
  const PlanNode& node = plan.nodes.front();
  const auto microseconds = [](double seconds) { return std::to_string(seconds * 1e6) + " us"; };
  return operation_name(node.code) + " (" + cost_family_name(measured.kind.family) + ") " +
         plan.tensors[node.inputs[kFirstInput]].info.shape.to_string() + " to " +
         plan.tensors[node.outputs[kFirstOutput]].info.shape.to_string() + (measured.kind.is_8bit ? ", 8-bit" : "") +
         (measured.kind.channels_first ? ", NCHW" : "") +
         (measured.kind.kernel == KernelKind::kReference ? ", reference kernel" : "") + ": " +
         microseconds(measured.sample.seconds) + ", predicted " + microseconds(predicted);
}

// Measures the plans' nodes. `start`: the time of an execution without its nodes.
Result<std::vector<Measured>> measure_samples(Device& device, const std::vector<PlanPointer>& plans, double start) {
  std::vector<Measured> measured;
  std::vector<std::shared_ptr<const Plan>> supported;
  for (const PlanPointer& plan : plans) {
    const std::vector<Placement> placements = device.place(*plan);
    if (placements.empty() || !placements.front().supported) continue;
    const NodeView node = declared_view(*plan, plan->nodes.front());
    measured.push_back({plan, cost_class(node.view(), placements.front().kernel), {cost_sizes(node.view()), 0}});
    supported.push_back(plan);
  }
  NNVK_ASSIGN(const std::vector<double> seconds, shortest_executions(device, supported));
  for (size_t i = 0; i < measured.size(); ++i) {
    // `start` may have been measured too long, so at least half of the time counts for the nodes.
    const double of_nodes = std::max(seconds[i] - start, seconds[i] / 2);
    measured[i].sample.seconds = of_nodes / static_cast<double>(measured[i].plan->nodes.size());
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

Result<Calibration> calibrate(Device& device_as_it_is) {
  if (device_as_it_is.costs() == nullptr)
    return fail(Code::kOpFailed,
                device_as_it_is.info().name + " predicts times without a cost model: there is nothing to calibrate");
  const auto began = Clock::now();
  NNVK_ASSIGN(MeasuredChoices choices, device_as_it_is.measure_choices());
  Device& device = choices.device != nullptr ? *choices.device : device_as_it_is;  // with its new choices
  const CostModel* const costs = device.costs();
  NNVK_ASSIGN(const double start, seconds_to_start(device));
  NNVK_ASSIGN(const std::vector<Measured> measured, measure_samples(device, sample_plans(), start));
  std::map<CostClass, std::vector<CostSample>> samples;
  for (const Measured& sample : measured) samples[sample.kind].push_back(sample.sample);
  Calibration calibration;
  NNVK_ASSIGN(calibration.costs.transfers, measure_transfers(device));
  calibration.costs.transfers.seconds_per_step = start;
  for (const auto& [kind, of_class] : samples) {
    calibration.costs.rates.emplace(kind, fit_cost_rates(of_class, costs->assumed_rates(kind)));
  }
  std::vector<double> errors;
  for (const Measured& sample : measured) {
    const double predicted = seconds_of(sample.sample.sizes, calibration.costs.rates[sample.kind]);
    errors.push_back(std::abs(predicted / sample.sample.seconds - 1.0));
    if (!log_enabled(Detail::kManager)) continue;
    log_line(Detail::kManager, "Calibration", device.info().name + ": " + describe(sample, predicted));
  }
  calibration.samples = errors.size();
  calibration.median_error = median(std::move(errors));
  calibration.costs.choices = std::move(choices.bytes);
  calibration.choices = std::move(choices.text);
  calibration.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return calibration;
}

void complete_with_reference(Calibration& device, const Calibration& reference) {
  for (const auto& [kind, rates] : reference.costs.rates) {
    if (kind.kernel == KernelKind::kReference) device.costs.rates.emplace(kind, rates);
  }
}

}  // namespace nnvk
