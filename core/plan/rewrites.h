// Rewrites: small passes, each Plan -> Plan, that never change results beyond rounding. Each pass has its own test file.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/resolve.h"

namespace nnvk {

using PlanPointer = std::shared_ptr<const Plan>;

// Nodes whose inputs are all constants are computed once, with `evaluator`; their outputs become constants.
PlanPointer fold_constants(const PlanPointer& plan, const HostEvaluator& evaluator);
// RESHAPE, SQUEEZE, EXPAND_DIMS and no-op casts become views of their input (PlanNode::is_view), unless that would make a
// plan input or constant the same bytes as a plan output.
PlanPointer remove_reshapes(const PlanPointer& plan);
// Nodes whose results nobody reads are dropped.
PlanPointer remove_dead_nodes(const PlanPointer& plan);
// RELU, RELU1, RELU6 directly after an operation with a fused activation operand are folded into it. (NaN then passes, as through
// every fused activation, where the operation alone would give its lower limit.)
PlanPointer fuse_activations(const PlanPointer& plan);
// PAD of height and width with zeros before a convolution with explicit or VALID padding becomes part of the convolution's
// padding.
PlanPointer fuse_pads(const PlanPointer& plan);
// ADD of a convolution's only-once-used result and another tensor of the same shape becomes the convolution's residual (float
// only).
PlanPointer fuse_residual_adds(const PlanPointer& plan);
// Convolutions in NCHW, and what lies between them, run in NHWC, with a TRANSPOSE where a run of such nodes begins and ends.
PlanPointer keep_channels_last(const PlanPointer& plan);
// What devices ask for whose kernels have epilogues: activations, pads, residuals.
PlanPointer fuse(const PlanPointer& plan);

// What may be done to a plan that is cut afterwards: folding and dead code, but no views. Plans with control flow or sizes that
// depend on data come back as they are.
PlanPointer simplify_before_cutting(const PlanPointer& plan, const HostEvaluator& evaluator);
// What every device benefits from: folding, views, dead code. Plans that run in segments (segments.h) come back as they are:
// their segments are simplified one by one.
PlanPointer simplify(const PlanPointer& plan, const HostEvaluator& evaluator);

}  // namespace nnvk
