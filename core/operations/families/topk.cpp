// TOPK_V2.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/topk_parameters.h"

namespace nnvk {
namespace {
using namespace row;
using namespace topk;

Shapes infer_topk(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, kInput, 1, SIZE_MAX, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_TRY(expect_int_at_least(operation, kK, 1));
  const auto k = operation.scalar<int32_t>(kK);
  Shape output = operation.shape(kInput);
  if (output.rank_known) {
    const uint32_t last = output.dims.back();
    if (k && is_known(last) && static_cast<uint32_t>(*k) > last) {
      return fail(Code::kOpFailed, "k = " + std::to_string(*k) + " exceeds the last dimension " + std::to_string(last));
    }
    output.dims.back() = k ? static_cast<uint32_t>(*k) : kUnknownDimension;
  }
  return std::vector{output, output};
}

constexpr auto kTopkTypes = rules<In<kT, kInt32>, Out<kT, kTensorInt32>, Numbers<3>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kTopkV2, .signatures = only<kTopkTypes>, .infer = infer_topk},
});

}  // namespace

std::span<const OperationDefinition> topk_operations() { return kRows; }

}  // namespace nnvk
