// L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/normalization_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Rank 1..4 and the axis inside it.
Status expect_normalized_axis(const OperationView& operation, size_t axis_input) {
  NNVK_TRY(check_rank(operation, kFirstInput, 1, 4, Code::kOpFailed));
  return expect_axis(operation, axis_input);
}

Result<std::vector<Shape>> infer_l2_normalization(const OperationView& operation) {
  using namespace l2_normalization;
  NNVK_TRY(expect_normalized_axis(operation, kAxis));
  const OperandType type = operation.input(kInput).type;
  if (is_quant8_asymm(type)) {
    const int32_t zero_point = type == kTensorQuant8Asymm ? 128 : 0;
    NNVK_TRY(check_quantization(operation.output(kOutput), 1.0F / 128, zero_point, "output 0", Code::kOpFailed));
  }
  return infer_same_as_input(operation);
}

Result<std::vector<Shape>> infer_local_response_normalization(const OperationView& operation) {
  NNVK_TRY(expect_normalized_axis(operation, local_response_normalization::kAxis));
  NNVK_TRY(expect_int_at_least(operation, local_response_normalization::kRadius, 0));
  return infer_same_as_input(operation);
}

Result<std::vector<Shape>> infer_instance_normalization(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, instance_normalization::kInput, 4, 4, Code::kOpFailed));
  return infer_same_as_input(operation);
}

constexpr TypeRule kL2Types[] = {
    {1, types<kTensorFloat32, kInt32>, types<kTensorFloat32>},
    {3, types<kTensorFloat16, kInt32>, types<kTensorFloat16>},
    {3, types<kTensorQuant8Asymm, kInt32>, types<kTensorQuant8Asymm>},
    {4, types<kTensorQuant8AsymmSigned, kInt32>, types<kTensorQuant8AsymmSigned>},
};
constexpr Signature kL2Normalization[] = {
    {"default", 1, counts<1>, 1, kL2Types},
    {"with axis", 3, counts<2>, 1, kL2Types},
};

constexpr TypeRule kLocalResponseTypes[] = {
    {1, types<kTensorFloat32, kInt32, kFloat32, kFloat32, kFloat32, kInt32>, types<kTensorFloat32>},
    {3, types<kTensorFloat16, kInt32, kFloat16, kFloat16, kFloat16, kInt32>, types<kTensorFloat16>},
};
constexpr Signature kLocalResponseNormalization[] = {
    {"default", 1, counts<5>, 1, kLocalResponseTypes},
    {"with axis", 3, counts<6>, 1, kLocalResponseTypes},
};

constexpr TypeRule kInstanceTypes[] = {
    {3, types<kTensorFloat32, kFloat32, kFloat32, kFloat32, kBool>, types<kTensorFloat32>},
    {3, types<kTensorFloat16, kFloat16, kFloat16, kFloat16, kBool>, types<kTensorFloat16>},
};
constexpr Signature kInstanceNormalization[] = {{"default", 3, counts<5>, 1, kInstanceTypes}};

}  // namespace

std::span<const OperationDefinition> normalization_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kL2Normalization,
       .since = 1,
       .signatures = kL2Normalization,
       .check = check_rank4,
       .infer = infer_l2_normalization,
       .level = rank_4_level},
      {.code = OperationCode::kLocalResponseNormalization,
       .since = 1,
       .signatures = kLocalResponseNormalization,
       .check = check_rank4,
       .infer = infer_local_response_normalization,
       .level = rank_4_level},
      {.code = OperationCode::kInstanceNormalization,
       .since = 3,
       .signatures = kInstanceNormalization,
       .infer = infer_instance_normalization},
  };
  return rows;
}

}  // namespace nnvk
