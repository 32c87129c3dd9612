#include "clients/onnxruntime_provider/capability.h"

#include <nnvk/diagnostics.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "importers/onnx/importer.h"
#include "importers/onnx/open_shapes.h"

namespace nnvk::clients::onnxruntime {
namespace {

// ONNX Runtime's CPU provider. Its call of a fused node, with the binding of buffers, takes 5 us on a busy machine; here is a
// margin. perf/results/2026-11-28-stock-frameworks.md has the times of products relative to nnvk-cpu's on a processor with
// AVX-512 and AMX: floats 0.7 to 1.0. Unsigned bytes run on AMX there, which nnvk-cpu does not use; it does not help
// convolutions in groups. Signed bytes take 1.7 to 5 times as long.
constexpr FrameworkSpeed kRuntimeSpeed{.seconds_per_call = 12e-6, .relative_time = {1, 0.85, 2, 0.85, 1.5}};

// Two examples that have no size in common: a node that works with both does not depend on one of them.
struct Example {
  int64_t batch;
  int64_t extent;
};
constexpr Example kExamples[] = {{1, 64}, {3, 96}};

// Returns the graph itself, or with open shapes the same graph with each example's sizes.
Result<std::vector<Graph>> examples_of(const Graph& graph) {
  std::vector<Graph> examples;
  if (!has_open_inputs(graph)) {
    examples.push_back(graph);
    return examples;
  }
  for (const Example& example : kExamples) {
    TOOLS_ASSIGN(const auto shapes, example_shapes(graph, example.batch, example.extent));
    TOOLS_ASSIGN(Graph closed, with_shapes(graph, shapes));
    examples.push_back(std::move(closed));
  }
  return examples;
}

std::vector<std::string> refused_nodes(const Graph& graph, const importers::ImportOptions& options) {
  std::vector<std::string> reasons(graph.nodes.size());
  const Result<std::vector<Graph>> examples = examples_of(graph);
  if (!examples) return std::vector<std::string>(graph.nodes.size(), examples.error().message);
  for (const Graph& example : *examples) {
    const auto refusals = importers::onnx::refusals(example, options);
    for (size_t n = 0; n < reasons.size(); ++n) {
      if (reasons[n].empty() && refusals[n]) reasons[n] = refusals[n]->empty() ? "refused" : *refusals[n];
    }
  }
  return reasons;
}

// Mutes the log of failed calls while the object lives, because the dry run and the imports here make invalid calls on purpose.
// Several threads may judge at the same time.
class Muted {
 public:
  Muted() {
    const std::lock_guard lock(mutex_);
    if (count_++ == 0) nnvk_muteFailedCalls(true);
  }
  ~Muted() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) nnvk_muteFailedCalls(false);
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  inline static std::mutex mutex_;
  inline static int count_ = 0;
};

// The judgement on a subgraph on its own.
struct Judgement {
  NodeGroup refused;   // those of its nodes that it cannot have
  std::string reason;  // why not
  ComparedTimes times;
};

class Assessor {
 public:
  Assessor(const Graph& graph, const Options& options, const DeviceChoice& devices, const std::optional<Trials>& trials)
      : graph_(graph),
        options_(options),
        devices_(devices),
        trials_(!options.min_nodes && options.measures.value_or(true) ? trials : std::nullopt),
        import_options_(import_options(options)) {}

  Result<Capability> assess() {
    Capability capability;
    capability.refusals = refused_nodes(graph_, import_options_);
    // Every round takes away at least one node, so this ends.
    for (bool again = true; again;) {
      again = false;
      capability.subgraphs.clear();
      for (NodeGroup& nodes : convex_groups(graph_, taken(capability))) {
        TOOLS_ASSIGN(const Judgement* const judgement, judge(nodes));
        for (const size_t n : judgement->refused) capability.refusals[n] = judgement->reason;
        again = again || !judgement->refused.empty();
        if (judgement->refused.empty()) capability.subgraphs.push_back(decide(std::move(nodes), judgement->times));
      }
    }
    return capability;
  }

 private:
  static std::vector<bool> taken(const Capability& capability) {
    std::vector<bool> taken;
    for (const std::string& reason : capability.refusals) taken.push_back(reason.empty());
    return taken;
  }

  Result<const Judgement*> judge(const NodeGroup& nodes) {
    const auto known = judgements_.find(nodes);
    if (known != judgements_.end()) return &known->second;
    const Graph part = cut_out(graph_, nodes);
    const auto examples = examples_of(part);
    if (!examples) return remember(nodes, Judgement{nodes, examples.error().message, {}});
    Judgement judgement;
    for (const Graph& example : *examples) {
      TOOLS_ASSIGN(judgement, judge_example(nodes, example));
      if (!judgement.refused.empty()) break;
    }
    return remember(nodes, std::move(judgement));
  }

  const Judgement* remember(const NodeGroup& nodes, Judgement judgement) {
    return &judgements_.insert_or_assign(nodes, std::move(judgement)).first->second;
  }

  Result<Judgement> judge_example(const NodeGroup& nodes, const Graph& part) {
    std::optional<ComparedTimes> kept = trials_ ? trials_->recall(part) : std::nullopt;
    if (kept) kept = called(*kept);
    if (kept && !is_worth_taking(nodes, *kept)) return Judgement{{}, {}, *kept};  // the import would be for nothing
    Judgement judgement;
    {
      const auto model = importers::onnx::import_graph(part, import_options_);
      if (!model) return Judgement{named_in(nodes, model.error().message), model.error().message, {}};
      if (model->builder.operations().empty()) {
        return Judgement{nodes, "the subgraph computes nothing: constants stay with ONNX Runtime", {}};
      }
      TOOLS_ASSIGN(const auto unsupported, find_unsupported(*model, devices_));
      if (unsupported) return Judgement{named_in(nodes, unsupported->origin), unsupported->reason, {}};
      if (options_.min_nodes) return judgement;
      if (kept) return Judgement{{}, {}, *kept};
      TOOLS_ASSIGN(judgement.times, predict_times(*model, devices_.entries, kRuntimeSpeed));
    }  // a trial needs the memory of the import
    if (!trials_) return judgement;
    const Result<ComparedTimes> measured = trials_->measure(part);
    if (measured) {
      judgement.times = called(*measured);
    } else {
      judgement.times.obstacle = measured.error().message;
    }
    return judgement;
  }

  // Returns the times of a trial with the runtime's call, because a trial calls nnvk itself.
  static ComparedTimes called(ComparedTimes times) {
    times.on_device += kRuntimeSpeed.seconds_per_call;
    return times;
  }

  bool is_worth_taking(const NodeGroup& nodes, const ComparedTimes& times) const {
    return times.is_worth_taking(nodes.size() == graph_.nodes.size() ? Share::kAll : Share::kPart);
  }

  // Returns the node that a text names, or all nodes of the subgraph if the text names none.
  NodeGroup named_in(const NodeGroup& nodes, const std::string& text) const {
    for (const size_t n : nodes) {
      const std::string& where = graph_.nodes[n].where;
      if (!where.empty() && text.find(where) != std::string::npos) return {n};
    }
    return nodes;
  }

  Subgraph decide(NodeGroup nodes, const ComparedTimes& times) const {
    Subgraph subgraph;
    if (options_.min_nodes) {
      subgraph.is_taken = nodes.size() >= *options_.min_nodes;
      subgraph.reason = std::to_string(nodes.size()) + " nodes, min_nodes is " + std::to_string(*options_.min_nodes);
    } else {
      subgraph.is_taken = is_worth_taking(nodes, times);
      subgraph.reason = times.reason("ONNX Runtime's CPU provider");
    }
    subgraph.nodes = std::move(nodes);
    return subgraph;
  }

  const Graph& graph_;
  const Options& options_;
  const DeviceChoice& devices_;
  const std::optional<Trials> trials_;
  const importers::ImportOptions import_options_;
  std::map<NodeGroup, Judgement> judgements_;
};

}  // namespace

Result<Capability> assess(const Graph& graph, const Options& options, const DeviceChoice& devices,
                          const std::optional<Trials>& trials) {
  const Muted muted;
  return Assessor(graph, options, devices, trials).assess();
}

std::string report(const Graph& graph, const Capability& capability) {
  std::string text;
  size_t taken = 0;
  for (const Subgraph& subgraph : capability.subgraphs) {
    if (subgraph.is_taken) taken += subgraph.nodes.size();
    text += std::string(subgraph.is_taken ? "taken" : "left") + ": " + std::to_string(subgraph.nodes.size()) + " nodes from " +
            graph.nodes[subgraph.nodes.front()].where + " to " + graph.nodes[subgraph.nodes.back()].where + ": " +
            subgraph.reason + "\n";
  }
  std::map<std::string, size_t> reasons;
  for (const std::string& reason : capability.refusals) {
    if (!reason.empty()) ++reasons[reason];
  }
  for (const auto& [reason, count] : reasons) text += "left: " + std::to_string(count) + " of " + reason + "\n";
  return "nnvk takes " + std::to_string(taken) + " of " + std::to_string(graph.nodes.size()) + " nodes\n" + text;
}

}  // namespace nnvk::clients::onnxruntime
