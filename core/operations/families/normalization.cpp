// L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/normalization_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Checks that the input has rank 1 to 4, and that the axis is one of its dimensions.
Status expect_normalized_axis(const OperationView& operation, size_t axis_input) {
  NNVK_TRY(check_rank(operation, kFirstInput, 1, 4, Code::kOpFailed));
  return expect_axis(operation, axis_input);
}

Shapes infer_l2_normalization(const OperationView& operation) {
  NNVK_TRY(expect_normalized_axis(operation, l2_normalization::kAxis));
  NNVK_TRY(expect_fixed_quantization(operation, 1.0F / 128, 128));
  return infer_same_as_input(operation);
}

Shapes infer_local_response_normalization(const OperationView& operation) {
  NNVK_TRY(expect_normalized_axis(operation, local_response_normalization::kAxis));
  NNVK_TRY(expect_int_at_least(operation, local_response_normalization::kRadius, 0));
  return infer_same_as_input(operation);
}

Shapes infer_instance_normalization(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, instance_normalization::kInput, 4, 4, Code::kOpFailed));
  return infer_same_as_input(operation);
}

constexpr auto kL2Types = rules<In<kT, kInt32>, Out<kT>, Since<1, kTensorFloat32>, Reals<3>>;
constexpr Signature kL2Normalization[] = {
    {1, counts<1>, 1, kL2Types},
    {3, counts<2>, 1, kL2Types},
};

constexpr auto kLocalResponseTypes = rules<In<kT, kInt32, kTScalar, kTScalar, kTScalar, kInt32>, Out<kT>, Floats<1>>;
constexpr Signature kLocalResponseNormalization[] = {
    {1, counts<5>, 1, kLocalResponseTypes},
    {3, counts<6>, 1, kLocalResponseTypes},
};

constexpr auto kInstanceTypes = rules<In<kT, kTScalar, kTScalar, kTScalar, kBool>, Out<kT>, Floats<3>>;

constexpr auto kAlongAxis = rows<Cost::kNormalization, layout::fixed>({
    {.code = Op::kL2Normalization,
     .signatures = kL2Normalization,
     .check = check_rank4,
     .infer = infer_l2_normalization,
     .level = rank_4_level},
    {.code = Op::kLocalResponseNormalization,
     .signatures = kLocalResponseNormalization,
     .check = check_rank4,
     .infer = infer_local_response_normalization,
     .level = rank_4_level},
});
constexpr auto kOfImages = rows<Cost::kNormalization, layout::flagged<instance_normalization::kLayout>>({
    {.code = Op::kInstanceNormalization, .signatures = only<kInstanceTypes>, .infer = infer_instance_normalization},
});
constexpr auto kRows = joined(kAlongAxis, kOfImages);

}  // namespace

std::span<const OperationDefinition> normalization_operations() { return kRows; }

}  // namespace nnvk
