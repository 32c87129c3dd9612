// Rows of the operations that change the type of each element: CAST, QUANTIZE, DEQUANTIZE.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/cast_quantize_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Checks that a fully declared output repeats the declared input dimensions; an unknown input dimension counts as different.
Status check_cast(const OperationView& operation) {
  const Shape& input = operation.shape(cast_quantize::kInput);
  const Shape& output = operation.output(cast_quantize::kOutput).shape;
  if (!input.rank_known || !output.fully_known() || input == output) return {};
  return fail(Code::kBadData,
              "the output must have the shape of the input, " + input.to_string() + ", but is declared as " + output.to_string());
}

template <OperandType kFrom>
constexpr auto kCastFrom = rules<In<kFrom>, Out<kT>, Since<3, kTensorFloat16, kTensorFloat32, kTensorInt32, kTensorQuant8Asymm>>;
// Operands of other types than these four can only be copied to the same type.
constexpr auto kCopies =
    rules<In<kT>, Out<kT>,
          Since<4, kTensorBool8, kTensorQuant16Asymm, kTensorQuant16Symm, kTensorQuant8AsymmSigned, kTensorQuant8Symm>>;
constexpr auto kCastRules =
    joined(kCastFrom<kTensorFloat16>, kCastFrom<kTensorFloat32>, kCastFrom<kTensorInt32>, kCastFrom<kTensorQuant8Asymm>, kCopies);
constexpr auto kQuantizeRules =
    joined(rules<In<kT>, Out<kTensorQuant8Asymm>, Floats<3>>, rules<In<kT>, Out<kTensorQuant8AsymmSigned>, Floats<4>>);
template <OperandType kTo, int kOldest>
constexpr auto kDequantizeTo =
    rules<In<kT>, Out<kTo>, Since<kOldest, kTensorQuant8Asymm>, Since<3, kTensorQuant8Symm, kTensorQuant8SymmPerChannel>,
          Since<4, kTensorQuant8AsymmSigned>>;
constexpr auto kDequantizeRules = joined(kDequantizeTo<kTensorFloat32, 1>, kDequantizeTo<kTensorFloat16, 3>);

constexpr auto kCasts = rows<Cost::kConversion, layout::fixed>({
    {.code = Op::kCast,
     .signatures = only<kCastRules>,
     .bad_operand_code = Code::kBadData,
     .check = check_cast,
     .infer = infer_same_as_input},
});
constexpr auto kQuantizations = rows<Cost::kConversion, layout::any>({
    {.code = Op::kQuantize, .signatures = only<kQuantizeRules>, .accepts_empty_inputs = true, .infer = infer_same_as_input},
    {.code = Op::kDequantize,
     .signatures = only<kDequantizeRules>,
     .accepts_empty_inputs = true,
     .check = check_rank4,
     .infer = infer_same_as_rank4_input},
});
constexpr auto kRows = joined(kCasts, kQuantizations);

}  // namespace

std::span<const OperationDefinition> cast_quantize_operations() { return kRows; }

}  // namespace nnvk
