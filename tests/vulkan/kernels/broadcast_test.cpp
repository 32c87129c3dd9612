// Merging of broadcast dimensions: walking the merged plan must visit the same operand elements as walking the shapes.
#include "vulkan/kernels/broadcast.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnvk::vulkan {
namespace {

// Element index of `operand` for every output element, straight from the definition of broadcasting.
std::vector<uint32_t> literal_indexes(const Shape& operand, const Shape& out) {
  std::vector<uint32_t> indexes;
  for (uint32_t flat = 0; flat < out.element_count(); ++flat) {
    uint32_t rest = flat;
    uint32_t index = 0;
    uint32_t stride = 1;
    for (size_t d = 0; d < out.rank(); ++d) {
      const uint32_t size = out[out.rank() - 1 - d];
      const uint32_t coordinate = rest % size;
      rest /= size;
      if (d >= operand.rank()) continue;
      const uint32_t own = operand[operand.rank() - 1 - d];
      if (own != 1) index += coordinate * stride;
      stride *= own;
    }
    indexes.push_back(index);
  }
  return indexes;
}

// The element indexes that the plan gives, as elementwise_binary.comp computes them.
std::vector<uint32_t> planned_indexes(const BroadcastPlan& plan, const std::vector<uint32_t>& strides, bool splat,
                                      const Shape& out) {
  const uint32_t unit = plan.by_quads ? 4 : 1;
  std::vector<uint32_t> indexes;
  for (uint32_t flat = 0; flat < out.element_count(); ++flat) {
    uint32_t rest = flat / unit;
    uint32_t index = plan.dims.empty() ? rest : 0;
    for (size_t d = 0; d < plan.dims.size(); ++d) {
      const bool outermost = d + 1 == plan.dims.size();
      index += (outermost ? rest : rest % plan.dims[d]) * strides[d];
      rest /= plan.dims[d];
    }
    indexes.push_back(splat ? 0 : index * unit + flat % unit);
  }
  return indexes;
}

void expect_equivalent(const Shape& a, const Shape& b, const Shape& out) {
  const BroadcastPlan plan = plan_broadcast(a, b, out);
  EXPECT_EQ(planned_indexes(plan, plan.a_strides, plan.a_splat, out), literal_indexes(a, out))
      << a.to_string() << " of " << out.to_string();
  EXPECT_EQ(planned_indexes(plan, plan.b_strides, plan.b_splat, out), literal_indexes(b, out))
      << b.to_string() << " of " << out.to_string();
}

TEST(Broadcast, EqualShapesNeedNoWalk) {
  const BroadcastPlan plan = plan_broadcast({2, 3, 5}, {2, 3, 5}, {2, 3, 5});
  EXPECT_TRUE(plan.dims.empty());
  EXPECT_TRUE(plan.by_quads);
}

TEST(Broadcast, LeadingOnesDoNotMatter) { EXPECT_TRUE(plan_broadcast({1, 1, 7}, {7}, {1, 1, 7}).dims.empty()); }

TEST(Broadcast, AScalarIsASplatWhateverTheOtherShape) {
  const BroadcastPlan plan = plan_broadcast({3, 5, 7}, {1}, {3, 5, 7});
  EXPECT_TRUE(plan.dims.empty());
  EXPECT_TRUE(plan.b_splat);
  EXPECT_FALSE(plan.a_splat);
}

TEST(Broadcast, ChannelVectorsInMultiplesOfFourAreReadByQuads) {
  const BroadcastPlan plan = plan_broadcast({1, 14, 14, 96}, {96}, {1, 14, 14, 96});
  EXPECT_TRUE(plan.by_quads);
  EXPECT_EQ(plan.dims, (std::vector<uint32_t>{24, 196}));
  EXPECT_EQ(plan.a_strides, (std::vector<uint32_t>{1, 24}));
  EXPECT_EQ(plan.b_strides, (std::vector<uint32_t>{1, 0}));
}

TEST(Broadcast, OtherChannelCountsAreReadElementByElement) {
  EXPECT_FALSE(plan_broadcast({2, 2, 3}, {3}, {2, 2, 3}).by_quads);
  EXPECT_FALSE(plan_broadcast({2, 8, 1}, {2, 8, 4}, {2, 8, 4}).by_quads);
}

TEST(Broadcast, PlansVisitTheElementsOfTheDefinition) {
  expect_equivalent({2, 3, 4}, {2, 3, 4}, {2, 3, 4});
  expect_equivalent({2, 3, 4}, {4}, {2, 3, 4});
  expect_equivalent({2, 3, 4}, {3, 1}, {2, 3, 4});
  expect_equivalent({2, 1, 4}, {3, 1}, {2, 3, 4});
  expect_equivalent({1}, {2, 3}, {2, 3});
  expect_equivalent({1, 1, 1, 1}, {1}, {1, 1, 1, 1});
  expect_equivalent({2, 1, 1, 8}, {2, 5, 3, 8}, {2, 5, 3, 8});
  expect_equivalent({5, 1, 3, 1}, {1, 2, 1, 4}, {5, 2, 3, 4});
  expect_equivalent({2, 1, 2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3, 1, 3}, {2, 3, 2, 3, 2, 3, 2, 3});
}

}  // namespace
}  // namespace nnvk::vulkan
