// Which kernels are emitted for convolutions and matrix products, on devices whose traits the tests make up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/resolve.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"
#include "vulkan/recording/node_emission.h"

namespace nnvk::vulkan {
namespace {

using ::testing::ElementsAre;
using namespace test;

constexpr OperandType kQuant8 = OperandType::kTensorQuant8Asymm;
constexpr OperandType kFloat16 = OperandType::kTensorFloat16;
constexpr OperandType kFloat32 = OperandType::kTensorFloat32;

DeviceTraits with(KernelFeatures features, KernelForms forms) {
  DeviceTraits traits;
  traits.features = features;
  traits.forms = forms;
  return traits;
}
DeviceTraits dot_device() { return with({KernelFeature::kDotProduct}, {KernelForm::kDot}); }
DeviceTraits tiles_device() { return with({KernelFeature::kFloat16}, {KernelForm::kTiles}); }
DeviceTraits half_device() { return with({KernelFeature::kFloat16}, {}); }

DeviceTraits matrix_device() {
  DeviceTraits traits = with({KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kDotProduct,
                              KernelFeature::kMemoryModel, KernelFeature::kCooperativeMatrix},
                             {KernelForm::kMatrix});
  traits.half_matrices = traits.byte_matrices = {16, 16, 16};
  traits.subgroup_size = 32;
  return traits;
}

struct Layer {
  OperandType type = kQuant8;
  uint32_t in = 16;
  uint32_t out = 8;
  bool depthwise = false;
  bool relaxed = false;
};

// Names of the kernels, those that pack first.
std::vector<std::string> kernels_of(const Layer& layer, const DeviceTraits& traits) {
  PlanFixture f;
  f.raw().relaxed = layer.relaxed;
  const bool bytes = layer.type == kQuant8;
  const float scale = bytes ? 0.5F : 0.0F;
  const auto channels = layer.depthwise ? layer.in : layer.out;
  const Shape filter = layer.depthwise ? Shape{1, 3, 3, channels} : Shape{channels, 3, 3, layer.in};
  const size_t filter_bytes = filter.element_count() * (bytes ? 1 : layer.type == kFloat16 ? 2 : 4);
  std::vector<TensorId> inputs{f.input({1, 9, 9, layer.in}, layer.type, scale)};
  inputs.push_back(f.constant(filter, layer.type, std::vector<uint8_t>(filter_bytes), scale));
  inputs.push_back(bytes ? f.constant({channels}, OperandType::kTensorInt32, std::vector<int32_t>(channels), scale * scale)
                         : f.constant({channels}, layer.type, std::vector<uint8_t>(channels * element_size(layer.type))));
  for (const int32_t value : {1, 1, 1}) inputs.push_back(f.scalar(value));
  if (layer.depthwise) inputs.push_back(f.scalar(1));
  inputs.push_back(f.scalar(0));
  f.node(layer.depthwise ? OperationCode::kDepthwiseConv2d : OperationCode::kConv2d, inputs,
         {f.output({1, 9, 9, channels}, layer.type, bytes ? 1.0F : 0.0F)});
  const auto plan = f.plan();
  const Resolution resolution = *resolve_declared(*plan, {});
  const auto emission = emit_node({value_of(CheckedNode::check(*plan, plan->nodes[0], resolution)), traits});
  if (!emission) return {emission.error().message};
  std::vector<std::string> names;
  for (const MadeTensor& made : emission->made) {
    for (const Dispatch& dispatch : made.packing) names.emplace_back(kernel_info(dispatch.kernel).name);
  }
  for (const Dispatch& dispatch : emission->dispatches) names.emplace_back(kernel_info(dispatch.kernel).name);
  return names;
}

TEST(ProductEmission, SumsOfFewPixelsAreSplitWhereThereIsOneTap) {
  const DeviceTraits traits = with({}, {KernelForm::kSplit});
  EXPECT_THAT(kernels_of({.type = kFloat32}, traits), ElementsAre("ConvolutionPackFloat", "ConvolutionFloat")) << "nine taps";
  PlanFixture f;
  f.node(OperationCode::kFullyConnected, {f.input({1, 512}), f.input({16, 512}), f.input({16}), f.scalar(0)},
         {f.output({1, 16})});
  const auto plan = f.plan();
  const Resolution resolution = *resolve_declared(*plan, {});
  const auto emission = emit_node({value_of(CheckedNode::check(*plan, plan->nodes[0], resolution)), DeviceTraits{}});
  ASSERT_TRUE(emission) << emission.error().message;
  ASSERT_EQ(emission->dispatches.size(), 1U);
  EXPECT_STREQ(kernel_info(emission->dispatches[0].kernel).name, "ConvolutionSplitFloat");
}

TEST(ProductEmission, FloatsGoThroughSharedMemoryWithTheWeightsOfOtherKernels) {
  EXPECT_THAT(kernels_of({.type = kFloat32}, tiles_device()), ElementsAre("ConvolutionPackFloat", "ConvolutionTiledFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat32, .in = 3, .out = 5}, tiles_device()),
              ElementsAre("ConvolutionPackFloat", "ConvolutionTiledFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat16}, tiles_device()), ElementsAre("HalfConvolutionPack", "HalfConvolution"));
  EXPECT_THAT(kernels_of({}, tiles_device()), ElementsAre("ConvolutionPackInteger", "ConvolutionInteger"));
}

TEST(ProductEmission, BytesBecomeDotProductsWithTheirWeightsPackedForThem) {
  EXPECT_THAT(kernels_of({}, dot_device()), ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotConvolution"));
  EXPECT_THAT(kernels_of({.depthwise = true}, dot_device()),
              ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotDepthwise"));
}

TEST(ProductEmission, DepthwiseLayersBecomeDotProductsOnlyWhereAskedFor) {
  DeviceTraits fast = with({KernelFeature::kDotProduct}, {});
  fast.fast_dot_products = true;
  EXPECT_THAT(kernels_of({}, fast), ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotConvolution"));
  EXPECT_THAT(kernels_of({.depthwise = true}, fast), ElementsAre("ConvolutionPackInteger", "DepthwiseInteger"));
}

TEST(ProductEmission, ChannelsThatFillNoWordsAreCopiedFirst) {
  EXPECT_THAT(kernels_of({.in = 3}, dot_device()),
              ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotConvolutionImage", "DotConvolution"));
}

TEST(ProductEmission, FloatsAndDevicesWithoutDotProductsKeepTheirKernels) {
  EXPECT_THAT(kernels_of({.type = kFloat32}, dot_device()), ElementsAre("ConvolutionPackFloat", "ConvolutionFloat"));
  EXPECT_THAT(kernels_of({}, DeviceTraits{}), ElementsAre("ConvolutionPackInteger", "ConvolutionInteger"));
  EXPECT_THAT(kernels_of({.depthwise = true}, DeviceTraits{}), ElementsAre("ConvolutionPackInteger", "DepthwiseInteger"));
}

TEST(ProductEmission, HalvesAreMultipliedAsHalvesAndFloatsWhereTheModelIsRelaxed) {
  EXPECT_THAT(kernels_of({.type = kFloat16}, half_device()), ElementsAre("HalfConvolutionPack", "HalfConvolution"));
  EXPECT_THAT(kernels_of({.type = kFloat32, .relaxed = true}, half_device()),
              ElementsAre("HalfConvolutionPack", "HalfConvolution"));
  EXPECT_THAT(kernels_of({.type = kFloat32}, half_device()), ElementsAre("ConvolutionPackFloat", "ConvolutionFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat16}, DeviceTraits{}), ElementsAre("ConvolutionPackFloat", "ConvolutionFloat"));
}

TEST(ProductEmission, CooperativeMatricesTakeBytesHalvesAndRelaxedFloats) {
  EXPECT_THAT(kernels_of({}, matrix_device()),
              ElementsAre("MatrixConvolutionPackInteger", "MatrixConvolutionConstants", "MatrixConvolutionInteger"));
  EXPECT_THAT(kernels_of({.type = kFloat16}, matrix_device()),
              ElementsAre("MatrixConvolutionPackFloat", "MatrixConvolutionFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat16, .in = 3}, matrix_device()),
              ElementsAre("MatrixConvolutionPackFloat", "MatrixConvolutionFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat32, .relaxed = true}, matrix_device()),
              ElementsAre("MatrixConvolutionPackFloat", "MatrixConvolutionFloat"));
  EXPECT_THAT(kernels_of({.type = kFloat32}, matrix_device()), ElementsAre("ConvolutionPackFloat", "ConvolutionFloat"));
}

TEST(ProductEmission, BytesWhoseChannelsFillNoWordsAreCopiedBeforeTheyAreMatrices) {
  EXPECT_THAT(kernels_of({.in = 3}, matrix_device()), ElementsAre("MatrixConvolutionPackInteger", "MatrixConvolutionConstants",
                                                                  "DotConvolutionImage", "MatrixConvolutionInteger"));
}

TEST(ProductEmission, LayersThatMatricesAreNotWorthKeepTheirKernels) {
  DeviceTraits chosen_by_size = matrix_device();
  chosen_by_size.forms = {};
  EXPECT_THAT(kernels_of({.type = kFloat16, .in = 4}, chosen_by_size), ElementsAre("HalfConvolutionPack", "HalfConvolution"));
  EXPECT_THAT(kernels_of({.type = kFloat16, .in = 64, .out = 64}, chosen_by_size),
              ElementsAre("MatrixConvolutionPackFloat", "MatrixConvolutionFloat"));
}

TEST(ProductEmission, TheFourStorageBuffersOfTheLeastDevicesAreEnough) {
  DeviceTraits least = with({KernelFeature::kDotProduct, KernelFeature::kFloat16}, {KernelForm::kDot});
  least.max_storage_buffers = 4;
  least.variants = {KernelVariant::kWords};
  EXPECT_THAT(kernels_of({}, least), ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotConvolution"));
  EXPECT_THAT(kernels_of({.depthwise = true}, least),
              ElementsAre("DotConvolutionPack", "DotConvolutionConstants", "DotDepthwise"));
  EXPECT_THAT(kernels_of({.type = kFloat16}, least), ElementsAre("HalfConvolutionPack", "HalfConvolution"));
  least = matrix_device();
  least.max_storage_buffers = 4;
  least.variants = {KernelVariant::kWords};
  EXPECT_THAT(kernels_of({}, least),
              ElementsAre("MatrixConvolutionPackInteger", "MatrixConvolutionConstants", "MatrixConvolutionInteger"));
}

}  // namespace
}  // namespace nnvk::vulkan
