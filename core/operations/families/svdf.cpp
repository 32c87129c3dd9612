// SVDF.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/svdf_parameters.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_svdf(const OperationView& operation) {
  using namespace svdf;
  NNVK_TRY(check_rank(operation, kInput, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kTimeFilter, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_int_at_least(operation, kRank, 1));
  NNVK_TRY(check_activation(operation.scalar<int32_t>(kActivation)));
  const uint32_t batch = dimension_of(operation, kInput, 0);
  const uint32_t filters = dimension_of(operation, kFeatureWeights, 0);
  const uint32_t memory = dimension_of(operation, kTimeFilter, 1);
  const auto rank = operation.scalar<int32_t>(kRank);
  uint32_t units = kUnknownDimension;
  if (rank && is_known(filters)) {
    if (filters % static_cast<uint32_t>(*rank) != 0) {
      return fail(Code::kOpFailed, "the number of filters, " + std::to_string(filters) + ", must be a multiple of the rank " +
                                       std::to_string(*rank));
    }
    units = filters / static_cast<uint32_t>(*rank);
  }
  const uint32_t state = is_known(memory) && is_known(filters) ? multiply_dimensions(memory, filters) : kUnknownDimension;
  NNVK_TRY(expect_shape(operation, kFeatureWeights, {filters, dimension_of(operation, kInput, 1)}));
  NNVK_TRY(expect_shape(operation, kTimeFilter, {filters, memory}));
  NNVK_TRY(expect_optional_shape(operation, kBias, {units}));
  NNVK_TRY(expect_shape(operation, kState, {batch, state}));
  return std::vector{Shape{batch, state}, Shape{batch, units}};
}

constexpr auto kSvdfTypes = rules<In<kT, kT, kT, kT, kT, kInt32, kInt32>, Out<kT, kT>, Floats<1>>;

constexpr auto kRows = rows<Cost::kMatrix, layout::fixed, recurrent_multiply_adds>({
    {.code = Op::kSvdf, .signatures = only<kSvdfTypes>, .optional_inputs = bits(svdf::kBias), .infer = infer_svdf},
});

}  // namespace

std::span<const OperationDefinition> svdf_operations() { return kRows; }

}  // namespace nnvk
