// TRANSPOSE_CONV_2D.
#include "core/operations/families/families.h"
#include "core/operations/families/filter_types.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/filter_rules.h"

namespace nnvk {
namespace {
using namespace row;

constexpr uint32_t kFilterChannelDim = 0;

Status check_transpose_conv(const OperationView& operation) { return expect_channel_dimension(operation, kFilterChannelDim); }

// pads left right top bottom, strides w h, activation, layout
constexpr auto kExplicitTypes = filter_types<kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>(3);
// output shape, padding scheme, strides w h, activation, layout
constexpr auto kImplicitTypes = filter_types<kTensorInt32, kInt32, kInt32, kInt32, kInt32, kBool>(3);
constexpr Signature kTransposeConv[] = {
    {"explicit_padding", 3, counts<11>, 1, kExplicitTypes},
    {"implicit_padding", 3, counts<9>, 1, kImplicitTypes},
};

constexpr auto kRows = rows({
    {.code = Op::kTransposeConv2d,
     .signatures = kTransposeConv,
     .parameter_tensors = bits(transpose_convolution::kOutputShape),
     .accepts_empty_inputs = true,
     .check = check_transpose_conv,
     .infer = infer_window},
});

}  // namespace

std::span<const OperationDefinition> transpose_convolution_operations() { return kRows; }

}  // namespace nnvk
