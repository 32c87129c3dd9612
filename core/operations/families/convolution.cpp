// CONV_2D and GROUPED_CONV_2D.
#include "core/operations/families/filter_types.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/filter_rules.h"

namespace nnvk {
namespace {
using namespace row;

Status check_conv(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, convolution::kImage, 4, 4, Code::kBadData));
  NNVK_TRY(check_rank(operation, convolution::kFilter, 4, 4, Code::kBadData));
  return check_filter_channels<0>(operation);
}

// Inputs after the bias: padding scheme, strides w h, activation, layout, dilations w h.
constexpr auto kImplicitTypes = filter_types<1, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>;
// Inputs after the bias: pads left right top bottom, strides w h, activation, layout, dilations w h.
constexpr auto kExplicitTypes = filter_types<1, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool, kInt32, kInt32>;
// Both signatures may have 10 inputs: then only the one with implicit padding has a BOOL, as input 7 (layout).
constexpr Signature kConv[] = {
    {1, counts<7, 8, 10>, 1, kImplicitTypes},
    {1, counts<10, 11, 13>, 1, kExplicitTypes},
};

// Inputs after the bias: padding scheme, strides w h, groups, activation, layout.
constexpr auto kGroupedImplicitTypes = filter_types<3, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
// Inputs after the bias: pads left right top bottom, strides w h, groups, activation, layout.
constexpr auto kGroupedExplicitTypes = filter_types<3, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
constexpr Signature kGroupedConv[] = {
    {3, counts<12>, 1, kGroupedExplicitTypes},
    {3, counts<9>, 1, kGroupedImplicitTypes},
};

constexpr auto kRows = rows<Cost::kConvolution, layout::convolution, filter_multiply_adds>({
    {.code = Op::kConv2d,
     .signatures = kConv,
     .accepts_empty_inputs = true,
     .check = check_conv,
     .infer = infer_window,
     .level = product_scale_level},
    {.code = Op::kGroupedConv2d,
     .signatures = kGroupedConv,
     .bad_operand_code = Code::kBadData,
     .check = check_filter_channels<0>,
     .infer = infer_window},
});

}  // namespace

std::span<const OperationDefinition> convolution_operations() { return kRows; }

}  // namespace nnvk
