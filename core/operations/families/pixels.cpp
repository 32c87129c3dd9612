// Rows of CONVERT_PIXELS and GATHER_PIXELS, which no model contains.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_convert_pixels(const OperationView& operation) { return one(operation.output(convert_pixels::kTo).shape); }

Shapes infer_gather_pixels(const OperationView& operation) { return one(operation.output(gather_pixels::kTensor).shape); }

using Elements = Since<1, kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned>;
template <OperandType kFromType>
constexpr auto kFrom = rules<In<kFromType, kTensorInt32, kTensorFloat32>, Out<kT>, Elements, Since<1, kTensorInt32>>;
constexpr auto kFromWords = rules<In<kTensorInt32, kTensorInt32, kTensorFloat32>, Out<kT>, Elements>;
constexpr auto kTypes =
    joined(kFrom<kTensorFloat32>, kFrom<kTensorFloat16>, kFrom<kTensorQuant8Asymm>, kFrom<kTensorQuant8AsymmSigned>, kFromWords);
constexpr auto kGatheredTypes = rules<In<kTensorQuant8Asymm, kTensorInt32, kBool>, Out<kT>, Elements>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = kConvertPixels,
     .signatures = only<kTypes>,
     .parameter_tensors = bits(convert_pixels::kIntegers, convert_pixels::kReals),
     .infer = infer_convert_pixels},
    {.code = kGatherPixels, .signatures = only<kGatheredTypes>, .infer = infer_gather_pixels},
});

}  // namespace

std::span<const OperationDefinition> pixels_operations() { return kRows; }

}  // namespace nnvk
