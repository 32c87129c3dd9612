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

// Images of every type that has an average and a maximum, with `kScalars` behind them. The float types come first.
template <OperandType... kScalars>
constexpr std::array<TypeRule, 4> image_types() {
  return {{
      {1, types<kTensorFloat32, kScalars...>, types<kTensorFloat32>},
      {3, types<kTensorFloat16, kScalars...>, types<kTensorFloat16>},
      {1, types<kTensorQuant8Asymm, kScalars...>, types<kTensorQuant8Asymm>},
      {4, types<kTensorQuant8AsymmSigned, kScalars...>, types<kTensorQuant8AsymmSigned>},
  }};
}

// padding scheme, strides w h, window w h, activation, layout
constexpr auto kImplicitTypes = image_types<kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>();
// pads left right top bottom, strides w h, window w h, activation, layout
constexpr auto kExplicitTypes = image_types<kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>();
constexpr Signature kPooling[] = {
    {"implicit_padding", 1, counts<7, 8>, 1, kImplicitTypes},
    {"explicit_padding", 1, counts<10, 11>, 1, kExplicitTypes},
};
// L2_POOL_2D has no quantized form.
constexpr Signature kL2Pooling[] = {
    {"implicit_padding", 1, counts<7, 8>, 1, std::span(kImplicitTypes).first(2)},
    {"explicit_padding", 1, counts<10, 11>, 1, std::span(kExplicitTypes).first(2)},
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
