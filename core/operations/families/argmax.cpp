// ARGMAX and ARGMIN.
#include <algorithm>

#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/argmax_parameters.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_arg(const OperationView& operation) {
  const Shape& input = operation.shape(argmax::kInput);
  if (!input.rank_known) return one(Shape::unknown_rank());
  const auto axis = operation.scalar<int32_t>(argmax::kAxis);
  if (!axis) return one(unknown_dimensions(std::max<size_t>(input.rank(), 2) - 1));
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank()));
  Shape output = input;
  output.dims.erase(output.dims.begin() + index);
  if (output.dims.empty()) output.dims.push_back(1);
  return one(std::move(output));
}

constexpr auto kArgTypes = rules<In<kT, kInt32>, Out<kTensorInt32>, Numbers<3>>;

constexpr auto kRows = rows<Cost::kReduction, layout::fixed>({
    {.code = Op::kArgmax, .signatures = only<kArgTypes>, .bad_operand_code = Code::kBadData, .infer = infer_arg},
    {.code = Op::kArgmin, .signatures = only<kArgTypes>, .bad_operand_code = Code::kBadData, .infer = infer_arg},
});

}  // namespace

std::span<const OperationDefinition> argmax_operations() { return kRows; }

}  // namespace nnvk
