// Published vectors, if they are installed; Vulkan and the CPU device share them operation by operation.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/runtime/segmented_plan.h"
#include "network.h"
#include "tests/support/fake_device.h"
#include "tests/support/vector_run.h"
#include "tests/support/whole_plan.h"

namespace nnvk::vulkan {
namespace {

const std::filesystem::path kVectors = std::filesystem::path(NNVK_SHARED_DIR) / "conformance";

TEST(PartitionedVectors, PassWhenVulkanAndTheCpuTakeTurns) {
  if (!std::filesystem::is_directory(kVectors)) GTEST_SKIP() << kVectors << " is not there";
  auto gpu = test::first_device();
  if (gpu == nullptr) GTEST_SKIP() << "no Vulkan device on this machine";
  test::FakeDevice even("gpu", DeviceType::kGpu, test::computing_on(std::move(gpu)));
  test::FakeDevice odd("cpu", DeviceType::kCpu);
  const HostEvaluator evaluator = cpu::reference_evaluator();
  Device* const devices[] = {&even, &odd};
  const PrepareOptions options;
  size_t compared = 0;
  for (const uint32_t first : {0U, 1U}) {
    even.behaviour.takes = [=](const PlanNode& node) { return node.source_operation % 2 == first; };
    odd.behaviour.takes = [=](const PlanNode& node) { return node.source_operation % 2 != first; };
    test::for_each_vector(kVectors, [&](const test::ConformanceVector& vector) {
      if (vector.expect_failure || vector.plan->nodes.size() < 2) return;
      const auto deployment = deploy(vector.plan, devices);
      if (!deployment || deployment->is_whole) return;
      auto cut = prepare_deployment(*deployment, {devices, nullptr, options, evaluator, test::launches(), {}, true});
      ASSERT_TRUE(cut) << vector.name << ": " << cut.error().message;
      const test::VectorOutcome outcome = test::run_vector(vector, *cut->runner);
      if (test::crosses_empty(vector, outcome)) return;
      EXPECT_EQ(test::mismatch(vector, outcome), "") << vector.name;
      ++compared;
    });
  }
  EXPECT_GT(compared, 0U);
  std::cout << compared << " vectors\n";
}

}  // namespace
}  // namespace nnvk::vulkan
