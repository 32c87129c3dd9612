// MEAN and the REDUCE_* operations over any set of axes.
#include "shaders/reduce_params.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/operations/reduction_axes.h"
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

constexpr size_t kMostRuns = 4;  // of each kind: ranks up to 8
// MEAN of more elements needs sums of two words.
constexpr uint64_t kMostElementsInOneWord = uint64_t{1} << 23;

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kMean:
      return kReduceMean;
    case OperationCode::kReduceSum:
      return kReduceSum;
    case OperationCode::kReduceProd:
      return kReduceProd;
    case OperationCode::kReduceMax:
      return kReduceMax;
    case OperationCode::kReduceMin:
      return kReduceMin;
    case OperationCode::kReduceAll:
      return kReduceAll;
    default:
      return kReduceAny;
  }
}

// How the runs of a tensor are walked, in elements or, when the innermost run is kept and made of whole quads, in quads.
Result<ReduceParams> walk_of(const std::vector<Run>& runs, bool quads) {
  ReduceParams params{};
  std::fill(std::begin(params.kept_sizes), std::end(params.kept_sizes), 1);
  std::fill(std::begin(params.sizes), std::end(params.sizes), 1);
  params.count = 1;
  size_t kept = 0;
  size_t reduced = 0;
  for (const Run& run : runs) {
    if ((run.reduced ? reduced : kept) == kMostRuns) {
      return fail(Code::kOpFailed, "a reduction over more than four separate groups of axes");
    }
    // Every stride but the innermost run's is a multiple of that run.
    const bool innermost = &run == &runs.front();
    const uint32_t stride = quads && !innermost ? run.stride / 4 : run.stride;
    if (run.reduced) {
      params.sizes[reduced] = run.size;
      params.strides[reduced++] = stride;
      params.count *= run.size;
    } else {
      if (kept + 1 < kMostRuns) params.kept_sizes[kept] = quads && innermost ? run.size / 4 : run.size;
      params.kept_strides[kept++] = stride;
    }
  }
  return params;
}

Status emit_reduce(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(context.values<int32_t>(1), input.shape.rank()));
  const std::vector<Run> runs = runs_of(input.shape, reduced);
  const bool quads = !runs.empty() && !runs[0].reduced && runs[0].size % 4 == 0;
  NNVK_ASSIGN(ReduceParams params, walk_of(runs, quads));
  const uint64_t elements = element_count(context.output(0));
  params.units = static_cast<uint>(quads ? elements / 4 : elements);

  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.specialization = {{0, element_type(input.type)}, {1, operation_constant(context.node.code)}};
  if (is_float_tensor(input.type)) {
    dispatch.kernel = quads ? kernels::kReduceFloatQuads : kernels::kReduceFloat;
  } else {
    dispatch.kernel = quads ? kernels::kReduceIntegerQuads : kernels::kReduceInteger;
    const bool large = context.node.code == OperationCode::kMean && params.count > kMostElementsInOneWord;
    dispatch.specialization.push_back({2, large ? 1U : 0U});
  }
  dispatch.bindings = {quads ? read_quads(context.input_id(0), input.type) : read_scalars(context.input_id(0), input.type),
                       write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(elements, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kMean, nullptr, emit_reduce},      {OperationCode::kReduceAll, nullptr, emit_reduce},
    {OperationCode::kReduceAny, nullptr, emit_reduce}, {OperationCode::kReduceMax, nullptr, emit_reduce},
    {OperationCode::kReduceMin, nullptr, emit_reduce}, {OperationCode::kReduceProd, nullptr, emit_reduce},
    {OperationCode::kReduceSum, nullptr, emit_reduce},
};

}  // namespace

std::span<const KernelEmitter> reduce_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
