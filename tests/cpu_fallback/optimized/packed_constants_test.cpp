// Kernels pack the constants of a node once for all shapes. A query about support alone packs nothing.
#include "cpu_fallback/optimized/packed_constants.h"

#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/support/bindings.h"

namespace nnvk::test {
namespace {

TEST(PackedConstants, AreMadeOnceForEveryForm) {
  const PlanNode node;
  OperandInfo scalar;
  scalar.type = kTensorFloat32;
  scalar.shape = {1};
  const OperandView inputs[] = {{&scalar}};
  const OperandInfo* const outputs[] = {&scalar};
  const auto operation = value_of(CheckedOperation::check({OperationCode::kTanh, inputs, outputs}));
  cpu::PackedConstants packed;
  int made = 0;
  const auto get = [&](cpu::PackedConstants* shared, bool only_asks, std::vector<size_t> form) {
    return cpu::PackedConstants::of<std::vector<int>>({node, operation, shared, only_asks}, std::move(form), [&] {
      ++made;
      return std::vector<int>{made};
    });
  };
  const auto first = get(&packed, false, {1, 2});
  EXPECT_EQ(get(&packed, false, {1, 2}), first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(get(&packed, false, {1, 3}), first);
  EXPECT_NE(get(nullptr, false, {1, 2}), first) << "it shares with nobody";
  EXPECT_EQ(made, 3);
  EXPECT_TRUE(get(&packed, true, {1, 2})->empty());
  EXPECT_TRUE(get(nullptr, true, {1, 2})->empty());
  EXPECT_EQ(made, 3);
  cpu::PackedConstants of_another_node;
  EXPECT_NE(get(&of_another_node, false, {1, 2}), first);
  const auto as_floats =
      cpu::PackedConstants::of<std::vector<float>>({node, operation, &packed}, {1, 2}, [] { return std::vector<float>{7}; });
  EXPECT_EQ(as_floats->front(), 7) << "another type is another packing";
}

// Layers with images of any height and width: one plan, one program per shape.
class PackedForShapes : public RandomNodes {
 protected:
  static constexpr uint32_t kInputs = 19;
  static constexpr uint32_t kOutputs = 21;

  TensorId open_input(PlanFixture& m) {
    const OperandType type = GetParam().image;
    return m.input({kUnknownDimension, kUnknownDimension, kUnknownDimension, kInputs}, type, is_float() ? 0.0F : 0.5F,
                   zero_point(type));
  }
  void run_all_shapes(const std::shared_ptr<const Plan>& plan) {
    const auto fast = cpu::make_cpu_device({2});
    const auto exact = cpu::make_reference_device();
    const auto of_fast = fast->prepare(plan, {});
    const auto of_exact = exact->prepare(plan, {});
    ASSERT_TRUE(of_fast && of_exact);
    for (int round = 0; round < 2; ++round) {
      for (uint32_t side = 3; side < 15; ++side) {  // more shapes than programs are kept
        const Shape shape{1, side, side + 2, kInputs};
        SCOPED_TRACE(shape.to_string());
        std::vector<std::byte> image = random_bytes(GetParam().image, shape.element_count());
        const std::vector<std::byte> expected = result_of(**of_exact, *plan, image, shape);
        expect_same(result_of(**of_fast, *plan, image, shape), expected);
      }
    }
  }

 private:
  std::vector<std::byte> result_of(PreparedPlan& prepared, const Plan& plan, std::vector<std::byte>& image, const Shape& shape) {
    std::vector<std::byte> result;
    Binding in;
    in.data = image.data();
    in.size = image.size();
    in.shape = shape;
    Binding out;
    out.shape = plan.tensors[plan.outputs.front()].info.shape;
    out.growable = &result;
    Request request;
    request.inputs = {&in, 1};
    request.outputs = {&out, 1};
    request.may_run_inline = true;
    const auto submission = prepared.submit(request);
    EXPECT_TRUE(submission && submission->done.wait());
    return result;
  }
  void expect_same(const std::vector<std::byte>& result, const std::vector<std::byte>& expected) const {
    ASSERT_EQ(result.size(), expected.size());
    if (!is_float()) {
      EXPECT_EQ(result, expected);
      return;
    }
    for (size_t i = 0; i < result.size(); i += sizeof(float)) {
      float found = 0;
      float wanted = 0;
      std::memcpy(&found, result.data() + i, sizeof found);
      std::memcpy(&wanted, expected.data() + i, sizeof wanted);
      ASSERT_NEAR(found, wanted, 1e-4) << i / sizeof(float);
    }
  }
};

TEST_P(PackedForShapes, AConvolutionAndADepthwiseOne) {
  PlanFixture m;
  const TensorId same = m.scalar(1);
  const TensorId one = m.scalar(1);
  const Shape unknown{kUnknownDimension, kUnknownDimension, kUnknownDimension, kOutputs};
  const TensorId x = open_input(m);
  const TensorId middle = m.temporary(unknown, GetParam().image, is_float() ? 0.0F : 40.0F, zero_point(GetParam().image));
  m.node(OperationCode::kConv2d, {x, filter(m, {kOutputs, 3, 3, kInputs}, 0), bias(m, kOutputs), same, one, one, m.scalar(0)},
         {middle});
  const TensorId second_bias = bias(m, kOutputs);
  if (!is_float()) m.raw().tensors[second_bias].info.scale = 40.0F * 0.25F;
  m.node(OperationCode::kDepthwiseConv2d,
         {middle, filter(m, {1, 3, 3, kOutputs}, 3), second_bias, same, one, one, one, m.scalar(0)},
         {output(m, unknown, 200.0F)});
  run_all_shapes(m.plan());
}

INSTANTIATE_TEST_SUITE_P(Types, PackedForShapes, ::testing::ValuesIn(kLayerTypes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace nnvk::test
