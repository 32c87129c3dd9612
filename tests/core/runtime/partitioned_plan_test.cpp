// Plans over several devices: the same bytes as on one device, values that stay on their device, and steps that fail.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "core/runtime/segmented_plan.h"
#include "tests/support/bindings.h"
#include "tests/support/fake_device.h"
#include "tests/support/loop_plan.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/whole_plan.h"

namespace nnvk::test {
namespace {

struct Outcome {
  Status status;
  std::vector<std::vector<float>> outputs;
  std::shared_ptr<const ExecutionReport> report;
};

// Runs a plan whose inputs and outputs are floats. Each output has room for `room` of them.
Outcome run(PreparedPlan& prepared, const Plan& plan, std::vector<std::vector<float>> inputs, size_t room, Request request = {}) {
  Outcome outcome;
  std::vector<Binding> input_bindings;
  std::vector<Binding> output_bindings;
  for (std::vector<float>& values : inputs) input_bindings.push_back(bind(values, Shape{static_cast<uint32_t>(values.size())}));
  outcome.outputs.assign(plan.outputs.size(), std::vector<float>(room, -99.0F));
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    output_bindings.push_back(bind(outcome.outputs[i], plan.tensors[plan.outputs[i]].info.shape));
  }
  request.inputs = input_bindings;
  request.outputs = output_bindings;
  const auto submission = prepared.submit(request);
  if (!submission) {
    outcome.status = fail(submission.error());
    return outcome;
  }
  outcome.status = submission->done.wait();
  outcome.report = submission->report;
  return outcome;
}

class PartitionedPlan : public ::testing::Test {
 protected:
  // Device a runs the nodes with an even source operation, b the others.
  void share_evenly() {
    a_.behaviour.takes = [](const PlanNode& node) { return node.source_operation % 2 == 0; };
    b_.behaviour.takes = [](const PlanNode& node) { return node.source_operation % 2 == 1; };
  }
  // Device b runs node 2 of side_step(), a the others.
  void give_b_the_side_step() {
    a_.behaviour.takes = [](const PlanNode& node) { return node.source_operation != 2; };
    b_.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 2; };
  }
  PreparedDeployment prepare(const PlanPointer& plan, Device* rescue = nullptr) {
    Device* const devices[] = {&a_, &b_};
    const auto deployment = deploy(plan, devices);
    if (!deployment) {
      ADD_FAILURE() << deployment.error().message;
      return {};
    }
    auto ready = prepare_deployment(*deployment, {devices, rescue, options_, evaluator_, launches(), {}, true});
    if (!ready) ADD_FAILURE() << ready.error().message;
    return ready ? std::move(*ready) : PreparedDeployment();
  }

  FakeDevice a_{"a"};
  FakeDevice b_{"b"};
  std::unique_ptr<Device> cpu_ = cpu::make_reference_device();
  PrepareOptions options_;
  HostEvaluator evaluator_ = cpu::reference_evaluator();
};

// y = RELU(x * x) + (x + x): the RELU is node 2.
PlanPointer side_step() {
  PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId kept = f.temporary({4});
  const TensorId handed = f.temporary({4});
  const TensorId side = f.temporary({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {kept});
  f.node(OperationCode::kMul, {x, x, f.scalar(0)}, {handed});
  f.node(OperationCode::kRelu, {handed}, {side});
  f.node(OperationCode::kAdd, {side, kept, f.scalar(0)}, {y});
  return f.plan();
}

// y = ((x + 1) * 2 + 1) * 2 ...: `count` nodes.
PlanPointer chain(size_t count) {
  PlanFixture f;
  TensorId last = f.input({4});
  for (size_t i = 0; i < count; ++i) {
    const TensorId next = i + 1 == count ? f.output({4}) : f.temporary({4});
    const bool add = i % 2 == 0;
    const TensorId number = f.constant<float>({1}, OperandType::kTensorFloat32, {add ? 1.0F : 2.0F});
    f.node(add ? OperationCode::kAdd : OperationCode::kMul, {last, number, f.scalar(0)}, {next});
    last = next;
  }
  return f.plan();
}

const std::vector<float> kInput{0.0F, 1.0F, 2.0F, 3.0F};
const std::vector<float> kChainOfFour{6.0F, 10.0F, 14.0F, 18.0F};

TEST_F(PartitionedPlan, WhoWaitsAnywayHasTheAnswerWhenSubmitReturns) {
  share_evenly();  // the devices compute on their own threads
  const PlanPointer plan = chain(4);
  const PreparedDeployment ready = prepare(plan);
  ASSERT_NE(ready.runner, nullptr);
  std::vector<float> x = kInput;
  std::vector<float> y(4, -99.0F);
  const Binding inputs[] = {bind(x, Shape{4})};
  const Binding outputs[] = {bind(y, Shape{4})};
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  request.caller_waits = true;
  for (int i = 0; i < 100; ++i) {
    y.assign(4, -99.0F);
    const auto submission = ready.runner->submit(request);
    ASSERT_TRUE(submission) << submission.error().message;
    ASSERT_EQ(submission->done.state(), Fence::State::kSignalled);
    EXPECT_EQ(y, kChainOfFour);
  }
}

// After a run has ended, its thread may continue while the client frees the device or ends the process.
TEST_F(PartitionedPlan, ARunHasLetGoOfThePlanWhenItsFenceSettles) {
  std::weak_ptr<int> of_prepared;
  FakeDevice device("device", DeviceType::kGpu, [&](std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
    auto compute = computing_on(cpu::make_reference_device())(std::move(plan), options);
    auto token = std::make_shared<int>();
    of_prepared = token;
    return Result<Computation>([compute = *compute, token](const Request& request) { return compute(request); });
  });
  device.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 0; };
  device.behaviour.hold = true;
  b_.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 1; };
  Device* const devices[] = {&device, &b_};
  const auto deployment = deploy(chain(2), devices);
  ASSERT_TRUE(deployment);
  auto ready = prepare_deployment(*deployment, {devices, nullptr, options_, evaluator_, launches(), {}, true});
  ASSERT_TRUE(ready);
  ASSERT_FALSE(of_prepared.expired());
  std::vector<float> x = kInput;
  std::vector<float> y(4, -99.0F);
  const Binding inputs[] = {bind(x, Shape{4})};
  const Binding outputs[] = {bind(y, Shape{4})};
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const auto submission = ready->runner->submit(request);
  ASSERT_TRUE(submission) << submission.error().message;
  const Fence looked = Fence::pending();
  bool is_gone = false;
  submission->done.on_settled([&, looked](const Status&) {
    ready->runner.reset();
    is_gone = of_prepared.expired();
    looked.signal();  // after this the test may end and destroy the captured objects
  });
  device.last_plan->release();
  EXPECT_TRUE(looked.wait());
  EXPECT_TRUE(is_gone) << "the run holds the plan";
  EXPECT_TRUE(submission->done.result());
}

TEST_F(PartitionedPlan, EveryStepRunsOnItsDevice) {
  share_evenly();
  const PlanPointer plan = chain(4);
  const PreparedDeployment ready = prepare(plan);
  ASSERT_NE(ready.runner, nullptr);
  ASSERT_EQ(ready.parts.size(), 4U);
  EXPECT_EQ(ready.parts[1].device, &b_);
  EXPECT_EQ(ready.parts[1].operations, std::vector<uint32_t>{1});
  EXPECT_EQ(ready.devices, (std::vector<Device*>{&a_, &b_}));
  const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4);
  ASSERT_TRUE(outcome.status) << outcome.status.error().message;
  EXPECT_EQ(outcome.outputs[0], kChainOfFour);
  EXPECT_EQ(outcome.report->outputs[0].shape, Shape{4});
  EXPECT_EQ(a_.submissions, 2);
  EXPECT_EQ(b_.submissions, 2);
}

TEST_F(PartitionedPlan, ProfilesNameTheDeviceOfEveryOperation) {
  share_evenly();
  const PlanPointer plan = chain(3);
  const PreparedDeployment ready = prepare(plan);
  Request request;
  request.profile = true;
  const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4, request);
  ASSERT_EQ(outcome.report->profile.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outcome.report->profile[i].source_operation, i);
    EXPECT_EQ(outcome.report->profile[i].device, i % 2 == 0 ? "a" : "b");
  }
}

TEST_F(PartitionedPlan, LaterExecutionsAllocateNothingBetweenSteps) {
  share_evenly();
  const PlanPointer plan = chain(5);
  const PreparedDeployment ready = prepare(plan);
  ASSERT_TRUE(run(*ready.runner, *plan, {kInput}, 4).status);
  const Counters first = ready.runner->counters();
  EXPECT_EQ(first.at("step_buffer_allocations"), 4U);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run(*ready.runner, *plan, {kInput}, 4).status);
  EXPECT_EQ(ready.runner->counters().at("step_buffer_allocations"), 4U);
  EXPECT_EQ(ready.runner->counters().at("executions"), 6U);
}

// Device a: first = x + x, last = side * first; device b: side = first * first. Values that only a reads stay on a.
TEST_F(PartitionedPlan, WhatOnlyItsOwnDeviceReadsAgainStaysThere) {
  give_b_the_side_step();
  const PlanPointer plan = side_step();
  const PreparedDeployment ready = prepare(plan);
  ASSERT_EQ(ready.parts.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4);
    ASSERT_TRUE(outcome.status) << outcome.status.error().message;
    EXPECT_EQ(outcome.outputs[0], (std::vector<float>{0.0F, 3.0F, 8.0F, 15.0F}));
  }
  EXPECT_EQ(a_.inputs_in_device_memory, 3);
  EXPECT_EQ(a_.allocations, 1);
  EXPECT_EQ(b_.allocations, 0);
}

TEST_F(PartitionedPlan, OutputsOfTheModelMayBeReadByLaterStepsAndOmittedByTheClient) {
  share_evenly();
  PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId middle = f.output({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {middle});
  f.node(OperationCode::kAdd, {middle, middle, f.scalar(0)}, {y});
  const PlanPointer plan = f.plan();
  const PreparedDeployment ready = prepare(plan);
  ASSERT_EQ(ready.parts.size(), 2U);
  const Outcome both = run(*ready.runner, *plan, {kInput}, 4);
  EXPECT_EQ(both.outputs[0], (std::vector<float>{0.0F, 2.0F, 4.0F, 6.0F}));
  EXPECT_EQ(both.outputs[1], (std::vector<float>{0.0F, 4.0F, 8.0F, 12.0F}));

  std::vector<float> input = kInput;
  std::vector<float> output(4);
  std::vector<Binding> inputs{bind(input, {4})};
  std::vector<Binding> outputs{Binding(), bind(output, {4})};
  outputs[0].omitted = true;
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const auto submission = value_of(ready.runner->submit(request));
  ASSERT_TRUE(submission.done.wait());
  EXPECT_EQ(output, both.outputs[1]);
}

TEST_F(PartitionedPlan, ReshapesAreCutLikeOtherOperationsAndBecomeViewsInsideAStep) {
  share_evenly();
  PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId square = f.temporary({2, 2});
  const TensorId positive = f.temporary({2, 2});
  const TensorId flat = f.temporary({4});
  const TensorId y = f.output({4});
  const auto shape = [&](std::vector<int32_t> dims) {
    const auto count = static_cast<uint32_t>(dims.size());
    return f.constant<int32_t>({count}, OperandType::kTensorInt32, dims);
  };
  f.node(OperationCode::kReshape, {x, shape({2, 2})}, {square});
  f.node(OperationCode::kRelu, {square}, {positive});
  f.node(OperationCode::kReshape, {positive, shape({4})}, {flat});
  f.node(OperationCode::kAdd, {flat, x, f.scalar(0)}, {y});
  const PlanPointer plan = f.plan();
  const PreparedDeployment ready = prepare(plan);
  ASSERT_EQ(ready.parts.size(), 4U);
  EXPECT_EQ(run(*ready.runner, *plan, {kInput}, 4).outputs[0], (std::vector<float>{0.0F, 2.0F, 4.0F, 6.0F}));
}

// Random graphs; each node may run on exactly one of the two devices.
TEST_F(PartitionedPlan, AnyGraphGivesTheBytesOfOneDeviceWhoeverRunsWhat) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    PlanFixture f;
    std::vector<TensorId> values{f.input({6}), f.input({6})};
    const size_t count = 2 + random() % 20;
    const auto any = [&] { return values[random() % values.size()]; };
    constexpr OperationCode kBinary[] = {OperationCode::kAdd, OperationCode::kMul, OperationCode::kSub};
    for (size_t n = 0; n < count; ++n) {
      const TensorId out = n + 1 == count || random() % 6 == 0 ? f.output({6}) : f.temporary({6});
      switch (random() % 4) {
        case 0:
          f.node(OperationCode::kTanh, {any()}, {out});
          break;
        case 1:
          f.node(OperationCode::kReshape, {any(), f.constant<int32_t>({1}, OperandType::kTensorInt32, {6})}, {out});
          break;
        default:
          f.node(kBinary[random() % 3], {any(), any(), f.scalar(0)}, {out});
          break;
      }
      values.push_back(out);
    }
    const PlanPointer plan = f.plan();
    std::vector<bool> on_a(count);
    for (size_t n = 0; n < count; ++n) on_a[n] = random() % 2 == 0;
    a_.behaviour.takes = [&](const PlanNode& node) { return on_a[node.source_operation]; };
    b_.behaviour.takes = [&](const PlanNode& node) { return !on_a[node.source_operation]; };
    const PreparedDeployment ready = prepare(plan);
    ASSERT_NE(ready.runner, nullptr);
    auto whole = value_of(prepare_whole(*cpu_, simplify(plan, evaluator_), evaluator_));
    const std::vector<std::vector<float>> inputs{{1, -2, 3, 0.5F, 7, -1}, {0.25F, 4, -3, 2, 1, 9}};
    const Outcome expected = run(*whole, *plan, inputs, 6);
    ASSERT_TRUE(expected.status);
    for (const bool may_run_inline : {true, false}) {
      Request request;
      request.may_run_inline = may_run_inline;
      const Outcome outcome = run(*ready.runner, *plan, inputs, 6, request);
      ASSERT_TRUE(outcome.status) << outcome.status.error().message;
      for (size_t i = 0; i < plan->outputs.size(); ++i) {
        EXPECT_EQ(std::memcmp(outcome.outputs[i].data(), expected.outputs[i].data(), 6 * sizeof(float)), 0) << "round " << round;
      }
    }
  }
}

TEST_F(PartitionedPlan, ManyThreadsRunItAtOnce) {
  share_evenly();
  const PlanPointer plan = chain(4);
  const PreparedDeployment ready = prepare(plan);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        if (run(*ready.runner, *plan, {kInput}, 4).outputs[0] != kChainOfFour) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(PartitionedPlan, AStepThatFailsRunsOnTheCpuWithValuesFetchedFromItsDevice) {
  give_b_the_side_step();
  const PlanPointer plan = side_step();
  const PreparedDeployment ready = prepare(plan, cpu_.get());
  const std::vector<float> expected{0.0F, 3.0F, 8.0F, 15.0F};
  uint64_t rescued = 0;
  for (Answer FakeBehaviour::*result : {&FakeBehaviour::submit_result, &FakeBehaviour::execution_result}) {
    for (const int failing : {0, 1, -1}) {  // submissions of a; -1: the one of b
      const int first = a_.submissions;
      a_.behaviour.*result = Answer([=](int n) { return n == first + failing; }, wanted_failure());
      b_.behaviour.*result = Answer([=](int) { return failing < 0; }, wanted_failure());
      const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4);
      ASSERT_TRUE(outcome.status) << outcome.status.error().message;
      EXPECT_EQ(outcome.outputs[0], expected);
      EXPECT_EQ(ready.runner->counters().at("steps_run_again_on_cpu"), ++rescued);
    }
    a_.behaviour.*result = b_.behaviour.*result = {};
  }
}

TEST_F(PartitionedPlan, WithoutRescueTheFailingStepsErrorIsTheResult) {
  share_evenly();
  const PlanPointer plan = chain(4);
  const PreparedDeployment ready = prepare(plan);
  for (Answer FakeBehaviour::*result : {&FakeBehaviour::submit_result, &FakeBehaviour::execution_result}) {
    b_.behaviour.*result = fail(wanted_failure());
    const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4);
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().code, Code::kResourceExhaustedTransient);
  }
}

TEST_F(PartitionedPlan, ADeadlineThatPassesBetweenStepsIsTransient) {
  share_evenly();
  const PlanPointer plan = chain(2);
  const PreparedDeployment ready = prepare(plan);
  b_.behaviour.hold = true;
  Request request;
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  std::atomic<bool> is_done = false;
  std::thread late([&] {
    std::this_thread::sleep_until(*request.deadline);
    for (; !is_done; std::this_thread::yield()) b_.last_plan->release();
  });
  const Outcome outcome = run(*ready.runner, *plan, {kInput}, 4, request);
  is_done = true;
  late.join();
  ASSERT_FALSE(outcome.status);
  EXPECT_EQ(outcome.status.error().code, Code::kMissedDeadlineTransient);
}

// BOX_WITH_NMS_LIMIT on a, ADD of the kept scores on b: the size between them depends on data.
PlanPointer kept_scores() {
  PlanFixture f;
  const TensorId scores = f.input({4});
  const TensorId table = f.temporary({2, 2});
  const TensorId boxes =
      f.constant<float>({2, 8}, OperandType::kTensorFloat32, {0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30, 20, 20, 30, 30});
  const TensorId batches = f.constant<int32_t>({2}, OperandType::kTensorInt32, {0, 0});
  const TensorId kept = f.temporary({kUnknownDimension});
  const TensorId kept_boxes = f.temporary({kUnknownDimension, 4});
  const TensorId classes = f.temporary({kUnknownDimension}, OperandType::kTensorInt32);
  const TensorId split = f.temporary({kUnknownDimension}, OperandType::kTensorInt32);
  const TensorId y = f.output({kUnknownDimension});
  const auto number = [&](float value) { return f.constant<float>({}, OperandType::kFloat32, {value}); };
  f.node(OperationCode::kReshape, {scores, f.constant<int32_t>({2}, OperandType::kTensorInt32, {2, 2})}, {table});
  f.node(OperationCode::kBoxWithNmsLimit,
         {table, boxes, batches, number(0.1F), f.scalar(-1), f.scalar(0), number(0.5F), number(0.5F), number(0.1F)},
         {kept, kept_boxes, classes, split});
  f.node(OperationCode::kAdd, {kept, kept, f.scalar(0)}, {y});
  return f.plan();
}

TEST_F(PartitionedPlan, SizesThatDependOnDataCrossDevices) {
  a_.behaviour.takes = [](const PlanNode& node) { return node.source_operation < 2; };
  b_.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 2; };
  const PlanPointer plan = kept_scores();
  const PreparedDeployment ready = prepare(plan);
  const Outcome two = run(*ready.runner, *plan, {{0, 0.75F, 0, 0.5F}}, 2);
  ASSERT_TRUE(two.status) << two.status.error().message;
  EXPECT_EQ(two.outputs[0], (std::vector<float>{1.5F, 1.0F}));
  const Outcome one = run(*ready.runner, *plan, {{0, 0.75F, 0, 0.0F}}, 1);
  ASSERT_TRUE(one.status);
  EXPECT_EQ(one.report->outputs[0].shape, Shape{1});
  const Outcome small = run(*ready.runner, *plan, {{0, 0.75F, 0, 0.5F}}, 1);
  ASSERT_FALSE(small.status);
  EXPECT_EQ(small.status.error().code, Code::kOutputInsufficientSize);
  EXPECT_EQ(small.report->outputs[0].shape, Shape{2});
}

TEST_F(PartitionedPlan, AnEmptyTensorDoesNotCrossDevices) {
  a_.behaviour.takes = [](const PlanNode& node) { return node.source_operation < 2; };
  b_.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 2; };
  const PlanPointer plan = kept_scores();
  const PreparedDeployment ready = prepare(plan, cpu_.get());
  const Outcome none = run(*ready.runner, *plan, {{0, 0, 0, 0}}, 2);
  ASSERT_FALSE(none.status);
  EXPECT_EQ(none.status.error().code, Code::kOpFailed);
  EXPECT_EQ(b_.submissions, 0);
}

// An IF whose branches need both devices; a runs the ADD before it.
TEST_F(PartitionedPlan, BranchesThatNeedSeveralDevicesAreDistributedInTheirTurn) {
  a_.behaviour.takes = [](const PlanNode& node) {
    return node.code == OperationCode::kAdd || node.code == OperationCode::kGreater;
  };
  b_.behaviour.takes = [](const PlanNode& node) { return node.code == OperationCode::kMul; };
  PlanFixture f;
  const TensorId x = f.input({1});
  const TensorId is_positive = f.temporary({1}, OperandType::kTensorBool8);
  const TensorId twice = f.temporary({1});
  const TensorId y = f.output({1});
  const auto branch = [](std::vector<OperationCode> codes) {
    PlanFixture b;
    TensorId last = b.input({1});
    for (size_t i = 0; i < codes.size(); ++i) {
      const TensorId next = i + 1 == codes.size() ? b.output({1}) : b.temporary({1});
      b.node(codes[i], {last, last, b.scalar(0)}, {next});
      last = next;
    }
    return b.plan();
  };
  f.node(OperationCode::kGreater, {x, f.constant<float>({1}, OperandType::kTensorFloat32, {0.0F})}, {is_positive});
  f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {twice});
  const TensorId then_model = f.model(branch({OperationCode::kAdd, OperationCode::kMul}));
  const TensorId else_model = f.model(branch({OperationCode::kMul, OperationCode::kAdd}));
  f.node(OperationCode::kIf, {is_positive, then_model, else_model, twice}, {y});
  const PlanPointer plan = f.plan();
  const PreparedDeployment ready = prepare(plan);
  ASSERT_NE(ready.runner, nullptr);
  EXPECT_EQ(ready.devices.size(), 2U);
  EXPECT_EQ(ready.parts.back().device, nullptr);
  EXPECT_EQ(run(*ready.runner, *plan, {{3.0F}}, 1).outputs[0][0], 144.0F);  // (6 + 6)^2
  EXPECT_EQ(run(*ready.runner, *plan, {{-3.0F}}, 1).outputs[0][0], 72.0F);  // 36 + 36
}

// while (x < 100) x = (x + x) * 1: the ADD on a, the MUL on b.
TEST_F(PartitionedPlan, LoopsOverSeveralDevicesEndByTheirConditionOrTheirTimeout) {
  a_.behaviour.takes = [](const PlanNode& node) { return node.code != OperationCode::kMul; };
  b_.behaviour.takes = [](const PlanNode& node) { return node.code == OperationCode::kMul; };
  PlanFixture body;
  const TensorId inner = body.input({1});
  const TensorId sum = body.temporary({1});
  const TensorId next = body.output({1});
  body.node(OperationCode::kAdd, {inner, inner, body.scalar(0)}, {sum});
  body.node(OperationCode::kMul, {sum, body.constant<float>({1}, OperandType::kTensorFloat32, {1.0F}), body.scalar(0)}, {next});
  const PlanPointer plan = loop_below_100(body.plan());
  const PreparedDeployment ready = prepare(plan, cpu_.get());
  ASSERT_NE(ready.runner, nullptr);
  EXPECT_EQ(run(*ready.runner, *plan, {{3.0F}}, 1).outputs[0][0], 192.0F);
  EXPECT_EQ(run(*ready.runner, *plan, {{200.0F}}, 1).outputs[0][0], 200.0F);
  Request short_of_time;
  short_of_time.loop_timeout = std::chrono::milliseconds(5);
  const Outcome endless = run(*ready.runner, *plan, {{0.0F}}, 1, short_of_time);
  ASSERT_FALSE(endless.status);
  EXPECT_EQ(endless.status.error().code, Code::kMissedDeadlineTransient);
  EXPECT_TRUE(endless.report->loop_timed_out);
}

// Compilation time does not count towards the loop timeout. The duration of a round does, even if a device compiled during it.
TEST_F(PartitionedPlan, TheClockOfALoopStandsStillWhileADeviceMakesThingsReady) {
  constexpr std::chrono::milliseconds kRound{5};
  const auto slowly = [&](std::chrono::nanoseconds preparation) {
    return MakeComputation([=, make = computing_on(std::shared_ptr<Device>(cpu::make_reference_device()))](
                               const auto& plan, const auto& options) -> tl::expected<Computation, Error> {
      NNVK_ASSIGN(auto compute, make(plan, options));
      return Computation([=](const Request& request) {
        std::this_thread::sleep_for(kRound);
        ExecutionReport report = compute(request);
        report.preparation_nanoseconds = static_cast<uint64_t>(preparation.count());
        return report;
      });
    });
  };
  const PlanPointer plan = loop_below_100(doubling());
  Request short_of_time;
  short_of_time.loop_timeout = kRound / 2;
  const auto run_on = [&](std::chrono::nanoseconds preparation) {
    FakeDevice device("slow", DeviceType::kGpu, slowly(preparation));
    Device* const devices[] = {&device};
    const auto deployment = deploy(plan, devices);
    const auto ready = prepare_deployment(*deployment, {devices, nullptr, options_, evaluator_, launches(), {}, true});
    EXPECT_TRUE(ready);
    return run(*ready->runner, *plan, {{50.0F}}, 1, short_of_time);
  };
  const Outcome compiled = run_on(std::chrono::seconds(1));
  ASSERT_TRUE(compiled.status) << compiled.status.error().text();
  EXPECT_EQ(compiled.outputs[0][0], 100.0F);
  EXPECT_EQ(run_on(std::chrono::nanoseconds(0)).status.error().code, Code::kMissedDeadlineTransient);
}

// if (condition) y = x * x else y = x * x
PlanPointer branches_of_one_operation() {
  PlanFixture model;
  const TensorId in = model.input({1});
  model.node(OperationCode::kMul, {in, in, model.scalar(0)}, {model.output({1})});
  PlanFixture f;
  const TensorId condition = f.input({1}, OperandType::kTensorBool8);
  const TensorId x = f.input({1});
  const TensorId branch = f.model(model.plan());
  f.node(OperationCode::kIf, {condition, branch, branch, x}, {f.output({1})});
  return f.plan();
}

TEST_F(PartitionedPlan, TimeThatIsOverBeforeALaterPartIsCompiledWasOverInTheMiddle) {
  const auto code_when_late_at = [this](int preparation) {
    a_.prepared = 0;
    a_.behaviour.prepare_result =
        Answer([=](int n) { return n >= preparation; }, {Code::kMissedDeadlinePersistent, "too late to start"});
    const auto prepared = prepare_whole(a_, branches_of_one_operation(), evaluator_, options_);
    return prepared ? Code::kNoError : prepared.error().code;
  };
  EXPECT_EQ(code_when_late_at(0), Code::kMissedDeadlinePersistent);
  EXPECT_EQ(code_when_late_at(1), Code::kMissedDeadlineTransient);
  EXPECT_EQ(code_when_late_at(2), Code::kNoError);
}

TEST_F(PartitionedPlan, OperationsThatNobodyRunsInABranchAreNamed) {
  a_.behaviour.takes = b_.behaviour.takes = [](const PlanNode& node) { return node.code != OperationCode::kMul; };
  Device* const devices[] = {&a_, &b_};
  const auto deployment = deploy(branches_of_one_operation(), devices);
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().code, Code::kBadData);
  EXPECT_NE(deployment.error().message.find("MUL (operation 0)"), std::string::npos) << deployment.error().message;
}

}  // namespace
}  // namespace nnvk::test
