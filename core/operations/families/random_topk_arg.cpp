// ARGMAX, ARGMIN, TOPK_V2 and RANDOM_MULTINOMIAL.
#include <algorithm>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

Result<std::vector<Shape>> infer_arg(const OperationView& operation) {
  const Shape& input = operation.shape(0);
  if (!input.rank_known) return std::vector{Shape::unknown_rank()};
  const auto axis = operation.scalar<int32_t>(1);
  if (!axis) return std::vector{unknown_dimensions(std::max<size_t>(input.rank(), 2) - 1)};
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank(), Code::kOpFailed));
  Shape output = input;
  output.dims.erase(output.dims.begin() + index);
  if (output.dims.empty()) output.dims.push_back(1);
  return std::vector{output};
}

Result<std::vector<Shape>> infer_topk(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 1, SIZE_MAX, Code::kOpFailed));
  NNVK_TRY(expect_quantization_of_input(operation));
  NNVK_TRY(expect_int_at_least(operation, 1, 1));
  const auto k = operation.scalar<int32_t>(1);
  Shape output = operation.shape(0);
  if (output.rank_known) {
    const uint32_t last = output.dims.back();
    if (k && is_known(last) && static_cast<uint32_t>(*k) > last) {
      return fail(Code::kOpFailed, "k = " + std::to_string(*k) + " exceeds the last dimension " + std::to_string(last));
    }
    output.dims.back() = k ? static_cast<uint32_t>(*k) : kUnknownDimension;
  }
  return std::vector{output, output};
}

Result<std::vector<Shape>> infer_random_multinomial(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_shape(operation, 2, {2}));
  NNVK_TRY(expect_int_at_least(operation, 1, 0));
  const auto samples = operation.scalar<int32_t>(1);
  return std::vector{Shape{dimension_of(operation, 0, 0), samples ? static_cast<uint32_t>(*samples) : kUnknownDimension}};
}

constexpr TypeRule kArgTypes[] = {
    {3, types<kTensorFloat16, kInt32>, types<kTensorInt32>},
    {3, types<kTensorFloat32, kInt32>, types<kTensorInt32>},
    {3, types<kTensorInt32, kInt32>, types<kTensorInt32>},
    {3, types<kTensorQuant8Asymm, kInt32>, types<kTensorInt32>},
    {4, types<kTensorQuant8AsymmSigned, kInt32>, types<kTensorInt32>},
};
constexpr Signature kArg[] = {{"default", 3, counts<2>, 1, kArgTypes}};

constexpr TypeRule kTopkTypes[] = {
    {3, types<kTensorFloat16, kInt32>, types<kTensorFloat16, kTensorInt32>},
    {3, types<kTensorFloat32, kInt32>, types<kTensorFloat32, kTensorInt32>},
    {3, types<kTensorInt32, kInt32>, types<kTensorInt32, kTensorInt32>},
    {3, types<kTensorQuant8Asymm, kInt32>, types<kTensorQuant8Asymm, kTensorInt32>},
    {4, types<kTensorQuant8AsymmSigned, kInt32>, types<kTensorQuant8AsymmSigned, kTensorInt32>},
};
constexpr Signature kTopk[] = {{"default", 3, counts<2>, 2, kTopkTypes}};

constexpr TypeRule kRandomTypes[] = {
    {3, types<kTensorFloat32, kInt32, kTensorInt32>, types<kTensorInt32>},
    {3, types<kTensorFloat16, kInt32, kTensorInt32>, types<kTensorInt32>},
};
constexpr Signature kRandom[] = {{"default", 3, counts<3>, 1, kRandomTypes}};

}  // namespace

std::span<const OperationDefinition> random_topk_arg_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kArgmax, .since = 3, .signatures = kArg, .bad_operand_code = Code::kBadData, .infer = infer_arg},
      {.code = OperationCode::kArgmin, .since = 3, .signatures = kArg, .bad_operand_code = Code::kBadData, .infer = infer_arg},
      {.code = OperationCode::kTopkV2, .since = 3, .signatures = kTopk, .infer = infer_topk},
      {.code = OperationCode::kRandomMultinomial,
       .since = 3,
       .signatures = kRandom,
       .bad_operand_code = Code::kBadData,
       .infer = infer_random_multinomial},
  };
  return rows;
}

}  // namespace nnvk
