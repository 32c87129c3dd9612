// Rows of the element-wise operations with one tensor operand.
#include "core/base/shortest_text.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/unary_parameters.h"

namespace nnvk {
namespace {
using namespace row;
using namespace unary;

Shapes infer_rectifier(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  return infer_same_as_rank4_input(operation);
}

// These functions check the quantization that LOGISTIC and TANH prescribe for 8-bit outputs, and infer the shape.
Shapes infer_logistic(const OperationView& operation) {
  NNVK_TRY(expect_fixed_quantization(operation, 1.0F / 256, 0));
  return infer_same_as_rank4_input(operation);
}

Shapes infer_tanh(const OperationView& operation) {
  NNVK_TRY(expect_fixed_quantization(operation, 1.0F / 128, 128));
  return infer_same_as_rank4_input(operation);
}

Shapes infer_hard_swish(const OperationView& operation) {
  const OperandInfo& output = operation.output(kOutput);
  if (is_quant8_asymm(output.type) && operation.input(kInput).scale >= 128.0F * output.scale) {
    return fail(Code::kOpFailed, "the input scale " + shortest_text(operation.input(kInput).scale) +
                                     " must be below 128 times the output scale " + shortest_text(output.scale));
  }
  return infer_same_as_input(operation);
}

constexpr auto kFloatRules = rules<In<kT>, Out<kT>, Floats<3>>;
constexpr auto kAbsRules = rules<In<kT>, Out<kT>, Floats<3>, Since<4, kTensorInt32>>;
constexpr auto kNegRules = rules<In<kT>, Out<kT>, Since<3, kTensorFloat16, kTensorFloat32, kTensorInt32>>;
constexpr auto kFloorRules = rules<In<kT>, Out<kT>, Floats<1>>;
constexpr auto kTanhRules = rules<In<kT>, Out<kT>, Since<1, kTensorFloat32>, Reals<3>>;
constexpr auto kRsqrtRules = rules<In<kT>, Out<kT>, Floats<3>, Since<7, kTensorQuant8Asymm, kTensorQuant8AsymmSigned>>;
constexpr auto kEluRules = rules<In<kT, kTScalar>, Out<kT>, Floats<4>>;

// Makes the rules of a float function of feature level 3, for tensors of any rank, but not for empty ones.
constexpr OperationRules float_function(OperationCode code) {
  return {.code = code, .signatures = only<kFloatRules>, .infer = infer_same_as_input};
}
constexpr OperationRules activation(OperationCode code, std::span<const Signature> signatures, InferFunction infer) {
  return {.code = code, .signatures = signatures, .accepts_empty_inputs = true, .check = check_rank4, .infer = infer};
}

constexpr auto kFunctions = rows<Cost::kFunction, layout::any>({
    float_function(Op::kExp),
    float_function(Op::kLog),
    float_function(Op::kSin),
    activation(Op::kLogistic, only<rules<In<kT>, Out<kT>, Reals<1>>>, infer_logistic),
    activation(Op::kTanh, only<kTanhRules>, infer_tanh),
    {.code = Op::kElu, .signatures = only<kEluRules>, .accepts_empty_inputs = true, .infer = infer_same_as_input},
});
constexpr auto kSimple = rows<Cost::kElementwise, layout::any>({
    float_function(Op::kSqrt),
    {.code = Op::kRsqrt, .signatures = only<kRsqrtRules>, .infer = infer_same_as_input},
    {.code = Op::kAbs, .signatures = only<kAbsRules>, .infer = infer_same_as_input},
    {.code = Op::kNeg, .signatures = only<kNegRules>, .infer = infer_same_as_input},
    {.code = Op::kFloor, .signatures = only<kFloorRules>, .check = check_rank4, .infer = infer_same_as_rank4_input},
    activation(Op::kRelu, only<rules<In<kT>, Out<kT>, Reals<1>>>, infer_rectifier),
    activation(Op::kRelu1, only<rules<In<kT>, Out<kT>, Reals<1>>>, infer_rectifier),
    activation(Op::kRelu6, only<rules<In<kT>, Out<kT>, Reals<1>>>, infer_rectifier),
    {.code = Op::kHardSwish,
     .signatures = only<rules<In<kT>, Out<kT>, Reals<4>>>,
     .accepts_empty_inputs = true,
     .infer = infer_hard_swish},
});
constexpr auto kRows = joined(kFunctions, kSimple);

}  // namespace

std::span<const OperationDefinition> unary_operations() { return kRows; }

}  // namespace nnvk
