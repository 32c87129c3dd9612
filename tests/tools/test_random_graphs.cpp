// The random models themselves: they have every kind of part, are valid, and their results are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/operations/operation_list.h"
#include "tools/conformance/comparison.h"
#include "tools/conformance/generators/nesting.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/muted_errors.h"
#include "tools/conformance/random/expectations.h"
#include "tools/conformance/random/misuse.h"
#include "tools/conformance/random/random_graph.h"
#include "tools/conformance/random/reduction.h"
#include "tools/conformance/runner.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr uint64_t kGraphs = 500;

class RandomGraphs : public testing::Test {
 protected:
  RandomGraph graph(uint64_t seed) {
    SeededDecisions decisions("graph", seed);
    return random_graph(decisions, shapes_);
  }

  const DeviceEntry reference_ = reference_device().value();
  RowShapes shapes_{reference_};
};

bool has_operation(const RandomGraph& graph, int32_t code) {
  return std::ranges::count(graph.c.main.operations, code, &VectorOperation::code) > 0;
}

TEST_F(RandomGraphs, ContainEveryOperation) {
  std::set<int32_t> seen;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    for (const auto& operation : graph(seed).c.main.operations) seen.insert(operation.code);
  }
#define NNVK_SEEN(enumerator, number, name, family) EXPECT_TRUE(seen.contains(number)) << #name;
  NNVK_OPERATIONS(NNVK_SEEN)
#undef NNVK_SEEN
}

TEST_F(RandomGraphs, HaveOperandsOfEveryKind) {
  std::map<std::string, int> found;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const RandomGraph g = graph(seed);
    const VectorGraph& main = g.c.main;
    std::map<uint32_t, int> readers;
    std::set<uint32_t> written;
    for (const auto& operation : main.operations) {
      written.insert(operation.outputs.begin(), operation.outputs.end());
      for (const uint32_t input : operation.inputs) ++readers[input];
    }
    for (const auto& operation : main.operations) {
      for (size_t i = 0; i < operation.inputs.size(); ++i) {
        const VectorOperand& operand = main.operands[operation.inputs[i]];
        const bool is_input = operand.lifetime == Lifetime::kModelInput;
        if (is_input && !is_tensor(operand.type)) ++found["scalars as inputs"];
        if (is_input && operand.data.empty()) ++found["omitted inputs"];
        if (operand.lifetime == Lifetime::kNoValue) ++found["omitted operands"];
        const bool is_filter = i == 1 && operation.code == ANEURALNETWORKS_CONV_2D;
        if (is_filter && written.contains(operation.inputs[i])) ++found["computed filters"];
      }
    }
    for (const uint32_t output : main.outputs) {
      if (readers[output] > 0) ++found["outputs that are read"];
    }
    for (const uint32_t operand : written) {
      if (readers[operand] > 1) ++found["branches"];
    }
    if (std::ranges::any_of(main.operands, [](const auto& o) { return o.actual_dimensions.has_value(); })) ++found["open inputs"];
    if (main.outputs.size() > 1) ++found["several outputs"];
  }
  for (const char* const kind : {"scalars as inputs", "omitted inputs", "omitted operands", "computed filters",
                                 "outputs that are read", "branches", "open inputs", "several outputs"}) {
    EXPECT_GE(found[kind], 10) << kind;
  }
}

// Operations receive suitable operands: most models compute, and few allow any value for an element.
TEST_F(RandomGraphs, AreModelsThatTheReferenceComputes) {
  uint64_t computed = 0;
  uint64_t elements = 0;
  uint64_t free_elements = 0;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    RandomGraph g = graph(seed);
    EXPECT_GE(g.c.main.operations.size(), 8U);
    fill_expectations(g, reference_);
    if (g.c.expect_failure) continue;
    ++computed;
    for (const uint32_t output : g.c.main.outputs) {
      for (const double allowed : g.c.main.operands[output].allowed_differences) {
        ++elements;
        if (!(allowed < 1)) ++free_elements;
      }
    }
  }
  EXPECT_GT(computed, kGraphs * 95 / 100);
  EXPECT_LT(free_elements, elements / 20);
}

// The comparison finds a wrong value of any output of any type, and a wrong result code.
TEST_F(RandomGraphs, FailWhereADeviceAnswersOtherwise) {
  std::set<int32_t> types;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomGraph g = graph(seed);
    fill_expectations(g, reference_);
    if (g.c.expect_failure) continue;
    EXPECT_EQ(run_case(g.c, reference_, {}).verdict, Verdict::kPassed);
    for (const uint32_t output : g.c.main.outputs) {
      VectorOperand& operand = g.c.main.operands[output];
      if (operand.ignored || operand.data.empty()) continue;
      const auto kept = operand.data;
      operand.data[operand.data.size() - 1] ^= 0x41;  // the exponent, if the type has one
      const Outcome outcome = run_case(g.c, reference_, {});
      if (operand.allowed_differences.empty() || operand.allowed_differences.back() < 1e-3) {
        EXPECT_EQ(outcome.kind, FailureKind::kWrongResult) << operand_type_name(operand.type);
        types.insert(operand.type);
      }
      operand.data = kept;
    }
    g.c.expect_failure = true;
    g.c.expected_code = ANEURALNETWORKS_OP_FAILED;
    EXPECT_EQ(run_case(g.c, reference_, {}).kind, FailureKind::kWrongResult);
  }
  EXPECT_GE(types.size(), 5U);
}

TEST_F(RandomGraphs, AreReducedToTheOperationThatIsToBlame) {
  int reduced_graphs = 0;
  for (uint64_t seed = 0; seed < 200 && reduced_graphs < 10; ++seed) {
    const RandomGraph g = graph(seed);
    if (!has_operation(g, ANEURALNETWORKS_TILE)) continue;
    const RandomGraph part =
        reduced(g, reference_, [](const RandomGraph& candidate) { return has_operation(candidate, ANEURALNETWORKS_TILE); });
    EXPECT_EQ(part.c.main.operations.size(), 1U);
    EXPECT_TRUE(has_operation(part, ANEURALNETWORKS_TILE));
    RandomGraph judged = part;
    fill_expectations(judged, reference_);
    EXPECT_EQ(run_case(judged.c, reference_, {}).verdict, Verdict::kPassed);
    ++reduced_graphs;
  }
  EXPECT_EQ(reduced_graphs, 10);
}

TEST(RandomNestings, AreAsDeepAsTheySay) {
  for (int depth = 1; depth <= 5; ++depth) {
    SeededDecisions decisions("nesting", static_cast<uint64_t>(depth));
    Draft draft("nesting", 1);
    declare_nesting(draft, decisions, {}, depth);
    const VectorCase c = draft.finish(ANEURALNETWORKS_IF);
    const auto depth_of = [&](const auto& self, const VectorGraph& graph) -> int {
      int deepest = 0;
      for (const auto& operand : graph.operands) {
        if (operand.lifetime == Lifetime::kSubgraph) deepest = std::max(deepest, 1 + self(self, c.referenced[operand.subgraph]));
      }
      return deepest;
    };
    EXPECT_EQ(depth_of(depth_of, c.main), depth);
  }
}

// Wrong ranks, sizes, scalars and omitted operands of every operation, in operands that are inputs or computed. Every device
// returns the reference's result code, writes nothing outside the outputs and does not crash.
class MisusedOperands : public testing::TestWithParam<const char*> {};

TEST_P(MisusedOperands, EndWithTheResultCodeOfTheReference) {
  const auto device = find_device(GetParam());
  if (!device) GTEST_SKIP() << device.error().message;
  const auto reference = reference_device();
  const bool is_slow = device->type == ANEURALNETWORKS_DEVICE_GPU;
  const int rounds = is_slow ? 1 : 3;  // of each operation, type and group
  std::set<std::string> groups;
  size_t refused = 0;
  for (const Row& row : generated_rows().all()) {
    if (row.must_be_refused || !row.varied || !groups.insert(row.dotted.substr(0, row.dotted.rfind('.'))).second) continue;
    for (int round = 0; round < rounds; ++round) {
      RandomGraph g;
      g.c = row.make(1);
      SeededDecisions decisions(row.dotted, static_cast<uint64_t>(round));
      const std::string what = spoil(g.c, decisions);
      g.shapes.resize(g.c.main.operands.size());
      g.errors.resize(g.c.main.operands.size());
      fill_expectations(g, *reference);
      if (g.c.expect_failure) ++refused;
      const Outcome outcome = run_case(g.c, *device, {});
      EXPECT_NE(outcome.verdict, Verdict::kFailed)
          << row.dotted << ", round " << round << ": " << what << ": " << outcome.message;
    }
  }
  EXPECT_GT(refused, 250U);
}

INSTANTIATE_TEST_SUITE_P(Devices, MisusedOperands, testing::Values("nnapi-reference", "nnvk-cpu", "vulkan"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace nnvk::tools::conformance
