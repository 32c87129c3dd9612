// How the stages of `nnvk gpu-check` share the time, and the forms that they name.
#include "tools/device_check/plan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "vulkan/traits/kernel_forms.h"

namespace nnvk::tools::device_check {
namespace {

TEST(DeviceCheckPlan, StagesTogetherTakeAllTheTime) {
  double elapsed = 0;
  for (size_t i = 0; i < stages().size(); ++i) {
    const double seconds = seconds_for(i, elapsed, 480);
    EXPECT_GT(seconds, 0) << stages()[i].name;
    elapsed += seconds;
  }
  EXPECT_NEAR(elapsed, 480, 1e-6);
}

TEST(DeviceCheckPlan, WhatAStageLeavesGoesToAllLaterOnes) {
  for (size_t later = 2; later < stages().size(); ++later) {
    EXPECT_GT(seconds_for(later, 10, 480), seconds_for(later, 100, 480)) << stages()[later].name;
  }
  EXPECT_DOUBLE_EQ(seconds_for(stages().size() - 1, 100, 480), 380);
}

TEST(DeviceCheckPlan, NoTimeIsLeftAfterTheEnd) { EXPECT_EQ(seconds_for(3, 500, 480), 0); }

TEST(DeviceCheckPlan, NamesOfStagesDiffer) {
  std::set<std::string_view> names;
  for (const Stage& stage : stages()) names.insert(stage.name);
  EXPECT_EQ(names.size(), stages().size());
}

// The tools know the library by its public headers alone, so the names stand there a second time.
TEST(DeviceCheckPlan, ConformanceRunsWithEveryFormOfTheKernels) {
  vulkan::KernelForms named;
  for (const auto list : conformance_forms()) {
    const auto forms = vulkan::kernel_forms_of(list);
    ASSERT_TRUE(forms) << list;
    for (const auto form : vulkan::kKernelForms) {
      if (forms->contains(form)) named.insert(form);
    }
  }
  EXPECT_EQ(names_of(named), names_of(vulkan::kAllKernelForms));
}

TEST(DeviceCheckPlan, ProductFormsAreFormsOfTheKernels) {
  for (const auto form : product_forms()) EXPECT_TRUE(vulkan::kernel_forms_of(form)) << form;
}

}  // namespace
}  // namespace nnvk::tools::device_check
