// Runs check and infer of every operation over all published vectors, if they are installed.
#include <gtest/gtest.h>

#include <cstring>

#include "core/plan/resolve.h"
#include "core/plan/segments.h"
#include "tests/support/conformance_vectors.h"

namespace nnvk {
namespace {

const std::filesystem::path kVectors = std::filesystem::path(NNVK_SHARED_DIR) / "conformance";

// Read once for all tests of this file; empty if the folder does not exist.
const std::vector<test::ConformanceVector>& all_vectors() {
  static const auto vectors = [] {
    std::vector<test::ConformanceVector> result;
    if (std::filesystem::is_directory(kVectors)) {
      test::for_each_vector(kVectors, [&](test::ConformanceVector vector) { result.push_back(std::move(vector)); });
    }
    return result;
  }();
  return vectors;
}

#define NNVK_REQUIRE_VECTORS() \
  if (all_vectors().empty()) GTEST_SKIP() << kVectors << " is not there"

// Parameters of some vectors come from "ADD zero", one from RANK: the host needs no other arithmetic for this test.
Status evaluate(const Plan&, const PlanNode& node, std::span<const OperandView> inputs, std::span<const OperandInfo> infos,
                std::span<const std::span<std::byte>> outputs) {
  if (node.code == OperationCode::kRank) {
    const auto rank = static_cast<int32_t>(inputs[0].info->shape.rank());
    std::memcpy(outputs[0].data(), &rank, sizeof rank);
    return {};
  }
  if (node.code != OperationCode::kAdd || infos[0].type != OperandType::kTensorInt32) {
    return fail(Code::kOpFailed, "this test evaluates RANK and integer additions only");
  }
  for (size_t i = 0; i < outputs[0].size() / sizeof(int32_t); ++i) {
    const auto at = [&](size_t k) {
      int32_t value = 0;
      const size_t count = inputs[k].value.size() / sizeof(int32_t);
      std::memcpy(&value, inputs[k].value.data() + i % count * sizeof value, sizeof value);
      return value;
    };
    const int32_t sum = at(0) + at(1);
    std::memcpy(outputs[0].data() + i * sizeof sum, &sum, sizeof sum);
  }
  return {};
}

// Trailing inputs with constants equal to their defaults do not count towards the level (docs/nnapi/model.md#trailing-defaults).
// A step is a group of inputs that is cut together.
struct DefaultStep {
  size_t inputs;
  std::vector<int32_t> values;
};

std::vector<DefaultStep> trailing_defaults(OperationCode code) {
  switch (code) {
    case OperationCode::kConv2d:
    case OperationCode::kDepthwiseConv2d:
      return {{2, {1, 1}}, {1, {0}}};
    case OperationCode::kAveragePool2d:
    case OperationCode::kMaxPool2d:
    case OperationCode::kL2Pool2d:
    case OperationCode::kDepthToSpace:
    case OperationCode::kSpaceToDepth:
    case OperationCode::kBatchToSpaceNd:
    case OperationCode::kSpaceToBatchNd:
      return {{1, {0}}};
    case OperationCode::kL2Normalization:
    case OperationCode::kLocalResponseNormalization:
    case OperationCode::kSoftmax:
      return {{1, {-1}}};
    case OperationCode::kResizeBilinear:
      return {{1, {0}}, {1, {0}}, {1, {0}}};
    case OperationCode::kResizeNearestNeighbor:
      return {{1, {0}}, {1, {0}}};
    default:
      return {};
  }
}

bool ends_with(const NodeView& view, const DefaultStep& step) {
  if (view.inputs.size() <= step.inputs) return false;
  for (size_t k = 0; k < step.inputs; ++k) {
    const OperandView& input = view.inputs[view.inputs.size() - step.inputs + k];
    if (!input.present || input.value.empty()) return false;
    int32_t value = 0;  // INT32 or BOOL
    std::memcpy(&value, input.value.data(), std::min(sizeof value, input.value.size()));
    if (value != step.values[k]) return false;
  }
  return true;
}

// Level of the node once trailing defaults are cut; every shorter form that the operation takes is tried.
int lowest_level(NodeView view) {
  const Result<int> whole = check_operation(view.view());
  EXPECT_TRUE(whole);
  int level = whole.value_or(0);
  for (const DefaultStep& step : trailing_defaults(view.code)) {
    if (!ends_with(view, step)) continue;
    view.inputs.resize(view.inputs.size() - step.inputs);
    level = std::min(level, check_operation(view.view()).value_or(level));
  }
  return level;
}

void expect_operations_pass(const Plan& plan, const test::ConformanceVector& vector) {
  for (const PlanNode& node : plan.nodes) {
    const NodeView view = declared_view(plan, node);
    const Result<int> level = check_operation(view.view());
    EXPECT_TRUE(level.has_value()) << vector.name << ": " << (level ? "" : level.error().message);
    if (level.value_or(0) <= vector.feature_level) continue;
    EXPECT_LE(lowest_level(view), vector.feature_level) << vector.name << ": " << plan.describe(node);
  }
  for (const auto& subgraph : plan.subgraphs) expect_operations_pass(*subgraph, vector);
}

TEST(AllVectors, EveryOperationIsAcceptedAtTheFeatureLevelOfItsVector) {
  NNVK_REQUIRE_VECTORS();
  for (const test::ConformanceVector& vector : all_vectors()) {
    if (!vector.expect_failure) expect_operations_pass(*vector.plan, vector);
  }
}

TEST(AllVectors, ShapesOfAllOutputsFollowFromInputsAndParameters) {
  NNVK_REQUIRE_VECTORS();
  size_t resolved = 0;
  for (const test::ConformanceVector& vector : all_vectors()) {
    if (vector.expect_failure || needs_segments(*vector.plan)) continue;
    std::vector<BoundTensor> inputs;
    for (const auto& input : vector.inputs) inputs.push_back({input.shape, input.data, input.data.empty()});
    std::vector<BoundTensor> outputs;
    for (const TensorId id : vector.plan->outputs) outputs.push_back({vector.plan->tensors[id].info.shape, {}, false});
    const auto resolution = resolve(*vector.plan, inputs, outputs, evaluate);
    ASSERT_TRUE(resolution.has_value()) << vector.name << ": " << resolution.error().message;
    for (size_t i = 0; i < vector.outputs.size(); ++i) {
      if (vector.outputs[i].ignored) continue;
      const TensorId id = vector.plan->outputs[i];
      const Shape& shape = resolution->infos[id].shape;
      const Shape& wanted = vector.outputs[i].shape;
      if (const Shape* const open = resolution->data_dependent[id].get()) {
        EXPECT_TRUE(merge_shapes(*open, wanted)) << vector.name << " output " << i << " " << open->to_string();
        ASSERT_EQ(shape.rank(), wanted.rank()) << vector.name;
        for (size_t d = 0; d < shape.rank(); ++d) EXPECT_GE(shape[d], wanted[d]) << vector.name << " output " << i;
        continue;
      }
      EXPECT_EQ(shape, wanted) << vector.name << " output " << i << " " << shape.to_string() << " for " << wanted.to_string();
      ++resolved;
    }
  }
  EXPECT_GT(resolved, 0U);
}

// With declared shapes only, the same functions must not fail either.
TEST(AllVectors, DeclaredShapesAloneNeverContradict) {
  NNVK_REQUIRE_VECTORS();
  for (const test::ConformanceVector& vector : all_vectors()) {
    if (vector.expect_failure) continue;
    for (const Segment& segment : cut_into_segments(*vector.plan)) {
      if (segment.plan == nullptr) continue;
      const auto resolution = resolve_declared(*segment.plan, nullptr);
      EXPECT_TRUE(resolution.has_value()) << vector.name << ": " << resolution.error().message;
    }
  }
}

}  // namespace
}  // namespace nnvk
