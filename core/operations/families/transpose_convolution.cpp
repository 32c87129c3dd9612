// TRANSPOSE_CONV_2D.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {
namespace {
using namespace row;

Status check_transpose_conv(const OperationView& operation) { return expect_channel_dimension(operation.input(1), 0); }

Result<std::vector<Shape>> infer_transpose_conv(const OperationView& operation) {
  NNVK_ASSIGN(Shape shape, window_output_shape(operation));
  return std::vector{std::move(shape)};
}

// pads left right top bottom, strides w h, activation, layout
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule explicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>, types<kImage>};
}
// output shape, padding scheme, strides w h, activation, layout
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule implicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kTensorInt32, kInt32, kInt32, kInt32, kInt32, kBool>, types<kImage>};
}

constexpr TypeRule kExplicitTypes[] = {
    explicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(3),
    explicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    explicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(3),
    explicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
constexpr TypeRule kImplicitTypes[] = {
    implicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(3),
    implicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    implicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(3),
    implicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
constexpr Signature kTransposeConv[] = {
    {"explicit_padding", 3, counts<11>, 1, kExplicitTypes},
    {"implicit_padding", 3, counts<9>, 1, kImplicitTypes},
};

}  // namespace

std::span<const OperationDefinition> transpose_convolution_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kTransposeConv2d,
       .since = 3,
       .signatures = kTransposeConv,
       .parameter_tensors = bits(3),  // output_shape of the implicit form; a scalar in the explicit one
       .accepts_empty_inputs = true,
       .check = check_transpose_conv,
       .infer = infer_transpose_conv},
  };
  return rows;
}

}  // namespace nnvk
