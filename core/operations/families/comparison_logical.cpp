// Rows of the operations that return booleans: EQUAL ... LESS_EQUAL, LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT.
#include "core/operations/families/row_syntax.h"

namespace nnvk {
namespace {
using namespace row;

constexpr auto kComparisonRules = rules<In<kT, kT>, Out<kTensorBool8>, Since<3, kTensorBool8>, Numbers<3>>;
constexpr auto kLogicalRules = rules<In<kT, kT>, Out<kT>, Since<3, kTensorBool8>>;
constexpr auto kNotRules = rules<In<kT>, Out<kT>, Since<3, kTensorBool8>>;

constexpr auto kRows = rows<Cost::kElementwise, layout::fixed>({
    {.code = Op::kEqual, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kNotEqual, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kGreater, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kGreaterEqual, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kLess, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kLessEqual, .signatures = only<kComparisonRules>, .infer = infer_broadcast},
    {.code = Op::kLogicalAnd, .signatures = only<kLogicalRules>, .infer = infer_broadcast},
    {.code = Op::kLogicalOr, .signatures = only<kLogicalRules>, .infer = infer_broadcast},
    {.code = Op::kLogicalNot, .signatures = only<kNotRules>, .infer = infer_same_as_input},
});

}  // namespace

std::span<const OperationDefinition> comparison_logical_operations() { return kRows; }

}  // namespace nnvk
