// MEAN over any set of axes.
#include "shaders/reduce_params.h"

#include <string>
#include <vector>

#include "core/operations/shape_rules.h"
#include "reduce_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

// A run of neighbouring dimensions that are all kept or all reduced.
struct Run {
  bool reduced = false;
  uint32_t size = 1;
  uint32_t stride = 1;  // input elements between neighbours
};

// Innermost first, alternating. Dimensions of size 1 count as whatever is around them.
std::vector<Run> runs_of(const Shape& shape, const std::vector<bool>& reduced) {
  std::vector<Run> runs;
  uint32_t stride = 1;
  for (size_t d = shape.rank(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (!runs.empty() && runs.back().reduced == reduced[d]) {
      runs.back().size *= shape[d];
    } else {
      runs.push_back({reduced[d], shape[d], stride});
    }
    stride *= shape[d];
  }
  return runs;
}

Status emit_mean(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  std::vector<bool> reduced(input.shape.rank());
  for (const int32_t axis : context.values<int32_t>(1)) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(axis, input.shape.rank(), Code::kOpFailed));
    reduced[index] = true;
  }
  ReduceParams params{};
  params.kept_size = 1;
  params.sizes[0] = params.sizes[1] = 1;
  size_t kept_runs = 0;
  size_t reduced_runs = 0;
  const std::vector<Run> runs = runs_of(input.shape, reduced);
  for (const Run& run : runs) {
    size_t& filled = run.reduced ? reduced_runs : kept_runs;
    if (filled == 2) return fail(Code::kOpFailed, "MEAN over more than two separate groups of axes");
    (run.reduced ? params.strides : params.kept_strides)[filled] = run.stride;
    if (run.reduced) params.sizes[filled] = run.size;
    if (!run.reduced && filled == 0) params.kept_size = run.size;
    ++filled;
  }
  params.count = static_cast<int>(params.sizes[0] * params.sizes[1]);

  const uint64_t elements = element_count(context.output(0));
  const bool quads = !runs.empty() && !runs[0].reduced && runs[0].size % 4 == 0;
  params.units = static_cast<uint>(quads ? elements / 4 : elements);
  if (quads) {
    params.kept_size /= 4;
    params.kept_strides[1] /= 4;  // every outer stride is a multiple of the innermost run
    for (uint& stride : params.strides) stride /= 4;
  }
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  if (is_float_tensor(input.type)) {
    dispatch.kernel = quads ? kernels::kMeanFloatQuads : kernels::kMeanFloat;
  } else {
    dispatch.kernel = quads ? kernels::kMeanIntegerQuads : kernels::kMeanInteger;
  }
  dispatch.specialization = {{0, element_type(input.type)}};
  dispatch.bindings = {quads ? read_quads(context.input_id(0), input.type) : read_scalars(context.input_id(0), input.type),
                       write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(elements, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kMean, nullptr, emit_mean}};

}  // namespace

std::span<const KernelEmitter> reduce_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
