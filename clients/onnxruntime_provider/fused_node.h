// A subgraph that the provider has taken, as the node that ONNX Runtime computes in its place.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "clients/compiled_model.h"
#include "clients/onnxruntime_provider/live_graph.h"
#include "clients/onnxruntime_provider/options.h"

namespace nnvk::clients::onnxruntime {

// Compiles `graph`, all of whose shapes must be known. The result refers to the bytes of its constants. Errors name the node, or
// give the library's reason.
Result<std::unique_ptr<CompiledModel>> compile_graph(const Graph& graph, const Options& options, const DeviceChoice& devices);

// A node that nnvk computes; compile_node() makes it. ONNX Runtime holds the base class, and gives the node back to be deleted.
class FusedNode final : public OrtNodeComputeInfo {
 public:
  // Makes the node that replaces `graph`; `node` has its inputs and outputs, and the constants among the inputs. `context`: null,
  // or the place for an EPContext node. With known shapes, the function compiles. With open shapes, the first run with each set
  // of shapes compiles, and the last kMostShapes sets stay compiled.
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

  // A constant of the graph, which the runtime gives to every run as an input.
  struct KernelConstant {
    size_t value;                              // index in the graph
    size_t place;                              // among the kernel's inputs
    std::span<const std::byte> compiled_from;  // its bytes when the node was made
  };

  FusedNode(const Options& options, const DeviceChoice& devices);
  Status take_graph(Graph graph);
  Status place_ports(const OrtNode* node);
  Status place_constants(const OrtNode* node);
  Result<Graph> with_constants(Graph graph, const OrtKernelContext* context) const;
  Status follow_constants(const OrtKernelContext* context);
  Status compute(OrtKernelContext* context);
  Result<CompiledModel*> model_for(const OrtKernelContext* context, std::shared_ptr<ShapedModel>& keeps);
  std::shared_ptr<ShapedModel> entry_for(Shapes shapes);
  Status compute_with(CompiledModel& model, OrtKernelContext* context);

  const Options options_;
  const DeviceChoice devices_;
  std::string name_;
  bool owns_constants_ = false;        // they came with an EPContext node
  Graph graph_;                        // without the bytes of its constants, unless the node owns them
  std::vector<size_t> kernel_inputs_;  // per input of the graph, its place among the kernel's
  std::vector<size_t> kernel_outputs_;
  std::vector<KernelConstant> kernel_constants_;
  bool has_known_shapes_ = false;
  std::unique_ptr<CompiledModel> model_;  // known shapes only; constant once follow_constants() has run
  std::once_flag followed_;               // follow_constants() has run
  Status following_;                      // its result
  std::mutex mutex_;
  std::vector<std::shared_ptr<ShapedModel>> shaped_;  // the last used one last
};

}  // namespace nnvk::clients::onnxruntime
