// SVDF.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

Result<std::vector<Shape>> infer_svdf(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, 2, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_int_at_least(operation, 5, 1));
  NNVK_TRY(check_activation(operation.scalar<int32_t>(6)));
  const uint32_t batch = dimension_of(operation, 0, 0);
  const uint32_t filters = dimension_of(operation, 1, 0);
  const uint32_t memory = dimension_of(operation, 2, 1);
  const auto rank = operation.scalar<int32_t>(5);
  uint32_t units = kUnknownDimension;
  if (rank && is_known(filters)) {
    if (filters % static_cast<uint32_t>(*rank) != 0) {
      return fail(Code::kOpFailed, std::to_string(filters) + " filters are no multiple of the rank " + std::to_string(*rank));
    }
    units = filters / static_cast<uint32_t>(*rank);
  }
  const uint32_t state = is_known(memory) && is_known(filters) ? multiply_dimensions(memory, filters) : kUnknownDimension;
  NNVK_TRY(expect_shape(operation, 1, {filters, dimension_of(operation, 0, 1)}));
  NNVK_TRY(expect_shape(operation, 2, {filters, memory}));
  NNVK_TRY(expect_optional_shape(operation, 3, {units}));
  NNVK_TRY(expect_shape(operation, 4, {batch, state}));
  return std::vector{Shape{batch, state}, Shape{batch, units}};
}

constexpr TypeRule kSvdfTypes[] = {
    {1, types<kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kInt32, kInt32>,
     types<kTensorFloat32, kTensorFloat32>},
    {3, types<kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kInt32, kInt32>,
     types<kTensorFloat16, kTensorFloat16>},
};
constexpr Signature kSvdf[] = {{"default", 1, counts<7>, 2, kSvdfTypes}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kSvdf, .since = 1, .signatures = kSvdf, .optional_inputs = bits(3), .infer = infer_svdf},
};

}  // namespace

std::span<const OperationDefinition> svdf_operations() { return kRows; }

}  // namespace nnvk
