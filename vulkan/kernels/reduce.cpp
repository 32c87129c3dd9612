// MEAN and the REDUCE_* operations over any set of axes.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/operations/parameters/reduce_parameters.h"
#include "reduce_kernels.h"
#include "vulkan/kernels/device_limit.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kMostRuns = 4;  // of kept and of reduced dimensions: ranks up to 8

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

// Chunks of folds whose result does not depend on their order are short where results are few: the device is busier then. Float
// sums keep the order of the input as long as one invocation can.
constexpr uint32_t kShortChunk = 1024;
constexpr uint32_t kFewResults = 4096;

// Elements of a result that one invocation folds. There are at most kMostElementsPerInvocation chunks, where that is
// possible.
uint32_t chunk_of(const ReduceParams& params, uint operation, bool floats) {
  const bool any_order = !floats || operation == kReduceMax || operation == kReduceMin;
  if (!any_order || params.results >= kFewResults || operation == kReduceMeanOfBiasedSums) return kMostElementsPerInvocation;
  const auto least = static_cast<uint32_t>(divide_up(params.count, kMostElementsPerInvocation));
  return std::clamp(least, kShortChunk, kMostElementsPerInvocation);
}

// What the chunks of an operation are folded with.
uint partial_operation(uint operation, bool floats) {
  if (operation != kReduceMean) return operation;
  return floats ? kReduceSum : kReduceBiasedSum;
}

// How partial results are stored: sums in 32 bits, everything else like the input.
OperandType partial_type(uint operation, OperandType type) {
  if (is_float_tensor(type)) return OperandType::kTensorFloat32;
  return operation == kReduceMean ? OperandType::kTensorInt32 : type;
}

// A tensor on its way from the input to the results.
struct Source {
  TensorId tensor = kNoTensor;
  OperandType type = OperandType::kTensorFloat32;
  std::vector<Run> runs;

  bool by_quads() const { return !runs.empty() && !runs[0].reduced && runs[0].size % 4 == 0; }
};

// How `source` is walked: everything but units and chunk.
Result<ReduceParams> walk_of(const Source& source, uint32_t results) {
  ReduceParams params{};
  std::fill(std::begin(params.kept_sizes), std::end(params.kept_sizes), 1);
  std::fill(std::begin(params.sizes), std::end(params.sizes), 1);
  params.results = results;
  params.quads = static_cast<uint>(divide_up(results, 4));
  params.count = 1;
  const bool quads = source.by_quads();
  size_t kept = 0;
  size_t reduced = 0;
  for (const Run& run : source.runs) {
    if ((run.reduced ? reduced : kept) == kMostRuns) {
      return beyond_device("a reduction over more than four separate groups of axes");
    }
    // Every stride but the innermost run's is a multiple of that run.
    const bool innermost = &run == &source.runs.front();
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

// Where results go, in elements of `type`.
struct Target {
  TensorId tensor = kNoTensor;
  OperandType type{};
};

Status emit_pass(const EmitContext& context, const Source& source, ReduceParams params, uint operation, const Target& target) {
  params.units = static_cast<uint>(params.quads * divide_up(params.count, params.chunk));
  const bool quads = source.by_quads();
  const auto kernel = is_float_tensor(source.type) ? (quads ? kernels::kReduceFloatQuads : kernels::kReduceFloat)
                                                   : (quads ? kernels::kReduceIntegerQuads : kernels::kReduceInteger);
  auto dispatch = make_dispatch(
      context, kernel, {.type = element_type(source.type), .out_type = element_type(target.type), .operation = operation},
      {.in_x = read_elements(source.tensor, source.type, quads), .out_y = write_words(target.tensor)}, params);
  return add_flat(context, std::move(dispatch), params.units);
}

// Results of many elements are folded in chunks, the chunks' results again, until one invocation can do the rest.
Status emit_reduce(const EmitContext& context, uint operation) {
  const OperandInfo& input = context.input(reduce::kInput);
  const OperandInfo& output = context.output(reduce::kOutput);
  NNVK_ASSIGN(const std::vector<bool> reduced, context.decode(reduced_dimensions));
  const bool floats = is_float_tensor(input.type);
  const auto results = static_cast<uint32_t>(element_count(output));
  Source source{context.input_id(reduce::kInput), input.type, runs_of(input.shape, reduced)};
  NNVK_ASSIGN(ReduceParams params, walk_of(source, results));
  const uint divisor = params.count;
  for (uint32_t chunk = chunk_of(params, operation, floats); params.count > chunk; chunk = chunk_of(params, operation, floats)) {
    if (operation == kReduceMeanOfBiasedSums) {
      return beyond_device("an average of " + std::to_string(divisor) + " bytes is more than this device's sums hold");
    }
    const OperandType type = partial_type(operation, input.type);
    const auto chunks = static_cast<uint32_t>(divide_up(params.count, chunk));
    const uint32_t row = params.quads * 4;
    const TensorId partial = context.dispatches.scratch(uint64_t{row} * chunks * element_size(type));
    params.chunk = chunk;
    NNVK_TRY(emit_pass(context, source, params, partial_operation(operation, floats), {partial, type}));
    if (operation == kReduceMean && !floats) operation = kReduceMeanOfBiasedSums;
    source = {partial, type, {{false, row, 1}, {true, chunks, row}}};
    NNVK_ASSIGN(params, walk_of(source, results));
  }
  params.chunk = kMostElementsPerInvocation;
  params.divisor = divisor;
  return emit_pass(context, source, params, operation, {context.output_id(reduce::kOutput), output.type});
}

template <uint kOperation>
Status emit(const EmitContext& context) {
  return emit_reduce(context, kOperation);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kMean, nullptr, emit<kReduceMean>},     {OperationCode::kReduceAll, nullptr, emit<kReduceAll>},
    {OperationCode::kReduceAny, nullptr, emit<kReduceAny>}, {OperationCode::kReduceMax, nullptr, emit<kReduceMax>},
    {OperationCode::kReduceMin, nullptr, emit<kReduceMin>}, {OperationCode::kReduceProd, nullptr, emit<kReduceProd>},
    {OperationCode::kReduceSum, nullptr, emit<kReduceSum>},
};

}  // namespace

std::span<const KernelEmitter> reduce_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
