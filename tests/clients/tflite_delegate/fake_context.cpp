#include "tests/clients/tflite_delegate/fake_context.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace nnvk::clients::tflite {
namespace {

size_t element_size(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32:
    case kTfLiteInt32:
      return 4;
    case kTfLiteInt64:
      return 8;
    case kTfLiteInt16:
    case kTfLiteFloat16:
      return 2;
    default:
      return 1;
  }
}

std::vector<int> values_of(const TfLiteIntArray* array) { return {array->data, array->data + array->size}; }

void free_quantization(TfLiteTensor& tensor) {
  auto* affine = static_cast<TfLiteAffineQuantization*>(tensor.quantization.params);
  if (affine == nullptr) return;
  std::free(affine->scale);
  std::free(affine->zero_point);
  std::free(affine);
  tensor.quantization.params = nullptr;
}

}  // namespace

TfLiteIntArray* int_array(const std::vector<int>& values) {
  auto* array = static_cast<TfLiteIntArray*>(std::malloc(sizeof(TfLiteIntArray) + values.size() * sizeof(int)));
  array->size = static_cast<int>(values.size());
  std::copy(values.begin(), values.end(), array->data);
  return array;
}

FakeContext::Params::~Params() {
  std::free(params.nodes_to_replace);
  std::free(params.input_tensors);
  std::free(params.output_tensors);
}

void FakeContext::report(TfLiteContext* context, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  of(context).errors.emplace_back(text);
}

FakeContext::FakeContext() : plan_(int_array({})) {
  context_.impl_ = this;
  context_.GetExecutionPlan = [](TfLiteContext* context, TfLiteIntArray** plan) {
    *plan = of(context).plan_;
    return kTfLiteOk;
  };
  context_.GetNodeAndRegistration = [](TfLiteContext* context, int index, TfLiteNode** node, TfLiteRegistration** registration) {
    auto& nodes = of(context).nodes_;
    if (index < 0 || static_cast<size_t>(index) >= nodes.size()) return kTfLiteError;
    *node = &nodes[static_cast<size_t>(index)].node;
    *registration = &nodes[static_cast<size_t>(index)].registration;
    return kTfLiteOk;
  };
  context_.ReportError = report;
  context_.ResizeTensor = [](TfLiteContext* context, TfLiteTensor* tensor, TfLiteIntArray* shape) {
    FakeContext& fake = of(context);
    fake.resize(static_cast<int>(tensor - fake.tensors_.data()), values_of(shape));
    std::free(shape);
    return kTfLiteOk;
  };
  context_.PreviewDelegatePartitioning = [](TfLiteContext* context, const TfLiteIntArray* nodes, TfLiteDelegateParams** params,
                                            int* count) {
    FakeContext& fake = of(context);
    fake.previewed_ = fake.partitions(nodes, nullptr);
    fake.preview_.clear();
    for (const auto& partition : fake.previewed_) fake.preview_.push_back(partition->params);
    *params = fake.preview_.data();
    *count = static_cast<int>(fake.preview_.size());
    return kTfLiteOk;
  };
  context_.ReplaceNodeSubsetsWithDelegateKernels = [](TfLiteContext* context, TfLiteRegistration registration,
                                                      const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
    FakeContext& fake = of(context);
    fake.kernel_registration = registration;
    for (auto& partition : fake.partitions(nodes, delegate)) {
      fake.replaced.push_back(values_of(partition->params.nodes_to_replace));
      auto kernel = std::make_unique<TfLiteNode>();
      kernel->inputs = partition->params.input_tensors;
      kernel->outputs = partition->params.output_tensors;
      kernel->user_data = registration.init(context, reinterpret_cast<const char*>(&partition->params), sizeof partition->params);
      fake.kernels.push_back(std::move(kernel));
      fake.kernel_params_.push_back(std::move(partition));
    }
    return kTfLiteOk;
  };
}

void FakeContext::free_kernels() {
  for (const auto& kernel : kernels) {
    if (kernel->user_data != nullptr) kernel_registration.free(&context_, kernel->user_data);
  }
  kernels.clear();
}

FakeContext::~FakeContext() {
  free_kernels();
  for (TfLiteTensor& tensor : tensors_) {
    std::free(tensor.dims);
    free_quantization(tensor);
  }
  for (Node& node : nodes_) {
    std::free(node.node.inputs);
    std::free(node.node.outputs);
    std::free(node.node.temporaries);
  }
  std::free(plan_);
}

int FakeContext::add_tensor(TfLiteType type, const std::vector<int>& shape, const std::string& name) {
  TfLiteTensor tensor{};
  tensor.type = type;
  tensor.name = names_.emplace_back(name).c_str();
  tensor.allocation_type = kTfLiteArenaRw;
  tensors_.push_back(tensor);
  memory_.emplace_back();
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
  const int index = static_cast<int>(tensors_.size()) - 1;
  resize(index, shape);
  return index;
}

void FakeContext::resize(int index, const std::vector<int>& shape) {
  TfLiteTensor& resized = tensor(index);
  std::free(resized.dims);
  resized.dims = int_array(shape);
  resized.bytes = element_size(resized.type);
  for (const int size : shape) resized.bytes *= static_cast<size_t>(std::max(0, size));
  auto& memory = memory_[static_cast<size_t>(index)];
  memory.assign(resized.bytes, 0);
  resized.data.raw = reinterpret_cast<char*>(memory.data());
}

void FakeContext::quantize(int index, const std::vector<float>& scales, const std::vector<int>& zero_points, int dimension) {
  auto* affine = static_cast<TfLiteAffineQuantization*>(std::malloc(sizeof(TfLiteAffineQuantization)));
  affine->scale = static_cast<TfLiteFloatArray*>(std::malloc(sizeof(TfLiteFloatArray) + scales.size() * sizeof(float)));
  affine->scale->size = static_cast<int>(scales.size());
  std::copy(scales.begin(), scales.end(), affine->scale->data);
  affine->zero_point = int_array(zero_points);
  affine->quantized_dimension = dimension;
  tensor(index).quantization = {kTfLiteAffineQuantization, affine};
}

int FakeContext::add_node(int code, const std::vector<int>& inputs, const std::vector<int>& outputs, void* params, int version) {
  Node& node = nodes_.emplace_back();
  node.node.inputs = int_array(inputs);
  node.node.outputs = int_array(outputs);
  node.node.temporaries = int_array({});
  node.node.builtin_data = params;
  node.registration.builtin_code = code;
  node.registration.version = version;
  std::free(plan_);
  std::vector<int> plan;
  for (size_t i = 0; i < nodes_.size(); ++i) plan.push_back(static_cast<int>(i));
  plan_ = int_array(plan);
  return static_cast<int>(nodes_.size()) - 1;
}

std::vector<std::unique_ptr<FakeContext::Params>> FakeContext::partitions(const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
  std::vector<std::vector<int>> groups;
  for (const int node : values_of(nodes)) {
    if (groups.empty() || groups.back().back() + 1 != node) groups.emplace_back();
    groups.back().push_back(node);
  }
  std::vector<std::unique_ptr<Params>> result;
  for (const auto& group : groups) {
    std::set<int> read;
    std::set<int> written;
    std::set<int> read_outside;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const bool inside = std::find(group.begin(), group.end(), static_cast<int>(i)) != group.end();
      for (const int index : values_of(nodes_[i].node.inputs)) (inside ? read : read_outside).insert(index);
      if (!inside) continue;
      for (const int index : values_of(nodes_[i].node.outputs)) written.insert(index);
    }
    std::vector<int> inputs;
    std::vector<int> outputs;
    for (const int index : read) {
      if (!written.contains(index)) inputs.push_back(index);
    }
    for (const int index : written) {
      if (read_outside.contains(index) || !read.contains(index)) outputs.push_back(index);
    }
    auto params = std::make_unique<Params>();
    params->params = {delegate, int_array(group), int_array(inputs), int_array(outputs)};
    result.push_back(std::move(params));
  }
  return result;
}

std::vector<float> FakeContext::floats(int index) {
  std::vector<float> values(tensor(index).bytes / sizeof(float));
  std::memcpy(values.data(), tensor(index).data.raw, tensor(index).bytes);
  return values;
}

void FakeContext::set_floats(int index, const std::vector<float>& values) {
  std::memcpy(tensor(index).data.raw, values.data(), std::min(tensor(index).bytes, values.size() * sizeof(float)));
}

}  // namespace nnvk::clients::tflite
