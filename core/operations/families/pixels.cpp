// Row of CONVERT_PIXELS, which no model contains.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/pixel_conversion.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_convert_pixels(const OperationView& operation) { return one(operation.output(convert_pixels::kTo).shape); }

template <OperandType kFromType>
constexpr auto kFrom = rules<In<kFromType, kTensorInt32, kTensorFloat32>, Out<kT>,
                             Since<1, kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned>>;
constexpr auto kTypes =
    joined(kFrom<kTensorFloat32>, kFrom<kTensorFloat16>, kFrom<kTensorQuant8Asymm>, kFrom<kTensorQuant8AsymmSigned>);

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = kConvertPixels,
     .signatures = only<kTypes>,
     .parameter_tensors = bits(convert_pixels::kIntegers, convert_pixels::kReals),
     .infer = infer_convert_pixels},
});

}  // namespace

std::span<const OperationDefinition> pixels_operations() { return kRows; }

}  // namespace nnvk
