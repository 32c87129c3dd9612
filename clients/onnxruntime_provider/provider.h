// The provider of one session: takes subgraphs and compiles them.
#pragma once

#include "clients/onnxruntime_provider/capability.h"
#include "clients/onnxruntime_provider/kept_trials.h"
#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

class Provider final : public OrtEp {
 public:
  Provider(Options options, DeviceChoice devices, const OrtLogger* logger);

 private:
  // The arguments of OrtEp::Compile: `count` of each.
  struct CompileCall {
    const OrtGraph** graphs;
    const OrtNode** nodes;
    size_t count;
    OrtNodeComputeInfo** infos;
    OrtNode** contexts;
  };

  Status take_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const;
  Status compile(const CompileCall& call) const;
  Trials trials() const;

  const Options options_;
  const DeviceChoice devices_;
  const OrtLogger* const logger_;  // outlives the session's providers
  const KeptTrials kept_trials_;
};

}  // namespace nnvk::clients::onnxruntime
