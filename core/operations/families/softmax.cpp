// SOFTMAX and LOG_SOFTMAX, which normalise exponentials along one axis.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/softmax_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Returns the level that the input's rank needs: level 1 allowed only ranks 2 and 4, all others need level 3.
int softmax_level(const OperationView& operation) {
  const auto rank = known_rank(operation, softmax::kInput);
  return rank && *rank != 2 && *rank != 4 ? 3 : 1;
}

Shapes infer_softmax(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, softmax::kInput, 1, 4, Code::kOpFailed));
  NNVK_TRY(expect_positive(operation, softmax::kBeta));
  NNVK_TRY(expect_axis(operation, softmax::kAxis));
  NNVK_TRY(expect_fixed_quantization(operation, 1.0F / 256, 0));
  const OperandInfo& input = operation.input(softmax::kInput);
  const auto beta = float_scalar(operation, softmax::kBeta);
  // A smaller product leaves the fixed-point exponential without bits.
  if (is_quant8_asymm(input.type) && beta && !(static_cast<double>(*beta) * input.scale * (1 << 26) > 1.0)) {
    return fail(Code::kOpFailed, "beta * input scale * 2^26 must exceed 1");
  }
  return infer_same_as_input(operation);
}

Shapes infer_log_softmax(const OperationView& operation) {
  NNVK_TRY(expect_axis(operation, softmax::kAxis));
  return infer_same_as_input(operation);
}

constexpr auto kSoftmaxTypes = rules<In<kT, kTScalar, kInt32>, Out<kT>, Reals<1>>;
constexpr Signature kSoftmax[] = {
    {1, counts<2>, 1, kSoftmaxTypes},
    {3, counts<3>, 1, kSoftmaxTypes},
};
constexpr auto kLogSoftmaxTypes = rules<In<kT, kTScalar, kInt32>, Out<kT>, Floats<3>>;

constexpr auto kRows = rows<Cost::kNormalization, layout::fixed>({
    {.code = Op::kSoftmax,
     .signatures = kSoftmax,
     .accepts_empty_inputs = true,
     .check = check_rank4,
     .infer = infer_softmax,
     .level = softmax_level},
    {.code = Op::kLogSoftmax, .signatures = only<kLogSoftmaxTypes>, .infer = infer_log_softmax},
});

}  // namespace

std::span<const OperationDefinition> softmax_operations() { return kRows; }

}  // namespace nnvk
