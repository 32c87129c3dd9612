// MEAN and the REDUCE_* operations: fold a tensor along some of its axes.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/reduce_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxRank = 4;

Status check_reduce(const OperationView& operation) { return check_rank(operation, reduce::kInput, 0, kMaxRank, Code::kBadData); }

Shapes infer_reduce(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, reduce::kInput, 1, kMaxRank, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, reduce::kAxes, 1, 1, Code::kOpFailed));
  NNVK_TRY(expect_quantization_of_input(operation));
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

constexpr TypeRule kMeanTypes[] = {
    {2, types<kTensorFloat32, kTensorInt32, kInt32>, types<kTensorFloat32>},
    {2, types<kTensorQuant8Asymm, kTensorInt32, kInt32>, types<kTensorQuant8Asymm>},
    {3, types<kTensorFloat16, kTensorInt32, kInt32>, types<kTensorFloat16>},
    {4, types<kTensorQuant8AsymmSigned, kTensorInt32, kInt32>, types<kTensorQuant8AsymmSigned>},
};
constexpr TypeRule kBoolTypes[] = {
    {3, types<kTensorBool8, kTensorInt32, kBool>, types<kTensorBool8>},
};
constexpr TypeRule kFloatTypes[] = {
    {3, types<kTensorFloat16, kTensorInt32, kBool>, types<kTensorFloat16>},
    {3, types<kTensorFloat32, kTensorInt32, kBool>, types<kTensorFloat32>},
};
constexpr TypeRule kOrderedTypes[] = {
    {3, types<kTensorFloat16, kTensorInt32, kBool>, types<kTensorFloat16>},
    {3, types<kTensorFloat32, kTensorInt32, kBool>, types<kTensorFloat32>},
    {3, types<kTensorQuant8Asymm, kTensorInt32, kBool>, types<kTensorQuant8Asymm>},
    {4, types<kTensorQuant8AsymmSigned, kTensorInt32, kBool>, types<kTensorQuant8AsymmSigned>},
};
constexpr Signature kMean[] = {{"default", 2, counts<3>, 1, kMeanTypes}};
constexpr Signature kBoolReduce[] = {{"default", 3, counts<3>, 1, kBoolTypes}};
constexpr Signature kFloatReduce[] = {{"default", 3, counts<3>, 1, kFloatTypes}};
constexpr Signature kOrderedReduce[] = {{"default", 3, counts<3>, 1, kOrderedTypes}};

OperationDefinition reduce_row(OperationCode code, int since, std::span<const Signature> signatures) {
  OperationDefinition row;
  row.code = code;
  row.since = since;
  row.signatures = signatures;
  row.parameter_tensors = bits(reduce::kAxes);
  row.bad_operand_code = code == OperationCode::kMean ? Code::kBadData : Code::kOpFailed;
  row.check = check_reduce;
  row.infer = infer_reduce;
  return row;
}

}  // namespace

std::span<const OperationDefinition> reduce_operations() {
  static const OperationDefinition rows[] = {
      reduce_row(OperationCode::kMean, 2, kMean),
      reduce_row(OperationCode::kReduceAll, 3, kBoolReduce),
      reduce_row(OperationCode::kReduceAny, 3, kBoolReduce),
      reduce_row(OperationCode::kReduceMax, 3, kOrderedReduce),
      reduce_row(OperationCode::kReduceMin, 3, kOrderedReduce),
      reduce_row(OperationCode::kReduceProd, 3, kFloatReduce),
      reduce_row(OperationCode::kReduceSum, 3, kFloatReduce),
  };
  return rows;
}

}  // namespace nnvk
