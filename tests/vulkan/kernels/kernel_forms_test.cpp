// Lists of kernel forms, as NNVK_VULKAN_KERNELS has them.
#include "vulkan/kernels/kernel_forms.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

TEST(KernelForms, AreReadFromTheirNames) {
  EXPECT_EQ(kernel_forms_of("dot,hardware"), (KernelForms{KernelForm::kDot, KernelForm::kHardware}));
  EXPECT_EQ(kernel_forms_of(""), KernelForms());
  for (const KernelForm form : kKernelForms) EXPECT_EQ(kernel_forms_of(name_of(form)), KernelForms{form}) << name_of(form);
}

TEST(KernelForms, AnUnknownNameMakesTheWholeListInvalid) {
  EXPECT_EQ(kernel_forms_of("dot,halves"), std::nullopt);
  EXPECT_EQ(kernel_forms_of("dot;half"), std::nullopt);
}

TEST(KernelForms, AreNamedInMessages) {
  EXPECT_EQ(names_of(KernelForms{KernelForm::kDot, KernelForm::kHardware}), "hardware, dot");
  EXPECT_EQ(names_of(KernelForms()), "");
}

}  // namespace
}  // namespace nnvk::vulkan
