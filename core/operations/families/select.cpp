// SELECT takes each element from one of two tensors, as a mask says.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/select_parameters.h"

namespace nnvk {
namespace {
using namespace row;
using namespace select;

Shapes infer_select(const OperationView& operation) {
  NNVK_ASSIGN(Shape shape, common_shape(operation, kMask, kSecond + 1));
  return one(std::move(shape));
}

constexpr auto kSelectRules = rules<In<kTensorBool8, kT, kT>, Out<kT>, Numbers<3>>;

constexpr auto kRows = rows<Cost::kElementwise, layout::fixed>({
    {.code = Op::kSelect, .signatures = only<kSelectRules>, .infer = infer_select},
});

}  // namespace

std::span<const OperationDefinition> select_operations() { return kRows; }

}  // namespace nnvk
