// Parses names of sections and applies the rules of nesting.
#include "tools/trace/section_meaning.h"

#include <algorithm>
#include <iterator>

namespace nnvk::tools::trace {
namespace {

struct NamedPhase {
  std::string_view name;
  Phase phase;
  Role role;
};
constexpr NamedPhase kNamedPhases[] = {
    {"PI", Phase::kInitialization, Role::kPlain},
    {"PP", Phase::kPreparation, Role::kPlain},
    {"PC", Phase::kCompilation, Role::kPlain},
    {"PT", Phase::kTermination, Role::kPlain},
    {"PE", Phase::kCompute, Role::kExecution},
    {"PIO", Phase::kInputsAndOutputs, Role::kExecutionPart},
    {"PTR", Phase::kCompute, Role::kExecutionPart},
    {"PCO", Phase::kCompute, Role::kExecutionPart},
    {"PR", Phase::kResults, Role::kExecutionPart},
    {"PO", Phase::kOther, Role::kGroup},
    {"PWU", Phase::kOther, Role::kGroup},
    {"PBM", Phase::kOther, Role::kGroup},
    {"PU", Phase::kOther, Role::kGroup},
};

struct NamedLayer {
  std::string_view name;
  Layer layer;
};
constexpr NamedLayer kNamedLayers[] = {
    {"LA", Layer::kApplication}, {"LR", Layer::kRuntime}, {"LI", Layer::kIpc},   {"LD", Layer::kDriver},
    {"LC", Layer::kCpu},         {"LO", Layer::kOther},   {"LU", Layer::kOther},
};

}  // namespace

std::optional<Meaning> meaning_of(const Section& section) {
  std::string_view name = section.name;
  Meaning meaning;
  for (const std::string_view mark : {"[SUB]", "[SW]"}) {
    if (!name.starts_with(mark)) continue;
    meaning.is_subtracted = true;
    name.remove_prefix(mark.size());
  }
  constexpr std::string_view kStart = "[NN_";
  const size_t separator = name.find('_', kStart.size());
  const size_t close = name.find(']');
  if (!name.starts_with(kStart) || close == std::string_view::npos || separator >= close) return std::nullopt;
  const std::string_view layer_name = name.substr(kStart.size(), separator - kStart.size());
  const std::string_view phase_name = name.substr(separator + 1, close - separator - 1);
  const auto* const layer = std::ranges::find(kNamedLayers, layer_name, &NamedLayer::name);
  const auto* const phase = std::ranges::find(kNamedPhases, phase_name, &NamedPhase::name);
  if (layer == std::end(kNamedLayers) || phase == std::end(kNamedPhases)) return std::nullopt;
  meaning.layer = section.category == "gpu" ? Layer::kGpu : layer->layer;
  meaning.phase = phase->phase;
  meaning.role = phase->role;
  meaning.takes_layer_around = layer_name == "LU";
  meaning.takes_phase_around = phase_name == "PU";
  meaning.is_wait = section.category == "wait";
  meaning.tag = name.substr(kStart.size(), close - kStart.size());
  meaning.detail = name.substr(close + 1);
  return meaning;
}

Meaning inside(const Meaning& own, const Meaning& around) {
  Meaning meaning = own;
  if (own.takes_layer_around) meaning.layer = around.layer;
  if (own.takes_phase_around) {
    meaning.phase = around.phase;
    meaning.role = around.role;
  }
  const bool is_in_execution = around.role == Role::kExecution || around.role == Role::kExecutionPart;
  const bool is_initialization = meaning.phase == Phase::kInitialization && around.phase != Phase::kInitialization;
  meaning.is_subtracted = own.is_subtracted || is_initialization;
  meaning.counts = meaning.is_subtracted || meaning.layer != around.layer || around.role == Role::kGroup ||
                   (is_in_execution && own.role == Role::kExecutionPart);
  if (meaning.counts) return meaning;
  meaning.layer = around.layer;
  meaning.phase = around.phase;
  meaning.role = around.role;
  return meaning;
}

}  // namespace nnvk::tools::trace
