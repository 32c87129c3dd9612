// Devices that are lost at any call, and devices whose work never ends: who is told what, and that everything works afterwards.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/log.h"
#include "lossy_device.h"
#include "memory_cache.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Every way to complete, and to reach memory.
const Path kPaths[] = {
    {"timeline", {}},
    {"fences_staging_pieces",
     {.force_staging = true, .force_fence_completion = true, .force_many_submissions = true}},
};

class LostDevice : public testing::TestWithParam<Path> {
 protected:
  // Null where there is no device.
  std::unique_ptr<LossyRuntime> make(faults::Faults wanted = {}, std::chrono::milliseconds longest_standstill = 60s) {
    PlanOverrides overrides = GetParam().overrides;
    overrides.longest_standstill = longest_standstill;
    auto device = open_with_faults(overrides, wanted);
    return device ? std::make_unique<LossyRuntime>(std::move(device)) : nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Paths, LostDevice, testing::ValuesIn(kPaths), name_of_path);

// Compiles and executes in every mode, and goes on when something fails; every failure must be the loss of the device, or follow
// from it. The first compilation, or null.
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
  bool check(const Status& result) {
    if (result) return true;
    ++failures_;
    // An event that fails with its dependency, and what AOSP makes of it.
    EXPECT_TRUE(result.error().code == Code::kDeadObject || result.error().is_of_dependency) << result.error().text();
    return false;
  }
  void check(const Run& run, const Status& result) {
    if (check(result)) expect_close(run.out, runtime_.wanted());
  }

  void blocking(const Compilation& compilation) {
    Run measured(compilation);
    EXPECT_TRUE(measured.execution->set_measure_timing(true));
    EXPECT_TRUE(measured.execution->set_profiling(true));
    check(measured, measured.execution->compute());
    Run run(compilation);
    EXPECT_TRUE(run.execution->set_timeout(60'000'000'000));
    check(run, run.execution->compute());
  }
  void at_a_time(const Compilation& compilation) {
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<std::unique_ptr<Event>> events;
    for (int i = 0; i < 6; ++i) {  // more than there are slots
      runs.push_back(std::make_unique<Run>(compilation));
      events.push_back(value_of(runs.back()->execution->start_compute()));
    }
    for (size_t i = 0; i < runs.size(); ++i) check(*runs[i], events[i]->wait());
  }
  void fenced(const Compilation& compilation) {
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<std::unique_ptr<Event>> events;
    for (int i = 0; i < 3; ++i) {
      runs.push_back(std::make_unique<Run>(compilation));
      const Event* const before = events.empty() ? nullptr : events.back().get();
      auto event = runs.back()->execution->start_with_dependencies({&before, before != nullptr ? 1U : 0U}, 0);
      if (!event) {
        check(fail(event.error()));
        runs.pop_back();
        continue;
      }
      events.push_back(*std::move(event));
    }
    for (size_t i = 0; i < events.size(); ++i) check(*runs[i], events[i]->wait());
  }
  void burst(const Compilation& compilation) {
    Burst burst(compilation);
    for (int i = 0; i < 2; ++i) {
      Run run(compilation);
      check(run, run.execution->burst_compute(burst));
    }
  }

  Status settled(Result<Fence> fence) {
    NNVK_TRY(std::move(fence));
    return {};
  }

  // Memory of the device, written, computed on by a chain and read.
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

  // Prepared twice with a cache, which keeps packed weights and gives them back.
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

// Compiles, and computes with the compilation that was made before.
void expect_all_is_well(LossyRuntime& runtime, Compilation* before) {
  if (before != nullptr) {
    Run run(*before);
    const Status result = run.execution->compute();
    ASSERT_TRUE(result) << result.error().text();
    expect_close(run.out, runtime.wanted());
  }
  const auto compilation = runtime.compilation();
  const Status finished = compilation->finish();
  ASSERT_TRUE(finished) << finished.error().text();
  Run run(*compilation);
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
  for (int call = 0; call < calls; ++call) {
    SCOPED_TRACE("lost at call " + std::to_string(call));
    runtime = nullptr;
    runtime = make({.lose_at = call});
    if (!runtime) continue;  // lost while it was opened
    Everything everything(*runtime);
    const auto compilation = everything.run();
    failures += everything.failures() > 0;
    expect_all_is_well(*runtime, compilation.get());
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(failures, calls / 2);
}

}  // namespace
}  // namespace nnvk::vulkan::test
