// How many invocations share a reduction, on invented devices; the names of forms.
#include "vulkan/kernels/slice_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "vulkan/kernels/bounded_work.h"

namespace nnvk::vulkan {
namespace {

DeviceTraits gpu() {
  DeviceTraits traits;
  traits.subgroup_size = 32;
  traits.features = {KernelFeature::kSubgroupArithmetic};
  return traits;
}

DeviceTraits with_forms(DeviceTraits traits, KernelForms forms) {
  traits.forms = forms;
  return traits;
}

constexpr SliceWork kRow{.folds = 1, .steps = 251, .contiguous = true, .subgroups = true};  // a softmax of 1x1001, by quads
constexpr SliceWork kColumns{.folds = 16, .steps = 12544, .contiguous = false};             // a mean over 112x112x64

TEST(SliceChoice, AWorkGroupSharesALongSlice) {
  EXPECT_EQ(choose_slices(kRow, gpu()), (SliceChoice{64, true}));
  EXPECT_EQ(choose_slices(kColumns, gpu()), (SliceChoice{64, false}));
}

TEST(SliceChoice, WithoutSubgroupOperationsSharedMemoryDoes) {
  DeviceTraits traits = gpu();
  traits.features = {};
  EXPECT_EQ(choose_slices(kRow, traits), (SliceChoice{64, false}));
}

TEST(SliceChoice, ShortSlicesAreNotShared) {
  for (const bool contiguous : {false, true}) {
    EXPECT_EQ(choose_slices({.folds = 1, .steps = 31, .contiguous = contiguous}, gpu()).lanes, 1U);
  }
}

TEST(SliceChoice, ManySlicesSideBySideKeepAnInvocationEach) {
  EXPECT_EQ(choose_slices({.folds = 1 << 20, .steps = 1000, .contiguous = false}, gpu()).lanes, 1U);
  const uint64_t quarter = wanted_invocations(gpu().machine) / 4;
  EXPECT_EQ(choose_slices({.folds = quarter, .steps = 1000, .contiguous = false}, gpu()).lanes, 4U)
      << "four lanes fill the device";
}

TEST(SliceChoice, SlicesOneBehindTheOtherAreReadSideBySideHoweverManyThereAre) {
  EXPECT_EQ(choose_slices({.folds = 1 << 20, .steps = 1000, .contiguous = true}, gpu()).lanes, kMostLanes);
}

TEST(SliceChoice, EveryLaneHasSomethingToDo) {
  for (const uint64_t steps : {32ULL, 49ULL, 100ULL, 1000ULL}) {
    const SliceChoice choice = choose_slices({.folds = 1, .steps = steps, .contiguous = false}, gpu());
    EXPECT_GE(steps / choice.lanes, 4U) << steps;
  }
}

// Measured on llvmpipe with two cores.
TEST(SliceChoice, SoftwareSharesHardlyAnyLongFoldsOnly) {
  DeviceTraits software = gpu();
  software.machine.kind = MachineKind::kSoftware;
  EXPECT_EQ(choose_slices(kRow, software), (SliceChoice{64, true}));
  EXPECT_EQ(choose_slices({.folds = 1, .steps = 12544}, software), (SliceChoice{64, false}));
  EXPECT_EQ(choose_slices({.folds = 1, .steps = 49}, software).lanes, 1U);
  EXPECT_EQ(choose_slices(kColumns, software).lanes, 1U) << "vectors are full";
  EXPECT_EQ(choose_slices({.folds = 32, .steps = 768, .contiguous = true}, software).lanes, 1U);
  EXPECT_EQ(choose_slices({.folds = 65, .steps = 12544}, software).lanes, 1U);
}

TEST(SliceChoice, AskedForFormsAreTakenWhateverTheSize) {
  const SliceWork tiny{.folds = 3, .steps = 2, .contiguous = true, .subgroups = true};
  DeviceTraits software = gpu();
  software.machine.kind = MachineKind::kSoftware;
  for (const DeviceTraits& device : {gpu(), software}) {
    EXPECT_EQ(choose_slices(kRow, with_forms(device, {KernelForm::kSingleSlices})), (SliceChoice{1, false}));
    EXPECT_EQ(choose_slices(tiny, with_forms(device, {KernelForm::kGroupSlices})), (SliceChoice{64, false}));
    EXPECT_EQ(choose_slices(tiny, with_forms(device, {KernelForm::kSubgroupSlices})), (SliceChoice{64, true}));
    EXPECT_EQ(choose_slices(kColumns, with_forms(device, {KernelForm::kSubgroupSlices})), (SliceChoice{64, false}));
  }
  const SliceChoice strided = choose_slices(kColumns, with_forms(gpu(), {KernelForm::kGroupSlices}));
  EXPECT_GT(strided.lanes, 1U);
  EXPECT_LT(strided.lanes, kMostLanes) << "several folds in one work group are a case of their own";
}

TEST(SharedChunk, NoInvocationLoopsForTooLong) {
  for (const uint32_t lanes : {2U, 16U, 64U}) {
    for (const uint64_t run : {1ULL, 2ULL, 3ULL, 63ULL, 64ULL, 65ULL, 12544ULL, 40'000'000ULL}) {
      const uint64_t chunk = shared_chunk({.folds = 1 << 20, .steps = run}, 1ULL << 31, lanes, gpu());
      const uint64_t rows = chunk / run + 2;
      const uint64_t per_row = std::min<uint64_t>(run, chunk) / lanes + 1 + 2;
      EXPECT_LT(rows * per_row, 65535U + 3 * per_row) << lanes << " lanes, runs of " << run;
      EXPECT_LE(chunk, uint64_t{lanes} * kMostElementsPerInvocation);
      EXPECT_GT(chunk, 0U);
    }
  }
}

TEST(SharedChunk, AFoldOverAWholeImageIsSpreadOverWorkGroups) {
  const uint64_t elements = 112 * 112 * 64;
  const uint32_t chunk = shared_chunk({.folds = 1, .steps = elements, .contiguous = true}, elements, 64, gpu());
  EXPECT_GE(elements / chunk, 50U);
  EXPECT_GE(chunk / 64, 16U) << "every lane still folds";
  const SliceWork pool{.folds = 4, .steps = 64 * 64};
  EXPECT_EQ(shared_chunk(pool, pool.steps, 64, gpu()), 16U * 64) << "four work groups to a fold";
  const SliceWork small{.folds = 4, .steps = 48 * 64};
  EXPECT_GE(shared_chunk(small, small.steps, 64, gpu()), small.steps) << "a second dispatch would cost more";
  DeviceTraits software = gpu();
  software.machine.kind = MachineKind::kSoftware;
  EXPECT_GE(shared_chunk(kColumns, kColumns.steps, 64, software), kColumns.steps) << "one dispatch is enough";
}

TEST(KernelForms, AreNamedInLists) {
  EXPECT_EQ(kernel_forms_of("group_slices"), KernelForms{KernelForm::kGroupSlices});
  EXPECT_EQ(kernel_forms_of("hardware,single_slices"), (KernelForms{KernelForm::kHardware, KernelForm::kSingleSlices}));
  EXPECT_EQ(kernel_forms_of(""), KernelForms{});
  EXPECT_EQ(kernel_forms_of("group_slices,unheard_of"), std::nullopt);
  for (const KernelForm form : kKernelForms) EXPECT_EQ(kernel_forms_of(name_of(form)), KernelForms{form});
  EXPECT_EQ(names_of({KernelForm::kGroupSlices, KernelForm::kHardware}), "hardware, group_slices");
}

}  // namespace
}  // namespace nnvk::vulkan
