// LSH_PROJECTION.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/lsh_projection_parameters.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_lsh_projection(const OperationView& operation) {
  using namespace lsh_projection;
  NNVK_TRY(check_rank(operation, kHash, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kInput, 1, SIZE_MAX, Code::kOpFailed));
  const uint32_t hashes = dimension_of(operation, kHash, 0);
  const uint32_t bit_count = dimension_of(operation, kHash, 1);
  if (is_known(bit_count) && bit_count > 32)
    return fail(Code::kOpFailed, "a hash may have at most 32 bits, but those of input 0 have " + std::to_string(bit_count));
  const auto type = operation.scalar<int32_t>(kType);
  if (!type) return std::vector{Shape{kUnknownDimension}};
  switch (static_cast<LshType>(*type)) {
    case LshType::kSparseDeprecated:
    case LshType::kSparse:
      if (presence_of(operation, kWeights) == Presence::kGiven)
        return fail(Code::kOpFailed, "the weight must be omitted for the sparse projections");
      return std::vector{Shape{hashes}};
    case LshType::kDense:
      if (!operation.has(kWeights)) return fail(Code::kOpFailed, "the weight must be given for the dense projection");
      NNVK_TRY(expect_optional_shape(operation, kWeights, {dimension_of(operation, kInput, 0)}));
      return std::vector{Shape{multiply_dimensions(hashes, bit_count)}};
  }
  return fail(Code::kOpFailed, "the projection type must be 1, 2 or 3, but is " + std::to_string(*type));
}

// The inputs are the hash, the input, its weight (of the same type as the hash) and the projection type.
template <OperandType kHash, int kOldest>
constexpr auto kHashedBy = rules<In<kHash, kT, kHash, kInt32>, Out<kTensorInt32>,
                                 Since<kOldest, kTensorFloat32, kTensorInt32, kTensorQuant8Asymm>, Since<3, kTensorFloat16>>;
constexpr auto kLshTypes = joined(kHashedBy<kTensorFloat32, 1>, kHashedBy<kTensorFloat16, 3>);

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kLshProjection,
     .signatures = only<kLshTypes>,
     .optional_inputs = bits(lsh_projection::kWeights),
     .infer = infer_lsh_projection},
});

}  // namespace

std::span<const OperationDefinition> lsh_projection_operations() { return kRows; }

}  // namespace nnvk
