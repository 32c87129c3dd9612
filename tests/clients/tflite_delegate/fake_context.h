// A TfLiteContext without TensorFlow Lite: tensors and nodes in lists, partitions as one group per run of neighbouring nodes,
// resizing, and the errors that were reported.
#pragma once

#include <tensorflow/lite/builtin_ops.h>
#include <tensorflow/lite/c/builtin_op_data.h>
#include <tensorflow/lite/c/common.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nnvk::clients::tflite {

// An array in memory of the C library, as operators and the runtime free it.
TfLiteIntArray* int_array(const std::vector<int>& values);

class FakeContext {
 public:
  FakeContext();
  ~FakeContext();
  FakeContext(const FakeContext&) = delete;
  FakeContext& operator=(const FakeContext&) = delete;

  // Adds a tensor that has memory of its own, filled with zeros. Returns its index.
  int add_tensor(TfLiteType type, const std::vector<int>& shape, const std::string& name);
  // Adds a constant with these elements.
  template <class Element>
  int add_constant(TfLiteType type, const std::vector<int>& shape, const std::vector<Element>& values, const std::string& name) {
    const int index = add_tensor(type, shape, name);
    auto* first = reinterpret_cast<const uint8_t*>(values.data());
    memory_[static_cast<size_t>(index)].assign(first, first + values.size() * sizeof(Element));
    tensor(index).data.raw = reinterpret_cast<char*>(memory_[static_cast<size_t>(index)].data());
    tensor(index).bytes = memory_[static_cast<size_t>(index)].size();
    tensor(index).allocation_type = kTfLiteMmapRo;
    return index;
  }
  void quantize(int index, const std::vector<float>& scales, const std::vector<int>& zero_points, int dimension);
  // Adds a node; `params` must outlive the context. Returns its index.
  int add_node(int code, const std::vector<int>& inputs, const std::vector<int>& outputs, void* params = nullptr,
               int version = 1);

  TfLiteContext* get() { return &context_; }
  TfLiteTensor& tensor(int index) { return tensors_[static_cast<size_t>(index)]; }
  TfLiteNode& node(int index) { return nodes_[static_cast<size_t>(index)].node; }
  TfLiteRegistration& registration(int index) { return nodes_[static_cast<size_t>(index)].registration; }
  std::vector<float> floats(int index);
  void set_floats(int index, const std::vector<float>& values);
  // Gives a tensor a shape, as TfLiteContext::ResizeTensor does, and memory.
  void resize(int index, const std::vector<int>& shape);

  std::vector<std::string> errors;                   // what was reported
  std::vector<std::vector<int>> replaced;            // per partition, the nodes that a delegate took
  std::vector<std::unique_ptr<TfLiteNode>> kernels;  // the delegate's nodes
  TfLiteRegistration kernel_registration{};
  // Frees the delegate's nodes, as an interpreter does at its end.
  void free_kernels();

 private:
  struct Node {
    TfLiteNode node{};
    TfLiteRegistration registration{};
  };
  struct Params {
    TfLiteDelegateParams params{};
    ~Params();
  };

  static void report(TfLiteContext* context, const char* format, ...);
  static FakeContext& of(TfLiteContext* context) { return *static_cast<FakeContext*>(context->impl_); }
  std::vector<std::unique_ptr<Params>> partitions(const TfLiteIntArray* nodes, TfLiteDelegate* delegate);

  TfLiteContext context_{};
  std::vector<TfLiteTensor> tensors_;
  std::deque<std::vector<uint8_t>> memory_;
  std::deque<std::string> names_;
  std::deque<Node> nodes_;
  TfLiteIntArray* plan_ = nullptr;
  std::vector<std::unique_ptr<Params>> previewed_;
  std::vector<TfLiteDelegateParams> preview_;
  std::vector<std::unique_ptr<Params>> kernel_params_;
};

}  // namespace nnvk::clients::tflite
