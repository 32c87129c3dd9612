// Computes the cost of a distribution and searches for a cheap one: moves steps and nodes, from several starting points.
#include "core/plan/partition.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/trace.h"
#include "core/operations/work_estimate.h"
#include "core/plan/plan_uses.h"
#include "core/plan/segments.h"

namespace nnvk {
namespace {

// The search ends after this many trials times nodes: it should take only milliseconds of the compilation.
constexpr size_t kTrialWork = 2'000'000;
constexpr int kMaximumRounds = 8;
// The host works between steps, and predictions err: so a plan that can stay whole is split only below this share of its time.
constexpr double kWorthSplitting = 0.8;

class Distribution {
 public:
  Distribution(const Plan& plan, std::span<const std::vector<Placement>> placements, std::span<const Candidate> candidates)
      : plan_(plan), placements_(placements), candidates_(candidates), uses_(find_uses(plan)) {}

  bool runs(size_t device, uint32_t node) const { return placements_[device][node].supported; }
  bool runs_all(size_t device, std::span<const uint32_t> nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](uint32_t n) { return runs(device, n); });
  }
  bool is_cpu(size_t device) const { return candidates_[device].type == DeviceType::kCpu; }
  // Returns true if an accelerator runs at least one node: accelerators are made for some operations, not for whole models.
  bool has_accelerator() const {
    for (size_t c = 0; c < candidates_.size(); ++c) {
      const auto runs = [](const Placement& placement) { return placement.supported; };
      if (candidates_[c].type == DeviceType::kAccelerator && std::ranges::any_of(placements_[c], runs)) return true;
    }
    return false;
  }

  std::vector<Partition> partitions(const std::vector<size_t>& device_of) const;
  double cost(const std::vector<size_t>& device_of) const { return predicted_seconds(partitions(device_of)); }
  // Returns a device per node: `preferred` if it supports the node, else (or if none is preferred) the fastest one for the node.
  std::vector<size_t> start(std::optional<size_t> preferred) const;
  // Moves steps and nodes to other devices as long as the whole plan becomes cheaper. Returns the final cost.
  double improve(std::vector<size_t>& device_of) const;

 private:
  bool try_move(std::vector<size_t>& device_of, std::span<const uint32_t> nodes, size_t device, double& cost) const;

  const Plan& plan_;
  std::span<const std::vector<Placement>> placements_;
  std::span<const Candidate> candidates_;
  PlanUses uses_;
};

std::vector<Partition> Distribution::partitions(const std::vector<size_t>& device_of) const {
  std::vector<Partition> parts;
  // Per tensor: the last device that received a copy, and whether the writer's device has already copied the tensor to the host.
  std::vector<size_t> brought_to(plan_.tensors.size(), SIZE_MAX);
  std::vector<bool> handed_out(plan_.tensors.size());
  std::vector<size_t> writer(plan_.tensors.size(), SIZE_MAX);  // index into parts
  const auto transfer = [&](Partition& part, TensorId id) {
    const TransferCosts& costs = candidates_[part.device].transfers;
    const OperandInfo& info = plan_.tensors[id].info;
    const uint64_t bytes = estimate_elements(info) * element_size(info.type);
    part.transfer_bytes += bytes;
    part.transfer_seconds += costs.seconds_per_tensor + static_cast<double>(bytes) * costs.seconds_per_byte;
  };
  const auto hand_out = [&](TensorId id) {
    if (handed_out[id]) return;
    handed_out[id] = true;
    transfer(parts[writer[id]], id);
  };
  for (Step& step : order_into_steps(plan_, device_of)) {
    const size_t index = parts.size();
    Partition& part = parts.emplace_back();
    part.device = step.device;
    part.transfer_seconds = candidates_[step.device].transfers.seconds_per_step;
    for (const uint32_t n : step.nodes) {
      part.predicted_seconds += placements_[step.device][n].predicted_seconds;
      for (const TensorId id : plan_.nodes[n].inputs) {
        const TensorRole role = plan_.tensors[id].role;
        const bool is_data = role == TensorRole::kInput || writer[id] != SIZE_MAX;
        const bool is_here = writer[id] != SIZE_MAX && parts[writer[id]].device == step.device;
        if (!is_data || is_here || brought_to[id] == step.device) continue;
        brought_to[id] = step.device;
        if (writer[id] != SIZE_MAX) hand_out(id);
        transfer(part, id);
      }
      for (const TensorId id : plan_.nodes[n].outputs) {
        writer[id] = index;
        if (plan_.tensors[id].role == TensorRole::kOutput) hand_out(id);
      }
    }
    part.nodes = std::move(step.nodes);
  }
  return parts;
}

std::vector<size_t> Distribution::start(std::optional<size_t> preferred) const {
  std::vector<size_t> device_of(plan_.nodes.size());
  for (uint32_t n = 0; n < device_of.size(); ++n) {
    size_t best = SIZE_MAX;
    for (size_t c = 0; c < candidates_.size(); ++c) {
      if (!runs(c, n)) continue;
      const auto seconds = [&](size_t candidate) { return placements_[candidate][n].predicted_seconds; };
      // On a tie the earlier device wins, but a CPU wins over all others (docs/nnapi/devices.md#choosing-a-device).
      const bool wins_tie = best != SIZE_MAX && seconds(c) == seconds(best) && is_cpu(c) && !is_cpu(best);
      const bool better = best == SIZE_MAX || seconds(c) < seconds(best) || wins_tie;
      if (better) best = c;
    }
    device_of[n] = preferred && runs(*preferred, n) ? *preferred : best;
  }
  return device_of;
}

bool Distribution::try_move(std::vector<size_t>& device_of, std::span<const uint32_t> nodes, size_t device, double& cost) const {
  if (!runs_all(device, nodes)) return false;
  std::vector<size_t> moved = device_of;
  for (const uint32_t n : nodes) moved[n] = device;
  const double moved_cost = this->cost(moved);
  if (moved_cost >= cost) return false;
  device_of = std::move(moved);
  cost = moved_cost;
  return true;
}

double Distribution::improve(std::vector<size_t>& device_of) const {
  double cost = this->cost(device_of);
  size_t trials = kTrialWork / (plan_.nodes.size() + 1);
  for (int round = 0; round < kMaximumRounds; ++round) {
    bool changed = false;
    const auto try_devices = [&](std::span<const uint32_t> nodes) {
      for (size_t c = 0; c < candidates_.size() && trials > 0; ++c) {
        if (c == device_of[nodes.front()]) continue;
        --trials;
        changed = try_move(device_of, nodes, c, cost) || changed;
      }
    };
    for (const Step& step : order_into_steps(plan_, device_of)) try_devices(step.nodes);
    // A node next to a node of another device may be cheaper there.
    for (uint32_t n = 0; n < plan_.nodes.size(); ++n) {
      const bool at_border = std::any_of(plan_.nodes[n].inputs.begin(), plan_.nodes[n].inputs.end(), [&](TensorId id) {
        const uint32_t producer = uses_.producer[id];
        return producer != kNoNode && device_of[producer] != device_of[n];
      });
      if (!at_border) continue;
      try_devices({&n, 1});
      for (const TensorId id : plan_.nodes[n].inputs) {
        if (const uint32_t producer = uses_.producer[id]; producer != kNoNode) try_devices({&producer, 1});
      }
    }
    if (!changed || trials == 0) break;
  }
  return cost;
}

// Names the first operation that no device runs, with each device's reason. A device that could not answer sets another code.
Error no_device_error(const Plan& plan, std::span<const std::vector<Placement>> placements, std::span<const Candidate> candidates,
                      uint32_t node) {
  std::string reasons;
  Code code = Code::kBadData;
  for (size_t c = 0; c < placements.size(); ++c) {
    if (placements[c][node].is_unanswered) code = Code::kUnavailableDevice;
    reasons += (reasons.empty() ? "" : "; ") + candidates[c].name + ": " + placements[c][node].reason;
  }
  return Error{code, plan.describe(plan.nodes[node]) + " runs on none of the allowed devices: " + reasons};
}

}  // namespace

double predicted_seconds(std::span<const Partition> partitions) {
  double seconds = 0;
  for (const Partition& part : partitions) seconds += part.predicted_seconds + part.transfer_seconds;
  return seconds;
}

Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const Candidate> candidates) {
  const trace::Section section("[NN_LR_PC]partition");
  if (plan.nodes.empty()) return std::vector<Partition>(1);
  const Distribution distribution(plan, placements, candidates);
  std::vector<uint32_t> all(plan.nodes.size());
  for (uint32_t n = 0; n < all.size(); ++n) {
    all[n] = n;
    const auto runs = [&](const std::vector<Placement>& answers) { return answers[n].supported; };
    if (std::none_of(placements.begin(), placements.end(), runs)) return fail(no_device_error(plan, placements, candidates, n));
  }
  std::vector<size_t> best;
  double best_cost = 0;
  const auto offer = [&](std::vector<size_t> device_of, double cost) {
    if (!best.empty() && cost >= best_cost) return;
    best = std::move(device_of);
    best_cost = cost;
  };
  bool stays_whole = false;
  for (size_t c = 0; c < candidates.size(); ++c) {
    if (!distribution.runs_all(c, all)) continue;
    std::vector<size_t> whole(plan.nodes.size(), c);
    const double cost = distribution.cost(whole);
    offer(std::move(whole), cost);
    stays_whole = stays_whole || !distribution.is_cpu(c);
  }
  if (!stays_whole || distribution.has_accelerator()) {
    const double limit = stays_whole ? kWorthSplitting * best_cost : best_cost;
    const bool any_is_better = best.empty();
    std::vector<std::vector<size_t>> starts{distribution.start(std::nullopt)};
    for (size_t c = 0; c < candidates.size(); ++c) starts.push_back(distribution.start(c));
    for (std::vector<size_t>& device_of : starts) {
      const double cost = distribution.improve(device_of);
      if (any_is_better || cost <= limit) offer(std::move(device_of), cost);
    }
  }
  return distribution.partitions(best);
}

}  // namespace nnvk
