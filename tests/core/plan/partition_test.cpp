// Tests of device choice, with invented placements.
#include "core/plan/partition.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using Answers = std::vector<std::vector<Placement>>;

const std::vector<Candidate> kGpuAndCpu = {{"gpu", DeviceType::kGpu, kTransfersByCopies},
                                           {"cpu", DeviceType::kCpu, kTransfersInPlace}};
const Placement kNo{false, "no kernel", 0};

Placement takes(double seconds) { return {true, "", seconds}; }

// x -> TANH -> RELU -> TANH -> ... -> y, `count` nodes over `elements` floats.
Plan chain(size_t count, uint32_t elements = 4) {
  test::PlanFixture f;
  TensorId last = f.input({elements});
  for (size_t i = 0; i < count; ++i) {
    const TensorId next = i + 1 == count ? f.output({elements}) : f.temporary({elements});
    f.node(i % 2 == 0 ? OperationCode::kTanh : OperationCode::kRelu, {last}, {next});
    last = next;
  }
  return f.raw();
}

// Device and nodes of every partition, as text: "gpu 0 1, cpu 2".
std::string text_of(const Result<std::vector<Partition>>& partitions, const std::vector<Candidate>& candidates) {
  if (!partitions) return partitions.error().message;
  std::string text;
  for (const Partition& part : *partitions) {
    text += (text.empty() ? "" : ", ") + candidates[part.device].name;
    for (const uint32_t n : part.nodes) text += " " + std::to_string(n);
  }
  return text;
}

double total(const std::vector<Partition>& partitions) {
  double seconds = 0;
  for (const Partition& part : partitions) seconds += part.predicted_seconds + part.transfer_seconds;
  return seconds;
}

TEST(PartitionPlan, TheFastestDeviceThatRunsEverythingRunsEverything) {
  const Answers answers = {{takes(1), takes(1)}, {takes(5), takes(5)}};
  EXPECT_EQ(text_of(partition_plan(chain(2), answers, kGpuAndCpu), kGpuAndCpu), "gpu 0 1");
  const Answers slow_gpu = {{takes(9), takes(9)}, {takes(5), takes(5)}};
  EXPECT_EQ(text_of(partition_plan(chain(2), slow_gpu, kGpuAndCpu), kGpuAndCpu), "cpu 0 1");
}

TEST(PartitionPlan, AModelThatADeviceRunsWholeIsNotCutThoughThatWouldBeFaster) {
  const Answers answers = {{takes(1), takes(7)}, {takes(9), takes(1)}};
  EXPECT_EQ(text_of(partition_plan(chain(2), answers, kGpuAndCpu), kGpuAndCpu), "gpu 0 1");
}

TEST(PartitionPlan, WhatTheGpuDeclinesRunsOnTheCpuAndTheRestStays) {
  const Answers answers = {{takes(1), kNo, takes(1)}, {takes(5), takes(5), takes(5)}};
  EXPECT_EQ(text_of(partition_plan(chain(3), answers, kGpuAndCpu), kGpuAndCpu), "gpu 0, cpu 1, gpu 2");
}

TEST(PartitionPlan, TransfersThatCostMoreThanTheyGainAreNotMade) {
  const Answers answers = {{takes(1e-6), kNo, takes(1e-6)}, {takes(5e-6), takes(5e-6), takes(5e-6)}};
  EXPECT_EQ(text_of(partition_plan(chain(3), answers, kGpuAndCpu), kGpuAndCpu), "cpu 0 1 2");
  // Transferring 40 MB to the CPU and back takes longer than the CPU needs for the last node.
  const Answers large = {{takes(1), kNo, takes(1e-3)}, {takes(5), takes(5e-3), takes(5e-3)}};
  EXPECT_EQ(text_of(partition_plan(chain(3, 10'000'000), large, kGpuAndCpu), kGpuAndCpu), "gpu 0, cpu 1 2");
}

TEST(PartitionPlan, WhatWasMeasuredOfTransfersDecides) {
  const Answers answers = {{takes(1e-3), kNo, takes(1e-4)}, {takes(5e-3), takes(5e-3), takes(5e-4)}};
  const auto with = [](const TransferCosts& of_gpu) {
    return std::vector<Candidate>{{"gpu", DeviceType::kGpu, of_gpu}, {"cpu", DeviceType::kCpu, {}}};
  };
  const auto split = [&](const TransferCosts& of_gpu) {
    const std::vector<Candidate> candidates = with(of_gpu);
    return text_of(partition_plan(chain(3, 1000), answers, candidates), candidates);
  };
  EXPECT_EQ(split({.seconds_per_step = 1e-4}), "gpu 0, cpu 1, gpu 2");
  EXPECT_EQ(split({.seconds_per_step = 1e-3}), "gpu 0, cpu 1 2");
  EXPECT_EQ(split({.seconds_per_tensor = 1e-3}), "gpu 0, cpu 1 2");
  EXPECT_EQ(split({.seconds_per_byte = 1e-7}), "gpu 0, cpu 1 2") << "4000 bytes there and back";
  const std::vector<Candidate> candidates =
      with({.seconds_per_step = 1e-5, .seconds_per_tensor = 1e-6, .seconds_per_byte = 1e-9});
  const auto partitions = partition_plan(chain(3, 1000), answers, candidates);
  ASSERT_EQ(partitions->size(), 3U);
  EXPECT_NEAR((*partitions)[0].transfer_seconds, 1e-5 + 2 * (1e-6 + 4000e-9), 1e-9);
  EXPECT_EQ((*partitions)[1].transfer_seconds, 0);
}

TEST(PartitionPlan, AWholeRunOfSmallOperationsMovesTogether) {
  // Moving a single node to the other device saves no transfer; moving all of them together saves two.
  Answers answers = {std::vector<Placement>(12, takes(10e-6)), std::vector<Placement>(12, takes(12e-6))};
  answers[0][2] = answers[0][9] = kNo;
  answers[0][0] = answers[0][11] = takes(1e-3);
  answers[1][0] = answers[1][11] = takes(1);
  EXPECT_EQ(text_of(partition_plan(chain(12), answers, kGpuAndCpu), kGpuAndCpu), "gpu 0 1, cpu 2 3 4 5 6 7 8 9, gpu 10 11");
}

TEST(PartitionPlan, TwoDevicesThatLackDifferentOperationsShareThem) {
  const std::vector<Candidate> gpus = {{"a", DeviceType::kGpu}, {"b", DeviceType::kAccelerator}};
  const Answers answers = {{takes(1), kNo, takes(1)}, {kNo, takes(1), takes(2)}};
  EXPECT_EQ(text_of(partition_plan(chain(3), answers, gpus), gpus), "a 0, b 1, a 2");
}

// The GPU can run the whole plan in three seconds; an accelerator runs two nodes in `seconds` each.
std::string beside_an_accelerator(double seconds) {
  const std::vector<Candidate> devices = {{"gpu", DeviceType::kGpu, {}}, {"npu", DeviceType::kAccelerator, {}}};
  const Answers answers = {{takes(1), takes(1), takes(1)}, {takes(seconds), takes(seconds), kNo}};
  return text_of(partition_plan(chain(3), answers, devices), devices);
}

TEST(PartitionPlan, AnAcceleratorTakesAPartOfWhatAGpuRunsWholeWhereThatSavesAFifth) {
  EXPECT_EQ(beside_an_accelerator(0.1), "npu 0 1, gpu 2");
  EXPECT_EQ(beside_an_accelerator(0.69), "npu 0 1, gpu 2");
  EXPECT_EQ(beside_an_accelerator(0.8), "gpu 0 1 2") << "a saving of 13 %";
  EXPECT_EQ(beside_an_accelerator(2), "gpu 0 1 2");
}

TEST(PartitionPlan, BranchesAreGatheredIntoAsFewStepsAsTheirOrderAllows) {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId y = f.output({4});
  std::vector<TensorId> ends;
  for (int branch = 0; branch < 3; ++branch) {
    const TensorId first = f.temporary({4});
    const TensorId second = f.temporary({4});
    f.node(OperationCode::kTanh, {x}, {first});
    f.node(OperationCode::kRelu, {first}, {second});
    ends.push_back(second);
  }
  f.node(OperationCode::kConcatenation, {ends[0], ends[1], ends[2], f.scalar(0)}, {y});
  const Answers answers = {{takes(1), kNo, takes(1), kNo, takes(1), kNo, takes(1)}, std::vector<Placement>(7, takes(5))};
  EXPECT_EQ(text_of(partition_plan(f.raw(), answers, kGpuAndCpu), kGpuAndCpu), "gpu 0 2 4, cpu 1 3 5, gpu 6");
}

TEST(PartitionPlan, ATensorIsCountedOnceForEveryDeviceThatReadsIt) {
  test::PlanFixture f;
  const TensorId x = f.input({1000});
  const TensorId middle = f.temporary({1000});
  const TensorId sum = f.temporary({1000});
  const TensorId y = f.output({1000});
  f.node(OperationCode::kTanh, {x}, {middle});
  f.node(OperationCode::kAdd, {middle, middle, f.scalar(0)}, {sum});
  f.node(OperationCode::kMul, {sum, middle, f.scalar(0)}, {y});
  const Answers answers = {{kNo, takes(1), takes(1)}, {takes(1), takes(5), takes(5)}};
  const auto partitions = partition_plan(f.raw(), answers, kGpuAndCpu);
  ASSERT_EQ(text_of(partitions, kGpuAndCpu), "cpu 0, gpu 1 2");
  EXPECT_EQ((*partitions)[0].transfer_bytes, 8000U);  // x in, middle out
  EXPECT_EQ((*partitions)[1].transfer_bytes, 8000U);  // middle in, y out
  EXPECT_DOUBLE_EQ((*partitions)[1].predicted_seconds, 2.0);
}

TEST(PartitionPlan, AnOperationNobodyRunsIsNamedWithEveryReason) {
  const Answers answers = {{takes(1), {false, "too new", 0}}, {takes(5), kNo}};
  const auto partitions = partition_plan(chain(2), answers, kGpuAndCpu);
  ASSERT_FALSE(partitions.has_value());
  EXPECT_EQ(partitions.error().code, Code::kBadData);
  EXPECT_EQ(partitions.error().message, "RELU (operation 1) runs on none of the allowed devices: gpu: too new; cpu: no kernel");
}

// Random graphs with random placements. Every node runs once, on a device that supports it, after its inputs. The result is never
// slower than a single device, and always the same.
TEST(PartitionPlan, AnyGraphIsCutInAnOrderThatRunsAndNeverCostsMoreThanOneDevice) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    test::PlanFixture f;
    std::vector<TensorId> values{f.input({4}), f.input({4})};
    const size_t count = 1 + random() % 30;
    for (size_t n = 0; n < count; ++n) {
      const TensorId out = n + 1 == count || random() % 8 == 0 ? f.output({4}) : f.temporary({4});
      f.node(OperationCode::kAdd, {values[random() % values.size()], values[random() % values.size()], f.scalar(0)}, {out});
      values.push_back(out);
    }
    const Plan& plan = f.raw();
    Answers answers(2);
    const auto seconds = [&] { return static_cast<double>(random() % 1000) * 1e-6; };
    for (size_t n = 0; n < count; ++n) {
      answers[0].push_back(random() % 3 == 0 ? kNo : takes(seconds()));
      answers[1].push_back(takes(10 * seconds()));
    }
    const auto partitions = partition_plan(plan, answers, kGpuAndCpu);
    ASSERT_TRUE(partitions.has_value());
    std::set<TensorId> written(plan.inputs.begin(), plan.inputs.end());
    size_t nodes = 0;
    for (const Partition& part : *partitions) {
      for (const uint32_t n : part.nodes) {
        EXPECT_TRUE(answers[part.device][n].supported);
        for (const TensorId id : plan.nodes[n].inputs) EXPECT_TRUE(plan.is_constant(id) || written.contains(id));
        written.insert(plan.nodes[n].outputs.begin(), plan.nodes[n].outputs.end());
        ++nodes;
      }
    }
    EXPECT_EQ(nodes, count);
    Answers only_cpu = answers;
    only_cpu[0].assign(count, kNo);
    EXPECT_LE(total(*partitions), total(*partition_plan(plan, only_cpu, kGpuAndCpu)));
    EXPECT_EQ(text_of(partition_plan(plan, answers, kGpuAndCpu), kGpuAndCpu), text_of(partitions, kGpuAndCpu));
  }
}

TEST(PartitionPlan, AThousandOperationsAreCutWithoutTryingEverything) {
  const size_t count = 2000;
  Answers answers = {std::vector<Placement>(count, takes(1e-3)), std::vector<Placement>(count, takes(5e-3))};
  for (size_t n = 0; n < count; n += 3) answers[0][n] = kNo;
  EXPECT_TRUE(partition_plan(chain(count), answers, kGpuAndCpu).has_value());
}

}  // namespace
}  // namespace nnvk
