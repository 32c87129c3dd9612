#include "tools/conformance/random/entries.h"

#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "tools/conformance/generators/nesting.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/random/description.h"
#include "tools/conformance/random/expectations.h"
#include "tools/conformance/random/misuse.h"
#include "tools/conformance/random/random_graph.h"
#include "tools/conformance/random/reduction.h"

namespace nnvk::tools::conformance {
namespace {

constexpr uint32_t kOneInSoMany = 5;  // has something wrong
constexpr int kDeepest = 5;

// Returns the graph of a name, without expectations.
Result<RandomGraph> graph_of(const std::string& dotted, uint64_t seed, bool is_wrong) {
  TOOLS_ASSIGN(const auto reference, reference_device());
  static RowShapes shapes(reference);
  SeededDecisions decisions(dotted, seed);
  RandomGraph graph = random_graph(decisions, shapes);
  graph.c.name = dotted;
  if (is_wrong) {
    spoil(graph.c, decisions);
    graph.shapes.resize(graph.c.main.operands.size());
    graph.errors.resize(graph.c.main.operands.size());
  }
  return graph;
}

Result<VectorCase> expected_case(RandomGraph graph) {
  TOOLS_ASSIGN(const auto reference, reference_device());
  fill_expectations(graph, reference);
  return std::move(graph.c);
}

// Describes the smallest part of the graph that fails on the device.
Result<std::string> explanation(const RandomGraph& graph, const DeviceEntry& device, const RunOptions& options) {
  TOOLS_ASSIGN(const auto reference, reference_device());
  std::string message;
  const auto fails = [&](const RandomGraph& part) {
    const auto c = expected_case(part);
    if (!c) return false;
    const Outcome outcome = run_case(*c, device, options);
    if (outcome.verdict == Verdict::kFailed) message = outcome.message;
    return outcome.verdict == Verdict::kFailed;
  };
  const RandomGraph part = reduced(graph, reference, fails);
  return fmt::format("{} of {} operations fail: {}\n{}", part.c.main.operations.size(), graph.c.main.operations.size(), message,
                     describe(part.c));
}

}  // namespace

Result<bool> run_without_outputs(const CaseEntry& entry, const std::set<size_t>& left_out, const DeviceEntry& device,
                                 const std::function<void(const std::string&)>& tell) {
  uint64_t seed = 0;
  if (std::sscanf(entry.dotted.c_str(), "nnvk.random_graphs.mixed.seed_%" SCNu64, &seed) != 1) return false;
  TOOLS_ASSIGN(const auto graph, graph_of(entry.dotted, seed, entry.dotted.find(".wrong.") != std::string::npos));
  const auto& all = graph.c.main.outputs;
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!left_out.contains(i)) outputs.push_back(all[i]);
  }
  if (outputs.empty() || outputs.size() + left_out.size() != all.size()) return false;
  const RandomGraph part = part_of(graph, outputs);
  tell(fmt::format("{} of {} operations crash or fail:\n{}", part.c.main.operations.size(), graph.c.main.operations.size(),
                   describe(part.c)));
  TOOLS_ASSIGN(const auto c, expected_case(part));
  constexpr int kRounds = 20;  // a write to a wrong place may show only later
  if (run_case(c, device, {.repeat = kRounds}).verdict == Verdict::kFailed) std::abort();
  return true;
}

std::vector<CaseEntry> random_graph_entries(uint32_t count, uint64_t seed) {
  std::vector<CaseEntry> entries;
  for (uint32_t i = 1; i <= count; ++i) {
    const bool is_wrong = i % kOneInSoMany == 0;
    CaseEntry entry;
    entry.plain = fmt::format("{}", i);
    entry.dotted = fmt::format("nnvk.random_graphs.mixed.seed_{}.{}.{}", seed, is_wrong ? "wrong" : "right", i);
    entry.family = "random_graphs";
    entry.has_expectations = true;
    entry.load = [dotted = entry.dotted, seed, is_wrong]() -> Result<VectorCase> {
      TOOLS_ASSIGN(auto graph, graph_of(dotted, seed, is_wrong));
      return expected_case(std::move(graph));
    };
    entry.explain = [dotted = entry.dotted, seed, is_wrong](const auto& device, const auto& options) -> Result<std::string> {
      TOOLS_ASSIGN(const auto graph, graph_of(dotted, seed, is_wrong));
      return explanation(graph, device, options);
    };
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<CaseEntry> random_nesting_entries(uint32_t count, uint64_t seed) {
  std::vector<CaseEntry> entries;
  for (uint32_t i = 1; i <= count; ++i) {
    const int depth = 1 + static_cast<int>(i % kDeepest);
    const int32_t type = kFive[i / kDeepest % kFive.size()];
    CaseEntry entry;
    entry.plain = fmt::format("{}", i);
    entry.dotted = fmt::format("nnvk.control_flow.random_nestings.seed_{}.depth_{}.{}", seed, depth, i);
    entry.family = "control_flow";
    entry.load = [dotted = entry.dotted, seed, type, depth]() -> Result<VectorCase> {
      SeededDecisions decisions(dotted, seed);
      Draft draft(dotted, seed);
      declare_nesting(draft, decisions, {type, decisions.one_in(2) ? Dims{3} : Dims{2, 1, 3}}, depth);
      VectorCase c = draft.finish(ANEURALNETWORKS_WHILE);
      c.feature_level = 7;
      return c;
    };
    entry.explain = [load = entry.load](const auto&, const auto&) -> Result<std::string> {
      TOOLS_ASSIGN(const auto c, load());
      return describe(c);
    };
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace nnvk::tools::conformance
