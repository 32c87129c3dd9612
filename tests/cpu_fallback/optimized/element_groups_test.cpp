// Element-wise nodes that one kernel computes block by block: which nodes belong together, and that the results stay the same.
#include "cpu_fallback/element_groups.h"

#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "cpu_fallback/optimized/element_group.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace nnvk::test;
using enum OperationCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Shape kShape{2, 3, 40};

// The groups of a plan in which RELU, ADD and MUL have loops.
std::vector<ElementGroup> groups_of(const PlanFixture& fixture) {
  const auto plan = fixture.plan();
  const auto resolution = resolve_declared(*plan, {});
  if (!resolution) throw std::runtime_error(resolution.error().text());
  std::vector<size_t> nodes(plan->nodes.size());
  std::iota(nodes.begin(), nodes.end(), size_t{0});
  return find_element_groups(*plan, *resolution, nodes, [&](size_t n) -> size_t {
    const OperationCode code = plan->nodes[n].code;
    return code == kRelu ? 1 : code == kAdd || code == kMul ? 2 : 0;
  });
}

std::vector<size_t> nodes_of(const ElementGroup& group) {
  std::vector<size_t> nodes;
  for (const ElementGroup::Member& member : group.members) nodes.push_back(member.node);
  return nodes;
}

// y = relu(x * scale + offset).
struct Normalization {
  explicit Normalization(const Shape& scale_shape) {
    x = m.input(kShape);
    scale = m.input(scale_shape);
    offset = m.input(scale_shape);
    scaled = m.temporary(kShape);
    moved = m.temporary(kShape);
    y = m.output(kShape);
    m.node(kMul, {x, scale, m.scalar(0)}, {scaled});
    m.node(kAdd, {scaled, offset, m.scalar(0)}, {moved});
    m.node(kRelu, {moved}, {y});
  }
  PlanFixture m;
  TensorId x, scale, offset, scaled, moved, y;
};

TEST(ElementGroups, NeighboursThatPassResultsAreOne) {
  const Normalization norm({3, 1});
  const auto groups = groups_of(norm.m);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_THAT(nodes_of(groups[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(groups[0].inputs, ElementsAre(norm.x, norm.scale, norm.offset));
  EXPECT_FALSE(groups[0].members[0].is_output);
  EXPECT_FALSE(groups[0].members[1].is_output);
  EXPECT_TRUE(groups[0].members[2].is_output);
}

TEST(ElementGroups, AResultThatOthersReadIsAnOutput) {
  Normalization norm({1});
  const TensorId other = norm.m.output({2, 3, 1});
  norm.m.node(kMean, {norm.scaled, norm.m.constant<int32_t>({1}, kTensorInt32, {2}), norm.m.scalar(1)}, {other});
  const auto groups = groups_of(norm.m);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_TRUE(groups[0].members[0].is_output);
  EXPECT_FALSE(groups[0].members[1].is_output);
}

TEST(ElementGroups, AResultThatANodeAddsToItsOwnIsAnOutput) {
  Normalization norm({1});
  const TensorId other = norm.m.output(kShape);
  norm.m.node(kSoftmax, {norm.y, norm.m.constant<float>({}, kFloat32, {1.0F})}, {other});
  norm.m.raw().nodes.back().residual = norm.moved;
  const auto groups = groups_of(norm.m);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_TRUE(groups[0].members[1].is_output);
}

TEST(ElementGroups, NodesThatPassNothingAreNone) {
  PlanFixture m;
  const TensorId x = m.input(kShape);
  m.node(kRelu, {x}, {m.output(kShape)});
  m.node(kAdd, {x, x, m.scalar(0)}, {m.output(kShape)});
  EXPECT_THAT(groups_of(m), IsEmpty());
}

TEST(ElementGroups, AnotherShapeBeginsAnother) {
  PlanFixture m;
  const TensorId x = m.input({40});
  const TensorId small = m.temporary({40});
  const TensorId large = m.temporary(kShape);
  m.node(kRelu, {x}, {small});
  m.node(kAdd, {small, m.input(kShape), m.scalar(0)}, {large});
  m.node(kRelu, {large}, {m.output(kShape)});
  const auto groups = groups_of(m);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_THAT(nodes_of(groups[0]), ElementsAre(1, 2));
}

TEST(ElementGroups, AnOperationWithoutALoopEndsOne) {
  PlanFixture m;
  const TensorId x = m.input(kShape);
  const std::array t = {m.temporary(kShape), m.temporary(kShape), m.temporary(kShape), m.temporary(kShape)};
  m.node(kRelu, {x}, {t[0]});
  m.node(kAdd, {t[0], x, m.scalar(0)}, {t[1]});
  m.node(kSoftmax, {t[1], m.constant<float>({}, kFloat32, {1.0F})}, {t[2]});
  m.node(kRelu, {t[2]}, {t[3]});
  m.node(kAdd, {t[3], t[1], m.scalar(0)}, {m.output(kShape)});
  const auto groups = groups_of(m);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(nodes_of(groups[0]), ElementsAre(0, 1));
  EXPECT_THAT(nodes_of(groups[1]), ElementsAre(3, 4));
}

// Every partial sum is read again at the end, in the opposite order.
TEST(ElementGroups, EndBeforeTheyHoldTooManyResults) {
  PlanFixture m;
  const TensorId x = m.input(kShape);
  std::vector<TensorId> sums = {x};
  const auto add = [&](TensorId a, TensorId b) {
    sums.push_back(m.temporary(kShape));
    m.node(kAdd, {a, b, m.scalar(0)}, {sums.back()});
  };
  constexpr size_t kSums = 10;
  for (size_t i = 0; i < kSums; ++i) add(sums.back(), x);
  for (size_t i = kSums; i-- > 1;) add(sums.back(), sums[i]);
  m.node(kRelu, {sums.back()}, {m.output(kShape)});
  const auto groups = groups_of(m);
  ASSERT_THAT(groups, ::testing::Not(IsEmpty()));
  size_t nodes = 0;
  for (const ElementGroup& group : groups) nodes += group.members.size();
  EXPECT_EQ(nodes, 2 * kSums);
  EXPECT_LT(groups[0].members.size(), 2 * kSums);
}

TEST(ElementGroups, OfALongChainHaveAHighestLength) {
  PlanFixture m;
  TensorId last = m.input(kShape);
  constexpr size_t kNodes = 5000;
  for (size_t n = 1; n <= kNodes; ++n) {
    const TensorId next = n == kNodes ? m.output(kShape) : m.temporary(kShape);
    m.node(kRelu, {last}, {next});
    last = next;
  }
  const auto groups = groups_of(m);
  size_t nodes = 0;
  for (const ElementGroup& group : groups) {
    nodes += group.members.size();
    EXPECT_LE(group.members.size(), kMostMembers);
  }
  EXPECT_EQ(nodes, kNodes);
  EXPECT_EQ(groups.size(), (kNodes + kMostMembers - 1) / kMostMembers);
}

class RandomElementGroups : public RandomNodes {
 protected:
  Shape random_shape() {
    Shape shape;
    const uint32_t rank = pick(1, 4);
    for (uint32_t d = 0; d < rank; ++d) shape.dims.push_back(pick(0, 3) == 0 ? pick(2, 50) : pick(1, 6));
    if (pick(0, 5) == 0) shape.dims.back() = pick(1000, 4000);
    return shape;
  }

  // A tensor from outside: an input or a constant that broadcasts to `shape`.
  TensorId outside(PlanFixture& m, const Shape& shape) {
    Shape small = shape;
    for (uint32_t& dim : small.dims) dim = pick(0, 2) == 0 ? 1 : dim;
    if (pick(0, 2) == 0) small = Shape({1});
    if (pick(0, 1) == 0) return input(m, pick(0, 1) == 0 ? shape : small);
    const OperandType type = GetParam().image;
    return m.constant(small, type, random_bytes(type, small.element_count()), is_float() ? 0.0F : 0.5F, zero_point(type));
  }

  TensorId any_of(const std::vector<TensorId>& results) { return results[pick(0, static_cast<uint32_t>(results.size()) - 1)]; }

  // Appends a node that reads a recent result; its results are exact, so that devices agree to the bit.
  void add_node(PlanFixture& m, const Shape& shape, std::vector<TensorId>& results, bool is_output) {
    const TensorId recent =
        results[results.size() - 1 - pick(0, std::min<uint32_t>(2, static_cast<uint32_t>(results.size()) - 1))];
    const TensorId other = pick(0, 1) == 0 ? any_of(results) : outside(m, shape);
    const bool is_swapped = pick(0, 1) == 0;
    const std::vector<TensorId> pair = is_swapped ? std::vector{other, recent} : std::vector{recent, other};
    const TensorId y = is_output ? output(m, shape, 0.3F)
                                 : m.temporary(shape, GetParam().image, is_float() ? 0 : 0.3F, zero_point(GetParam().image));
    if (is_output && pick(0, 3) == 0) m.raw().tensors[y].info.scale = is_float() ? 0 : 0.5F;
    switch (pick(0, 5)) {
      case 0:
        m.node(kRelu, {recent}, {y});
        m.raw().tensors[y].info.scale = m.raw().tensors[recent].info.scale;
        m.raw().tensors[y].info.zero_point = m.raw().tensors[recent].info.zero_point;
        break;
      case 1:
        m.node(pick(0, 1) == 0 ? kMaximum : kMinimum, pair, {y});
        break;
      case 2: {
        const TensorId mask = m.temporary(shape, kTensorBool8);
        m.node(pick(0, 1) == 0 ? kGreater : kLessEqual, pair, {mask});
        m.node(kSelect, {mask, recent, any_of(results)}, {y});
        break;
      }
      case 3:
        m.node(kPrelu, pair, {y});
        break;
      default: {
        std::vector<TensorId> operands = pair;
        operands.push_back(m.scalar(pick_int(0, 3)));
        m.node(std::array{kAdd, kSub, kMul}[pick(0, 2)], operands, {y});
      }
    }
    results.push_back(y);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomElementGroups,
                         ::testing::Values(LayerTypes{"Float", kTensorFloat32, kTensorFloat32},
                                           LayerTypes{"Unsigned", kTensorQuant8Asymm, kTensorQuant8Asymm},
                                           LayerTypes{"Signed", kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(RandomElementGroups, GiveTheReferencesResults) {
  for (int round = 0; round < 150; ++round) {
    PlanFixture m;
    const Shape shape = random_shape();
    std::vector<TensorId> results = {input(m, shape)};
    const uint32_t nodes = pick(2, 14);
    for (uint32_t n = 1; n <= nodes; ++n) add_node(m, shape, results, n == nodes || pick(0, 5) == 0);
    const std::vector<std::byte> wanted = run(*reference_, m, Guard::kBehind);
    with_every_instruction_set([&](const std::string& name) {
      for (const Guard guard : {Guard::kBefore, Guard::kBehind}) {
        ASSERT_EQ(run(*device_, m, guard), wanted) << "round " << round << ", " << name;
      }
    });
    inputs_.clear();
  }
}

TEST_P(RandomElementGroups, AreOneKernel) {
  PlanFixture m;
  const TensorId sum = m.temporary(kShape, GetParam().image, is_float() ? 0 : 0.5F, 0);
  m.node(kAdd, {input(m, kShape), input(m, Shape({40})), m.scalar(0)}, {sum});
  m.node(kMul, {sum, input(m, Shape({3, 1})), m.scalar(0)}, {output(m, kShape, 0.5F)});
  run(*device_, m, Guard::kBehind);
  EXPECT_EQ(kernels_, std::vector<std::string>{"element group"});
}

}  // namespace
}  // namespace nnvk::cpu
