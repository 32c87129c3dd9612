// The shapes of tensors inside a partition after its inputs changed size: TensorFlow Lite's own operators compute them.
#pragma once

#include <tensorflow/lite/c/common.h>

#include <span>
#include <vector>

#include "clients/plugin_options.h"

namespace nnvk::clients::tflite {

// Copies of nodes that a delegate replaces. The runtime does not prepare such nodes any more, so their outputs keep old shapes.
class ShapePropagation {
 public:
  // Copies the nodes. The context must allow GetNodeAndRegistration. `nodes`: in the order of execution. An error if the runtime
  // gives no node.
  static Result<ShapePropagation> make(TfLiteContext& context, std::span<const int> nodes);

  ShapePropagation(ShapePropagation&& other) noexcept : nodes_(std::move(other.nodes_)) { other.nodes_.clear(); }
  ShapePropagation& operator=(ShapePropagation&&) = delete;
  ~ShapePropagation();

  // Prepares the operators one after the other, as the runtime would, which gives their outputs shapes. Fails if an operator
  // fails, which has then reported its reason to the context.
  Status run(TfLiteContext& context);

 private:
  struct Node {
    int number = 0;
    TfLiteNode node{};  // owns `temporaries` only
    TfLiteStatus (*prepare)(TfLiteContext*, TfLiteNode*) = nullptr;
  };

  ShapePropagation() = default;

  std::vector<Node> nodes_;
};

}  // namespace nnvk::clients::tflite
