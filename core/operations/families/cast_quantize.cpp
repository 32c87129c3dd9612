// Rows of the operations that change the type of each element: CAST, QUANTIZE, DEQUANTIZE.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/cast_quantize_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxDequantizeRank = 4;

Status check_dequantize(const OperationView& operation) {
  return check_rank(operation, cast_quantize::kInput, 0, kMaxDequantizeRank, Code::kBadData);
}

Shapes infer_dequantize(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, cast_quantize::kInput, 0, kMaxDequantizeRank, Code::kOpFailed));
  return infer_same_as_input(operation);
}

// A fully declared output must repeat the declared input dimensions; an unknown input dimension counts as different.
Status check_cast(const OperationView& operation) {
  const Shape& input = operation.shape(cast_quantize::kInput);
  const Shape& output = operation.outputs[cast_quantize::kOutput]->shape;
  if (!input.rank_known || !output.fully_known() || input == output) return {};
  return fail(Code::kBadData, "the output is declared as " + output.to_string() + " but the input as " + input.to_string());
}

template <OperandType kFrom, OperandType kTo>
constexpr TypeRule conversion(int since) {
  return {since, types<kFrom>, types<kTo>};
}

constexpr TypeRule kCastRules[] = {
    conversion<kTensorFloat16, kTensorFloat16>(3),
    conversion<kTensorFloat16, kTensorFloat32>(3),
    conversion<kTensorFloat16, kTensorInt32>(3),
    conversion<kTensorFloat16, kTensorQuant8Asymm>(3),
    conversion<kTensorFloat32, kTensorFloat16>(3),
    conversion<kTensorFloat32, kTensorFloat32>(3),
    conversion<kTensorFloat32, kTensorInt32>(3),
    conversion<kTensorFloat32, kTensorQuant8Asymm>(3),
    conversion<kTensorInt32, kTensorFloat16>(3),
    conversion<kTensorInt32, kTensorFloat32>(3),
    conversion<kTensorInt32, kTensorInt32>(3),
    conversion<kTensorInt32, kTensorQuant8Asymm>(3),
    conversion<kTensorQuant8Asymm, kTensorFloat16>(3),
    conversion<kTensorQuant8Asymm, kTensorFloat32>(3),
    conversion<kTensorQuant8Asymm, kTensorInt32>(3),
    conversion<kTensorQuant8Asymm, kTensorQuant8Asymm>(3),
    // The remaining types are copied only.
    conversion<kTensorBool8, kTensorBool8>(4),
    conversion<kTensorQuant16Asymm, kTensorQuant16Asymm>(4),
    conversion<kTensorQuant16Symm, kTensorQuant16Symm>(4),
    conversion<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned>(4),
    conversion<kTensorQuant8Symm, kTensorQuant8Symm>(4),
};
constexpr TypeRule kQuantizeRules[] = {
    conversion<kTensorFloat16, kTensorQuant8Asymm>(3),
    conversion<kTensorFloat32, kTensorQuant8Asymm>(3),
    conversion<kTensorFloat16, kTensorQuant8AsymmSigned>(4),
    conversion<kTensorFloat32, kTensorQuant8AsymmSigned>(4),
};
constexpr TypeRule kDequantizeRules[] = {
    conversion<kTensorQuant8Asymm, kTensorFloat32>(1),          conversion<kTensorQuant8Asymm, kTensorFloat16>(3),
    conversion<kTensorQuant8Symm, kTensorFloat32>(3),           conversion<kTensorQuant8Symm, kTensorFloat16>(3),
    conversion<kTensorQuant8SymmPerChannel, kTensorFloat32>(3), conversion<kTensorQuant8SymmPerChannel, kTensorFloat16>(3),
    conversion<kTensorQuant8AsymmSigned, kTensorFloat32>(4),    conversion<kTensorQuant8AsymmSigned, kTensorFloat16>(4),
};

constexpr Signature kCast[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kCastRules}};
constexpr Signature kQuantize[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kQuantizeRules}};
constexpr Signature kDequantize[] = {{.since = 1, .input_counts = counts<1>, .type_rules = kDequantizeRules}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kCast,
     .since = 3,
     .signatures = kCast,
     .bad_operand_code = Code::kBadData,
     .check = check_cast,
     .infer = infer_same_as_input},
    {.code = OperationCode::kQuantize,
     .since = 3,
     .signatures = kQuantize,
     .accepts_empty_inputs = true,
     .infer = infer_same_as_input},
    {.code = OperationCode::kDequantize,
     .since = 1,
     .signatures = kDequantize,
     .accepts_empty_inputs = true,
     .check = check_dequantize,
     .infer = infer_dequantize},
};

}  // namespace

std::span<const OperationDefinition> cast_quantize_operations() { return kRows; }

}  // namespace nnvk
