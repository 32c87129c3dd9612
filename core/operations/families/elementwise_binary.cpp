// Rows of the element-wise operations with two broadcast operands: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU.
#include <algorithm>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;
using namespace elementwise_binary;

constexpr size_t kMaxRank = 4;  // of the arithmetic operations; the others have no limit

Status check_ranks(const OperationView& operation) {
  if (!known_rank(operation, kFirst) || !known_rank(operation, kSecond)) return {};
  for (const size_t i : {kFirst, kSecond}) NNVK_TRY(check_rank(operation, i, 0, kMaxRank, Code::kBadData));
  return {};
}

Status check_mul(const OperationView& operation) {
  NNVK_TRY(check_ranks(operation));
  if (!is_quant8_asymm(operation.input(kFirst).type)) return {};
  const float product = operation.input(kFirst).scale * operation.input(kSecond).scale;
  if (operation.outputs[kOutput]->scale > product) return {};
  return fail(Code::kBadData, "the output scale " + std::to_string(operation.outputs[kOutput]->scale) +
                                  " must be greater than the product of the input scales " + std::to_string(product));
}

// The quantized sum is computed with guard bits; its output multiplier must stay below 1.
Status check_sum_multiplier(const OperationView& operation) {
  const float a = operation.input(kFirst).scale;
  const float b = operation.input(kSecond).scale;
  const float out = operation.outputs[kOutput]->scale;
  if (2.0 * std::max(a, b) < (1 << kSumGuardBits) * double{out}) return {};
  return fail(Code::kOpFailed, "the output scale " + std::to_string(out) + " is too small for the input scales " +
                                   std::to_string(a) + " and " + std::to_string(b));
}

Shapes infer_arithmetic(const OperationView& operation) {
  for (const size_t i : {kFirst, kSecond}) NNVK_TRY(check_rank(operation, i, 0, kMaxRank, Code::kOpFailed));
  if (const auto activation = operation.scalar<int32_t>(kActivation)) {
    if (*activation < 0 || *activation > 3) {
      return fail(Code::kOpFailed, "activation " + std::to_string(*activation) + " is outside 0 to 3");
    }
    if (operation.input(kFirst).type == kTensorInt32 && *activation != 0) {
      return fail(Code::kOpFailed, "TENSOR_INT32 takes no fused activation, got " + std::to_string(*activation));
    }
  }
  const bool sum = operation.code == OperationCode::kAdd || operation.code == OperationCode::kSub;
  if (sum && is_quant8_asymm(operation.input(kFirst).type)) NNVK_TRY(check_sum_multiplier(operation));
  return infer_broadcast(operation);
}

// Types of an arithmetic operation: two tensors and the activation.
template <OperandType kType>
constexpr TypeRule arithmetic(int since) {
  return {since, types<kType, kType, kInt32>, types<kType>};
}
// Types of an operation without activation.
template <OperandType kType>
constexpr TypeRule binary(int since) {
  return {since, types<kType, kType>, types<kType>};
}

constexpr TypeRule kAddRules[] = {
    arithmetic<kTensorFloat32>(1),           arithmetic<kTensorQuant8Asymm>(1), arithmetic<kTensorFloat16>(3),
    arithmetic<kTensorQuant8AsymmSigned>(4), arithmetic<kTensorInt32>(4),
};
constexpr TypeRule kSubRules[] = {
    arithmetic<kTensorFloat32>(2),           arithmetic<kTensorFloat16>(3), arithmetic<kTensorQuant8Asymm>(3),
    arithmetic<kTensorQuant8AsymmSigned>(4), arithmetic<kTensorInt32>(4),
};
constexpr TypeRule kDivRules[] = {arithmetic<kTensorFloat32>(2), arithmetic<kTensorFloat16>(3), arithmetic<kTensorInt32>(4)};
constexpr TypeRule kExtremumRules[] = {
    binary<kTensorFloat16>(3),     binary<kTensorFloat32>(3),           binary<kTensorInt32>(3),
    binary<kTensorQuant8Asymm>(3), binary<kTensorQuant8AsymmSigned>(4),
};
constexpr TypeRule kPowRules[] = {binary<kTensorFloat16>(3), binary<kTensorFloat32>(3)};
constexpr TypeRule kPreluRules[] = {
    binary<kTensorFloat16>(3),
    binary<kTensorFloat32>(3),
    binary<kTensorQuant8Asymm>(3),
    binary<kTensorQuant8AsymmSigned>(4),
};

constexpr Signature kAdd[] = {{.since = 1, .input_counts = counts<3>, .type_rules = kAddRules}};
constexpr Signature kSub[] = {{.since = 2, .input_counts = counts<3>, .type_rules = kSubRules}};
constexpr Signature kDiv[] = {{.since = 2, .input_counts = counts<3>, .type_rules = kDivRules}};
constexpr Signature kExtremum[] = {{.since = 3, .input_counts = counts<2>, .type_rules = kExtremumRules}};
constexpr Signature kPow[] = {{.since = 3, .input_counts = counts<2>, .type_rules = kPowRules}};
constexpr Signature kPrelu[] = {{.since = 3, .input_counts = counts<2>, .type_rules = kPreluRules}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kAdd,
     .since = 1,
     .signatures = kAdd,
     .accepts_empty_inputs = true,
     .check = check_ranks,
     .infer = infer_arithmetic},
    {.code = OperationCode::kSub,
     .since = 2,
     .signatures = kSub,
     .accepts_empty_inputs = true,
     .check = check_ranks,
     .infer = infer_arithmetic},
    {.code = OperationCode::kMul,
     .since = 1,
     .signatures = kAdd,  // the same types at the same levels
     .accepts_empty_inputs = true,
     .check = check_mul,
     .infer = infer_arithmetic},
    {.code = OperationCode::kDiv,
     .since = 2,
     .signatures = kDiv,
     .accepts_empty_inputs = true,
     .check = check_ranks,
     .infer = infer_arithmetic},
    {.code = OperationCode::kMaximum,
     .since = 3,
     .signatures = kExtremum,
     .bad_operand_code = Code::kBadData,
     .infer = infer_broadcast},
    {.code = OperationCode::kMinimum,
     .since = 3,
     .signatures = kExtremum,
     .bad_operand_code = Code::kBadData,
     .infer = infer_broadcast},
    {.code = OperationCode::kPow, .since = 3, .signatures = kPow, .bad_operand_code = Code::kBadData, .infer = infer_broadcast},
    {.code = OperationCode::kPrelu, .since = 3, .signatures = kPrelu, .infer = infer_broadcast},
};

}  // namespace

std::span<const OperationDefinition> elementwise_binary_operations() { return kRows; }

}  // namespace nnvk
