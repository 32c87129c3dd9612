#include "vulkan/recording/emission_time.h"

#include <algorithm>
#include <span>

namespace nnvk::vulkan {
namespace {

// Returns the gain of a kernel's products over float32. A kernel's required features show which instruction multiplies.
double product_gain(const KernelInfo& kernel, const Machine& machine) {
  const KernelFeatures features = kernel.modules.back().features;
  if (features.contains(KernelFeature::kCooperativeMatrix)) return matrix_gain(machine);
  return features.contains(KernelFeature::kDotProduct) ? kDotProductGain : 1.0;
}

}  // namespace

DispatchWork work_of(const Dispatch& dispatch, std::span<const uint64_t> sizes, const Machine& machine) {
  const KernelInfo& kernel = kernel_info(dispatch.kernel);
  DispatchWork work{.multiply_adds = dispatch.multiply_adds, .gain = product_gain(kernel, machine)};
  for (const uint32_t groups : dispatch.groups) work.invocations *= groups;
  for (const uint32_t size : kernel.local_size) work.invocations *= size;
  const std::span bindings = dispatch.bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    // Bindings that the kernel does not use may repeat another tensor, so each tensor counts once.
    const auto before = bindings.first(i);
    const bool counted = std::ranges::find(before, bindings[i].tensor, &TensorBinding::tensor) != before.end();
    if (counted) continue;
    const TouchedRows& touched = bindings[i].touched;
    const uint64_t bytes = touched.size == 0 ? sizes[i] : touched.size * touched.count;
    work.bytes += bindings[i].moved == 0 ? bytes : bindings[i].moved;
  }
  return work;
}

DispatchWork work_of(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node) {
  std::vector<uint64_t> sizes;
  for (const BoundBytes& bound : bound_bytes(dispatch, emission, node)) sizes.push_back(bound.bytes);
  return work_of(dispatch, sizes, node.traits.machine);
}

bool is_made_once(const MadeTensor& made, const NodeEmission& emission, const ResolvedNode& node) {
  if (made.kind == MadeTensor::Kind::kTable) return true;
  if (made.kind != MadeTensor::Kind::kPacked || made.source == kNoTensor) return false;
  if (made.source >= emission.first_made) return is_made_once(emission.made[made.source - emission.first_made], emission, node);
  const TensorId source = operand_for(made.source, emission, node.node);
  return node.plan.is_constant(node.plan.storage_of(source));
}

double predicted_seconds(const NodeEmission& emission, const ResolvedNode& node) {
  const Machine& machine = node.traits.machine;
  double seconds = 0;
  const auto add = [&](const std::vector<Dispatch>& dispatches) {
    for (const Dispatch& dispatch : dispatches) seconds += predicted_seconds(work_of(dispatch, emission, node), machine);
  };
  add(emission.dispatches);
  for (const MadeTensor& made : emission.made) {
    if (!is_made_once(made, emission, node)) add(made.packing);
  }
  return seconds;
}

}  // namespace nnvk::vulkan
