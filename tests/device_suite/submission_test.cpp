// Timing of executions: nothing blocks, fences settle once and last, deadlines hold, many threads submit, plans and devices end.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;

class Submissions : public DeviceSuite {};
NNVK_ON_EVERY_DEVICE(Submissions);

// Even the fastest of these devices needs at least 0.1 s for it.
const Shape kLarge{1000, 1000};
constexpr size_t kLargeCount = 1'000'000;
std::shared_ptr<const Plan> long_plan() { return tanh_chain(kLarge, 25); }

TEST_P(Submissions, SubmittingDoesNotWaitForTheExecution) {
  const auto prepared = prepare(long_plan());
  std::vector<float> in(kLargeCount, 0.5F);
  std::vector<float> out(kLargeCount, kUntouched);
  const auto submission = value_of(submit(*prepared, {bind(in, kLarge)}, {bind(out, kLarge)}));
  EXPECT_EQ(submission.done.state(), Fence::State::kPending);
  EXPECT_TRUE(submission.done.wait());
  EXPECT_NE(out.back(), kUntouched);
}

TEST_P(Submissions, ACallerThatBlocksAnywayGetsTheSame) {
  const auto prepared = prepare(small_network());
  SmallRun run;
  EXPECT_EQ(run.execute(*prepared, with(&Request::may_run_inline, true)).code(), Code::kNoError);
  EXPECT_TRUE(run.is_right());
}

TEST_P(Submissions, ManySubmissionsQueue) {
  const auto prepared = prepare(small_network());
  std::vector<SmallRun> runs;
  for (int i = 0; i < 40; ++i) runs.emplace_back(static_cast<float>(i) * 0.125F);
  std::vector<Submission> submissions;
  for (SmallRun& run : runs) {
    submissions.push_back(value_of(run.submit(*prepared)));
  }
  for (const Submission& submission : submissions) EXPECT_TRUE(submission.done.wait());
  for (const SmallRun& run : runs) EXPECT_TRUE(run.is_right());
}

TEST_P(Submissions, TheReportAndTheOutputsAreFinalWhenTheFenceSettles) {
  const auto prepared = prepare(tanh_chain(kLarge, 2));  // runs so long that the callback is set first
  std::vector<float> in(kLargeCount, 0.5F);
  std::vector<float> out(kLargeCount, kUntouched);
  const auto submission = value_of(submit(*prepared, {bind(in, kLarge)}, {bind(out, kLarge)}));
  std::atomic<int> calls{0};
  Code code = Code::kIncomplete;
  Shape shape;
  float last = 0;
  const Fence seen = Fence::pending();
  submission.done.on_settled([&, report = submission.report](const Status& status) {
    ++calls;
    code = code_of(status) == code_of(report->result) ? code_of(status) : Code::kBadState;
    shape = report->outputs.at(0).shape;
    last = out.back();
    seen.signal();
  });
  EXPECT_TRUE(seen.wait());
  EXPECT_EQ(code, Code::kNoError);
  EXPECT_EQ(shape, kLarge);
  EXPECT_NEAR(last, std::tanh(std::tanh(0.5F)), 1e-4F);
  EXPECT_EQ(out.front(), last);
  EXPECT_EQ(calls, 1);
}

TEST_P(Submissions, ManyThreadsShareOnePlan) {
  const auto prepared = prepare(small_network());
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        SmallRun run(static_cast<float>(t) + static_cast<float>(i) * 0.03125F);
        const Outcome outcome = run.execute(*prepared, with(&Request::may_run_inline, i % 2 == 0));
        if (outcome.status && run.is_right()) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 320);
  EXPECT_EQ(prepared->counters().at("executions"), 320U);
}

TEST_P(Submissions, DestroyingAPlanWaitsForItsExecutions) {
  auto prepared = prepare(tanh_chain({64, 1024}, 8));
  std::vector<float> in(65536, 0.5F);
  std::vector<std::vector<float>> outs(12, std::vector<float>(65536, kUntouched));
  std::vector<Submission> submissions;
  for (std::vector<float>& out : outs) submissions.push_back(*submit(*prepared, {bind(in, {64, 1024})}, {bind(out, {64, 1024})}));
  prepared.reset();
  for (const std::vector<float>& out : outs) EXPECT_NE(out.back(), kUntouched) << "written before the plan was gone";
  for (const Submission& submission : submissions) EXPECT_TRUE(submission.done.wait());
}

TEST_P(Submissions, ACallbackMayFreeThePlanAndTheDevice) {
  auto device = GetParam().make();
  auto prepared = *device->prepare(tanh_chain({64, 1024}, 20), {});  // runs so long that the callback is set first
  std::vector<float> in(65536, 0.5F);
  std::vector<float> out(65536);
  const auto submission = value_of(submit(*prepared, {bind(in, {64, 1024})}, {bind(out, {64, 1024})}));
  const auto gone = std::make_shared<std::promise<void>>();
  submission.done.on_settled([&, gone](const Status&) {
    prepared.reset();
    device.reset();
    gone->set_value();
  });
  gone->get_future().wait();
  EXPECT_TRUE(submission.done.result());
}

TEST_P(Submissions, ADeadlineInThePastIsMissedForGood) {
  const auto prepared = prepare(small_network());
  const auto past = Clock::now() - std::chrono::seconds(1);
  SmallRun run;
  EXPECT_EQ(run.execute(*prepared, with(&Request::deadline, past)).code(), Code::kMissedDeadlinePersistent);
  EXPECT_EQ(run.y[0], kUntouched);
  PrepareOptions late;
  late.deadline = past;
  EXPECT_EQ(code_of(device_->prepare(small_network(), late)), Code::kMissedDeadlinePersistent);
  EXPECT_TRUE(run.execute(*prepared, with(&Request::deadline, Clock::now() + std::chrono::hours(1))).status);
  EXPECT_TRUE(run.is_right());
}

// A device need not interrupt a running execution, so the result may arrive anyway.
TEST_P(Submissions, ADeadlineThatPassesMeanwhileEndsNothingBadly) {
  const auto prepared = prepare(long_plan());
  std::vector<float> in(kLargeCount, 0.5F);
  std::vector<std::vector<float>> outs(6, std::vector<float>(kLargeCount, kUntouched));
  std::vector<Submission> submissions;
  const auto soon = Clock::now() + std::chrono::milliseconds(30);
  for (std::vector<float>& out : outs) {
    const auto submission = submit(*prepared, {bind(in, kLarge)}, {bind(out, kLarge)}, with(&Request::deadline, soon));
    if (submission) {
      submissions.push_back(*submission);
    } else {
      EXPECT_EQ(code_of(submission), Code::kMissedDeadlinePersistent);
    }
  }
  for (size_t i = 0; i < submissions.size(); ++i) {
    const Code code = code_of(submissions[i].done.wait());
    EXPECT_THAT(code, ::testing::AnyOf(Code::kNoError, Code::kMissedDeadlineTransient, Code::kMissedDeadlinePersistent));
    EXPECT_EQ(code, code_of(submissions[i].report->result));
  }
  EXPECT_NE(code_of(submissions.back().done.result()), Code::kNoError) << "the last of six cannot be in time";
}

}  // namespace
}  // namespace nnvk::test
