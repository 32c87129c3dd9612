// MEAN and the REDUCE_* operations, which reduce a tensor along some of its axes.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/reduce_parameters.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxRank = 4;

Shapes infer_reduce(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, reduce::kInput, 1, kMaxRank, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, reduce::kAxes, 1, 1, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(reduce::kInput);
  if (!input.rank_known) return one(Shape::unknown_rank());
  const auto keep = keeps_dimensions(operation);
  if (!operation.values<int32_t>(reduce::kAxes)) {
    return one(keep == true ? unknown_dimensions(input.rank()) : Shape::unknown_rank());
  }
  NNVK_ASSIGN(const std::vector<bool> reduced, reduced_dimensions(operation));
  if (!keep) return one(Shape::unknown_rank());
  Shape output;
  for (size_t i = 0; i < input.rank(); ++i) {
    if (!reduced[i]) {
      output.dims.push_back(input[i]);
    } else if (*keep) {
      output.dims.push_back(1);
    }
  }
  if (output.dims.empty()) output.dims.push_back(1);
  return one(std::move(output));
}

constexpr auto kMeanTypes = rules<In<kT, kTensorInt32, kInt32>, Out<kT>, Reals<2>>;
constexpr auto kBoolTypes = rules<In<kT, kTensorInt32, kBool>, Out<kT>, Since<3, kTensorBool8>>;
constexpr auto kFloatTypes = rules<In<kT, kTensorInt32, kBool>, Out<kT>, Floats<3>>;
constexpr auto kOrderedTypes = rules<In<kT, kTensorInt32, kBool>, Out<kT>, Reals<3>>;

constexpr OperationRules reduce_row(OperationCode code, std::span<const Signature> signatures) {
  return {.code = code,
          .signatures = signatures,
          .parameter_tensors = bits(reduce::kAxes),
          .bad_operand_code = code == OperationCode::kMean ? Code::kBadData : Code::kOpFailed,
          .check = check_rank4,
          .infer = infer_reduce};
}

constexpr auto kRows = rows<Cost::kReduction, layout::reduced>({
    reduce_row(Op::kMean, only<kMeanTypes>),
    reduce_row(Op::kReduceAll, only<kBoolTypes>),
    reduce_row(Op::kReduceAny, only<kBoolTypes>),
    reduce_row(Op::kReduceMax, only<kOrderedTypes>),
    reduce_row(Op::kReduceMin, only<kOrderedTypes>),
    reduce_row(Op::kReduceProd, only<kFloatTypes>),
    reduce_row(Op::kReduceSum, only<kFloatTypes>),
});

}  // namespace

std::span<const OperationDefinition> reduce_operations() { return kRows; }

}  // namespace nnvk
