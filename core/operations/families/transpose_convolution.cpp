// TRANSPOSE_CONV_2D.
#include "core/operations/families/filter_types.h"
#include "core/operations/parameters/window_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Inputs after the bias: pads left right top bottom, strides w h, activation, layout.
constexpr auto kExplicitTypes = filter_types<3, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
// Inputs after the bias: output shape, padding scheme, strides w h, activation, layout.
constexpr auto kImplicitTypes = filter_types<3, kTensorInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
constexpr Signature kTransposeConv[] = {
    {3, counts<11>, 1, kExplicitTypes},
    {3, counts<9>, 1, kImplicitTypes},
};

constexpr auto kRows = rows<Cost::kTransposedConvolution, layout::convolution, transposed_multiply_adds>({
    {.code = Op::kTransposeConv2d,
     .signatures = kTransposeConv,
     .parameter_tensors = bits(transpose_convolution::kOutputShape),
     .accepts_empty_inputs = true,
     .check = check_filter_channels<0>,
     .infer = infer_window},
});

}  // namespace

std::span<const OperationDefinition> transpose_convolution_operations() { return kRows; }

}  // namespace nnvk
