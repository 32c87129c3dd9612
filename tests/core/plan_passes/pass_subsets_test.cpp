// Every subset of the rewrites keeps the results of random plans, on both CPU devices.
#include <gtest/gtest.h>

#include <array>

#include "core/plan/rewrites.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/core/plan_passes/random_plan.h"
#include "tests/support/bindings.h"

namespace nnvk::test {
namespace {

PlanPointer folded(const PlanPointer& plan) { return fold_constants(plan, cpu::reference_evaluator()); }

struct Pass {
  const char* name;
  PlanPointer (*run)(const PlanPointer& plan);
};
// In the order in which devices run them.
constexpr std::array kPasses = {Pass{"fold_constants", folded},
                                Pass{"remove_dead_nodes", remove_dead_nodes},
                                Pass{"remove_reshapes", remove_reshapes},
                                Pass{"keep_channels_last", keep_channels_last},
                                Pass{"fuse_activations", fuse_activations},
                                Pass{"fuse_pads", fuse_pads},
                                Pass{"trim_filters", trim_filters},
                                Pass{"fuse_residual_adds", fuse_residual_adds}};

PlanPointer after_passes(PlanPointer plan, uint32_t subset) {
  for (size_t i = 0; i < kPasses.size(); ++i) {
    if ((subset >> i & 1) != 0) plan = kPasses[i].run(plan);
  }
  return plan;
}

std::string names_of(uint32_t subset) {
  std::string names;
  for (size_t i = 0; i < kPasses.size(); ++i) {
    if ((subset >> i & 1) != 0) names += std::string(" ") + kPasses[i].name;
  }
  return names;
}

// All outputs, one after the other.
std::vector<float> run(Device& device, const PlanPointer& plan, const RandomPlan& random) {
  const std::unique_ptr<PreparedPlan> prepared = value_of(device.prepare(plan, {}));
  std::vector<std::vector<float>> values = random.input_values();
  std::vector<Binding> inputs;
  for (size_t i = 0; i < values.size(); ++i) inputs.push_back(bind(values[i], plan->tensors[plan->inputs[i]].info.shape));
  std::vector<std::vector<float>> results;
  for (const TensorId id : plan->outputs) results.emplace_back(plan->tensors[id].info.shape.element_count(), -1e9F);
  std::vector<Binding> outputs;
  for (size_t i = 0; i < results.size(); ++i) outputs.push_back(bind(results[i], plan->tensors[plan->outputs[i]].info.shape));
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  request.may_run_inline = true;
  const Submission submission = value_of(prepared->submit(request));
  if (const Status status = submission.done.wait(); !status) throw std::runtime_error(status.error().text());
  std::vector<float> all;
  for (const auto& result : results) all.insert(all.end(), result.begin(), result.end());
  return all;
}

TEST(PassSubsets, NoneChangesWhatRandomPlansCompute) {
  constexpr uint32_t kPlans = 100;
  const auto reference = cpu::make_reference_device();
  const auto fast = cpu::make_cpu_device({1});
  std::array<size_t, kPasses.size()> changes{};  // how often a pass found something to do
  for (uint32_t seed = 0; seed < kPlans; ++seed) {
    const RandomPlan random(seed, 12);
    const PlanPointer plan = random.plan();
    const std::vector<float> wanted = run(*reference, plan, random);
    for (uint32_t subset = 0; subset < 1U << kPasses.size(); ++subset) {
      const PlanPointer rewritten = after_passes(plan, subset);
      ASSERT_EQ(run(*reference, rewritten, random), wanted) << "seed " << seed << ", nnapi-reference," << names_of(subset);
      if (subset % 3 == seed % 3) {
        ASSERT_EQ(run(*fast, rewritten, random), wanted) << "seed " << seed << ", nnvk-cpu," << names_of(subset);
      }
    }
    for (size_t i = 0; i < kPasses.size(); ++i) changes[i] += kPasses[i].run(plan) != plan ? 1 : 0;
  }
  for (size_t i = 0; i < kPasses.size(); ++i) EXPECT_GT(changes[i], 0U) << kPasses[i].name << " had nothing to do";
}

}  // namespace
}  // namespace nnvk::test
