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
// Drops nodes whose results nothing reads.
PlanPointer remove_dead_nodes(const PlanPointer& plan);
// Merges RELU, RELU1 and RELU6 into the operation directly before them if it has a fused activation operand. This changes results
// for NaN: fused activations pass it on, while a RELU of its own gives its lower limit.
PlanPointer fuse_activations(const PlanPointer& plan);
// PAD of height and width with zeros before a convolution with explicit or VALID padding becomes part of the convolution's
// padding.
PlanPointer fuse_pads(const PlanPointer& plan);
// ADD of a convolution's only-once-used result and another tensor of the same shape becomes the convolution's residual (float
// only).
PlanPointer fuse_residual_adds(const PlanPointer& plan);
// Convolutions in NCHW, and suitable operations between them, run in NHWC. A TRANSPOSE converts at the beginning and at the end
// of such a chain.
PlanPointer keep_channels_last(const PlanPointer& plan);
// The passes for devices whose kernels have epilogues: activations, pads, residuals.
PlanPointer fuse(const PlanPointer& plan);

// The passes that are allowed before a plan is cut into segments: folding and dead code, but no views. Returns plans with control
// flow or with sizes that depend on data unchanged.
PlanPointer simplify_before_cutting(const PlanPointer& plan, const HostEvaluator& evaluator);
// The passes that help every device: folding, views, dead code. Returns plans that run in segments (segments.h) unchanged: each
// segment is simplified separately.
PlanPointer simplify(const PlanPointer& plan, const HostEvaluator& evaluator);

}  // namespace nnvk
