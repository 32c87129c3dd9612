// SELECT: elements of one of two tensors, by a mask.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/select_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;
using namespace select;

Shapes infer_select(const OperationView& operation) {
  Shape merged = operation.shape(kMask);
  for (const size_t i : {kFirst, kSecond}) {
    const auto both = merge_shapes(merged, operation.shape(i));
    if (!both) {
      return fail(Code::kOpFailed, "the condition has shape " + operation.shape(kMask).to_string() + " but " + input_name(i) +
                                       " has " + operation.shape(i).to_string());
    }
    merged = *both;
  }
  return one(std::move(merged));
}

template <OperandType kType>
constexpr TypeRule selected(int since) {
  return {since, types<kTensorBool8, kType, kType>, types<kType>};
}

constexpr TypeRule kSelectRules[] = {
    selected<kTensorFloat16>(3),     selected<kTensorFloat32>(3),           selected<kTensorInt32>(3),
    selected<kTensorQuant8Asymm>(3), selected<kTensorQuant8AsymmSigned>(4),
};
constexpr Signature kSelect[] = {{.since = 3, .input_counts = counts<3>, .type_rules = kSelectRules}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kSelect, .since = 3, .signatures = kSelect, .infer = infer_select},
};

}  // namespace

std::span<const OperationDefinition> select_operations() { return kRows; }

}  // namespace nnvk
