// Rewrites: small passes, each Plan -> Plan, that change results by rounding at most. Each pass has its own test file.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/resolve.h"

namespace nnvk {

using PlanPointer = std::shared_ptr<const Plan>;

// Computes nodes whose inputs are all constants once, with `evaluator`; their outputs become constants.
PlanPointer fold_constants(const PlanPointer& plan, const HostEvaluator& evaluator);
// Turns RESHAPE, SQUEEZE, EXPAND_DIMS and CASTs without effect into views of their input (PlanNode::is_view). Never lets a plan
// input or constant share its bytes with a plan output.
PlanPointer remove_reshapes(const PlanPointer& plan);
PlanPointer remove_dead_nodes(const PlanPointer& plan);
// Merges RELU, RELU1 and RELU6 into the operation directly before them if that has an activation operand. Results differ for NaN:
// fused activations return it, a RELU of its own returns its lower limit.
PlanPointer fuse_activations(const PlanPointer& plan);
// Merges a zero PAD of height and width into the padding of the next convolution, if that is explicit or VALID.
PlanPointer fuse_pads(const PlanPointer& plan);
// Removes the rows and columns of constant filters that read only padding, as wide dilations over small images do.
PlanPointer trim_filters(const PlanPointer& plan);
// Merges a convolution and the ADD that alone reads its result, if the other summand has the same shape (float only).
PlanPointer fuse_residual_adds(const PlanPointer& plan);
// Runs NCHW convolutions, and suitable operations between them, in NHWC, with a TRANSPOSE at both ends of each such chain.
PlanPointer keep_channels_last(const PlanPointer& plan);
// Runs the passes for devices whose kernels have epilogues: activations, pads, filters, residuals.
PlanPointer fuse(const PlanPointer& plan);

// Runs the passes that may come before cutting into segments: folding and dead code, but no views. Returns plans with control
// flow or with sizes that depend on data unchanged.
PlanPointer simplify_before_cutting(const PlanPointer& plan, const HostEvaluator& evaluator);
// Runs the passes that help every device: folding, views, dead code. Returns plans unchanged that run in segments (segments.h),
// because each segment is simplified separately.
PlanPointer simplify(const PlanPointer& plan, const HostEvaluator& evaluator);

}  // namespace nnvk
