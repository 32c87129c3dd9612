// Models whose optional operands are model inputs. The compilation does not know whether they will be given, so the execution
// checks their declared shapes. nnvk-cpu refuses the same models as nnapi-reference, and writes nothing.
#include <gtest/gtest.h>

#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/cpu_fallback/optimized/guarded_bytes.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {
namespace {

using enum OperandType;

// Compiles and executes the plan with all inputs given. Each output has its declared size and lies between guard pages.
Code run(Device& device, const PlanFixture& fixture) {
  const auto plan = fixture.plan();
  const auto prepared = device.prepare(plan, {});
  if (!prepared) return prepared.error().code;
  std::vector<GuardedBytes> memory;
  const auto bindings = [&](const std::vector<TensorId>& tensors) {
    std::vector<Binding> bound;
    for (const TensorId id : tensors) {
      const OperandInfo& info = plan->tensors[id].info;
      memory.emplace_back(*info.byte_size(), Guard::kBehind);
      Binding& binding = bound.emplace_back();
      binding.data = memory.back().data();
      binding.size = memory.back().size();
      binding.shape = info.shape;
    }
    return bound;
  };
  const std::vector<Binding> inputs = bindings(plan->inputs);
  const std::vector<Binding> outputs = bindings(plan->outputs);
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  request.may_run_inline = true;
  const auto submission = (*prepared)->submit(request);
  return submission ? code_of(submission->done.wait()) : submission.error().code;
}

void expect_refused(const PlanFixture& fixture) {
  EXPECT_EQ(run(*cpu::make_reference_device(), fixture), Code::kOpFailed);
  EXPECT_EQ(run(*cpu::make_cpu_device({2}), fixture), Code::kOpFailed);
}

TEST(UncheckedShapes, AProjectionThatIsLargerThanItsOutputIsRefused) {
  PlanFixture f;
  const TensorId hash = f.input({1000, 2});
  const TensorId in = f.input({4}, kTensorInt32);
  const TensorId weights = f.input({4});
  f.node(OperationCode::kLshProjection, {hash, in, weights, f.scalar(2)}, {f.output({8}, kTensorInt32)});
  expect_refused(f);
}

TEST(UncheckedShapes, EveryHostileRankOfAFilterIsRefused) {
  for (const int32_t rank : {0, -1, 127, 65536, INT32_MIN}) {
    SCOPED_TRACE(rank);
    PlanFixture f;
    const TensorId in = f.input({2, 3});
    const TensorId features = f.input({4, 3});
    const TensorId time = f.input({4, 10});
    const TensorId bias = f.input({4});
    const TensorId state = f.input({2, 40});
    f.node(OperationCode::kSvdf, {in, features, time, bias, state, f.scalar(rank), f.scalar(0)},
           {f.output({2, 40}), f.output({2, 4})});
    expect_refused(f);
  }
}

TEST(UncheckedShapes, AnRnnWithAuxiliaryInputsChecksItsWeights) {
  PlanFixture f;
  const TensorId in = f.input({2, 1, 3});
  std::vector<TensorId> inputs = {in};
  for (int direction = 0; direction < 2; ++direction) {
    // Recurrent weights of 40 units; the other operands have 4.
    for (const Shape& shape : {Shape{4, 3}, Shape{40, 40}, Shape{4}, Shape{1, 4}}) inputs.push_back(f.input(shape));
  }
  for (const Shape& shape : {Shape{2, 1, 5}, Shape{4, 5}, Shape{4, 5}}) inputs.push_back(f.input(shape));
  inputs.push_back(f.scalar(1));
  inputs.push_back(f.flag(true));
  inputs.push_back(f.flag(true));
  f.node(OperationCode::kBidirectionalSequenceRnn, inputs, {f.output({2, 1, 8})});
  expect_refused(f);
}

TEST(UncheckedShapes, ATransposedConvolutionWhoseOutputIsTooSmallIsRefused) {
  PlanFixture f;
  const TensorId in = f.input({1, 8, 8, 4});
  const TensorId filter = f.input({4, 3, 3, 4});
  const TensorId bias = f.input({4});
  const TensorId sizes = f.constant<int32_t>({4}, kTensorInt32, {1, 16, 16, 4});
  f.node(OperationCode::kTransposeConv2d,
         {in, filter, bias, sizes, f.scalar(1), f.scalar(2), f.scalar(2), f.scalar(0), f.flag(false)}, {f.output({1, 2, 2, 4})});
  expect_refused(f);
}

// A cell of nine hundred units; the output has room for four.
TEST(UncheckedShapes, AnLstmWithInputsInPlaceOfWeightsIsChecked) {
  PlanFixture f;
  std::vector<TensorId> inputs = {f.input({1, 3})};
  for (int gate = 0; gate < 4; ++gate) inputs.push_back(f.input({900, 3}));
  for (int gate = 0; gate < 4; ++gate) inputs.push_back(f.input({900, 900}));
  for (int gate = 0; gate < 3; ++gate) inputs.push_back(f.omitted(kTensorFloat32));
  for (int gate = 0; gate < 4; ++gate) inputs.push_back(f.input({900}));
  for (int projection = 0; projection < 2; ++projection) inputs.push_back(f.omitted(kTensorFloat32));
  inputs.push_back(f.input({1, 900}));
  inputs.push_back(f.input({1, 900}));
  inputs.push_back(f.scalar(4));
  for (int clip = 0; clip < 2; ++clip) inputs.push_back(f.constant<float>({}, kFloat32, {0}));
  f.node(OperationCode::kLstm, inputs, {f.output({1, 16}), f.output({1, 4}), f.output({1, 4}), f.output({1, 4})});
  expect_refused(f);
}

}  // namespace
}  // namespace nnvk::test
