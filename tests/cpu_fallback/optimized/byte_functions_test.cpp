// Groups of nodes that become one table of bytes.
#include "cpu_fallback/byte_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/plan/rewrites.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr OperandType kUnsigned = OperandType::kTensorQuant8Asymm;
constexpr OperandType kSigned = OperandType::kTensorQuant8AsymmSigned;
constexpr OperandType kReal = OperandType::kTensorFloat32;
const Shape kShape{2, 128};

std::vector<ByteFunction> functions_of(const test::PlanFixture& fixture) {
  const auto plan = fixture.plan();
  const auto resolution = resolve_declared(*plan, {});
  if (!resolution) throw std::runtime_error(resolution.error().text());
  std::vector<size_t> nodes(plan->nodes.size());
  std::iota(nodes.begin(), nodes.end(), size_t{0});
  return find_byte_functions(*plan, *resolution, nodes);
}

struct Outcome {
  std::vector<uint8_t> bytes;
  std::vector<NodeProfile> profile;
};

// The results of a device for all bytes.
Outcome run_on(Device& device, const test::PlanFixture& fixture) {
  const auto prepared = device.prepare(fixture.plan(), {});
  if (!prepared) throw std::runtime_error(prepared.error().text());
  std::vector<uint8_t> in(256);
  std::iota(in.begin(), in.end(), uint8_t{0});
  std::vector<uint8_t> out(256);
  const auto bind = [&](std::vector<uint8_t>& values) {
    Binding binding;
    binding.data = reinterpret_cast<std::byte*>(values.data());
    binding.size = values.size();
    binding.shape = kShape;
    return binding;
  };
  const Binding input = bind(in);
  const Binding output = bind(out);
  Request request;
  request.inputs = {&input, 1};
  request.outputs = {&output, 1};
  request.profile = true;
  const auto submission = (*prepared)->submit(request);
  if (!submission) throw std::runtime_error(submission.error().text());
  EXPECT_TRUE(submission->done.wait());
  return {out, submission->report->profile};
}

void expect_the_references_bytes(const test::PlanFixture& fixture) {
  EXPECT_EQ(run_on(*make_cpu_device({1}), fixture).bytes, run_on(*make_reference_device(), fixture).bytes);
}

// y = quantize(logistic(dequantize(x))), with a scale that LOGISTIC on bytes does not have.
struct Sigmoid {
  explicit Sigmoid(bool result_is_read_inside = false) {
    x = m.input(kShape, kUnsigned, 0.05F, 128);
    const TensorId real = m.temporary(kShape);
    function = m.temporary(kShape);
    y = result_is_read_inside ? m.temporary(kShape, kUnsigned, 0.0035F, 3) : m.output(kShape, kUnsigned, 0.0035F, 3);
    m.node(OperationCode::kDequantize, {x}, {real});
    m.node(OperationCode::kLogistic, {real}, {function});
    m.node(OperationCode::kQuantize, {function}, {y});
  }
  test::PlanFixture m;
  TensorId x = 0;
  TensorId function = 0;
  TensorId y = 0;
};

TEST(ByteFunctions, AFunctionBetweenTwoQuantizationsIsOne) {
  const Sigmoid sigmoid;
  const auto functions = functions_of(sigmoid.m);
  ASSERT_THAT(functions, SizeIs(1));
  EXPECT_THAT(functions[0].nodes, ElementsAre(0, 1, 2));
  EXPECT_EQ(functions[0].source, sigmoid.x);
  EXPECT_EQ(functions[0].result, sigmoid.y);
  EXPECT_EQ(functions[0].table[128], 146);  // 0.5 / 0.0035 + 3
  expect_the_references_bytes(sigmoid.m);
}

TEST(ByteFunctions, AProfileNamesTheOperationsThatTheTableComputes) {
  const std::vector<NodeProfile> profile = run_on(*make_cpu_device({1}), Sigmoid().m).profile;
  ASSERT_THAT(profile, SizeIs(1));
  EXPECT_EQ(profile[0].source_operation, 2U);
  EXPECT_THAT(profile[0].merged_operations, ElementsAre(0, 1));
}

TEST(ByteFunctions, AProductWithTheSourceItselfBelongsToIt) {
  Sigmoid sigmoid(true);
  const TensorId z = sigmoid.m.output(kShape, kUnsigned, 0.04F, 10);
  sigmoid.m.node(OperationCode::kMul, {sigmoid.x, sigmoid.y, sigmoid.m.scalar(0)}, {z});
  const auto functions = functions_of(sigmoid.m);
  ASSERT_THAT(functions, SizeIs(1));
  EXPECT_THAT(functions[0].nodes, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(functions[0].result, z);
  expect_the_references_bytes(sigmoid.m);
}

TEST(ByteFunctions, ConstantsOfOneElementBelongToIt) {
  test::PlanFixture m;
  const TensorId x = m.input(kShape, kSigned, 0.05F, -3);
  const TensorId real = m.temporary(kShape);
  const TensorId sixth = m.temporary(kShape);
  const TensorId y = m.output(kShape, kSigned, 0.02F, 5);
  m.node(OperationCode::kDequantize, {x}, {real});
  m.node(OperationCode::kMul, {real, m.constant<float>({1}, kReal, {1.0F / 6}), m.scalar(0)}, {sixth});
  m.node(OperationCode::kQuantize, {sixth}, {y});
  EXPECT_THAT(functions_of(m), SizeIs(1));
  expect_the_references_bytes(m);
}

TEST(ByteFunctions, AConstantPerColumnDoesNot) {
  test::PlanFixture m;
  const TensorId x = m.input(kShape, kUnsigned, 0.05F, 0);
  const TensorId real = m.temporary(kShape);
  const TensorId scaled = m.temporary(kShape);
  const TensorId y = m.output(kShape, kUnsigned, 0.05F, 0);
  m.node(OperationCode::kDequantize, {x}, {real});
  m.node(OperationCode::kMul, {real, m.constant<float>({128}, kReal, std::vector<float>(128, 2)), m.scalar(0)}, {scaled});
  m.node(OperationCode::kQuantize, {scaled}, {y});
  EXPECT_THAT(functions_of(m), IsEmpty());
}

TEST(ByteFunctions, AValueThatOthersReadEndsIt) {
  Sigmoid sigmoid;
  const TensorId other = sigmoid.m.output(kShape);
  sigmoid.m.node(OperationCode::kExp, {sigmoid.function}, {other});
  EXPECT_THAT(functions_of(sigmoid.m), IsEmpty());
}

TEST(ByteFunctions, ASingleNodeIsNone) {
  test::PlanFixture m;
  const TensorId x = m.input(kShape, kUnsigned, 0.05F, 0);
  const TensorId y = m.output(kShape, kUnsigned, 1.0F / 256, 0);
  m.node(OperationCode::kLogistic, {x}, {y});
  EXPECT_THAT(functions_of(m), IsEmpty());
}

}  // namespace
}  // namespace nnvk::cpu
