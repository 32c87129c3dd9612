// Row of PICTURE_TO_TENSOR, which no model contains.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/picture_conversion.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_picture_to_tensor(const OperationView& operation) {
  const auto is_known = [&](size_t i) { return operation.inputs[i].value.data() != nullptr; };
  if (is_known(picture_to_tensor::kIntegers) && is_known(picture_to_tensor::kReals) &&
      operation.shape(picture_to_tensor::kPicture).fully_known()) {
    NNVK_TRY(picture_arithmetic(operation));
  }
  return one(operation.output(picture_to_tensor::kTensor).shape);
}

constexpr auto kTypes = rules<In<kTensorQuant8Asymm, kTensorInt32, kTensorFloat32, kTensorInt32>, Out<kT>,
                              Since<1, kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = kPictureToTensor,
     .signatures = only<kTypes, 3, 4>,
     .parameter_tensors = bits(picture_to_tensor::kIntegers, picture_to_tensor::kReals),
     .infer = infer_picture_to_tensor},
});

}  // namespace

std::span<const OperationDefinition> picture_operations() { return kRows; }

}  // namespace nnvk
