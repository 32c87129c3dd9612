// Rows of the operations that select elements by index or key: GATHER, EMBEDDING_LOOKUP, HASHTABLE_LOOKUP.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/lookup_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Checks that constant indices are below `size`; kernels check computed indices when they read them.
Status check_indices(const OperationView& operation, size_t i, uint32_t size) {
  const auto indices = operation.values<int32_t>(i);
  if (!indices || !is_known(size)) return {};
  for (size_t k = 0; k < indices->size(); ++k) {
    const int32_t index = (*indices)[k];
    if (index < 0 || static_cast<uint32_t>(index) >= size) return fail(index_outside(k, index, size));
  }
  return {};
}

Shapes infer_gather(const OperationView& operation) {
  const Shape& input = operation.shape(gather::kInput);
  const Shape& indices = operation.shape(gather::kIndices);
  const auto axis = operation.scalar<int32_t>(gather::kAxis);
  if (!input.rank_known || !indices.rank_known) return one(Shape::unknown_rank());
  if (!axis) {
    if (input.rank() == 0) return fail(Code::kOpFailed, "input 0 must have at least one dimension, but has none");
    return one(unknown_dimensions(input.rank() + indices.rank() - 1));
  }
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank()));
  NNVK_TRY(check_indices(operation, gather::kIndices, input[index]));
  Shape output;
  output.dims.assign(input.dims.begin(), input.dims.begin() + index);
  output.dims.insert(output.dims.end(), indices.dims.begin(), indices.dims.end());
  output.dims.insert(output.dims.end(), input.dims.begin() + index + 1, input.dims.end());
  return one(std::move(output));
}

// Returns the shape of the result: [k] keys or indices and [rows, ...] values give [k, ...].
Shape looked_up(const Shape& lookups, const Shape& values) {
  if (!values.rank_known) return Shape::unknown_rank();
  Shape output = values;
  output.dims[0] = lookups.rank_known ? lookups[0] : kUnknownDimension;
  return output;
}

Shapes infer_embedding_lookup(const OperationView& operation) {
  using namespace embedding_lookup;
  NNVK_TRY(check_rank(operation, kLookups, 1, 1, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kValues, 2, SIZE_MAX, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation, kValues));
  const Shape& values = operation.shape(kValues);
  if (values.rank_known) NNVK_TRY(check_indices(operation, kLookups, values[0]));
  return one(looked_up(operation.shape(kLookups), values));
}

Shapes infer_hashtable_lookup(const OperationView& operation) {
  using namespace hashtable_lookup;
  NNVK_TRY(check_rank(operation, kLookups, 1, 1, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kKeys, 1, 1, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kValues, 1, SIZE_MAX, Code::kOpFailed));
  const Shape& lookups = operation.shape(kLookups);
  const Shape& keys = operation.shape(kKeys);
  const Shape& values = operation.shape(kValues);
  if (keys.rank_known && values.rank_known && contradict(keys[0], values[0])) {
    return fail(Code::kOpFailed, "there must be as many keys as rows of values, but there are " + std::to_string(keys[0]) +
                                     " and " + std::to_string(values[0]));
  }
  if (is_quant8_asymm(operation.input(kValues).type)) {
    NNVK_TRY(
        check_same_quantization(operation.input(kValues), operation.output(kOutput), "input 2 and output 0", Code::kOpFailed));
  }
  NNVK_TRY(check_quantization(operation.output(kHits), 1.0F, 0, "output 1 (hits)"));
  const Shape hits = lookups.rank_known ? lookups : unknown_dimensions(1);
  return std::vector<Shape>{looked_up(lookups, values), hits};
}

constexpr auto kEmbeddingRules =
    rules<In<kTensorInt32, kT>, Out<kT>, Since<1, kTensorFloat32>, Since<3, kTensorInt32, kTensorQuant8Asymm>,
          Since<4, kTensorFloat16, kTensorQuant8AsymmSigned>>;
constexpr auto kHashtableRules = rules<In<kTensorInt32, kTensorInt32, kT>, Out<kT, kTensorQuant8Asymm>,
                                       Since<1, kTensorFloat32, kTensorInt32, kTensorQuant8Asymm>>;

constexpr auto kByIndex = rows<Cost::kMovement, layout::fixed>({
    {.code = Op::kGather, .signatures = only<rules<In<kT, kInt32, kTensorInt32>, Out<kT>, Numbers<3>>>, .infer = infer_gather},
    {.code = Op::kEmbeddingLookup,
     .signatures = only<kEmbeddingRules>,
     .bad_operand_code = Code::kBadData,
     .infer = infer_embedding_lookup},
});
constexpr auto kByKey = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kHashtableLookup,
     .signatures = only<kHashtableRules>,
     .bad_operand_code = Code::kBadData,
     .infer = infer_hashtable_lookup},
});
constexpr auto kRows = joined(kByIndex, kByKey);

}  // namespace

std::span<const OperationDefinition> lookup_operations() { return kRows; }

}  // namespace nnvk
