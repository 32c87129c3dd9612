#include "clients/tflite_delegate/partitions.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "clients/predicted_time.h"
#include "clients/tflite_delegate/partition_model.h"

namespace nnvk::clients::tflite {
namespace {

using importers::tflite::Graph;

// TensorFlow Lite's own operators. The factors are those once measured for ONNX Runtime: builds with XNNPACK, for which they are
// meant, have not been measured. Builds without it are ten times as slow as nnvk-cpu
// (perf/results/2026-11-28-stock-frameworks.md), and a delegate cannot tell one from the other.
constexpr FrameworkSpeed kRuntimeSpeed{.seconds_per_call = 12e-6, .relative_time = {1, 1.1, 1.2, 1.2, 1.2}};

// Returns the operator that a text names, or all operators of the partition if the text names none.
std::vector<size_t> named_in(const Graph& graph, const Partition& partition, const std::string& text) {
  for (const size_t i : partition.operators) {
    if (text.find(graph.operators[i].where) != std::string::npos) return {i};
  }
  return partition.operators;
}

}  // namespace

Result<Selection> select(Reasons reasons, const Grouping& group, const Judge& judge) {
  std::map<std::vector<size_t>, Judgement> known;
  Selection selection{.partitions = {}, .reasons = std::move(reasons)};
  // Every round takes away at least one operator, so this ends.
  for (bool again = true; again;) {
    again = false;
    TOOLS_ASSIGN(selection.partitions, group(selection.reasons));
    for (const Partition& partition : selection.partitions) {
      auto entry = known.find(partition.operators);
      if (entry == known.end()) {
        TOOLS_ASSIGN(Judgement judgement, judge(partition));
        entry = known.emplace(partition.operators, std::move(judgement)).first;
      }
      for (const size_t i : entry->second.refused) selection.reasons[i] = entry->second.reason;
      again = again || !entry->second.refused.empty();
    }
  }
  return selection;
}

Graph cut_out(const Graph& graph, const Partition& partition) {
  Graph part{.tensors = graph.tensors, .operators = {}, .inputs = {}, .outputs = partition.outputs, .others = {}, .file = {}};
  for (const size_t i : partition.operators) part.operators.push_back(graph.operators[i]);
  part.inputs = runtime_inputs(graph, partition.inputs);
  return part;
}

Result<Judgement> judge_partition(const Graph& graph, const Partition& partition, const PluginOptions& options,
                                  const DeviceChoice& devices) {
  if (options.min_nodes && partition.operators.size() < *options.min_nodes) {
    return Judgement{partition.operators,
                     fmt::format("a partition of {} operators, min_nodes is {}", partition.operators.size(), *options.min_nodes)};
  }
  const auto model = import_partition(cut_out(graph, partition), options);
  if (!model) return Judgement{named_in(graph, partition, model.error().message), model.error().message};
  if (model->builder.operations().empty()) return Judgement{partition.operators, "a partition that computes nothing"};
  TOOLS_ASSIGN(const auto unsupported, find_unsupported(*model, devices));
  if (unsupported) return Judgement{named_in(graph, partition, unsupported->origin), unsupported->reason};
  if (options.min_nodes) return Judgement{};
  TOOLS_ASSIGN(const ComparedTimes times, predict_times(*model, devices.entries, kRuntimeSpeed));
  const Share share = partition.operators.size() == graph.operators.size() ? Share::kAll : Share::kPart;
  if (times.is_worth_taking(share)) return Judgement{};
  return Judgement{partition.operators, fmt::format("a partition of {} operators, {}", partition.operators.size(),
                                                    times.reason("TensorFlow Lite's own operators"))};
}

std::string report(const Graph& graph, const Selection& selection) {
  std::string text;
  size_t taken = 0;
  for (const Partition& partition : selection.partitions) {
    taken += partition.operators.size();
    text += fmt::format("  taken: {} operators from {} to {}\n", partition.operators.size(),
                        graph.operators[partition.operators.front()].where, graph.operators[partition.operators.back()].where);
  }
  std::map<std::string, size_t> counts;
  for (const auto& reason : selection.reasons) {
    if (reason) ++counts[*reason];
  }
  for (const auto& [reason, count] : counts) text += fmt::format("  left: {} of {}\n", count, reason);
  return fmt::format("takes {} of {} operators in {} partitions\n{}", taken, graph.operators.size(), selection.partitions.size(),
                     text);
}

}  // namespace nnvk::clients::tflite
