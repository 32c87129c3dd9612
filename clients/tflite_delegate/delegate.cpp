#include "clients/tflite_delegate/delegate.h"

#include <fmt/format.h>
#include <tensorflow/lite/builtin_ops.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "clients/tflite_delegate/live_graph.h"
#include "clients/tflite_delegate/partition_kernel.h"
#include "clients/tflite_delegate/partition_model.h"
#include "clients/tflite_delegate/partitions.h"

namespace nnvk::clients::tflite {
namespace {

// Calls a function that returns a Status, for an entry point: reports its error, and no exception leaves it.
template <class Function>
TfLiteStatus guarded(TfLiteContext* context, const Function& function) {
  std::string message;
  try {
    const Status status = function();
    if (status) return kTfLiteOk;
    message = status.error().message;
  } catch (const std::exception& exception) {
    message = exception.what();
  }
  context->ReportError(context, "nnvk: %s", message.c_str());
  return kTfLiteError;
}

// An array of TensorFlow Lite in our own memory.
class IndexArray {
 public:
  explicit IndexArray(const std::vector<int>& values) : memory_(values.size() + 1) {
    memory_[0] = static_cast<int>(values.size());
    std::ranges::copy(values, memory_.begin() + 1);
  }
  const TfLiteIntArray* get() const { return reinterpret_cast<const TfLiteIntArray*>(memory_.data()); }

 private:
  std::vector<int> memory_;
};

// Returns the nodes of the operators that no reason keeps with the interpreter.
std::vector<int> taken_nodes(const LiveGraph& live, const Reasons& reasons) {
  std::vector<int> nodes;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (!reasons[i]) nodes.push_back(live.nodes[i]);
  }
  return nodes;
}

// Asks TensorFlow Lite which partitions it would make of the operators that nnvk takes (those without a reason against them).
Result<std::vector<Partition>> preview(TfLiteContext& context, const LiveGraph& live, const Reasons& reasons) {
  const std::vector<int> nodes = taken_nodes(live, reasons);
  if (nodes.empty()) return std::vector<Partition>();
  const IndexArray array(nodes);
  TfLiteDelegateParams* params = nullptr;
  int count = 0;
  if (context.PreviewDelegatePartitioning(&context, array.get(), &params, &count) != kTfLiteOk) {
    return fail("TensorFlow Lite cannot divide the graph into partitions");
  }
  std::vector<Partition> partitions(static_cast<size_t>(std::max(0, count)));
  for (size_t i = 0; i < partitions.size(); ++i) {
    for (const int node : indexes(params[i].nodes_to_replace)) {
      const auto at = std::ranges::find(live.nodes, node) - live.nodes.begin();
      partitions[i].operators.push_back(static_cast<size_t>(at));
    }
    std::ranges::sort(partitions[i].operators);
    const auto inputs = indexes(params[i].input_tensors);
    const auto outputs = indexes(params[i].output_tensors);
    partitions[i].inputs.assign(inputs.begin(), inputs.end());
    partitions[i].outputs.assign(outputs.begin(), outputs.end());
  }
  return partitions;
}

// Returns the options that decide about a partition. A partition with an operator that only nnvk has is taken whatever its time.
PluginOptions options_for(const LiveGraph& live, const Partition& partition, const PluginOptions& options) {
  PluginOptions result = options;
  const bool only_here = std::ranges::any_of(partition.operators, [&](size_t i) { return live.unknown[i]; });
  if (only_here && !result.min_nodes) result.min_nodes = 1;
  return result;
}

void* init_kernel(TfLiteContext* context, const char* buffer, size_t) {
  const auto& params = *reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  const Delegate& delegate = Delegate::of(*params.delegate);
  std::unique_ptr<PartitionKernel> kernel;
  guarded(context, [&]() -> Status {
    TOOLS_ASSIGN(kernel, PartitionKernel::make(*context, params, delegate.options(), delegate.devices()));
    return {};
  });
  return kernel.release();  // null after a reported error
}

void free_kernel(TfLiteContext*, void* kernel) { delete static_cast<PartitionKernel*>(kernel); }

TfLiteStatus prepare_kernel(TfLiteContext* context, TfLiteNode* node) {
  if (node->user_data == nullptr) return kTfLiteError;
  return guarded(context, [&] { return static_cast<PartitionKernel*>(node->user_data)->prepare(*context); });
}

TfLiteStatus invoke_kernel(TfLiteContext* context, TfLiteNode* node) {
  if (node->user_data == nullptr) return kTfLiteError;
  return guarded(context, [&] { return static_cast<PartitionKernel*>(node->user_data)->invoke(*context); });
}

TfLiteStatus prepare_delegate(TfLiteContext* context, TfLiteDelegate* delegate) {
  return guarded(context, [&] { return Delegate::of(*delegate).prepare(*context); });
}

}  // namespace

Delegate::Delegate(PluginOptions options, DeviceChoice devices)
    : options_(std::move(options)), devices_(std::move(devices)), interface_() {
  interface_.data_ = this;
  interface_.Prepare = prepare_delegate;
  // Without this flag, the runtime would refuse to load a graph in which one tensor has an unknown shape. Kernels compute the
  // shapes inside their partitions themselves: the flag that asks the runtime for them fails for operators that only nnvk knows.
  interface_.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
}

Result<std::unique_ptr<Delegate>> Delegate::make(std::span<const Setting> settings) {
  PluginOptions options;
  for (const auto& [name, value] : settings) TOOLS_TRY(set_option(options, name, value));
  if (options.measures.value_or(false)) return fail("option 'choice': this delegate takes 'predicted' only");
  TOOLS_ASSIGN(DeviceChoice devices, choose_devices(options.device));
  return std::unique_ptr<Delegate>(new Delegate(std::move(options), std::move(devices)));
}

Status Delegate::prepare(TfLiteContext& context) {
  TfLiteIntArray* plan = nullptr;
  if (context.GetExecutionPlan(&context, &plan) != kTfLiteOk) return fail("TensorFlow Lite gives no execution plan");
  // The runtime owns the plan, and changes it with the partitions.
  const std::vector<int> nodes(indexes(plan).begin(), indexes(plan).end());
  TOOLS_ASSIGN(const LiveGraph live, read_nodes(context, nodes));
  TOOLS_ASSIGN(Reasons reasons, dry_run(live.graph, options_));
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i]) reasons[i] = live.graph.operators[i].name + ": " + *reasons[i];
    if (live.refusals[i]) reasons[i] = live.refusals[i];
  }
  TOOLS_ASSIGN(const Selection selection,
               select(
                   std::move(reasons), [&](const Reasons& left) { return preview(context, live, left); },
                   [&](const Partition& partition) {
                     return judge_partition(live.graph, partition, options_for(live, partition, options_), devices_);
                   }));
  if (options_.explain) std::fputs(("nnvk: " + report(live.graph, selection)).c_str(), stderr);
  const std::vector<int> taken = taken_nodes(live, selection.reasons);
  if (taken.empty()) return {};
  TfLiteRegistration registration{};
  registration.init = init_kernel;
  registration.free = free_kernel;
  registration.prepare = prepare_kernel;
  registration.invoke = invoke_kernel;
  registration.builtin_code = kTfLiteBuiltinDelegate;
  registration.custom_name = "nnvk";
  registration.version = 1;
  const IndexArray array(taken);
  if (context.ReplaceNodeSubsetsWithDelegateKernels(&context, registration, array.get(), &interface_) != kTfLiteOk) {
    return fail("TensorFlow Lite cannot replace the nodes that nnvk takes");
  }
  return {};
}

}  // namespace nnvk::clients::tflite
