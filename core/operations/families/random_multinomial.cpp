// RANDOM_MULTINOMIAL.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/random_multinomial_parameters.h"

namespace nnvk {
namespace {
using namespace row;
using namespace random_multinomial;

Shapes infer_random_multinomial(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, kLogits, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_shape(operation, kSeeds, {2}));
  NNVK_TRY(expect_int_at_least(operation, kSampleCount, 0));
  const auto samples = operation.scalar<int32_t>(kSampleCount);
  return one({dimension_of(operation, kLogits, 0), samples ? static_cast<uint32_t>(*samples) : kUnknownDimension});
}

constexpr auto kRandomTypes = rules<In<kT, kInt32, kTensorInt32>, Out<kTensorInt32>, Floats<3>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kRandomMultinomial,
     .signatures = only<kRandomTypes>,
     .bad_operand_code = Code::kBadData,
     .infer = infer_random_multinomial},
});

}  // namespace

std::span<const OperationDefinition> random_multinomial_operations() { return kRows; }

}  // namespace nnvk
