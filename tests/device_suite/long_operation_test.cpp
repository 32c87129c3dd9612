// A single operation takes far longer than the deadline: the run must end soon after the deadline, not with the operation.
#include <algorithm>
#include <chrono>
#include <string_view>

#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;
using enum OperationCode;

// A run must end no later than this after its deadline. The operations for the CPU below take 5 s and more on the processors of
// 2026. A GPU finishes what it began, so the operation for Vulkan takes less: below 1 s on a busy software device.
constexpr std::chrono::seconds kLate{3};
// The deadline of the operations for the CPU.
constexpr std::chrono::milliseconds kAllowed{50};

class LongOperations : public DeviceSuite, public PlanFixture {
 protected:
  // Runs the one operation with inputs full of ones. On Vulkan, the deadline is a fraction of the time that the operation takes
  // there: processors differ so much that no fixed deadline is both missed by fast ones and met soon enough by slow ones.
  void expect_missed() {
    const auto prepared = this->prepare(plan());
    std::vector<std::vector<float>> buffers;
    const auto bindings = [&](const std::vector<TensorId>& tensors) {
      std::vector<Binding> list;
      for (const TensorId id : tensors) {
        const Shape& shape = raw().tensors[id].info.shape;
        list.push_back(bind(buffers.emplace_back(shape.element_count(), 1.0F), shape));
      }
      return list;
    };
    const std::vector<Binding> inputs = bindings(raw().inputs);
    const std::vector<Binding> outputs = bindings(raw().outputs);
    Clock::duration allowed = kAllowed;
    if (is_vulkan()) {
      Clock::duration shortest = Clock::duration::max();
      for (int run = 0; run < 2; ++run) {
        const auto begin = Clock::now();
        ASSERT_TRUE(execute(*prepared, inputs, outputs).status);
        shortest = std::min(shortest, Clock::now() - begin);
      }
      allowed = shortest / 4;
    }
    const auto deadline = Clock::now() + allowed;
    const Outcome outcome = execute(*prepared, inputs, outputs, with(&Request::deadline, deadline));
    const auto late = Clock::now() - deadline;
    // Persistent: the machine is so busy that the run had not begun.
    EXPECT_THAT(outcome.code(), ::testing::AnyOf(Code::kMissedDeadlineTransient, Code::kMissedDeadlinePersistent));
    EXPECT_LT(late, kLate) << std::chrono::duration_cast<std::chrono::milliseconds>(late).count() << " ms too late";
  }
  TensorId number(float value) { return constant<float>({}, OperandType::kFloat32, {value}); }
  TensorId ones(const Shape& shape) {
    return constant<float>(shape, OperandType::kTensorFloat32, std::vector<float>(shape.element_count(), 1.0F));
  }
  bool is_vulkan() const { return std::string_view(GetParam().name).find("Vulkan") != std::string_view::npos; }
};

// Operations for the CPU only: a GPU cannot be interrupted, and would be busy during the next tests.
class LongOperationsOfTheCpu : public LongOperations {
 protected:
  void SetUp() override {
    LongOperations::SetUp();
    if (is_vulkan()) GTEST_SKIP() << "a GPU would go on computing";
  }
};

TEST_P(LongOperations, RegionsWithManySamples) {
  constexpr int32_t kSamples = 256;
  constexpr uint32_t kChannels = 32;
  const uint32_t count = is_vulkan() ? 1 : 32;
  std::vector<float> corners;
  for (uint32_t i = 0; i < count; ++i) corners.insert(corners.end(), {0.0F, 0.0F, 16.0F, 16.0F});
  const TensorId image = input({1, 16, 16, kChannels});
  const TensorId regions = constant<float>({count, 4}, OperandType::kTensorFloat32, corners);
  const TensorId images = constant<int32_t>({count}, OperandType::kTensorInt32, std::vector<int32_t>(count));
  node(kRoiAlign,
       {image, regions, images, scalar(7), scalar(7), number(1), number(1), scalar(kSamples), scalar(kSamples), flag(false)},
       {output({count, 7, 7, kChannels})});
  expect_missed();
}

TEST_P(LongOperationsOfTheCpu, PoolingWithALargeWindow) {
  node(kAveragePool2d,
       {input({1, 512, 512, 16}), scalar(255), scalar(255), scalar(255), scalar(255), scalar(1), scalar(1), scalar(511),
        scalar(511), scalar(0), flag(false)},
       {output({1, 512, 512, 16})});
  expect_missed();
}

TEST_P(LongOperationsOfTheCpu, NormalizationOverManyNeighbours) {
  constexpr uint32_t kSize = 1 << 20;
  node(kLocalResponseNormalization, {input({1, 1, 1, kSize}), scalar(kSize), number(1), number(1), number(0.5F)},
       {output({1, 1, 1, kSize})});
  expect_missed();
}

TEST_P(LongOperationsOfTheCpu, ConvolutionWithALargeFilter) {
  node(kConv2d,
       {input({2, 128, 128, 256}), ones({256, 15, 15, 256}), ones({256}), scalar(7), scalar(7), scalar(7), scalar(7), scalar(1),
        scalar(1), scalar(0), flag(false)},
       {output({2, 128, 128, 256})});
  expect_missed();
}

TEST_P(LongOperationsOfTheCpu, SequenceOfManySteps) {
  constexpr uint32_t kSteps = 60000;
  node(kUnidirectionalSequenceRnn,
       {input({kSteps, 1, 16}), ones({1024, 16}), ones({1024, 1024}), ones({1024}), ones({1, 1024}), scalar(1), scalar(1)},
       {output({kSteps, 1, 1024})});
  expect_missed();
}

NNVK_ON_EVERY_DEVICE(LongOperations);
NNVK_ON_EVERY_DEVICE(LongOperationsOfTheCpu);

}  // namespace
}  // namespace nnvk::test
