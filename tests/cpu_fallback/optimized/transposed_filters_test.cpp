// Filters that the program has in another order: nnvk-cpu computes the same as with filters in order, and keeps no copy of them.
#include "core/base/transposed_bytes.h"
#include "cpu_fallback/program.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/support/bindings.h"

namespace nnvk::test {
namespace {

// OHWI as OIHW: the order in which frameworks with channels first have filters.
const std::vector<uint32_t> kOrder{0, 2, 3, 1};

class TransposedFilters : public RandomNodes {
 protected:
  static constexpr uint32_t kInputs = 5;
  static constexpr uint32_t kOutputs = 19;

  // A convolution with a filter in order. `side`: height and width of the image; kUnknownDimension: open.
  PlanFixture convolution(uint32_t side, int32_t dilation = 1) {
    PlanFixture m;
    const TensorId image = input(m, {1, 6, 7, kInputs});
    m.raw().tensors[image].info.shape = {1, side, side == kUnknownDimension ? side : 7, kInputs};
    const Shape out{1, side, side == kUnknownDimension ? side : 7, kOutputs};
    std::vector<TensorId> inputs{image, filter(m, {kOutputs, 3, 2, kInputs}, 0), layer_bias(m)};
    for (const int32_t value : {1, 1, 1, 0}) inputs.push_back(m.scalar(value));  // SAME, strides of 1, no activation
    inputs.push_back(m.flag(false));
    for (int i = 0; i < 2; ++i) inputs.push_back(m.scalar(dilation));
    const OperandType type = GetParam().image;
    m.node(OperationCode::kConv2d, inputs, {m.output(out, type, is_float_tensor(type) ? 0.0F : 40.0F, zero_point(type))});
    return m;
  }

  // The same plan, whose filter stands in another order in memory that this test keeps.
  PlanFixture transposed(PlanFixture m) {
    PlanTensor& filter = m.raw().tensors[m.raw().nodes[0].inputs[1]];
    // Dimension d of the source is dimension kOrder^-1[d] of the filter: in_order() the other way round.
    const Shape& shape = filter.info.shape;
    source_ = in_order({filter.value, element_size(filter.info.type), {shape[0], shape[3], shape[1], shape[2]}, {0, 3, 1, 2}});
    filter.transposed = std::make_shared<TransposedBytes>(source_, element_size(filter.info.type), shape.dims, kOrder);
    filter.value = {};
    filter.owner = nullptr;
    return m;
  }

  size_t constants_kept(const PlanFixture& m, bool uses_kernels) {
    const auto plan = m.plan();
    const auto declared = declared_bindings(*plan);
    std::vector<cpu::PackedConstants> packed(plan->nodes.size());
    auto resolution = value_of(resolve(*plan, declared->inputs, declared->outputs, cpu::reference_evaluator()));
    return value_of(cpu::make_program(plan, std::move(resolution), uses_kernels ? &packed : nullptr))->made_constants.size();
  }

 private:
  TensorId layer_bias(PlanFixture& m) {
    if (GetParam().image != kTensorFloat16) return bias(m, kOutputs);
    return m.constant({kOutputs}, kTensorFloat16, random_bytes(kTensorFloat16, kOutputs));
  }
  std::vector<std::byte> source_;
};

TEST_P(TransposedFilters, GiveTheSameResult) {
  const PlanFixture in_order = convolution(6);
  EXPECT_EQ(run(*device_, transposed(in_order), Guard::kBehind), run(*device_, in_order, Guard::kBehind));
}

TEST_P(TransposedFilters, GiveTheSameResultWhereMostTapsReadPadding) {
  const PlanFixture in_order = convolution(6, 6);
  EXPECT_EQ(run(*device_, transposed(in_order), Guard::kBehind), run(*device_, in_order, Guard::kBehind));
}

TEST_P(TransposedFilters, AreNotKeptByAKernelThatHasPackedThem) {
  const PlanFixture other = transposed(convolution(6));
  const bool keeps_floats = GetParam().image == kTensorFloat16;  // its kernel converts from the bytes that it is given
  EXPECT_EQ(constants_kept(other, true), keeps_floats ? 1U : 0U);
  EXPECT_EQ(constants_kept(other, false), 1U) << "the reference reads them";
}

TEST_P(TransposedFilters, GiveTheSameResultForShapesThatOnlyAnExecutionKnows) {
  const PlanFixture in_order = convolution(kUnknownDimension);
  const auto result_of = [&](const PlanFixture& m) {
    const auto plan = m.plan();
    const auto prepared = value_of(device_->prepare(plan, {}));
    std::vector<std::byte> image = inputs_.front();
    std::vector<std::byte> out(6 * 7 * kOutputs * element_size(GetParam().image));
    Binding in = bind(image, {1, 6, 7, kInputs});
    Binding result = bind(out, {1, 6, 7, kOutputs});
    Request request;
    request.inputs = {&in, 1};
    request.outputs = {&result, 1};
    EXPECT_TRUE(value_of(prepared->submit(request)).done.wait());
    return out;
  };
  EXPECT_EQ(result_of(transposed(in_order)), result_of(in_order));
}

constexpr LayerTypes kHalves{"Half", kTensorFloat16, kTensorFloat16};
INSTANTIATE_TEST_SUITE_P(Types, TransposedFilters, ::testing::ValuesIn(kLayerTypes),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(HalfTypes, TransposedFilters, ::testing::Values(kHalves),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nnvk::test
