#include "vulkan/inspection/kernel_uses.h"

#include <algorithm>
#include <utility>

#include "core/plan/segments.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/placement.h"
#include "vulkan/recording/emission_time.h"

namespace nnvk::vulkan {
namespace {

class Lister {
 public:
  Lister(const DeviceTraits& traits, const HostEvaluator& evaluator)
      : traits_(traits), evaluator_(evaluator), costs_(assumed_costs(traits)) {}

  void add(const PlanPointer& plan) {
    if (!needs_segments(*plan)) return add_straight(plan);
    for (const Segment& segment : cut_into_segments(*plan)) {
      if (segment.kind == Segment::Kind::kStraight) {
        add_straight(segment.plan);
      } else {
        add(segment.first);
        add(segment.second);
      }
    }
  }

  KernelUses take() { return std::move(found_); }

 private:
  size_t unsupported(const Plan& plan) {
    const auto placed = place_nodes(plan, traits_, evaluator_, kept_, costs_);
    return static_cast<size_t>(std::ranges::count(placed, false, &Placement::supported));
  }

  // Rewrites the plan as VulkanDevice::prepare() does, but also accepts operations that the device does not run.
  PlanPointer prepared(const PlanPointer& plan) {
    const PlanPointer simple = simplify(plan, evaluator_);
    const PlanPointer channels_last = keep_channels_last(simple);
    return fuse(unsupported(*channels_last) > unsupported(*simple) ? simple : channels_last);
  }

  void add_straight(const PlanPointer& original) {
    const PlanPointer plan = prepared(original);
    const auto placed = place_nodes(*plan, traits_, evaluator_, kept_, costs_);
    const auto resolution = resolve_declared(*plan, evaluator_);
    for (size_t n = 0; n < plan->nodes.size(); ++n) {
      const PlanNode& node = plan->nodes[n];
      if (node.is_view) continue;
      if (!placed[n].supported) {
        leave_out(node, placed[n].reason);
      } else if (!resolution) {
        leave_out(node, resolution.error().text());
      } else if (resolution->evaluated_on_host[n]) {
        leave_out(node, "computed by the host, for the parameter of another operation");
      } else if (const auto checked = CheckedNode::check(*plan, node, *resolution)) {
        add_node({*checked, traits_});
      } else {
        leave_out(node, "only an execution knows its shapes or parameters");
      }
    }
  }

  void leave_out(const PlanNode& node, std::string reason) {
    found_.unlisted.push_back({node.source_operation, operation_name(node.code), std::move(reason)});
  }

  void add_node(const ResolvedNode& node) {
    const auto emission = kept_.of(node);
    if (!*emission) return leave_out(node.node, emission->error().text());
    for (const MadeTensor& made : (*emission)->made) {
      for (const Dispatch& dispatch : made.packing) add_use(dispatch, **emission, node, is_made_once(made, **emission, node));
    }
    for (const Dispatch& dispatch : (*emission)->dispatches) add_use(dispatch, **emission, node, false);
  }

  void add_use(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node, bool once) {
    const auto bound = bound_bytes(dispatch, emission, node);
    const auto variant = choose_variant(kernel_info(dispatch.kernel), bound, traits_);
    if (!variant) return leave_out(node.node, variant.error().text());
    found_.uses.push_back({.pipeline = pipeline_key(dispatch, *variant),
                           .groups = dispatch.groups,
                           .operation = node.node.source_operation,
                           .name = operation_name(node.node.code),
                           .label = dispatch.label,
                           .once = once,
                           .work = work_of(dispatch, emission, node),
                           .reason = choice_reason(dispatch, *variant, bound, traits_)});
  }

  const DeviceTraits& traits_;
  const HostEvaluator& evaluator_;
  const CostModel costs_;
  KeptEmissions kept_;
  KernelUses found_;
};

}  // namespace

KernelUses kernel_uses(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator) {
  Lister lister(traits, evaluator);
  lister.add(simplify_before_cutting(plan, evaluator));
  return lister.take();
}

}  // namespace nnvk::vulkan
