// DEPTHWISE_CONV_2D.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {
namespace {
using namespace row;

// Ranks are not examined when the operation is added.
Status check_depthwise(const OperationView& operation) { return expect_channel_dimension(operation.input(1), 3); }

Result<std::vector<Shape>> infer_depthwise(const OperationView& operation) {
  NNVK_ASSIGN(Shape shape, window_output_shape(operation));
  return std::vector{std::move(shape)};
}

// padding scheme, strides w h, depth multiplier, activation, layout, dilations w h
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule implicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>, types<kImage>};
}
// pads left right top bottom, strides w h, depth multiplier, activation, layout, dilations w h
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule explicit_rule(int since) {
  return {since,
          types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>,
          types<kImage>};
}

constexpr TypeRule kImplicitTypes[] = {
    implicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(1),
    implicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(1),
    implicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    implicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
constexpr TypeRule kExplicitTypes[] = {
    explicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(1),
    explicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(1),
    explicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    explicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
// With 11 inputs both forms exist: the type of input 8 tells them apart.
constexpr Signature kDepthwise[] = {
    {"implicit_padding", 1, counts<8, 9, 11>, 1, kImplicitTypes},
    {"explicit_padding", 1, counts<11, 12, 14>, 1, kExplicitTypes},
};

}  // namespace

std::span<const OperationDefinition> depthwise_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kDepthwiseConv2d,
       .since = 1,
       .signatures = kDepthwise,
       .accepts_empty_inputs = true,
       .check = check_depthwise,
       .infer = infer_depthwise,
       .level = product_scale_level},
  };
  return rows;
}

}  // namespace nnvk
