// LSH_PROJECTION.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/lsh_projection_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

Result<std::vector<Shape>> infer_lsh_projection(const OperationView& operation) {
  using namespace lsh_projection;
  NNVK_TRY(check_rank(operation, kHash, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kInput, 1, SIZE_MAX, Code::kOpFailed));
  const uint32_t hashes = dimension_of(operation, kHash, 0);
  const uint32_t bit_count = dimension_of(operation, kHash, 1);
  if (is_known(bit_count) && bit_count > 32)
    return fail(Code::kOpFailed, "at most 32 bits per hash, input 0 has " + std::to_string(bit_count));
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
  return fail(Code::kOpFailed, "the projection type must be 1, 2 or 3, is " + std::to_string(*type));
}

// hash, input, weight (same type as the hash), projection type
template <OperandType kHash, OperandType kInput>
constexpr TypeRule lsh_rule(int since) {
  return {since, types<kHash, kInput, kHash, kInt32>, types<kTensorInt32>};
}
constexpr TypeRule kLshTypes[] = {
    lsh_rule<kTensorFloat32, kTensorFloat32>(1),     lsh_rule<kTensorFloat32, kTensorInt32>(1),
    lsh_rule<kTensorFloat32, kTensorQuant8Asymm>(1), lsh_rule<kTensorFloat32, kTensorFloat16>(3),
    lsh_rule<kTensorFloat16, kTensorFloat32>(3),     lsh_rule<kTensorFloat16, kTensorInt32>(3),
    lsh_rule<kTensorFloat16, kTensorQuant8Asymm>(3), lsh_rule<kTensorFloat16, kTensorFloat16>(3),
};
constexpr Signature kLsh[] = {{"default", 1, counts<4>, 1, kLshTypes}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kLshProjection,
     .since = 1,
     .signatures = kLsh,
     .optional_inputs = bits(size_t{lsh_projection::kWeights}),
     .infer = infer_lsh_projection},
};

}  // namespace

std::span<const OperationDefinition> lsh_projection_operations() { return kRows; }

}  // namespace nnvk
