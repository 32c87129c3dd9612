// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {
namespace {
using namespace row;

Result<std::vector<Shape>> infer_pooling(const OperationView& operation) {
  NNVK_TRY(expect_quantization_of_input(operation));
  return infer_window(operation);
}

// image, padding scheme, strides w h, window w h, activation, layout
template <OperandType kImage>
constexpr TypeRule implicit_rule(int since) {
  return {since, types<kImage, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>, types<kImage>};
}
// image, pads left right top bottom, strides w h, window w h, activation, layout
template <OperandType kImage>
constexpr TypeRule explicit_rule(int since) {
  return {since, types<kImage, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>, types<kImage>};
}

constexpr TypeRule kImplicitTypes[] = {implicit_rule<kTensorFloat32>(1), implicit_rule<kTensorQuant8Asymm>(1),
                                       implicit_rule<kTensorFloat16>(3), implicit_rule<kTensorQuant8AsymmSigned>(4)};
constexpr TypeRule kExplicitTypes[] = {explicit_rule<kTensorFloat32>(1), explicit_rule<kTensorQuant8Asymm>(1),
                                       explicit_rule<kTensorFloat16>(3), explicit_rule<kTensorQuant8AsymmSigned>(4)};
constexpr Signature kPooling[] = {
    {"implicit_padding", 1, counts<7, 8>, 1, kImplicitTypes},
    {"explicit_padding", 1, counts<10, 11>, 1, kExplicitTypes},
};

// L2_POOL_2D has no quantized form.
constexpr TypeRule kImplicitFloatTypes[] = {implicit_rule<kTensorFloat32>(1), implicit_rule<kTensorFloat16>(3)};
constexpr TypeRule kExplicitFloatTypes[] = {explicit_rule<kTensorFloat32>(1), explicit_rule<kTensorFloat16>(3)};
constexpr Signature kL2Pooling[] = {
    {"implicit_padding", 1, counts<7, 8>, 1, kImplicitFloatTypes},
    {"explicit_padding", 1, counts<10, 11>, 1, kExplicitFloatTypes},
};

}  // namespace

std::span<const OperationDefinition> pooling_operations() {
  const auto row = [](OperationCode code, std::span<const Signature> signatures) {
    return OperationDefinition{
        .code = code, .since = 1, .signatures = signatures, .accepts_empty_inputs = true, .infer = infer_pooling};
  };
  static const OperationDefinition rows[] = {
      row(OperationCode::kAveragePool2d, kPooling),
      row(OperationCode::kMaxPool2d, kPooling),
      row(OperationCode::kL2Pool2d, kL2Pooling),
  };
  return rows;
}

}  // namespace nnvk
