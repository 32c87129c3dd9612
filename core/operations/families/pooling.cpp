// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/window_parameters.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_pooling(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  return infer_window(operation);
}

// Inputs: image, padding scheme, strides w h, window w h, activation, layout.
using ImplicitInputs = In<kT, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
// Inputs: image, pads left right top bottom, strides w h, window w h, activation, layout.
using ExplicitInputs = In<kT, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kInt32, kBool>;
// `Levels`: the types that kT stands for, with their feature levels.
template <class... Levels>
constexpr Signature kPooling[] = {
    {1, counts<7, 8>, 1, rules<ImplicitInputs, Out<kT>, Levels...>},
    {1, counts<10, 11>, 1, rules<ExplicitInputs, Out<kT>, Levels...>},
};

constexpr OperationRules pooling(OperationCode code, std::span<const Signature> signatures) {
  return {.code = code, .signatures = signatures, .accepts_empty_inputs = true, .infer = infer_pooling};
}

constexpr auto kRows = rows<Cost::kPooling, layout::pooling>({
    pooling(Op::kAveragePool2d, kPooling<Reals<1>>), pooling(Op::kMaxPool2d, kPooling<Reals<1>>),
    pooling(Op::kL2Pool2d, kPooling<Floats<1>>),  // no quantized form
});

}  // namespace

std::span<const OperationDefinition> pooling_operations() { return kRows; }

}  // namespace nnvk
