// The dry run of an import: which operators cannot be translated, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "importers/tflite/graph_emission.h"
#include "importers/tflite/importer.h"

namespace nnvk::importers::tflite {
namespace {

constexpr size_t kMostReasons = 8;  // in a summary

// Returns an error's text without the operator in front of it.
std::string reason_of(const Operator& op, const std::string& message) {
  const std::string prefix = op.where + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace

Result<Refusals> refusals(const Graph& graph, const ImportOptions& options) {
  Translation translation{
      .model = graph, .options = options, .budget = ImportBudget(options.memory, source_size(graph)), .bodies = {}, .open = {0}};
  TOOLS_TRY(translation.budget.take_tensors(tensor_memory(graph)));
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  Emitter emitter(graph, builder, translation, true);
  Refusals reasons;
  for (const Operator& op : graph.operators) {
    const Status emitted = emit_operator(emitter, op);
    reasons.push_back(emitted ? std::nullopt : std::optional(reason_of(op, emitted.error().message)));
  }
  return reasons;
}

std::string refusal_summary(const Graph& graph, const Refusals& refusals) {
  struct Group {
    std::string text;
    size_t count = 0;
  };
  std::vector<Group> groups;
  size_t count = 0;
  for (size_t n = 0; n < refusals.size(); ++n) {
    if (!refusals[n]) continue;
    ++count;
    const std::string text = fmt::format("{} ({})", graph.operators[n].name, *refusals[n]);
    const auto found = std::ranges::find(groups, text, &Group::text);
    if (found == groups.end()) {
      groups.push_back({.text = text, .count = 1});
    } else {
      ++found->count;
    }
  }
  if (count == 0) return "";
  std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::count);
  std::vector<std::string> texts;
  for (const Group& group : groups) {
    if (texts.size() == kMostReasons) {
      texts.push_back(fmt::format("and {} more reasons", groups.size() - kMostReasons));
      break;
    }
    texts.push_back(fmt::format("{} x {}", group.count, group.text));
  }
  return fmt::format("{} operator{} cannot be imported: {}", count, count == 1 ? "" : "s", fmt::join(texts, ", "));
}

}  // namespace nnvk::importers::tflite
