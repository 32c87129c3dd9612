// Runs the published vectors, if they are installed, on the CPU device, with the tolerance rules of their README.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/plan/rewrites.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/vector_run.h"

namespace nnvk::cpu {
namespace {

const std::filesystem::path kVectors = std::filesystem::path(NNVK_SHARED_DIR) / "conformance";

bool all_supported(const Plan& plan) {
  return std::all_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& n) { return reason_not_supported(n) == nullptr; });
}

Status check_plan(const Plan& plan) {
  for (const PlanNode& node : plan.nodes) {
    NNVK_TRY(check_operation(declared_view(plan, node).view()));
  }
  return {};
}

test::VectorOutcome execute(const test::ConformanceVector& vector, const std::shared_ptr<const Plan>& plan, Device& device) {
  test::VectorOutcome outcome;
  outcome.status = check_plan(*plan);
  if (!outcome.status) return outcome;
  auto prepared = device.prepare(plan, {});
  if (prepared) return test::run_vector(vector, **prepared);
  outcome.status = fail(prepared.error());
  return outcome;
}

// Runs all supported vectors after `rewrite` and returns how many there were.
template <class Rewrite>
size_t run_vectors(Rewrite&& rewrite) {
  const auto device = make_reference_device();
  size_t run = 0;
  test::for_each_vector(kVectors, [&](const test::ConformanceVector& vector) {
    if (!all_supported(*vector.plan)) return;
    ++run;
    const std::string difference = mismatch(vector, execute(vector, rewrite(vector.plan), *device));
    EXPECT_EQ(difference, "") << vector.name;
  });
  return run;
}

TEST(ReferenceDevice, PassesEveryVectorWhoseOperationsItSupports) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  const size_t run = run_vectors([](const auto& plan) { return plan; });
  EXPECT_GE(run, 2216U);
  RecordProperty("vectors", static_cast<int>(run));
  std::cout << run << " vectors\n";
}

TEST(ReferenceDevice, PassesTheSameVectorsAfterRewrites) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  run_vectors([](const std::shared_ptr<const Plan>& plan) -> std::shared_ptr<const Plan> {
    if (!check_plan(*plan)) return plan;  // the vector expects that failure
    return fuse_residual_adds(fuse_activations(simplify(plan, reference_evaluator())));
  });
}

}  // namespace
}  // namespace nnvk::cpu
