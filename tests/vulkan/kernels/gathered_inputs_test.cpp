// On devices with few storage buffers, copies into one buffer and a form that reads it replace a kernel.
#include "vulkan/kernels/gathered_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gathered_kernels.h"
#include "suppression_kernels.h"

namespace nnvk::vulkan {
namespace {

constexpr TensorId kGathered = 100;

DeviceTraits four_buffers() {
  DeviceTraits traits;
  traits.max_storage_buffers = 4;
  return traits;
}

TEST(GatheredInputs, GiveEveryKernelAFormThatFitsTheLeastDevice) {
  size_t with_form = 0;
  for (const KernelInfo& kernel : all_kernels()) {
    if (kernel.bindings.size() <= 4) {
      EXPECT_FALSE(kernel.gathered) << kernel.name;
      continue;
    }
    ASSERT_TRUE(kernel.gathered) << kernel.name;
    const KernelInfo& form = kernel_info(*kernel.gathered);
    EXPECT_LE(form.bindings.size(), 4U) << kernel.name;
    EXPECT_EQ(form.params_bytes, kernel.params_bytes) << kernel.name;
    EXPECT_EQ(form.specialization.size(), kernel.specialization.size()) << kernel.name;
    ++with_form;
  }
  EXPECT_GT(with_form, 0U);
}

// SuppressEmit: reads four tensors, writes two.
Dispatch emit_dispatch() {
  Dispatch dispatch;
  dispatch.kernel = kernels::kSuppressEmit.id;
  for (TensorId id = 0; id < 6; ++id) {
    dispatch.bindings.push_back({id, ViewFormat::kWords, id < 4 ? Access::kRead : Access::kWrite});
  }
  dispatch.specialization = {{0, 7}};
  dispatch.groups = {3, 1, 1};
  return dispatch;
}

std::vector<BoundBytes> bytes(std::initializer_list<uint64_t> sizes) {
  std::vector<BoundBytes> bound;
  for (const uint64_t size : sizes) bound.push_back({ViewFormat::kWords, size});
  return bound;
}

GatherInputsParams params_of(const Dispatch& dispatch) {
  GatherInputsParams params{};
  EXPECT_EQ(dispatch.params.size(), sizeof params);
  std::memcpy(&params, dispatch.params.data(), sizeof params);
  return params;
}

TEST(GatheredInputs, ArePlacedBehindAHeaderThreePerCopy) {
  const auto bound = bytes({32, 16, 0, 1600, 64, 64});
  EXPECT_EQ(gathered_bytes(kernel_info(kernels::kSuppressEmit.id), bound), 64U + 32 + 16 + 0 + 1600);
  const auto made = gather_inputs(emit_dispatch(), bound, kGathered, four_buffers());
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 3U);

  const GatherInputsParams first = params_of((*made)[0]);
  EXPECT_EQ(first.first, 0U);
  EXPECT_EQ(first.inputs, 3U);
  EXPECT_EQ(first.count, 3U);
  EXPECT_EQ(first.at[0], 4U);  // the header has four units of 16 bytes
  EXPECT_EQ(first.at[1], 6U);
  EXPECT_EQ(first.at[2], 7U);
  EXPECT_EQ(first.size[2], 0U);

  const GatherInputsParams second = params_of((*made)[1]);
  EXPECT_EQ(second.first, 3U);
  EXPECT_EQ(second.inputs, 1U);
  EXPECT_EQ(second.count, 100U);
  EXPECT_EQ(second.at[0], 7U);
  EXPECT_EQ((*made)[1].bindings[0].tensor, 3U);
  EXPECT_EQ((*made)[1].bindings[3].tensor, kGathered);
  EXPECT_EQ((*made)[1].groups[0], 2U) << "100 invocations in groups of 64";
}

TEST(GatheredInputs, LeaveOutputsConstantsAndGroupsAsTheyAre) {
  const auto made = gather_inputs(emit_dispatch(), bytes({16, 16, 16, 16, 64, 64}), kGathered, four_buffers());
  ASSERT_TRUE(made) << made.error().message;
  const Dispatch& last = made->back();
  EXPECT_STREQ(kernel_info(last.kernel).name, "SuppressEmitGathered");
  ASSERT_EQ(last.bindings.size(), 3U);
  EXPECT_EQ(last.bindings[0].tensor, kGathered);
  EXPECT_EQ(last.bindings[0].access, Access::kRead);
  EXPECT_EQ(last.bindings[1].tensor, 4U);
  EXPECT_EQ(last.bindings[2].tensor, 5U);
  EXPECT_EQ(last.groups[0], 3U);
  EXPECT_EQ(last.specialization[0].value, 7U);
}

TEST(GatheredInputs, ThatAreLargerTogetherThanABufferAreDeclined) {
  DeviceTraits traits = four_buffers();
  traits.max_storage_range = 1024;
  const auto made = gather_inputs(emit_dispatch(), bytes({512, 512, 16, 16, 64, 64}), kGathered, traits);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::kResourceExhaustedPersistent);
}

}  // namespace
}  // namespace nnvk::vulkan
