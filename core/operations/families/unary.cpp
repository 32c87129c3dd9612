// Rows of the element-wise operations with one tensor operand.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/unary_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;
using namespace unary;

constexpr size_t kMaxRank = 4;  // of the operations of feature levels 1 and 2; later ones have no limit

Shapes infer_rank4(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, kInput, 0, kMaxRank, Code::kOpFailed));
  return infer_same_as_input(operation);
}

Shapes infer_rectifier(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  return infer_rank4(operation);
}

// LOGISTIC and TANH have one quantization per 8-bit output type.
Shapes infer_logistic(const OperationView& operation) {
  const OperandInfo& output = *operation.outputs[kOutput];
  if (is_quant8_asymm(output.type)) {
    NNVK_TRY(
        check_quantization(output, 1.0F / 256.0F, output.type == kTensorQuant8Asymm ? 0 : -128, "output 0", Code::kOpFailed));
  }
  return infer_rank4(operation);
}

Shapes infer_tanh(const OperationView& operation) {
  const OperandInfo& output = *operation.outputs[kOutput];
  if (is_quant8_asymm(output.type)) {
    NNVK_TRY(check_quantization(output, 1.0F / 128.0F, output.type == kTensorQuant8Asymm ? 128 : 0, "output 0", Code::kOpFailed));
  }
  return infer_rank4(operation);
}

Shapes infer_hard_swish(const OperationView& operation) {
  const OperandInfo& output = *operation.outputs[kOutput];
  if (is_quant8_asymm(output.type) && operation.input(kInput).scale >= 128.0F * output.scale) {
    return fail(Code::kOpFailed, "the input scale " + std::to_string(operation.input(kInput).scale) +
                                     " must be below 128 times the output scale " + std::to_string(output.scale));
  }
  return infer_same_as_input(operation);
}

constexpr TypeRule kFloatRules[] = {moved<kTensorFloat16>(3), moved<kTensorFloat32>(3)};
constexpr TypeRule kAbsRules[] = {moved<kTensorFloat16>(3), moved<kTensorFloat32>(3), moved<kTensorInt32>(4)};
constexpr TypeRule kNegRules[] = {moved<kTensorFloat16>(3), moved<kTensorFloat32>(3), moved<kTensorInt32>(3)};
constexpr TypeRule kFloorRules[] = {moved<kTensorFloat32>(1), moved<kTensorFloat16>(3)};
constexpr TypeRule kTanhRules[] = {
    moved<kTensorFloat32>(1),
    moved<kTensorQuant8Asymm>(3),
    moved<kTensorFloat16>(3),
    moved<kTensorQuant8AsymmSigned>(4),
};
constexpr TypeRule kRsqrtRules[] = {
    moved<kTensorFloat16>(3),
    moved<kTensorFloat32>(3),
    moved<kTensorQuant8Asymm>(7),
    moved<kTensorQuant8AsymmSigned>(7),
};
constexpr TypeRule kEluRules[] = {
    {4, types<kTensorFloat16, kFloat16>, types<kTensorFloat16>},
    {4, types<kTensorFloat32, kFloat32>, types<kTensorFloat32>},
};

constexpr Signature kFloat[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kFloatRules}};
constexpr Signature kAbs[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kAbsRules}};
constexpr Signature kNeg[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kNegRules}};
constexpr Signature kFloor[] = {{.since = 1, .input_counts = counts<1>, .type_rules = kFloorRules}};
constexpr Signature kActivation[] = {{.since = 1, .input_counts = counts<1>, .type_rules = moved_reals<1>}};
constexpr Signature kTanh[] = {{.since = 1, .input_counts = counts<1>, .type_rules = kTanhRules}};
constexpr Signature kRsqrt[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kRsqrtRules}};
constexpr Signature kHardSwish[] = {{.since = 4, .input_counts = counts<1>, .type_rules = moved_reals<4>}};
constexpr Signature kElu[] = {{.since = 4, .input_counts = counts<2>, .type_rules = kEluRules}};

// Float functions of feature level 3: any rank, no elements not allowed.
constexpr OperationDefinition float_function(OperationCode code) {
  return {.code = code, .since = 3, .signatures = kFloat, .infer = infer_same_as_input};
}
constexpr OperationDefinition activation(OperationCode code, std::span<const Signature> signatures, InferFunction infer) {
  return {.code = code, .since = 1, .signatures = signatures, .accepts_empty_inputs = true, .check = check_rank4, .infer = infer};
}

constexpr OperationDefinition kRows[] = {
    float_function(OperationCode::kExp),
    float_function(OperationCode::kLog),
    float_function(OperationCode::kSin),
    float_function(OperationCode::kSqrt),
    {.code = OperationCode::kRsqrt, .since = 3, .signatures = kRsqrt, .infer = infer_same_as_input},
    {.code = OperationCode::kAbs, .since = 3, .signatures = kAbs, .infer = infer_same_as_input},
    {.code = OperationCode::kNeg, .since = 3, .signatures = kNeg, .infer = infer_same_as_input},
    {.code = OperationCode::kFloor, .since = 1, .signatures = kFloor, .check = check_rank4, .infer = infer_rank4},
    activation(OperationCode::kRelu, kActivation, infer_rectifier),
    activation(OperationCode::kRelu1, kActivation, infer_rectifier),
    activation(OperationCode::kRelu6, kActivation, infer_rectifier),
    activation(OperationCode::kLogistic, kActivation, infer_logistic),
    activation(OperationCode::kTanh, kTanh, infer_tanh),
    {.code = OperationCode::kElu, .since = 4, .signatures = kElu, .accepts_empty_inputs = true, .infer = infer_same_as_input},
    {.code = OperationCode::kHardSwish,
     .since = 4,
     .signatures = kHardSwish,
     .accepts_empty_inputs = true,
     .infer = infer_hard_swish},
};

}  // namespace

std::span<const OperationDefinition> unary_operations() { return kRows; }

}  // namespace nnvk
