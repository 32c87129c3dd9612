// A subgraph that the provider has taken, as the node that ONNX Runtime computes in its place.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clients/compiled_model.h"
#include "clients/onnxruntime_provider/live_graph.h"
#include "clients/onnxruntime_provider/options.h"

namespace nnvk::clients::onnxruntime {

// A node that nnvk computes; compile_node() makes it. ONNX Runtime holds the base class, and gives the node back to be deleted.
class FusedNode final : public OrtNodeComputeInfo {
 public:
  // Makes the node that replaces `graph`; `node` has its inputs and outputs. `context`: null, or the place for an EPContext node.
  // With known shapes, the function compiles. With open shapes, it keeps the graph: the first run with each set of shapes
  // compiles, and the last kMostShapes sets stay compiled.
  static Result<std::unique_ptr<FusedNode>> make(const OrtGraph* graph, const OrtNode* node, const Options& options,
                                                 const DeviceChoice& devices, OrtNode** context);

 private:
  static constexpr size_t kMostShapes = 8;
  using Shapes = std::vector<Dimensions>;
  struct ShapedModel {
    Shapes shapes;
    std::mutex compiling;                  // one thread compiles, others wait for it
    std::unique_ptr<CompiledModel> model;  // null until compiled
  };

  FusedNode(const Options& options, const DeviceChoice& devices);
  // Compiles `graph`, all of whose shapes must be known. Its constants may be dropped afterwards. Errors name the node, or give
  // the library's reason.
  Result<std::unique_ptr<CompiledModel>> compile(const Graph& graph) const;
  Status take_graph(Graph graph);
  Status place_ports(const OrtNode* node);
  Status compute(OrtKernelContext* context);
  Result<CompiledModel*> model_for(const OrtKernelContext* context, std::shared_ptr<ShapedModel>& keeps);
  std::shared_ptr<ShapedModel> entry_for(Shapes shapes);
  Status compute_with(CompiledModel& model, OrtKernelContext* context);

  const Options options_;
  const DeviceChoice devices_;
  std::string name_;
  bool owns_constants_ = false;        // they came with an EPContext node
  Graph graph_;                        // open shapes only; its constants' bytes are found in the kernel's inputs
  std::vector<size_t> kernel_inputs_;  // per input of the graph, its place among the kernel's
  std::vector<size_t> kernel_outputs_;
  std::vector<std::pair<size_t, size_t>> kernel_constants_;  // index of a value, place among the kernel's inputs
  std::unique_ptr<CompiledModel> model_;                     // known shapes only
  std::mutex mutex_;
  std::vector<std::shared_ptr<ShapedModel>> shaped_;  // the last used one last
};

}  // namespace nnvk::clients::onnxruntime
