// DEPTHWISE_CONV_2D.
#include "core/operations/families/filter_types.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/filter_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Inputs after the bias: padding scheme, strides w h, depth multiplier, activation, layout, dilations w h.
constexpr auto kImplicitTypes = filter_types<1, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>;
// Inputs after the bias: pads left right top bottom, strides w h, depth multiplier, activation, layout, dilations w h.
constexpr auto kExplicitTypes =
    filter_types<1, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>;
// Both signatures may have 11 inputs: then input 8 is a BOOL (layout) only in the one with implicit padding.
constexpr Signature kDepthwise[] = {
    {1, counts<8, 9, 11>, 1, kImplicitTypes},
    {1, counts<11, 12, 14>, 1, kExplicitTypes},
};

constexpr auto kRows = rows<Cost::kDepthwise, layout::convolution, depthwise_multiply_adds>({
    {.code = Op::kDepthwiseConv2d,
     .signatures = kDepthwise,
     .accepts_empty_inputs = true,
     .check = check_filter_channels<3>,
     .infer = infer_window,
     .level = product_scale_level},
});

}  // namespace

std::span<const OperationDefinition> depthwise_operations() { return kRows; }

}  // namespace nnvk
