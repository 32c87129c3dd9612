// Kernels with more bindings than every device has storage buffers get a form that reads one buffer.
#include "tools/shader_packer/gathered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nnvk::shader_packer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Kernel kernel_with(const std::vector<BindingKind>& kinds) {
  Kernel kernel;
  kernel.name = "Many";
  kernel.source = "many.comp";
  kernel.defines = {"INTEGER"};
  kernel.variants = {{find_variant("texel"), {}}, {find_variant("words"), {}}};
  for (const BindingKind kind : kinds) kernel.bindings.push_back({"b" + std::to_string(kernel.bindings.size()), kind});
  return kernel;
}

constexpr auto kIn = BindingKind::kInput;
constexpr auto kTable = BindingKind::kTable;
constexpr auto kOut = BindingKind::kOutput;
constexpr auto kBoth = BindingKind::kInOut;

TEST(GatheredForms, AreForKernelsWithMoreThanFourBindings) {
  EXPECT_FALSE(gathered_form(kernel_with({kIn, kIn, kTable, kOut})));
  EXPECT_TRUE(gathered_form(kernel_with({kIn, kIn, kTable, kIn, kOut})));
}

TEST(GatheredForms, NumberInputsInTheirOrderAndBindOutputsBehindThem) {
  const auto form = gathered_form(kernel_with({kIn, kOut, kTable, kBoth, kIn}));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->name, "ManyGathered");
  EXPECT_TRUE(form->derived);
  ASSERT_EQ(form->bindings.size(), 3U);
  EXPECT_EQ(form->bindings[0].name, "gathered");
  EXPECT_EQ(form->bindings[0].kind, kTable);
  EXPECT_EQ(form->bindings[1].name, "b1");
  EXPECT_EQ(form->bindings[2].kind, kBoth);
  for (const char* define : {"INTEGER", "NNVK_GATHERED", "NNVK_INPUT_0=0", "NNVK_BINDING_1=1", "NNVK_INPUT_2=1",
                             "NNVK_BINDING_3=2", "NNVK_INPUT_4=2"}) {
    EXPECT_THAT(form->defines, Contains(define));
  }
  ASSERT_EQ(form->variants.size(), 1U);
  EXPECT_EQ(form->variants[0].kind->name, "words");
}

TEST(GatheredForms, OfKernelsThatWriteTooMuchAreAnErrorThatSaysWhatToDo) {
  try {
    (void)gathered_form(kernel_with({kIn, kOut, kOut, kOut, kOut}));
    FAIL() << "four outputs leave no buffer for what is read";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("many.comp, kernel Many: writes 4 buffers"));
    EXPECT_THAT(error.what(), HasSubstr("split it into dispatches"));
  }
}

TEST(GatheredForms, StandBehindTheirKernelsWhichNameThem) {
  std::vector<Family> families(1);
  families[0].kernels = {kernel_with({kIn, kOut}), kernel_with({kIn, kIn, kIn, kIn, kOut})};
  add_gathered_forms(families);
  ASSERT_EQ(families[0].kernels.size(), 3U);
  EXPECT_EQ(families[0].kernels[0].gathered, "");
  EXPECT_EQ(families[0].kernels[1].gathered, "ManyGathered");
  EXPECT_EQ(families[0].kernels[2].name, "ManyGathered");
}

}  // namespace
}  // namespace nnvk::shader_packer
