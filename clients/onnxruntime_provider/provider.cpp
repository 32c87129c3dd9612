#include "clients/onnxruntime_provider/provider.h"

#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "clients/onnxruntime_provider/context_node.h"
#include "clients/onnxruntime_provider/freed_memory.h"
#include "clients/onnxruntime_provider/fused_node.h"
#include "clients/onnxruntime_provider/live_graph.h"
#include "clients/onnxruntime_provider/trial.h"

namespace nnvk::clients::onnxruntime {
namespace {

const Provider& provider_of(const OrtEp* self) { return *static_cast<const Provider*>(self); }

// The runtime keeps the constants of these nodes: compiled subgraphs refer to them.
Status take(OrtEpGraphSupportInfo* support, const std::vector<const OrtNode*>& nodes) {
  OrtNodeFusionOptions fusion{};
  fusion.ort_version_supported = kRuntimeApiVersion;
  fusion.drop_constant_initializers = false;
  return check(provider_api().EpGraphSupportInfo_AddNodesToFuse(support, nodes.data(), nodes.size(), &fusion),
               "taking a subgraph");
}

}  // namespace

Provider::Provider(Options options, DeviceChoice devices, const OrtLogger* logger)
    : OrtEp{},
      options_(std::move(options)),
      devices_(std::move(devices)),
      logger_(logger),
      kept_trials_(options_.cache_directory.empty() ? user_trials_folder() : std::filesystem::path(options_.cache_directory)) {
  ort_version_supported = kRuntimeApiVersion;
  OrtEp::GetName = [](const OrtEp*) noexcept { return kProviderName; };
  OrtEp::GetCapability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept -> OrtStatus* {
    return guarded([&] { return provider_of(self).take_capability(graph, support); });
  };
  OrtEp::Compile = [](OrtEp* self, auto... call) noexcept -> OrtStatus* {
    return guarded([&] { return provider_of(self).compile({call...}); });
  };
  OrtEp::ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** infos, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) delete static_cast<FusedNode*>(infos[i]);
  };
}

Status Provider::take_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const {
  const OrtNode* parent = nullptr;
  TOOLS_TRY(check(api().Graph_GetParentNode(graph, &parent), "reading a graph"));
  if (parent != nullptr) return {};  // the body of an If or a Loop stays with the runtime (README.md)
  TOOLS_ASSIGN(const LiveGraph live, read_graph(graph));
  if (live.nodes.empty()) return {};
  for (size_t n = 0; n < live.nodes.size(); ++n) {
    if (is_context_node(live.graph.nodes[n])) TOOLS_TRY(take(support, {live.nodes[n]}));
  }
  TOOLS_ASSIGN(const Capability capability, assess(live.graph, options_, devices_, trials()));
  if (options_.explain) {
    std::istringstream lines(report(live.graph, capability));
    for (std::string line; std::getline(lines, line);) log_line(logger_, ORT_LOGGING_LEVEL_WARNING, line);
  }
  for (const Subgraph& subgraph : capability.subgraphs) {
    if (!subgraph.is_taken) continue;
    std::vector<const OrtNode*> nodes;
    for (const size_t n : subgraph.nodes) nodes.push_back(live.nodes[n]);
    TOOLS_TRY(take(support, nodes));
  }
  return {};
}

Trials Provider::trials() const {
  const auto token = [this](const Graph& part) { return trial_token(part, options_, devices_, runtime_version()); };
  return {.recall = [=, this](const Graph& part) { return kept_trials_.find(token(part)); },
          .measure = [=, this](const Graph& part) -> Result<ComparedTimes> {
            TOOLS_ASSIGN(const ComparedTimes times, try_both(part, options_, devices_));
            kept_trials_.keep(token(part), times);
            return times;
          }};
}

Status Provider::compile(const CompileCall& call) const {
  const bool makes_context = options_.makes_context && call.contexts != nullptr;
  std::vector<std::unique_ptr<FusedNode>> fused;
  give_memory_back();  // of the session that is being made
  for (size_t i = 0; i < call.count; ++i) {
    OrtNode** const context = makes_context ? &call.contexts[i] : nullptr;
    TOOLS_ASSIGN(auto node, FusedNode::make(call.graphs[i], call.nodes[i], options_, devices_, context));
    fused.push_back(std::move(node));
  }
  for (size_t i = 0; i < call.count; ++i) call.infos[i] = fused[i].release();
  return {};
}

}  // namespace nnvk::clients::onnxruntime
