// A partition that the delegate has taken, as the node that TensorFlow Lite computes in its place.
#pragma once

#include <tensorflow/lite/c/common.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clients/compiled_model.h"
#include "clients/tflite_delegate/shape_propagation.h"
#include "importers/tflite/graph.h"

namespace nnvk::clients::tflite {

// The node that replaces a partition. It belongs to one interpreter, which calls it from one thread at a time.
class PartitionKernel {
 public:
  // Makes the node. `params`: the nodes that it replaces. The context must allow GetNodeAndRegistration. Compiles nothing yet.
  // `options` and `devices` must outlive it.
  static Result<std::unique_ptr<PartitionKernel>> make(TfLiteContext& context, const TfLiteDelegateParams& params,
                                                       const PluginOptions& options, const DeviceChoice& devices);

  // Compiles for the tensors' present shapes, unless they are compiled already, and gives the outputs their shapes. Errors name
  // the operator, or give the library's reason.
  Status prepare(TfLiteContext& context);
  // Computes from the context's tensors into the context's tensors, in place. Updates the variables. prepare() must have
  // succeeded for these shapes.
  Status invoke(TfLiteContext& context);

 private:
  using Shapes = std::vector<std::vector<uint32_t>>;
  // A variable of the graph and its ports. NNAPI never reads and writes one place at once, so there is a buffer for reading and
  // one for writing.
  struct State {
    int tensor = 0;
    importers::StatePort ports;
    bool converts = false;  // TensorFlow Lite keeps another type
    std::vector<uint8_t> input;
    std::vector<uint8_t> output;
  };
  struct ShapedModel {
    Shapes shapes;
    std::unique_ptr<CompiledModel> model;
    std::vector<State> states;
  };

  PartitionKernel(importers::tflite::Graph graph, ShapePropagation propagation, const PluginOptions& options,
                  const DeviceChoice& devices);
  Status read_shapes(const TfLiteContext& context);
  Shapes shapes_of(const std::vector<int>& tensors) const;
  Status find_or_compile();
  Result<ShapedModel> compile();
  Status resize_outputs(TfLiteContext& context, const ShapedModel& shaped) const;
  Status read_states(const TfLiteContext& context, ShapedModel& shaped) const;
  Status write_states(TfLiteContext& context, const ShapedModel& shaped) const;

  importers::tflite::Graph graph_;
  ShapePropagation propagation_;
  const PluginOptions& options_;
  const DeviceChoice& devices_;
  std::vector<int> used_;               // the tensors whose shapes count
  std::optional<Shapes> input_shapes_;  // those that the shapes inside belong to; none before the first preparation
  std::vector<ShapedModel> shaped_;     // the one in use last
};

}  // namespace nnvk::clients::tflite
