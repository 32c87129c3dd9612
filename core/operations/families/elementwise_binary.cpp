// Rows of the element-wise operations with two broadcast operands: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU.
#include <algorithm>

#include "core/base/shortest_text.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"

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
  if (operation.output(kOutput).scale > product) return {};
  return fail(Code::kBadData, "the output scale " + shortest_text(operation.output(kOutput).scale) +
                                  " must be greater than the product of the input scales " + shortest_text(product));
}

// Checks the multiplier of a quantized sum, which is computed with guard bits: it must stay below 1.
Status check_sum_multiplier(const OperationView& operation) {
  const float a = operation.input(kFirst).scale;
  const float b = operation.input(kSecond).scale;
  const float out = operation.output(kOutput).scale;
  if (2.0 * std::max(a, b) < (1 << kSumGuardBits) * double{out}) return {};
  return fail(Code::kOpFailed, "the output scale " + shortest_text(out) + " is too small for the input scales " +
                                   shortest_text(a) + " and " + shortest_text(b));
}

Shapes infer_arithmetic(const OperationView& operation) {
  for (const size_t i : {kFirst, kSecond}) NNVK_TRY(check_rank(operation, i, 0, kMaxRank, Code::kOpFailed));
  const auto activation = operation.scalar<int32_t>(kActivation);
  NNVK_TRY(check_activation(activation));
  if (operation.input(kFirst).type == kTensorInt32 && activation.value_or(0) != 0) {
    return fail(Code::kOpFailed, "TENSOR_INT32 takes no fused activation, got " + std::to_string(*activation));
  }
  const bool sum = operation.code == OperationCode::kAdd || operation.code == OperationCode::kSub;
  if (sum && is_quant8_asymm(operation.input(kFirst).type)) NNVK_TRY(check_sum_multiplier(operation));
  return infer_broadcast(operation);
}

// Arithmetic operations have an activation operand after the two tensors.
constexpr auto kAddRules = rules<In<kT, kT, kInt32>, Out<kT>, Reals<1>, Since<4, kTensorInt32>>;
constexpr auto kSubRules = rules<In<kT, kT, kInt32>, Out<kT>, Since<2, kTensorFloat32>, Reals<3>, Since<4, kTensorInt32>>;
constexpr auto kDivRules = rules<In<kT, kT, kInt32>, Out<kT>, Floats<2>, Since<4, kTensorInt32>>;
constexpr auto kExtremumRules = rules<In<kT, kT>, Out<kT>, Numbers<3>>;
constexpr auto kPowRules = rules<In<kT, kT>, Out<kT>, Floats<3>>;
constexpr auto kPreluRules = rules<In<kT, kT>, Out<kT>, Reals<3>>;

constexpr OperationRules arithmetic(OperationCode code, std::span<const Signature> signatures, CheckFunction check) {
  return {.code = code, .signatures = signatures, .accepts_empty_inputs = true, .check = check, .infer = infer_arithmetic};
}

constexpr auto kSimple = rows<Cost::kElementwise, layout::broadcast>({
    arithmetic(Op::kAdd, only<kAddRules>, check_ranks),
    arithmetic(Op::kSub, only<kSubRules>, check_ranks),
    arithmetic(Op::kMul, only<kAddRules>, check_mul),  // the types of ADD at the same levels
    arithmetic(Op::kDiv, only<kDivRules>, check_ranks),
    {.code = Op::kMaximum, .signatures = only<kExtremumRules>, .bad_operand_code = Code::kBadData, .infer = infer_broadcast},
    {.code = Op::kMinimum, .signatures = only<kExtremumRules>, .bad_operand_code = Code::kBadData, .infer = infer_broadcast},
    {.code = Op::kPrelu, .signatures = only<kPreluRules>, .infer = infer_broadcast},
});
constexpr auto kPowers = rows<Cost::kFunction, layout::broadcast>({
    {.code = Op::kPow, .signatures = only<kPowRules>, .bad_operand_code = Code::kBadData, .infer = infer_broadcast},
});
constexpr auto kRows = joined(kSimple, kPowers);

}  // namespace

std::span<const OperationDefinition> elementwise_binary_operations() { return kRows; }

}  // namespace nnvk
