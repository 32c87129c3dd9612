// Every published vector with more than one operation, if the vectors are installed. Two devices take turns and cut the plan
// wherever possible. The bytes are those of the CPU device alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/runtime/segmented_plan.h"
#include "tests/support/fake_device.h"
#include "tests/support/vector_run.h"
#include "tests/support/whole_plan.h"

namespace nnvk::test {
namespace {

const std::filesystem::path kVectors = std::filesystem::path(NNVK_SHARED_DIR) / "conformance";

bool is_even(const PlanNode& node) { return node.source_operation % 2 == 0; }

TEST(PartitionedVectors, GiveTheBytesOfOneDevice) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  FakeDevice even("even");
  FakeDevice odd("odd");
  even.behaviour.takes = is_even;
  odd.behaviour.takes = [](const PlanNode& node) { return !is_even(node); };
  const std::unique_ptr<Device> cpu = cpu::make_reference_device();
  const HostEvaluator evaluator = cpu::reference_evaluator();
  Device* const devices[] = {&even, &odd};
  const PrepareOptions options;
  size_t compared = 0;
  for_each_vector(kVectors, [&](const ConformanceVector& vector) {
    if (vector.expect_failure || vector.plan->nodes.size() < 2) return;
    auto whole = prepare_whole(*cpu, simplify(vector.plan, evaluator), evaluator, options);
    const auto deployment = deploy(vector.plan, devices);
    if (!whole || !deployment) return;
    auto cut = prepare_deployment(*deployment, {devices, nullptr, options, evaluator, launches(), {}, true});
    ASSERT_TRUE(cut) << vector.name << ": " << cut.error().message;
    const VectorOutcome expected = run_vector(vector, **whole);
    const VectorOutcome actual = run_vector(vector, *cut->runner);
    if (crosses_empty(vector, actual)) return;
    EXPECT_EQ(actual.status.has_value(), expected.status.has_value()) << vector.name;
    EXPECT_EQ(actual.outputs, expected.outputs) << vector.name;
    for (size_t i = 0; i < expected.reports.size() && i < actual.reports.size(); ++i) {
      EXPECT_EQ(actual.reports[i].shape, expected.reports[i].shape) << vector.name;
    }
    if (!deployment->is_whole) ++compared;
  });
  EXPECT_GT(compared, 0U);
  std::cout << compared << " vectors cut\n";
}

}  // namespace
}  // namespace nnvk::test
