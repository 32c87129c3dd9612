// Devices that are lost at any call, and devices whose work never ends: the errors, and full function afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/base/log.h"
#include "lossy_device.h"
#include "memory_cache.h"
#include "tests/support/loop_plan.h"
#include "tests/support/whole_plan.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// One way to complete work and to reach memory. The calls that fail are divided among the parts, test cases of some seconds.
struct LossyPath {
  std::string name;
  PlanOverrides overrides;
  int part = 0;
};
constexpr int kParts = 8;
std::vector<LossyPath> paths(int parts) {
  std::vector<LossyPath> all;
  for (int part = 0; part < parts; ++part) {
    const std::string suffix = parts == 1 ? "" : "_" + std::to_string(part);
    all.push_back({"timeline" + suffix, {}, part});
    all.push_back({"fences_staging_pieces" + suffix,
                   {.force_staging = true, .force_fence_completion = true, .force_many_submissions = true},
                   part});
  }
  return all;
}
void PrintTo(const LossyPath& path, std::ostream* out) { *out << path.name; }
std::string name_of_lossy_path(const testing::TestParamInfo<LossyPath>& info) { return info.param.name; }

class LossyDevice : public testing::TestWithParam<LossyPath> {
 protected:
  // Null if there is no device.
  std::unique_ptr<LossyRuntime> make(faults::Faults wanted = {}, std::chrono::milliseconds longest_standstill = 60s) {
    PlanOverrides overrides = GetParam().overrides;
    overrides.longest_standstill = longest_standstill;
    auto device = open_with_faults(overrides, wanted);
    return device ? std::make_unique<LossyRuntime>(std::move(device)) : nullptr;
  }
};

using LostDevice = LossyDevice;
// With the validation layers, which make this five times as slow, only one part is tried: an eighth of the calls.
int parts_to_try() { return std::getenv("NNVK_VULKAN_VALIDATION") != nullptr ? 1 : kParts; }
INSTANTIATE_TEST_SUITE_P(Paths, LostDevice, testing::ValuesIn(paths(parts_to_try())), name_of_lossy_path);

// Compiles and executes in every mode, and continues after failures. Every failure must be the loss of the device or follow from
// it. run() returns the first compilation, or null.
class Everything {
 public:
  explicit Everything(LossyRuntime& runtime) : runtime_(runtime) {}

  std::unique_ptr<Compilation> run() {
    auto compilation = runtime_.compilation();
    if (!check(compilation->finish())) return nullptr;
    blocking(*compilation);
    at_a_time(*compilation);
    fenced(*compilation);
    burst(*compilation);
    on_the_device();
    cached();
    return compilation;
  }
  size_t failures() const { return failures_; }

 private:
  bool check(const Status& result, Code code = Code::kDeadObject) {
    if (result) return true;
    ++failures_;
    EXPECT_EQ(result.error().code, code) << result.error().text();
    const std::string text = result.error().text();
    EXPECT_TRUE(text.find("lost") != std::string::npos || text.find("VK_ERROR_DEVICE_LOST") != std::string::npos) << text;
    return false;
  }
  void check(const BoundRun& run, const Status& result) {
    if (check(result)) expect_close(run.out, runtime_.wanted());
  }
  // Events have no code for a lost device (docs/nnapi/execution.md).
  void check(const BoundRun& run, Event& event) {
    if (check(event.wait(), Code::kOpFailed)) expect_close(run.out, runtime_.wanted());
  }

  void blocking(const Compilation& compilation) {
    BoundRun measured(compilation);
    EXPECT_TRUE(measured.execution->set_measure_timing(true));
    EXPECT_TRUE(measured.execution->set_profiling(true));
    check(measured, measured.execution->compute());
    BoundRun run(compilation);
    EXPECT_TRUE(run.execution->set_timeout(60'000'000'000));
    check(run, run.execution->compute());
  }
  void at_a_time(const Compilation& compilation) {
    std::vector<std::unique_ptr<BoundRun>> runs;
    std::vector<std::unique_ptr<Event>> events;
    for (int i = 0; i < 6; ++i) {  // more than there are slots
      runs.push_back(std::make_unique<BoundRun>(compilation));
      events.push_back(value_of(runs.back()->execution->start_compute()));
    }
    for (size_t i = 0; i < runs.size(); ++i) check(*runs[i], *events[i]);
  }
  void fenced(const Compilation& compilation) {
    std::vector<std::unique_ptr<BoundRun>> runs;
    std::vector<std::unique_ptr<Event>> events;
    for (int i = 0; i < 3; ++i) {
      runs.push_back(std::make_unique<BoundRun>(compilation));
      const Event* const before = events.empty() ? nullptr : events.back().get();
      auto event = runs.back()->execution->start_with_dependencies({&before, before != nullptr ? 1U : 0U}, 0);
      if (!event) {
        check(fail(event.error()));
        runs.pop_back();
        continue;
      }
      events.push_back(*std::move(event));
    }
    for (size_t i = 0; i < events.size(); ++i) check(*runs[i], *events[i]);
  }
  void burst(const Compilation& compilation) {
    Burst burst(compilation);
    for (int i = 0; i < 2; ++i) {
      BoundRun run(compilation);
      check(run, run.execution->burst_compute(burst));
    }
  }

  // Device memory: written, used by a chain of executions, and read.
  void on_the_device() {
    PlanFixture f;
    const Shape shape{4};
    const TensorId x = f.input(shape);
    f.node(OperationCode::kAdd, {x, f.constant<float>({1}, OperandType::kTensorFloat32, {1.0F}), f.scalar(0)}, {f.output(shape)});
    check([&]() -> Status {
      NNVK_ASSIGN(const auto plan, runtime_.device().prepare(f.plan(), {}));
      NNVK_ASSIGN(const auto a, runtime_.device().allocate({16}));
      NNVK_ASSIGN(const auto b, runtime_.device().allocate({16}));
      std::vector<float> values(4, 1.0F);
      NNVK_ASSIGN(const Fence written, a->write(std::as_bytes(std::span(values))));
      NNVK_TRY(written.wait());
      Status result;
      std::vector<Submission> links;
      for (int i = 0; i < 4 && result; ++i) {
        Binding in;
        in.device_memory = i % 2 == 0 ? a.get() : b.get();
        in.shape = shape;
        Binding out = in;
        out.device_memory = i % 2 == 0 ? b.get() : a.get();
        Request request;
        request.inputs = {&in, 1};
        request.outputs = {&out, 1};
        std::vector<std::shared_ptr<const QueuePlace>> behind;
        if (!links.empty()) behind.push_back(links.back().place);
        request.behind = behind;
        if (i == 0) {
          auto submission = plan->submit(request);
          submission ? links.push_back(*std::move(submission)) : void(result = fail(submission.error()));
        } else {
          auto submission = plan->submit_behind(request);
          submission ? links.push_back(std::move(**submission)) : void(result = fail(submission.error()));
        }
      }
      for (const Submission& link : links) {
        if (const Status end = link.done.wait(); !end && result) result = end;
      }
      NNVK_TRY(result);
      NNVK_ASSIGN(const Fence read, a->read(std::as_writable_bytes(std::span(values))));
      NNVK_TRY(read.wait());
      EXPECT_EQ(values, std::vector<float>(4, 5.0F));
      return {};
    }());
  }

  // Prepares twice with a cache that keeps the packed weights and returns them.
  void cached() {
    const Shape shape{1, 5, 7, 4};
    const auto plan = residual_network(shape);
    MemoryCache cache;
    PrepareOptions options;
    options.cache = &cache;
    for (int i = 0; i < 2; ++i) {
      check([&]() -> Status {
        NNVK_ASSIGN(const auto prepared, runtime_.device().prepare(plan, options));
        Inference run(shape, 1);
        return run.result_on(*prepared);
      }());
      cache.reopen();
    }
  }

  LossyRuntime& runtime_;
  size_t failures_ = 0;
};

// Compiles, and computes with the compilation made earlier.
void expect_all_is_well(LossyRuntime& runtime, Compilation* before) {
  if (before != nullptr) {
    BoundRun run(*before);
    const Status result = run.execution->compute();
    ASSERT_TRUE(result) << result.error().text();
    expect_close(run.out, runtime.wanted());
  }
  const auto compilation = runtime.compilation();
  const Status finished = compilation->finish();
  ASSERT_TRUE(finished) << finished.error().text();
  BoundRun run(*compilation);
  EXPECT_TRUE(run.execution->compute());
  expect_close(run.out, runtime.wanted());
}

TEST_P(LostDevice, AtAnyCallFailsWhatWasRunningAndNothingAfterwards) {
  auto runtime = make();
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  ASSERT_NE(Everything(*runtime).run(), nullptr);
  const int calls = faults::calls();
  EXPECT_GT(calls, 100);
  int failures = 0;
  int tried = 0;
  for (int call = GetParam().part; call < calls; call += kParts) {
    SCOPED_TRACE("lost at call " + std::to_string(call));
    runtime = nullptr;
    runtime = make({.lose_at = call});
    if (!runtime) continue;  // lost while it was opened
    Everything everything(*runtime);
    const auto compilation = everything.run();
    failures += everything.failures() > 0;
    ++tried;
    faults::change({});  // a slow host makes other calls than a fast one: the faulty call may not have happened yet
    expect_all_is_well(*runtime, compilation.get());
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(failures, tried / 2);
}

// Between the rounds its state lies in device memory that later executions reuse.
TEST_P(LostDevice, LeavesNothingToTheNextExecutionOfALoop) {
  auto runtime = make();
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  const PlanPointer plan = loop_below_100(doubling());
  const auto prepared = value_of(prepare_whole(runtime->device(), plan, cpu::reference_evaluator()));
  const auto run = [&]() -> Result<float> {
    std::vector<float> in{3.0F};
    std::vector<float> out{-99.0F};
    const Binding inputs[] = {bind(in, Shape{1})};
    const Binding outputs[] = {bind(out, Shape{1})};
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    request.loop_timeout = 60s;
    NNVK_ASSIGN(const Submission submission, prepared->submit(request));
    NNVK_TRY(submission.done.wait());
    return out[0];
  };
  EXPECT_EQ(value_of(run()), 192.0F);
  const int before = faults::calls();
  EXPECT_EQ(value_of(run()), 192.0F);
  const int calls = faults::calls() - before;
  // Each run uses the device that was opened last. Only the first device has faults, so there is only one loss.
  faults::change({.lose_at = faults::calls() + calls * GetParam().part / kParts});
  std::vector<bool> succeeded;
  for (int i = 0; i < 4; ++i) {  // not every run makes as many calls: the fault may strike the second
    const auto value = run();
    succeeded.push_back(value.has_value());
    EXPECT_EQ(code_of(value), value ? Code::kNoError : Code::kDeadObject);
    if (value) {
      EXPECT_EQ(*value, 192.0F);
    }
  }
  EXPECT_LE(std::ranges::count(succeeded, false), 1);
  EXPECT_TRUE(succeeded.back());
}

using HangingDevice = LossyDevice;
INSTANTIATE_TEST_SUITE_P(Paths, HangingDevice, testing::ValuesIn(paths(1)), name_of_lossy_path);

TEST_P(HangingDevice, AtAnySubmissionFailsWhatItHasAndNothingAfterwards) {
  auto runtime = make();
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  ASSERT_NE(Everything(*runtime).run(), nullptr);
  const int submissions = faults::submissions();
  EXPECT_GT(submissions, 15);
  int failures = 0;
  for (int n = 0; n < submissions; ++n) {
    SCOPED_TRACE("hangs at submission " + std::to_string(n));
    runtime = make({.hang_at = n}, 200ms);
    Everything everything(*runtime);
    const auto compilation = everything.run();
    failures += everything.failures() > 0;
    faults::change({});
    expect_all_is_well(*runtime, compilation.get());
    faults::go_on();  // its output memory still exists
  }
  EXPECT_GT(failures, submissions * 3 / 4) << "what is read back for a cache may come to nothing";
}

TEST_P(HangingDevice, EndsACompilationAtItsDeadline) {
  auto runtime = make();
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  ASSERT_TRUE(runtime->compilation()->finish());
  const int submissions = faults::submissions();
  for (int n = 0; n < submissions; ++n) {
    runtime = make({.hang_at = n});
    const auto compilation = runtime->compilation();
    ASSERT_TRUE(compilation->set_timeout(500'000'000));
    EXPECT_EQ(code_of(compilation->finish()), Code::kMissedDeadlineTransient) << "submission " << n;
    faults::change({});
    faults::go_on();  // so that it does not keep the end of the device waiting
  }
}

// They may run on the device, wait in its queue, or wait for one of the slots of a compilation.
TEST_P(HangingDevice, EndsExecutionsAtTheirDeadlinesAndLeavesTheirMemoryAlone) {
  auto runtime = make();
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  const auto compilation = runtime->compilation();
  ASSERT_TRUE(compilation->finish());
  faults::change({.hang_at = 0});
  std::vector<std::unique_ptr<BoundRun>> runs;
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 8; ++i) {
    runs.push_back(std::make_unique<BoundRun>(*compilation));
    ASSERT_TRUE(runs.back()->execution->set_timeout(300'000'000));
    events.push_back(
        value_of(i % 2 == 0 ? runs.back()->execution->start_compute() : runs.back()->execution->start_with_dependencies({}, 0)));
  }
  BoundRun blocking(*compilation);
  ASSERT_TRUE(blocking.execution->set_timeout(300'000'000));
  const Status result = blocking.execution->compute();
  EXPECT_EQ(code_of(result), Code::kMissedDeadlinePersistent) << "it waited for others";
  for (size_t i = 0; i < events.size(); ++i) {
    const Code code = code_of(events[i]->wait());
    EXPECT_EQ(code, i == 0 ? Code::kMissedDeadlineTransient : code);
    EXPECT_TRUE(code == Code::kMissedDeadlineTransient || code == Code::kMissedDeadlinePersistent);
    EXPECT_NE(events[i]->wait().error().text().find("deadline"), std::string::npos);
  }
  faults::change({});
  faults::go_on();  // the device was only slow, so it continues to be used
  BoundRun afterwards(*compilation);
  const Status after = afterwards.execution->compute();
  ASSERT_TRUE(after) << after.error().text();
  expect_close(afterwards.out, runtime->wanted());
  EXPECT_EQ(compilation->runner().counters().at("rebuilt_after_loss"), 0U);
  for (const auto& run : runs) EXPECT_EQ(run->out, std::vector<float>(run->out.size(), -99.0F));
}

TEST_P(HangingDevice, IsToldWithTheOperationsThatWereRunning) {
  auto runtime = make({}, 200ms);
  if (!runtime) GTEST_SKIP() << "no Vulkan device on this machine";
  const auto compilation = runtime->compilation();
  ASSERT_TRUE(compilation->finish());
  faults::change({.hang_at = 0});
  BoundRun run(*compilation);
  const Status result = run.execution->compute();
  ASSERT_EQ(code_of(result), Code::kDeadObject);
  EXPECT_NE(result.error().text().find("has completed nothing for 200 ms"), std::string::npos) << result.error().text();
  EXPECT_NE(result.error().text().find("running CONV_2D"), std::string::npos) << result.error().text();
}

TEST_P(HangingDevice, IsOpenedAgainAFewTimesAndNotForEver) {
  PlanOverrides overrides = GetParam().overrides;
  overrides.longest_standstill = 200ms;
  auto device = open_with_faults(overrides, {.hang_at = 0}, true);
  if (!device) GTEST_SKIP() << "no Vulkan device on this machine";
  LossyRuntime runtime(std::move(device));
  const int before = faults::installations() - 1;  // those that others have opened
  std::string message;
  for (size_t tries = 0; tries < LivingGpu::kMostHangs + 2; ++tries) {
    const Status finished = runtime.compilation()->finish();
    EXPECT_EQ(code_of(finished), Code::kDeadObject);
    message = finished.error().text();
  }
  EXPECT_EQ(faults::installations() - before, static_cast<int>(LivingGpu::kMostHangs));
  EXPECT_NE(message.find("not opened again"), std::string::npos) << message;
}

}  // namespace
}  // namespace nnvk::vulkan
