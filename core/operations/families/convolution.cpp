// CONV_2D and GROUPED_CONV_2D.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

constexpr uint32_t kFilterChannelDim = 0;

Status check_conv(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 4, 4, Code::kBadData));
  NNVK_TRY(check_rank(operation, 1, 4, 4, Code::kBadData));
  return expect_channel_dimension(operation.input(1), kFilterChannelDim);
}

Status check_grouped_conv(const OperationView& operation) {
  return expect_channel_dimension(operation.input(1), kFilterChannelDim);
}

Result<std::vector<Shape>> infer_conv(const OperationView& operation) {
  NNVK_ASSIGN(Shape shape, window_output_shape(operation));
  return std::vector{std::move(shape)};
}

// padding scheme, strides w h, activation, layout, dilations w h
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule implicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>, types<kImage>};
}
// pads left right top bottom, strides w h, activation, layout, dilations w h
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule explicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>,
          types<kImage>};
}
// padding scheme, strides w h, groups, activation, layout
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule grouped_implicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>, types<kImage>};
}
// pads left right top bottom, strides w h, groups, activation, layout
template <OperandType kImage, OperandType kFilter, OperandType kBias>
constexpr TypeRule grouped_explicit_rule(int since) {
  return {since, types<kImage, kFilter, kBias, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>,
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
// With 10 inputs both forms exist: the BOOL at input 7 (layout) or at input 10 tells them apart.
constexpr Signature kConv[] = {
    {"implicit_padding", 1, counts<7, 8, 10>, 1, kImplicitTypes},
    {"explicit_padding", 1, counts<10, 11, 13>, 1, kExplicitTypes},
};

constexpr TypeRule kGroupedImplicitTypes[] = {
    grouped_implicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(3),
    grouped_implicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    grouped_implicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(3),
    grouped_implicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    grouped_implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    grouped_implicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
constexpr TypeRule kGroupedExplicitTypes[] = {
    grouped_explicit_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32>(3),
    grouped_explicit_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16>(3),
    grouped_explicit_rule<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32>(3),
    grouped_explicit_rule<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32>(3),
    grouped_explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32>(4),
    grouped_explicit_rule<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32>(4),
};
constexpr Signature kGroupedConv[] = {
    {"explicit_padding", 3, counts<12>, 1, kGroupedExplicitTypes},
    {"implicit_padding", 3, counts<9>, 1, kGroupedImplicitTypes},
};

}  // namespace

std::span<const OperationDefinition> convolution_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kConv2d,
       .since = 1,
       .signatures = kConv,
       .accepts_empty_inputs = true,
       .check = check_conv,
       .infer = infer_conv,
       .level = product_scale_level},
      {.code = OperationCode::kGroupedConv2d,
       .since = 3,
       .signatures = kGroupedConv,
       .bad_operand_code = Code::kBadData,
       .check = check_grouped_conv,
       .infer = infer_conv},
  };
  return rows;
}

}  // namespace nnvk
