// Guarantees of the CPU device alone; tests/device_suite tests those of every device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using test::bind;
using test::PlanFixture;
using test::Prepared;
using testing::ElementsAre;
using testing::HasSubstr;

// out = RELU(a + b).
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
  ASSERT_GE(ceilings->traffic.size(), 2U);
  for (size_t i = 0; i < ceilings->traffic.size(); ++i) {
    EXPECT_GT(ceilings->traffic[i].gigabytes_per_second, 0.0);
    EXPECT_TRUE(i == 0 || ceilings->traffic[i].bytes > ceilings->traffic[i - 1].bytes);
  }
  EXPECT_GE(ceilings->traffic.back().gigabytes_per_second, ceilings->read_gigabytes_per_second);
}

}  // namespace
}  // namespace nnvk::cpu
