// Executions queued behind others that have not run: they keep the device's order, and a device that cannot queue one reports
// that it needs the host.
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<DeviceRow> rows_that_queue() {
  std::vector<DeviceRow> rows;
  for (const DeviceRow& row : device_rows()) {
    if (row.queues) rows.push_back(row);
  }
  return rows;
}

// So large that no device computes it on the submitting thread.
constexpr size_t kCount = 65536;
const Shape kShape{256, 256};

// y = x + 1.
std::shared_ptr<const Plan> increment() {
  PlanFixture f;
  const TensorId x = f.input(kShape);
  const TensorId y = f.output(kShape);
  f.node(OperationCode::kAdd, {x, f.constant<float>({1}, OperandType::kTensorFloat32, {1.0F}), f.scalar(0)}, {y});
  return f.plan();
}

// z = x + y.
std::shared_ptr<const Plan> addition() {
  PlanFixture f;
  const TensorId x = f.input(kShape);
  const TensorId y = f.input(kShape);
  const TensorId z = f.output(kShape);
  f.node(OperationCode::kAdd, {x, y, f.scalar(0)}, {z});
  return f.plan();
}

class Following : public DeviceSuite {
 protected:
  void SetUp() override {
    DeviceSuite::SetUp();
    if (IsSkipped()) return;
    increment_ = prepare(increment());
    for (auto& memory : tensors_) memory = allocate(kCount * sizeof(float));
    const std::vector<float> zeros(kCount);
    EXPECT_TRUE(value_of(tensors_[0]->write(std::as_bytes(std::span(zeros)))).wait());
  }

  // Adds 1 to tensor `from`, into tensor `to`, after these submissions.
  Result<std::optional<Submission>> follow(size_t from, size_t to, const std::vector<Submission>& behind, Request request = {}) {
    return follow(*increment_, {bind(*tensors_[from], kShape)}, {bind(*tensors_[to], kShape)}, behind, std::move(request));
  }
  static Result<std::optional<Submission>> follow(PreparedPlan& plan, const std::vector<Binding>& inputs,
                                                  const std::vector<Binding>& outputs, const std::vector<Submission>& behind,
                                                  Request request = {}) {
    std::vector<std::shared_ptr<const QueuePlace>> places;
    for (const Submission& submission : behind) places.push_back(submission.place);
    request.inputs = inputs;
    request.outputs = outputs;
    request.behind = places;
    return plan.submit_behind(request);
  }
  Submission first() { return value_of(submit(*increment_, {bind(*tensors_[0], kShape)}, {bind(*tensors_[1], kShape)})); }
  float value(size_t tensor) {
    std::vector<float> values(kCount, kUntouched);
    EXPECT_TRUE(value_of(tensors_[tensor]->read(std::as_writable_bytes(std::span(values)))).wait());
    return values.back();
  }

  std::unique_ptr<PreparedPlan> increment_;
  std::array<std::unique_ptr<DeviceMemory>, 6> tensors_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Following, ::testing::ValuesIn(rows_that_queue()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Following, ALongChainRunsInOrder) {
  std::vector<Submission> all{first()};
  for (size_t i = 1; i < 300; ++i) {
    if (all.back().place == nullptr) {  // it ran in submit(): the next one begins the chain
      ASSERT_NE(all.back().done.state(), Fence::State::kPending);
      all.push_back(value_of(submit(*increment_, {bind(*tensors_[i % 2], kShape)}, {bind(*tensors_[(i + 1) % 2], kShape)})));
      continue;
    }
    const auto next = value_of(follow(i % 2, (i + 1) % 2, {all.back()}));
    ASSERT_TRUE(next);
    all.push_back(*next);
  }
  for (const Submission& submission : all) EXPECT_TRUE(submission.done.wait());
  EXPECT_EQ(value(0), 300.0F);
  EXPECT_EQ(value(1), 299.0F);
}

TEST_P(Following, ADiamondJoinsWhatItsSidesHaveComputed) {
  const auto sum = prepare(addition());
  for (int round = 0; round < 50; ++round) {
    const Submission top = first();
    if (top.place == nullptr) GTEST_SKIP() << "executions run where they are submitted";
    const Submission left = *value_of(follow(1, 2, {top}));
    const Submission right = *value_of(follow(1, 3, {top}));
    const auto bottom = value_of(
        follow(*sum, {bind(*tensors_[2], kShape), bind(*tensors_[3], kShape)}, {bind(*tensors_[4], kShape)}, {left, right}));
    ASSERT_TRUE(bottom);
    ASSERT_TRUE(bottom->done.wait());
    EXPECT_EQ(value(4), 4.0F);
  }
}

TEST_P(Following, WhatHasRunAlreadyMayBeFollowed) {
  const Submission before = first();
  EXPECT_TRUE(before.done.wait());
  if (before.place == nullptr) GTEST_SKIP() << "executions run where they are submitted";
  const auto next = value_of(follow(1, 2, {before}));
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->done.wait());
  EXPECT_EQ(value(2), 2.0F);
}

TEST_P(Following, AnotherDevicesSubmissionsNeedTheHost) {
  const auto stranger = GetParam().make();
  const auto other = value_of(stranger->prepare(increment(), {}));
  std::vector<float> x(kCount);
  std::vector<float> y(kCount);
  const Submission foreign = value_of(submit(*other, {bind(x, kShape)}, {bind(y, kShape)}));
  if (foreign.place != nullptr) {
    EXPECT_FALSE(value_of(follow(0, 1, {foreign})));
  }
  EXPECT_TRUE(foreign.done.wait());
}

TEST_P(Following, ADeadlineThatIsOverWhenItsTurnComesIsMissed) {
  const Submission before = first();
  if (before.place == nullptr) GTEST_SKIP() << "executions run where they are submitted";
  const auto late = follow(1, 2, {before}, with(&Request::deadline, Clock::now() - std::chrono::seconds(1)));
  const Code code = late && *late ? code_of((*late)->done.wait()) : code_of(late);
  EXPECT_EQ(code, Code::kMissedDeadlinePersistent);
  const auto timely = value_of(follow(1, 2, {before}, with(&Request::deadline, Clock::now() + std::chrono::hours(1))));
  ASSERT_TRUE(timely);
  EXPECT_TRUE(timely->done.wait());
  const auto brief = value_of(follow(1, 2, {before}, with(&Request::duration, std::chrono::hours(1))));
  ASSERT_TRUE(brief);
  EXPECT_TRUE(brief->done.wait());
}

TEST_P(Following, MeasuredExecutionsTellTheirOwnTime) {
  const auto slow = prepare(tanh_chain({1000, 1000}, 25));
  std::vector<float> in(1'000'000, 0.5F);
  std::vector<float> out(1'000'000);
  const Submission before = value_of(submit(*slow, {bind(in, {1000, 1000})}, {bind(out, {1000, 1000})}));
  ASSERT_NE(before.place, nullptr);
  const auto start = Clock::now();
  const auto next = value_of(follow(0, 1, {before}, with(&Request::measure_timing, true)));
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->done.wait());
  const auto all = static_cast<uint64_t>((Clock::now() - start).count());
  EXPECT_TRUE(before.done.wait());
  for (const uint64_t time : {next->report->hardware_nanoseconds, next->report->driver_nanoseconds}) {
    if (time == kNoDuration) continue;
    EXPECT_LT(time, all / 2) << "what it waits for is not its own time";
  }
}

TEST_P(Following, ManyThreadsBuildChainsOnOnePlan) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const auto a = allocate(kCount * sizeof(float));
      const auto b = allocate(kCount * sizeof(float));
      std::vector<float> values(kCount);
      (void)value_of(a->write(std::as_bytes(std::span(values)))).wait();
      DeviceMemory* const memories[] = {a.get(), b.get()};
      std::vector<Submission> all{value_of(submit(*increment_, {bind(*a, kShape)}, {bind(*b, kShape)}))};
      for (size_t i = 1; i < 40; ++i) {
        const std::vector<Binding> in{bind(*memories[i % 2], kShape)};
        const std::vector<Binding> out{bind(*memories[(i + 1) % 2], kShape)};
        const bool has_run = all.back().place == nullptr;
        all.push_back(has_run ? value_of(submit(*increment_, in, out)) : *value_of(follow(*increment_, in, out, {all.back()})));
      }
      for (const Submission& submission : all) (void)submission.done.wait();
      (void)value_of(a->read(std::as_writable_bytes(std::span(values)))).wait();
      if (values.back() == 40.0F) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

TEST_P(Following, DestroyingAPlanWaitsForWhatIsQueued) {
  auto own = prepare(increment());
  std::vector<Submission> all{first()};
  if (all.back().place == nullptr) GTEST_SKIP() << "executions run where they are submitted";
  for (size_t i = 1; i < 50; ++i) {
    all.push_back(
        *value_of(follow(*own, {bind(*tensors_[i % 2], kShape)}, {bind(*tensors_[(i + 1) % 2], kShape)}, {all.back()})));
  }
  own.reset();
  EXPECT_EQ(value(0), 50.0F);
  for (const Submission& submission : all) EXPECT_TRUE(submission.done.wait());
}

}  // namespace
}  // namespace nnvk::test
