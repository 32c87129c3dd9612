// The counted costs of operations, and the recovery of rates from times that were computed with them.
#include "core/operations/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/plan_fixture.h"

namespace nnvk::test {
namespace {

constexpr AssumedCosts kAssumed{.seconds_per_node = 1e-6,
                                .seconds_per_multiply_add = 1e-9,
                                .seconds_per_element = 2e-9,
                                .seconds_per_function = 3e-9,
                                .product_factor_8bit = 0.5,
                                .factor_channels_first = 2};

// One convolution of a 10x10 image with 4 channels into 8.
PlanFixture convolution(uint32_t window, bool nchw = false, OperandType type = OperandType::kTensorFloat32) {
  PlanFixture m;
  const Shape image = nchw ? Shape{1, 4, 10, 10} : Shape{1, 10, 10, 4};
  const Shape result = nchw ? Shape{1, 8, 10, 10} : Shape{1, 10, 10, 8};
  const TensorId same = m.scalar(1);
  const TensorId one = m.scalar(1);
  m.node(OperationCode::kConv2d,
         {m.input(image, type), m.input({8, window, window, 4}, type), m.input({8}), same, one, one, m.scalar(0), m.flag(nchw)},
         {m.output(result, type)});
  return m;
}

PlanFixture addition(const Shape& left, const Shape& right) {
  PlanFixture m;
  m.node(OperationCode::kAdd, {m.input(left), m.input(right), m.scalar(0)}, {m.output(left)});
  return m;
}

template <class Function>
auto of_node(PlanFixture m, const Function& function) {
  const NodeView view = declared_view(m.raw(), m.raw().nodes.front());
  return function(view.view());
}
CostClass class_of(const PlanFixture& m) {
  return of_node(m, [](const OperationView& view) { return cost_class(view, KernelKind::kOwn); });
}

TEST(CostModel, TellsClassesApart) {
  EXPECT_EQ(class_of(convolution(3)), (CostClass{CostFamily::kConvolution, false, false, KernelKind::kOwn}));
  EXPECT_EQ(class_of(convolution(1)), (CostClass{CostFamily::kPointwise, false, false, KernelKind::kOwn}));
  EXPECT_EQ(class_of(convolution(3, true)), (CostClass{CostFamily::kConvolution, false, true, KernelKind::kOwn}));
  EXPECT_TRUE(class_of(convolution(3, false, OperandType::kTensorQuant8Asymm)).is_8bit);
  EXPECT_EQ(class_of(addition({2, 3}, {2, 3})).family, CostFamily::kElementwise);
  EXPECT_EQ(class_of(addition({2, 3}, {3})).family, CostFamily::kBroadcast);
}

TEST(CostModel, CountsProductsElementsAndWeights) {
  const auto sizes = [](const OperationView& view) { return cost_sizes(view); };
  EXPECT_EQ(of_node(convolution(3), sizes), (CostSizes{1, 10 * 10 * 8 * 9 * 4, 10 * 10 * (4 + 8), 8 * 9 * 4 + 8}));
  EXPECT_EQ(of_node(addition({2, 3}, {3}), sizes), (CostSizes{1, 0, 6 + 3 + 6, 0}));
}

TEST(CostModel, CountsTheCellsThatPoolingLooksAt) {
  PlanFixture m;
  const TensorId one = m.scalar(1);
  m.node(OperationCode::kMaxPool2d, {m.input({1, 8, 9, 5}), m.scalar(2), one, one, m.scalar(3), m.scalar(2), m.scalar(0)},
         {m.output({1, 7, 7, 5})});
  EXPECT_EQ(of_node(m, [](const OperationView& view) { return cost_sizes(view); }),
            (CostSizes{1, 7 * 7 * 5 * 6, 8 * 9 * 5 + 7 * 7 * 5, 0}));
}

TEST(CostModel, UnknownShapesCostLittleInsteadOfFailing) {
  PlanFixture m;
  m.node(OperationCode::kConv2d, {m.input(Shape::unknown_rank()), m.input({16, kUnknownDimension, 3, 3}), m.input({16})},
         {m.output({1, kUnknownDimension, 8, 16})});
  const double seconds =
      of_node(m, [](const OperationView& view) { return CostModel(kAssumed).predicted_seconds(view, KernelKind::kOwn); });
  EXPECT_GT(seconds, 0.0);
  EXPECT_LT(seconds, 1e-3);
}

TEST(CostModel, ARecurrentLayerCostsItsProducts) {
  PlanFixture m;
  m.node(OperationCode::kRnn,
         {m.input({1, 512}), m.input({512, 512}), m.input({512, 512}), m.input({512}), m.input({1, 512}), m.scalar(0)},
         {m.output({1, 512}), m.output({1, 512})});
  const auto seconds = [](const OperationView& view) { return CostModel(kAssumed).predicted_seconds(view, KernelKind::kOwn); };
  EXPECT_GT(of_node(m, seconds), 2 * 512 * 512 * 1e-9);
}

TEST(CostModel, MeasuredRatesTakeThePlaceOfAssumedOnesForTheirClassAlone) {
  CostModel model(kAssumed);
  const auto seconds = [&](const PlanFixture& m) {
    return of_node(m, [&](const OperationView& view) { return model.predicted_seconds(view, KernelKind::kOwn); });
  };
  EXPECT_NEAR(seconds(convolution(3)), 1e-6 + 28800 * 1e-9, 1e-12);
  EXPECT_NEAR(seconds(convolution(3, true)), 2 * seconds(convolution(3)), 1e-12);
  EXPECT_NEAR(seconds(convolution(3, false, OperandType::kTensorQuant8Asymm)), 1e-6 + 28800 * 0.5e-9, 1e-12);
  EXPECT_FALSE(model.is_measured());
  model.use({{{class_of(convolution(3)), {5e-6, 0, 0, 1e-9}}}, {1e-5, 2e-6, 3e-9}});
  EXPECT_TRUE(model.is_measured());
  EXPECT_NEAR(seconds(convolution(3)), 5e-6 + 296e-9, 1e-12);
  EXPECT_NEAR(seconds(convolution(1)), 1e-6 + 3200 * 1e-9, 1e-12);
  EXPECT_EQ(model.transfers(), (TransferCosts{1e-5, 2e-6, 3e-9}));
}

TEST(CostModel, AFactorIsOnEverythingThatIsPredicted) {
  CostModel model(kAssumed);
  const auto seconds = [&](const PlanFixture& m) {
    return of_node(m, [&](const OperationView& view) { return model.predicted_seconds(view, KernelKind::kOwn); });
  };
  const double before = seconds(convolution(3));
  model.multiply_by(100);
  EXPECT_NEAR(seconds(convolution(3)), 100 * before, 1e-9);
  model.use({{{class_of(convolution(3)), {5e-6, 0, 0, 0}}}, {}});
  EXPECT_NEAR(seconds(convolution(3)), 500e-6, 1e-9);
}

TEST(CostModel, TheFitFindsRatesAgain) {
  const CostRates truth{2e-6, 0.5e-9, 0, 4e-9};
  std::vector<CostSample> samples;
  for (const CostSizes& sizes : {CostSizes{1, 1e3, 1e4, 1e2}, CostSizes{1, 1e6, 1e4, 1e3}, CostSizes{1, 1e5, 1e5, 1e5},
                                 CostSizes{1, 1e4, 1e3, 1e4}, CostSizes{1, 1e7, 1e5, 1e4}}) {
    samples.push_back({sizes, seconds_of(sizes, truth)});
  }
  const CostRates found = fit_cost_rates(samples, {1e-6, 1e-9, 0, 0});
  for (const CostSample& sample : samples) EXPECT_NEAR(seconds_of(sample.sizes, found) / sample.seconds, 1.0, 0.02);
  for (const double rate : found) EXPECT_GE(rate, 0.0);
}

TEST(CostModel, TheFitOfOneSampleScalesWhatIsAssumed) {
  const CostRates assumed{1e-6, 1e-9, 0, 0};
  const CostSizes sizes{1, 1e6, 0, 0};
  const CostRates found = fit_cost_rates(std::vector<CostSample>{{sizes, 3 * seconds_of(sizes, assumed)}}, assumed);
  EXPECT_NEAR(found[0], 3e-6, 1e-8);
  EXPECT_NEAR(found[1], 3e-9, 1e-11);
  EXPECT_EQ(fit_cost_rates({}, assumed), assumed);
}

// Of two nodes of the same size, one takes a hundred times as long. The fit must be their geometric mean.
TEST(CostModel, TheFitErrsBothWaysAlike) {
  const CostSizes sizes{1, 0, 1000, 0};
  const CostRates found = fit_cost_rates(std::vector<CostSample>{{sizes, 1e-6}, {sizes, 100e-6}}, {0, 0, 1e-9, 0});
  EXPECT_NEAR(seconds_of(sizes, found), 10e-6, 0.5e-6);
}

}  // namespace
}  // namespace nnvk::test
