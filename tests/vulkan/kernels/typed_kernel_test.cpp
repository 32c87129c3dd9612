// Code must name all arguments of a kernel, or it does not compile.
#include "vulkan/kernels/typed_kernel.h"

#include <gtest/gtest.h>

#include "core/plan/resolve.h"
#include "reduce_kernels.h"
#include "softmax_kernels.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

using kernels::SoftmaxFloat;
[[maybe_unused]] const TensorBinding kAny = {};

template <class Bindings>
constexpr bool accepts_all_names = requires {
  Bindings{.in_x = kAny, .statistics = kAny, .out_y = kAny};
};
template <class Bindings>
constexpr bool accepts_a_missing_name = requires {
  Bindings{.in_x = kAny, .out_y = kAny};
};
template <class Bindings>
constexpr bool accepts_a_wrong_name = requires {
  Bindings{.in_x = kAny, .sums = kAny, .out_y = kAny};
};
static_assert(accepts_all_names<SoftmaxFloat::Bindings>);
static_assert(!accepts_a_missing_name<SoftmaxFloat::Bindings>);
static_assert(!accepts_a_wrong_name<SoftmaxFloat::Bindings>);

template <class Constants>
constexpr bool accepts_all_constants = requires {
  Constants{.type = 0U, .one_slice = true, .logarithm = false};
};
template <class Constants>
constexpr bool accepts_a_missing_constant = requires {
  Constants{.type = 0U, .one_slice = true};
};
template <class Constants>
constexpr bool accepts_a_number_for_a_bool = requires {
  Constants{.type = 0U, .one_slice = 1U, .logarithm = false};
};
template <class Constants>
constexpr bool accepts_a_bool_for_a_number = requires {
  Constants{.type = false, .one_slice = true, .logarithm = false};
};
static_assert(accepts_all_constants<SoftmaxFloat::Specialization>);
static_assert(!accepts_a_missing_constant<SoftmaxFloat::Specialization>);
static_assert(!accepts_a_number_for_a_bool<SoftmaxFloat::Specialization>);
static_assert(!accepts_a_bool_for_a_number<SoftmaxFloat::Specialization>);

template <class Dispatch, class Params>
constexpr bool takes = requires(Dispatch dispatch, Params params) {
  dispatch.set_params(params);
};
static_assert(takes<DispatchOf<SoftmaxParams>, SoftmaxParams>);
static_assert(!takes<DispatchOf<SoftmaxParams>, ReduceParams>);

static_assert(std::is_same_v<kernels::ReduceInteger, kernels::ReduceFloatQuads>, "kernels of equal names share a shape");
static_assert(!std::is_same_v<kernels::SoftmaxInteger, SoftmaxFloat>);

TEST(TypedKernel, NamedConstantsAndBindingsGetTheNumbersOfTheManifest) {
  const TensorBinding x = read_quads(7, OperandType::kTensorFloat32);
  const TensorBinding statistics = read_words(8);
  const TensorBinding y = write_words(9);
  const SoftmaxFloat::Specialization constants{.type = kElementFloat16, .one_slice = true, .logarithm = false};
  const SoftmaxFloat::Bindings bindings{.in_x = x, .statistics = statistics, .out_y = y};
  ASSERT_EQ(constants.in_order().size(), 3U);
  for (uint32_t id = 0; id < 3; ++id) EXPECT_EQ(constants.in_order()[id].id, id);
  EXPECT_EQ(constants.in_order()[0].value, kElementFloat16);
  EXPECT_EQ(constants.in_order()[1].value, 1U);
  EXPECT_EQ(constants.in_order()[2].value, 0U);
  ASSERT_EQ(bindings.in_order().size(), kernel_info(kernels::kSoftmaxFloat.id).bindings.size());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(bindings.in_order()[i].tensor, 7 + i);
  EXPECT_EQ(bindings.in_order()[0].format, ViewFormat::kRgba32Sfloat);
  EXPECT_EQ(bindings.in_order()[2].access, Access::kWrite);
}

}  // namespace
}  // namespace nnvk::vulkan
