// Threads of nnvk-cpu's executions: short ones run on the submitting thread, since waking a worker would take longer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "cpu_fallback/cpu_device.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {
namespace {

// Whether the submitting thread has computed z = x + y over `count` floats when submit() returns.
bool runs_where_submitted(uint32_t count) {
  PlanFixture m;
  const TensorId x = m.input({count}, OperandType::kTensorFloat32);
  const TensorId y = m.input({count}, OperandType::kTensorFloat32);
  const TensorId z = m.output({count}, OperandType::kTensorFloat32);
  m.node(OperationCode::kAdd, {x, y, m.scalar(0)}, {z});
  const auto device = cpu::make_cpu_device({1});
  const auto prepared = device->prepare(m.plan(), {});
  if (!prepared) throw std::runtime_error(prepared.error().text());
  std::vector<float> in(count, 2.0F);
  std::vector<float> out(count, 0.0F);
  const auto bind = [&](std::vector<float>& values) {
    Binding binding;
    binding.data = reinterpret_cast<std::byte*>(values.data());
    binding.size = count * sizeof(float);
    binding.shape = {count};
    return binding;
  };
  const Binding inputs[] = {bind(in), bind(in)};
  const Binding output = bind(out);
  Request request;
  request.inputs = inputs;
  request.outputs = {&output, 1};
  const auto submission = (*prepared)->submit(request);
  if (!submission) throw std::runtime_error(submission.error().text());
  // A settled fence calls back at once. A long execution calls back on a worker, perhaps after wait() has returned.
  const auto settled_on = std::make_shared<std::atomic<std::thread::id>>();
  submission->done.on_settled([settled_on](const Status&) { *settled_on = std::this_thread::get_id(); });
  const bool was_settled = *settled_on == std::this_thread::get_id();
  EXPECT_TRUE(submission->done.wait());
  EXPECT_EQ(out.back(), 4.0F);
  return was_settled;
}

TEST(ShortPlans, RunWhereTheyAreSubmitted) { EXPECT_TRUE(runs_where_submitted(1)); }

// So long that the worker cannot finish before submit() returns.
TEST(ShortPlans, LongOnesDoNotKeepTheThreadThatSubmits) { EXPECT_FALSE(runs_where_submitted(40'000'000)); }

}  // namespace
}  // namespace nnvk::test
