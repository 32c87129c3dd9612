// Lists of kernel forms, as NNVK_VULKAN_KERNELS has them.
#include "vulkan/traits/kernel_forms.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

TEST(KernelForms, AreReadFromTheirNames) {
  EXPECT_EQ(kernel_forms_of("dot,half"), (KernelForms{KernelForm::kDot, KernelForm::kHalf}));
  EXPECT_EQ(kernel_forms_of(""), KernelForms());
  for (const KernelForm form : kKernelForms) EXPECT_EQ(kernel_forms_of(name_of(form)), KernelForms{form}) << name_of(form);
}

TEST(KernelForms, AnUnknownNameMakesTheWholeListInvalid) {
  EXPECT_EQ(kernel_forms_of("dot,halves"), std::nullopt);
  EXPECT_EQ(kernel_forms_of("dot;half"), std::nullopt);
}

TEST(KernelForms, AreNamedInMessages) {
  EXPECT_EQ(names_of(KernelForms{KernelForm::kHalf, KernelForm::kHardware}), "hardware, half");
  EXPECT_EQ(names_of(KernelForms()), "");
}

}  // namespace
}  // namespace nnvk::vulkan
