// The CPU device as core sees it: placement, submission, fences, deadlines, output sizes, counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using test::bind;
using test::PlanFixture;
using test::Prepared;
using testing::ElementsAre;
using testing::HasSubstr;

// out = (a + b) then RELU of it.
PlanFixture add_then_relu() {
  PlanFixture fixture;
  const TensorId a = fixture.input({4});
  const TensorId b = fixture.input({4});
  const TensorId sum = fixture.temporary({4});
  const TensorId out = fixture.output({4});
  fixture.node(OperationCode::kAdd, {a, b, fixture.scalar(0)}, {sum});
  fixture.node(OperationCode::kRelu, {sum}, {out});
  return fixture;
}

struct AddBuffers {
  std::vector<float> a{1, -5, 3, 4};
  std::vector<float> b{10, 2, -30, 40};
  std::vector<float> out = std::vector<float>(4, -1);
  std::vector<Binding> inputs() { return {bind(a, {4}), bind(b, {4})}; }
  std::vector<Binding> outputs() { return {bind(out, {4})}; }
};

TEST(ReferenceDevice, RunsInlineAndReturnsASettledFence) {
  Prepared prepared(add_then_relu());
  AddBuffers buffers;
  const auto report = prepared.run(buffers.inputs(), buffers.outputs());
  ASSERT_TRUE(report->result);
  EXPECT_THAT(buffers.out, ElementsAre(11, 0, 0, 44));
  EXPECT_EQ(report->outputs.at(0).shape, Shape({4}));
  EXPECT_TRUE(report->outputs[0].sufficient);
  EXPECT_EQ(report->hardware_nanoseconds, kNoDuration);
  EXPECT_EQ(prepared.plan->counters().at("executions"), 1U);
}

TEST(ReferenceDevice, RunsOnAWorkerWhenTheCallerDoesNotBlock) {
  Prepared prepared(add_then_relu());
  AddBuffers buffers;
  const auto inputs = buffers.inputs();
  const auto outputs = buffers.outputs();
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const auto submission = prepared.plan->submit(request);
  ASSERT_TRUE(submission);
  EXPECT_TRUE(submission->done.wait());
  EXPECT_TRUE(submission->report->result);
  EXPECT_THAT(buffers.out, ElementsAre(11, 0, 0, 44));
}

TEST(ReferenceDevice, AFenceCallbackMayFreeThePlanAndItsDevice) {
  auto prepared = std::make_unique<Prepared>(add_then_relu());
  AddBuffers buffers;
  const auto inputs = buffers.inputs();
  const auto outputs = buffers.outputs();
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const Fence freed = Fence::pending();
  const auto submission = prepared->plan->submit(request);
  submission->done.on_settled([&](const Status&) {
    prepared->plan.reset();
    prepared->device.reset();
    freed.signal();
  });
  EXPECT_TRUE(freed.wait());
}

TEST(ReferenceDevice, DestroyingThePlanWaitsForItsExecutions) {
  AddBuffers buffers;
  const auto inputs = buffers.inputs();
  const auto outputs = buffers.outputs();
  std::vector<Submission> submissions;
  {
    Prepared prepared(add_then_relu());
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    for (int i = 0; i < 20; ++i) submissions.push_back(*prepared.plan->submit(request));
  }
  for (const Submission& submission : submissions) EXPECT_TRUE(submission.done.wait());
}

TEST(ReferenceDevice, ManyThreadsMayUseOnePlan) {
  Prepared prepared(add_then_relu());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        AddBuffers buffers;
        buffers.a[0] = static_cast<float>(t * 1000 + i);
        const auto inputs = buffers.inputs();
        const auto outputs = buffers.outputs();
        Request request;
        request.inputs = inputs;
        request.outputs = outputs;
        request.may_run_inline = i % 2 == 0;
        const auto submission = prepared.plan->submit(request);
        if (!submission || !submission->done.wait() || buffers.out[0] != buffers.a[0] + 10) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(prepared.plan->counters().at("executions"), 400U);
}

TEST(ReferenceDevice, ADeadlineInThePastIsMissedForGood) {
  Prepared prepared(add_then_relu());
  AddBuffers buffers;
  Request request;
  request.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto report = prepared.run(buffers.inputs(), buffers.outputs(), request);
  ASSERT_FALSE(report->result);
  EXPECT_EQ(report->result.error().code, Code::kMissedDeadlinePersistent);
  EXPECT_EQ(buffers.out[0], -1);
  PrepareOptions options;
  options.deadline = request.deadline;
  EXPECT_EQ(prepared.device->prepare(add_then_relu().plan(), options).error().code, Code::kMissedDeadlinePersistent);
}

TEST(ReferenceDevice, ADeadlineThatPassesBetweenTwoOperationsIsMissedForNow) {
  PlanFixture fixture;
  constexpr uint32_t kCount = 100'000;
  TensorId x = fixture.input({kCount});
  for (int i = 0; i < 3000; ++i) {  // seconds of work in steps of a fraction of a millisecond
    const TensorId next = i == 2999 ? fixture.output({kCount}) : fixture.temporary({kCount});
    fixture.node(OperationCode::kTanh, {x}, {next});
    x = next;
  }
  Prepared prepared(fixture);
  std::vector<float> in(kCount, 0.5F);
  std::vector<float> out(kCount);
  Request request;
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
  const auto report = prepared.run({bind(in, {kCount})}, {bind(out, {kCount})}, request);
  ASSERT_FALSE(report->result);
  EXPECT_EQ(report->result.error().code, Code::kMissedDeadlineTransient);
  EXPECT_THAT(report->result.error().text(), HasSubstr("TANH"));
}

TEST(ReferenceDevice, ReportsTheRealShapesWhenABufferIsTooSmall) {
  PlanFixture fixture;
  const TensorId in = fixture.input({2, 3});
  const TensorId first = fixture.output(Shape::unknown_rank());
  const TensorId second = fixture.output({kUnknownDimension, kUnknownDimension});
  fixture.node(OperationCode::kPad, {in, fixture.constant<int32_t>({2, 2}, OperandType::kTensorInt32, {1, 1, 0, 2})}, {first});
  fixture.node(OperationCode::kTranspose, {in, fixture.constant<int32_t>({2}, OperandType::kTensorInt32, {1, 0})}, {second});
  Prepared prepared(fixture);
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::vector<float> small(19, -1);
  std::vector<float> enough(8, -1);
  auto outputs = std::vector<Binding>{bind(small, Shape::unknown_rank()), bind(enough, {kUnknownDimension, kUnknownDimension})};
  auto report = prepared.run({bind(values, {2, 3})}, outputs);
  ASSERT_FALSE(report->result);
  EXPECT_EQ(report->result.error().code, Code::kOutputInsufficientSize);
  EXPECT_EQ(report->outputs.at(0).shape, Shape({4, 5}));
  EXPECT_FALSE(report->outputs[0].sufficient);
  EXPECT_EQ(report->outputs.at(1).shape, Shape({3, 2}));
  EXPECT_TRUE(report->outputs[1].sufficient);

  std::vector<float> large(20, -1);
  outputs[0] = bind(large, Shape::unknown_rank());
  report = prepared.run({bind(values, {2, 3})}, outputs);
  ASSERT_TRUE(report->result);
  EXPECT_THAT(large, ElementsAre(0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(enough, ElementsAre(1, 4, 2, 5, 3, 6, -1, -1));  // nothing behind the output is touched
}

TEST(ReferenceDevice, AnEmptyResultIsASuccessWithoutBytes) {
  PlanFixture fixture;
  const TensorId in = fixture.input({4});
  const TensorId none = fixture.temporary({kUnknownDimension});
  const TensorId out = fixture.output({kUnknownDimension});
  const auto list = [&](int32_t v) { return fixture.constant<int32_t>({1}, OperandType::kTensorInt32, {v}); };
  fixture.node(OperationCode::kSlice, {in, list(2), list(0)}, {none});
  fixture.node(OperationCode::kRelu, {none}, {out});
  Prepared prepared(fixture);
  std::vector<float> values(4, 1);
  std::vector<float> buffer(1, -1);
  const auto report = prepared.run({bind(values, {4})}, {bind(buffer, {kUnknownDimension})});
  ASSERT_TRUE(report->result);
  EXPECT_EQ(report->outputs.at(0).shape, Shape({0}));
  EXPECT_EQ(buffer[0], -1);
}

TEST(ReferenceDevice, AnOmittedOutputIsComputedButNotDelivered) {
  PlanFixture fixture;
  const TensorId in = fixture.input({2});
  const TensorId skipped = fixture.output({2});
  const TensorId wanted = fixture.output({2});
  fixture.node(OperationCode::kRelu, {in}, {skipped});
  fixture.node(OperationCode::kRelu6, {skipped}, {wanted});
  Prepared prepared(fixture);
  std::vector<float> values{-3, 9};
  std::vector<float> out(2, -1);
  Binding none;
  none.omitted = true;
  EXPECT_TRUE(prepared.run({bind(values, {2})}, {none, bind(out, {2})})->result);
  EXPECT_THAT(out, ElementsAre(0, 6));
}

TEST(ReferenceDevice, AViewSharesTheBytesOfItsTensor) {
  PlanFixture fixture;
  const TensorId in = fixture.input({2, 2});
  const TensorId sum = fixture.temporary({2, 2});
  const TensorId flat = fixture.temporary({4});
  const TensorId out = fixture.output({4});
  const TensorId shape = fixture.constant<int32_t>({1}, OperandType::kTensorInt32, {4});
  fixture.node(OperationCode::kAdd, {in, in, fixture.scalar(0)}, {sum});
  fixture.node(OperationCode::kReshape, {sum, shape}, {flat});
  fixture.node(OperationCode::kReshape, {flat, shape}, {out});
  for (const TensorId id : {sum, flat}) fixture.raw().tensors[id].view_of = out;  // the sum is written to the output directly
  for (const size_t n : {1, 2}) fixture.raw().nodes[n].is_view = true;
  Prepared prepared(fixture);
  std::vector<float> values{1, 2, 3, 4};
  std::vector<float> result(4, -1);
  EXPECT_TRUE(prepared.run({bind(values, {2, 2})}, {bind(result, {4})})->result);
  EXPECT_THAT(result, ElementsAre(2, 4, 6, 8));
  EXPECT_EQ(prepared.plan->counters().at("temporary_allocations"), 0U);
  EXPECT_EQ(prepared.plan->counters().at("bytes_copied_out"), 0U);
}

TEST(ReferenceDevice, MisalignedBuffersAreCopiedAndCounted) {
  Prepared prepared(add_then_relu());
  AddBuffers buffers;
  std::vector<std::byte> odd_in(17);
  std::vector<std::byte> odd_out(17);
  std::memcpy(odd_in.data() + 1, buffers.a.data(), 16);
  auto inputs = buffers.inputs();
  auto outputs = buffers.outputs();
  inputs[0].data = odd_in.data() + 1;
  outputs[0].data = odd_out.data() + 1;
  EXPECT_TRUE(prepared.run(inputs, outputs)->result);
  std::memcpy(buffers.out.data(), odd_out.data() + 1, 16);
  EXPECT_THAT(buffers.out, ElementsAre(11, 0, 0, 44));
  EXPECT_EQ(prepared.plan->counters().at("bytes_copied_in"), 16U);
  EXPECT_EQ(prepared.plan->counters().at("bytes_copied_out"), 16U);
}

TEST(ReferenceDevice, RefusesBuffersThatDoNotFitTheirShapes) {
  Prepared prepared(add_then_relu());
  AddBuffers buffers;
  auto inputs = buffers.inputs();
  inputs[1].size = 15;
  EXPECT_EQ(prepared.run(inputs, buffers.outputs())->result.error().code, Code::kBadData);
  inputs = buffers.inputs();
  inputs[0].shape = {5};
  EXPECT_EQ(prepared.run(inputs, buffers.outputs())->result.error().code, Code::kBadData);
  inputs.pop_back();
  EXPECT_EQ(prepared.run(inputs, buffers.outputs())->result.error().code, Code::kBadData);
}

TEST(ReferenceDevice, AnErrorNamesTheOperation) {
  PlanFixture fixture;
  const TensorId a = fixture.input({kUnknownDimension});
  const TensorId b = fixture.input({3});
  fixture.node(OperationCode::kMul, {a, b, fixture.scalar(0)}, {fixture.output({kUnknownDimension})});
  Prepared prepared(fixture);
  std::vector<float> two(2);
  std::vector<float> three(3);
  std::vector<float> out(3);
  const auto report = prepared.run({bind(two, {2}), bind(three, {3})}, {bind(out, {kUnknownDimension})});
  ASSERT_FALSE(report->result);
  EXPECT_EQ(report->result.error().code, Code::kOpFailed);
  EXPECT_THAT(report->result.error().text(), HasSubstr("MUL (operation 0)"));
  EXPECT_TRUE(report->outputs.empty());
}

TEST(ReferenceDevice, ProfilesEveryOperation) {
  PlanFixture fixture;
  const TensorId in = fixture.input({1, 4, 4, 2});
  const TensorId filter = fixture.constant<float>({3, 1, 1, 2}, OperandType::kTensorFloat32, std::vector<float>(6, 1.0F));
  const TensorId bias = fixture.constant<float>({3}, OperandType::kTensorFloat32, {0, 0, 0});
  const TensorId out = fixture.output({1, 4, 4, 3});
  const TensorId one = fixture.scalar(1);
  fixture.node(OperationCode::kConv2d, {in, filter, bias, one, one, one, fixture.scalar(0)}, {out});
  Prepared prepared(fixture);
  std::vector<float> image(32, 1.0F);
  std::vector<float> result(48);
  Request request;
  request.profile = true;
  const auto report = prepared.run({bind(image, {1, 4, 4, 2})}, {bind(result, {1, 4, 4, 3})}, request);
  ASSERT_EQ(report->profile.size(), 1U);
  EXPECT_EQ(report->profile[0].operation, "CONV_2D");
  EXPECT_EQ(report->profile[0].kernel, "reference");
  EXPECT_EQ(report->profile[0].multiply_adds, 48U * 2U);
  EXPECT_GE(report->profile[0].bytes, (32U + 6U + 3U + 48U) * 4U);
  EXPECT_EQ(result[0], 2.0F);
}

TEST(ReferenceDevice, PlacesWhatItHasKernelsForAndSaysWhyNot) {
  PlanFixture fixture = add_then_relu();
  fixture.node(OperationCode::kWhile, {}, {});
  const auto device = make_reference_device();
  EXPECT_EQ(device->info().name, "nnapi-reference");
  EXPECT_EQ(device->info().type, DeviceType::kCpu);
  const auto placements = device->place(*fixture.plan());
  ASSERT_EQ(placements.size(), 3U);
  EXPECT_TRUE(placements[0].supported);
  EXPECT_GT(placements[0].predicted_seconds, 0.0);
  EXPECT_FALSE(placements[2].supported);
  EXPECT_THAT(placements[2].reason, HasSubstr("control flow"));
  const auto prepared = device->prepare(fixture.plan(), {});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kOpFailed);
  EXPECT_THAT(prepared.error().text(), HasSubstr("WHILE (operation 2)"));
  EXPECT_EQ(device->allocate({16}).error().code, Code::kOpFailed);
}

TEST(ReferenceDevice, AFusedSumAndActivationGiveWhatTheSeparateOperationsGive) {
  for (const bool fused : {false, true}) {
    PlanFixture fixture;
    const TensorId a = fixture.input({4});
    const TensorId b = fixture.input({4});
    const TensorId out = fixture.output({4});
    if (fused) {
      fixture.node(OperationCode::kTanh, {a}, {out});
      fixture.raw().nodes[0].residual = b;
      fixture.raw().nodes[0].fused_activation = FusedActivation::kRelu1;
    } else {
      const TensorId t = fixture.temporary({4});
      fixture.node(OperationCode::kTanh, {a}, {t});
      fixture.node(OperationCode::kAdd, {t, b, fixture.scalar(2)}, {out});
    }
    Prepared prepared(fixture);
    std::vector<float> x{0.5F, -0.25F, 3.0F, -3.0F};
    std::vector<float> y{0.25F, 0.125F, 1.0F, -1.0F};
    std::vector<float> result(4);
    EXPECT_TRUE(prepared.run({bind(x, {4}), bind(y, {4})}, {bind(result, {4})})->result);
    EXPECT_THAT(result, ElementsAre(std::tanh(0.5F) + 0.25F, std::tanh(-0.25F) + 0.125F, 1.0F, -1.0F));
  }
}

TEST(ReferenceDevice, MeasuresItsCeilings) {
  const auto ceilings = make_reference_device()->measure_ceilings();
  ASSERT_TRUE(ceilings);
  EXPECT_GT(ceilings->fp32_gflops, 0.0);
  EXPECT_GT(ceilings->int8_gops, 0.0);
  EXPECT_GT(ceilings->read_gigabytes_per_second, 0.0);
  EXPECT_GT(ceilings->copy_gigabytes_per_second, 0.0);
}

}  // namespace
}  // namespace nnvk::cpu
