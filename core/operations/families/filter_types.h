// The operand types of convolutions (images, filters, biases) and the check of filters. Only family files include this header.
#pragma once

#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/filter_rules.h"

namespace nnvk::row {

// Type rules of a signature whose scalars `kScalars` follow image, filter and bias. `kLevel`: the level of its oldest types.
template <int kLevel, OperandType... kScalars>
inline constexpr auto filter_types = joined(rules<In<kT, kT, kTBias, kScalars...>, Out<kT>, Reals<kLevel>>,
                                            rules<In<kT, kTensorQuant8SymmPerChannel, kTensorInt32, kScalars...>, Out<kT>,
                                                  Since<3, kTensorQuant8Asymm>, Since<4, kTensorQuant8AsymmSigned>>);

// Serves as a convolution's check(), which checks no ranks: the scales of a per-channel filter must lie along dimension
// kChannelDim.
template <uint32_t kChannelDim>
Status check_filter_channels(const OperationView& operation) {
  return expect_channel_dimension(operation, kChannelDim);
}

}  // namespace nnvk::row
