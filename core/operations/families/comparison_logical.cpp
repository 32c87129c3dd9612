// Rows of the operations that give booleans: EQUAL ... LESS_EQUAL, LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

template <OperandType kType>
constexpr TypeRule comparison(int since) {
  return {since, types<kType, kType>, types<kTensorBool8>};
}

constexpr TypeRule kComparisonRules[] = {
    comparison<kTensorBool8>(3), comparison<kTensorFloat16>(3),     comparison<kTensorFloat32>(3),
    comparison<kTensorInt32>(3), comparison<kTensorQuant8Asymm>(3), comparison<kTensorQuant8AsymmSigned>(4),
};
constexpr TypeRule kLogicalRules[] = {comparison<kTensorBool8>(3)};
constexpr TypeRule kNotRules[] = {{3, types<kTensorBool8>, types<kTensorBool8>}};

constexpr Signature kComparison[] = {{.since = 3, .input_counts = counts<2>, .type_rules = kComparisonRules}};
constexpr Signature kLogical[] = {{.since = 3, .input_counts = counts<2>, .type_rules = kLogicalRules}};
constexpr Signature kNot[] = {{.since = 3, .input_counts = counts<1>, .type_rules = kNotRules}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kEqual, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kNotEqual, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kGreater, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kGreaterEqual, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kLess, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kLessEqual, .since = 3, .signatures = kComparison, .infer = infer_broadcast},
    {.code = OperationCode::kLogicalAnd, .since = 3, .signatures = kLogical, .infer = infer_broadcast},
    {.code = OperationCode::kLogicalOr, .since = 3, .signatures = kLogical, .infer = infer_broadcast},
    {.code = OperationCode::kLogicalNot, .since = 3, .signatures = kNot, .infer = infer_same_as_input},
};

}  // namespace

std::span<const OperationDefinition> comparison_logical_operations() { return kRows; }

}  // namespace nnvk
