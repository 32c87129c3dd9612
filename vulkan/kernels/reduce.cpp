#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/operations/parameters/reduce_parameters.h"
#include "reduce_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kMostRuns = 4;  // of kept and of reduced dimensions: ranks up to 8

// Neighbouring dimensions that are all kept or all reduced.
struct Run {
  bool reduced = false;
  uint32_t size = 1;
  uint32_t stride = 1;  // input elements between neighbours
};

// Returns runs innermost first; kept and reduced runs alternate. Dimensions of size 1 join their neighbours.
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

// Returns the operation that folds the elements of a chunk, if `operation` takes several passes.
uint partial_operation(uint operation, bool floats) {
  if (operation != kReduceMean) return operation;
  return floats ? kReduceSum : kReduceBiasedSum;
}

// Returns the type of partial results: 32 bits for sums, else the input's type.
OperandType partial_type(uint operation, OperandType type) {
  if (is_float_tensor(type)) return OperandType::kTensorFloat32;
  return operation == kReduceMean ? OperandType::kTensorInt32 : type;
}

// The data to reduce: the input, or partial results of an earlier pass.
struct Source {
  TensorId tensor = kNoTensor;
  OperandType type = OperandType::kTensorFloat32;
  std::vector<Run> runs;

  bool by_quads() const { return !runs.empty() && !runs[0].reduced && runs[0].size % 4 == 0; }
};

// Returns the parameters for walking `source`; the caller sets units and chunk.
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
    // With quads, every stride except the innermost run's counts quads: it is a multiple of that run's size, and thus of four.
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

// The tensor for the results, with elements of `type`.
struct Target {
  TensorId tensor = kNoTensor;
  OperandType type{};
};

// One dispatch: its invocations per fold, its chunks and its operation.
struct Pass {
  SliceChoice share;
  uint32_t chunk = 0;  // elements of a result that are folded at once
  uint operation = 0;  // kReduce...
};

// If the order of a fold does not matter and results are few, chunks are short, so that more invocations work. If single
// invocations add up floats, they keep the order of the input as long as one invocation can add all of it.
constexpr uint32_t kShortChunk = 1024;
constexpr uint32_t kFewResults = 4096;

// Returns the chunk for folds by single invocations: it gives at most kMostElementsPerInvocation chunks, if possible.
uint32_t chunk_of_one(const ReduceParams& params, uint operation, bool floats) {
  const bool any_order = !floats || operation == kReduceMax || operation == kReduceMin;
  if (!any_order || params.results >= kFewResults || operation == kReduceMeanOfBiasedSums) return kMostElementsPerInvocation;
  const auto least = static_cast<uint32_t>(divide_up(params.count, kMostElementsPerInvocation));
  return std::clamp(least, kShortChunk, kMostElementsPerInvocation);
}

Pass choose_pass(const Source& source, const ReduceParams& params, uint operation, bool floats, const DeviceTraits& traits) {
  const uint32_t run = params.sizes[0];
  const SliceWork work{.folds = params.quads,
                       .steps = run,
                       .contiguous = params.strides[0] == 1 && !source.by_quads(),
                       .subgroups = !source.by_quads()};
  // kReduceMeanOfBiasedSums adds up the few biased sums of chunks, so one invocation computes each result.
  const SliceChoice share = operation == kReduceMeanOfBiasedSums ? SliceChoice{} : choose_slices(work, traits);
  const bool alone = share.lanes == 1;
  return {share, alone ? chunk_of_one(params, operation, floats) : shared_chunk(work, params.count, share.lanes, traits),
          operation};
}

Status emit_pass(const EmitContext& context, const Source& source, ReduceParams params, const Pass& pass, const Target& target) {
  params.chunk = pass.chunk;
  params.units = static_cast<uint>(params.quads * divide_up(params.count, params.chunk));
  const bool quads = source.by_quads();
  const auto one_by_one_floats = pass.share.subgroups ? kernels::kReduceFloatSubgroups : kernels::kReduceFloat;
  const auto one_by_one_integers = pass.share.subgroups ? kernels::kReduceIntegerSubgroups : kernels::kReduceInteger;
  const auto kernel = is_float_tensor(source.type) ? (quads ? kernels::kReduceFloatQuads : one_by_one_floats)
                                                   : (quads ? kernels::kReduceIntegerQuads : one_by_one_integers);
  auto dispatch =
      make_dispatch(context, kernel,
                    {.type = element_type(source.type),
                     .out_type = element_type(target.type),
                     .operation = pass.operation,
                     .lanes = pass.share.lanes},
                    {.in_x = read_elements(source.tensor, source.type, quads), .out_y = write_words(target.tensor)}, params);
  return add_flat(context, std::move(dispatch), pass.share.invocations(params.units));
}

// Folds the elements of each result in chunks, then the chunks' results, until one dispatch can fold those that are left.
Status emit_reduce(const EmitContext& context, uint operation) {
  const OperandInfo& input = context.input(reduce::kInput);
  const OperandInfo& output = context.output(reduce::kOutput);
  NNVK_ASSIGN(const std::vector<bool> reduced, context.decode(reduced_dimensions));
  const bool floats = is_float_tensor(input.type);
  const auto results = static_cast<uint32_t>(element_count(output));
  Source source{context.input_id(reduce::kInput), input.type, runs_of(input.shape, reduced)};
  NNVK_ASSIGN(ReduceParams params, walk_of(source, results));
  params.divisor = params.count;
  Pass pass = choose_pass(source, params, operation, floats, context.traits);
  while (params.count > pass.chunk) {
    if (operation == kReduceMeanOfBiasedSums) {
      return beyond_device("an average of " + std::to_string(params.divisor) + " bytes is more than this device's sums hold");
    }
    const OperandType type = partial_type(operation, input.type);
    const auto chunks = static_cast<uint32_t>(divide_up(params.count, pass.chunk));
    const uint32_t row = params.quads * 4;
    const TensorId partial = context.dispatches.scratch(uint64_t{row} * chunks * element_size(type));
    pass.operation = partial_operation(operation, floats);
    NNVK_TRY(emit_pass(context, source, params, pass, {partial, type}));
    if (operation == kReduceMean && !floats) operation = kReduceMeanOfBiasedSums;
    source = {partial, type, {{false, row, 1}, {true, chunks, row}}};
    const uint divisor = params.divisor;
    NNVK_ASSIGN(params, walk_of(source, results));
    params.divisor = divisor;
    pass = choose_pass(source, params, operation, floats, context.traits);
  }
  return emit_pass(context, source, params, pass, {context.output_id(reduce::kOutput), output.type});
}

template <uint kOperation>
Status emit(const EmitContext& context) {
  return emit_reduce(context, kOperation);
}

}  // namespace

constinit const EmitterRows reduce_emitters = {
    {OperationCode::kMean, nullptr, emit<kReduceMean>},     {OperationCode::kReduceAll, nullptr, emit<kReduceAll>},
    {OperationCode::kReduceAny, nullptr, emit<kReduceAny>}, {OperationCode::kReduceMax, nullptr, emit<kReduceMax>},
    {OperationCode::kReduceMin, nullptr, emit<kReduceMin>}, {OperationCode::kReduceProd, nullptr, emit<kReduceProd>},
    {OperationCode::kReduceSum, nullptr, emit<kReduceSum>},
};

}  // namespace nnvk::vulkan
