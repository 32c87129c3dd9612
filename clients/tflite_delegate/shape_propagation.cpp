#include "clients/tflite_delegate/shape_propagation.h"

#include <fmt/format.h>

#include <cstdlib>

namespace nnvk::clients::tflite {

Result<ShapePropagation> ShapePropagation::make(TfLiteContext& context, std::span<const int> nodes) {
  ShapePropagation propagation;
  propagation.nodes_.reserve(nodes.size());
  for (const int number : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (context.GetNodeAndRegistration(&context, number, &node, &registration) != kTfLiteOk) {
      return fail(fmt::format("TensorFlow Lite gives no node {}", number));
    }
    Node copy{.number = number, .node = *node, .prepare = registration->prepare};
    // Operators free this list and make a new one, with the functions of the C library. The original keeps its own.
    copy.node.temporaries = static_cast<TfLiteIntArray*>(std::calloc(1, sizeof(TfLiteIntArray)));
    if (copy.node.temporaries == nullptr) return fail("out of memory");
    propagation.nodes_.push_back(copy);
  }
  return propagation;
}

ShapePropagation::~ShapePropagation() {
  for (const Node& copy : nodes_) std::free(copy.node.temporaries);
}

Status ShapePropagation::run(TfLiteContext& context) {
  for (Node& copy : nodes_) {
    if (copy.prepare == nullptr) continue;  // its outputs keep their shapes; the import finds out whether they fit
    if (copy.prepare(&context, &copy.node) != kTfLiteOk) {
      return fail(fmt::format("TensorFlow Lite's operator {} cannot work with the new shapes", copy.number));
    }
  }
  return {};
}

}  // namespace nnvk::clients::tflite
