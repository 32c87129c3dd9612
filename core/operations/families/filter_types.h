// The operand types of convolutions: what the images, filters and biases of every signature may be.
// Included by the family files only.
#pragma once

#include "core/operations/families/row_syntax.h"

namespace nnvk::row {

// Rules of one signature with `kScalars` behind image, filter and bias. `since`: the feature level of its oldest types.
template <OperandType... kScalars>
constexpr std::array<TypeRule, 6> filter_types(int since) {
  return {{
      {since, types<kTensorFloat32, kTensorFloat32, kTensorFloat32, kScalars...>, types<kTensorFloat32>},
      {since, types<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32, kScalars...>, types<kTensorQuant8Asymm>},
      {3, types<kTensorFloat16, kTensorFloat16, kTensorFloat16, kScalars...>, types<kTensorFloat16>},
      {3, types<kTensorQuant8Asymm, kTensorQuant8SymmPerChannel, kTensorInt32, kScalars...>, types<kTensorQuant8Asymm>},
      {4, types<kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned, kTensorInt32, kScalars...>, types<kTensorQuant8AsymmSigned>},
      {4, types<kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel, kTensorInt32, kScalars...>,
       types<kTensorQuant8AsymmSigned>},
  }};
}

}  // namespace nnvk::row
