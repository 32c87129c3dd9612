// Decisions of the LSTM emitter: the number of dispatches of a sequence, and the sharing of sums. Also kernels for large GPUs,
// which software Vulkan does not choose on its own.
#include "tests/support/lstm_case.h"

#include <gtest/gtest.h>

#include "lstm_kernels.h"
#include "tests/support/bindings.h"
#include "tests/vulkan/kernels/kernel_rig.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan::rig {
namespace {

using nnvk::test::LstmCase;
using nnvk::test::LstmOperand;
using nnvk::test::value_of;
using enum OperationCode;
using enum OperandType;

// Random operands small enough that gates do not saturate.
OneNode make_node(const LstmCase& lstm, float range = 0.7F) {
  OneNode node(lstm.code);
  uint32_t seed = 0;
  for (const LstmOperand& operand : lstm.inputs()) {
    ++seed;
    const OperandInfo& info = operand.info;
    if (!operand.given) {
      node.omitted(info.type);
    } else if (info.type == kInt32) {
      node.scalar(static_cast<int32_t>(operand.values[0]));
    } else if (info.type == kBool) {
      node.scalar(operand.values[0] != 0.0F);
    } else if (!is_float_tensor(info.type)) {
      node.constant(info, float_values(info.type == kFloat16 ? kTensorFloat16 : kTensorFloat32, operand.values));
    } else if (seed == 1) {
      node.random_input(info, seed, range);
    } else {
      node.random_constant(info, seed, range);
    }
  }
  for (const OperandInfo& output : lstm.outputs()) node.output(output);
  return node;
}

void expect_close(const OutputValue& actual, const OutputValue& expected) {
  ASSERT_EQ(actual.bytes.size(), expected.bytes.size());
  for (size_t at = 0; at < actual.bytes.size(); at += sizeof(float)) {
    float a;
    float e;
    std::memcpy(&a, actual.bytes.data() + at, sizeof a);
    std::memcpy(&e, expected.bytes.data() + at, sizeof e);
    ASSERT_NEAR(a, e, 1e-5) << "element " << at / sizeof(float);
  }
}

TEST(LstmKernel, SumsSharedByAWorkGroupAsOnLargeGpusAgreeAndRepeat) {
  NNVK_REQUIRE_VULKAN();
  const auto devices = discover_devices({}, {.forms = {KernelForm::kHardware}});
  ASSERT_FALSE(devices.empty());
  for (const uint32_t size : {67U, 256U}) {
    for (const bool norm : {false, true}) {
      LstmCase lstm{.steps = 2, .batch = 3, .input_size = size, .units = size, .projected = 130, .layer_norm = norm};
      SCOPED_TRACE(lstm.describe());
      const OneNode node = make_node(lstm, 0.2F);
      const auto expected = run_on(reference_device(), node);
      const auto first = run_on(*devices[0], node);
      const auto second = run_on(*devices[0], node);
      ASSERT_TRUE(expected && first && second) << (first ? "" : first.error().message);
      for (size_t o = 0; o < expected->size(); ++o) {
        EXPECT_EQ((*first)[o].bytes, (*second)[o].bytes);
        expect_close((*first)[o], (*expected)[o]);
      }
    }
  }
}

// Counts the dispatches of an emitter.
class CountingList final : public DispatchList {
 public:
  void add(Dispatch dispatch) override { (packing_ ? packs : dispatches).push_back(std::move(dispatch)); }
  TensorId scratch(uint64_t) override { return next_++; }
  TensorId table(const std::string&, std::vector<std::byte>) override { return next_++; }
  Result<TensorId> packed(const std::string&, TensorId, uint64_t, const std::function<Status(TensorId)>& make) override {
    packing_ = true;
    NNVK_TRY(make(next_));
    packing_ = false;
    return next_++;
  }
  TensorId status(uint32_t) override { return next_++; }
  void data_sized(TensorId, uint32_t, TensorId, uint32_t) override {}
  void fail_if_set(TensorId, uint32_t, std::string) override {}
  std::vector<Dispatch> dispatches;
  std::vector<Dispatch> packs;

 private:
  TensorId next_ = 1000;
  bool packing_ = false;
};

// Dispatches of a whole execution.
std::vector<Dispatch> emit(const LstmCase& lstm, const DeviceTraits& traits) {
  const auto plan = make_node(lstm).plan();
  const DeclaredBindings declared = declared_bindings(*plan).value();
  const Resolution resolution = value_of(resolve(*plan, declared.inputs, declared.outputs, {}));
  const CheckedNode checked = value_of(CheckedNode::check(*plan, plan->nodes[0], resolution));
  CountingList list;
  const Status status = find_emitter(lstm.code)->emit({{checked, traits}, list});
  EXPECT_TRUE(status.has_value());
  return list.dispatches;
}

DeviceTraits single_steps() {
  DeviceTraits traits;
  traits.forms = {KernelForm::kSingleSteps};
  return traits;
}

DeviceTraits software_traits() {
  DeviceTraits traits;
  traits.machine.kind = MachineKind::kSoftware;
  traits.features = {KernelFeature::kSubgroupShuffle};
  traits.subgroup_size = 8;
  return traits;
}

TEST(LstmDispatches, ATimeStepIsOneDispatch) {
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20}, single_steps()).size(), 1 + 128U);
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 200}, {}).size(), 1 + 128U);
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20, .projected = 8}, {}).size(), 1 + 2 * 128U);
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20, .layer_norm = true}, {}).size(), 1 + 2 * 128U);
  EXPECT_EQ(emit({.type = kTensorFloat16, .steps = 128, .input_size = 28, .units = 20}, single_steps()).size(), 1 + 128 + 3U);
}

TEST(LstmDispatches, AllStepsOfASmallCellAreOneDispatch) {
  for (const DeviceTraits& traits : {DeviceTraits{}, software_traits()}) {
    const std::vector<Dispatch> dispatches = emit({.steps = 128, .batch = 3, .input_size = 28, .units = 20}, traits);
    ASSERT_EQ(dispatches.size(), 2U);
    EXPECT_EQ(dispatches[1].groups[0], 3U);  // a work group per batch row
    EXPECT_EQ(dispatches[1].multiply_adds, 128U * 3 * 20 * 20 * 4);
    EXPECT_FALSE(dispatches[1].choice.empty());
  }
}

TEST(LstmDispatches, LongSequencesOfASmallCellTakeMoreDispatchesAfterOneProduct) {
  const LstmCase lstm{.steps = 5000, .input_size = 28, .units = 20};
  const auto choice = choose_lstm_sequence(5000, 1, 20, {});
  ASSERT_TRUE(choice);
  EXPECT_LT(choice->most_steps, 5000U);
  EXPECT_EQ(emit(lstm, {}).size(), 1 + (5000 + choice->most_steps - 1) / choice->most_steps);
}

TEST(LstmDispatches, LongSumsOfAStepAreCutIntoDispatches) {
  constexpr uint32_t kLong = 2 * kMostLstmLoads + 5;
  const size_t dispatches = emit({.steps = 2, .input_size = 1, .units = 2, .projected = 3}, {}).size();
  EXPECT_EQ(emit({.steps = 2, .input_size = 1, .units = 2, .projected = kLong}, {}).size(), dispatches + 2 * 2);
  EXPECT_EQ(emit({.steps = 2, .input_size = 1, .units = kLong, .projected = 3}, {}).size(), dispatches + 2 * 2);
}

TEST(LstmDispatches, AllStepsOfAFloatSequenceShareOnePipeline) {
  const std::vector<Dispatch> dispatches = emit({.steps = 9, .batch = 3, .input_size = 28, .units = 20}, single_steps());
  ASSERT_EQ(dispatches.size(), 1 + 9U);
  for (size_t d = 2; d < dispatches.size(); ++d) {
    EXPECT_EQ(dispatches[d].kernel, kernels::kLstmStep.id);
    ASSERT_EQ(dispatches[d].specialization.size(), dispatches[1].specialization.size());
    for (size_t i = 0; i < dispatches[d].specialization.size(); ++i) {
      EXPECT_EQ(dispatches[d].specialization[i].value, dispatches[1].specialization[i].value);
    }
  }
}

TEST(LstmSequenceChoice, GpusLetInvocationsThatUnitsLeaveOverShareTheSums) {
  EXPECT_EQ(choose_lstm_sequence(2, 1, 12, {})->slices, 1U);  // short sums
  EXPECT_EQ(choose_lstm_sequence(2, 1, 20, {})->slices, 2U);
  EXPECT_EQ(choose_lstm_sequence(2, 1, 33, {})->slices, 2U);  // more slices would exceed the work group
  EXPECT_EQ(choose_lstm_sequence(2, 1, 65, {})->slices, 1U);
  EXPECT_FALSE(choose_lstm_sequence(2, 1, 65, {})->one_subgroup);
}

TEST(LstmSequenceChoice, SoftwareTilesUnitsInOneSubgroup) {
  const auto tile = [](uint64_t units) { return choose_lstm_sequence(2, 1, units, software_traits())->tile_columns; };
  EXPECT_EQ(tile(15), 1U);
  EXPECT_EQ(tile(16), 2U);
  EXPECT_EQ(tile(32), 4U);
  EXPECT_EQ(tile(300), 4U);
  EXPECT_TRUE(choose_lstm_sequence(2, 1, 300, software_traits())->one_subgroup);
}

TEST(LstmSequenceChoice, ADispatchPerStepWhereItsWorkIsMoreThanADispatch) {
  EXPECT_FALSE(choose_lstm_sequence(1, 1, 20, {}));  // it would save nothing
  EXPECT_FALSE(choose_lstm_sequence(16, 1, 128, {}));
  EXPECT_TRUE(choose_lstm_sequence(16, 100, 90, {}));  // work groups of a GPU run side by side
  EXPECT_TRUE(choose_lstm_sequence(16, 1, 256, software_traits()));
  EXPECT_FALSE(choose_lstm_sequence(16, 2, 256, software_traits()));
  EXPECT_FALSE(choose_lstm_sequence(16, 1, 20, single_steps()));
  EXPECT_FALSE(choose_lstm_sequence(16, 1, 0, {}));
}

TEST(LstmSequenceChoice, SoftwareNeedsASubgroupOfEight) {
  DeviceTraits traits = software_traits();
  traits.subgroup_size = 4;
  EXPECT_FALSE(choose_lstm_sequence(16, 1, 20, traits));
  traits = software_traits();
  traits.features = {};
  EXPECT_FALSE(choose_lstm_sequence(16, 1, 20, traits));
}

// llvmpipe silently ends long loops, which would give wrong results. So a dispatch must stay below 65,535 iterations.
TEST(LstmSequenceChoice, ADispatchStaysBelowTheLoopLimit) {
  for (const DeviceTraits& traits : {DeviceTraits{}, software_traits()}) {
    for (uint64_t units = 1; units <= 512; ++units) {
      const auto choice = choose_lstm_sequence(UINT32_MAX, 1, units, traits);
      if (!choice) continue;
      const uint64_t tiles = (choice->one_subgroup ? kLstmSequenceLanes : kLstmSequenceGroup) / choice->slices;
      const uint64_t passes = (units + tiles * choice->tile_columns - 1) / (tiles * choice->tile_columns);
      const uint64_t of_a_pass = units / 4 + 1 + 7 + 1;  // quads, at most 7 single elements, an end each
      ASSERT_GE(choice->most_steps, 1U);
      ASSERT_LT(choice->most_steps * (passes * of_a_pass + passes + 2) + units, 65535U) << units;
    }
  }
}

TEST(LstmChoice, SoftwareTilesRowsAndLargeGpusShareSums) {
  DeviceTraits software;
  software.machine.kind = MachineKind::kSoftware;
  EXPECT_EQ(choose_lstm_product(1, 128, 128, software), (LstmProductChoice{1, 1}));
  EXPECT_EQ(choose_lstm_product(2, 128, 128, software), (LstmProductChoice{2, 1}));
  EXPECT_EQ(choose_lstm_product(100, 128, 128, software), (LstmProductChoice{4, 1}));
  EXPECT_EQ(choose_lstm_product(1, 128, 128, {}), (LstmProductChoice{1, 8}));
  EXPECT_EQ(choose_lstm_product(1, 512, 512, {}), (LstmProductChoice{1, 16}));
  EXPECT_EQ(choose_lstm_product(1, 128, 8, {}), (LstmProductChoice{1, 1}));
  EXPECT_EQ(choose_lstm_product(1024, 512, 512, {}), (LstmProductChoice{4, 1}));
  DeviceTraits few_registers;
  few_registers.registers = 48;
  EXPECT_EQ(choose_lstm_product(1024, 512, 512, few_registers), (LstmProductChoice{2, 1}));
}

TEST(LstmChoice, SoftwareSharesWhatItReadsOfEightRowsWhereColumnsAreWholeEights) {
  const LstmProductChoice shared{.tile_rows = 8, .slices = 1, .shared_rows = true};
  EXPECT_EQ(choose_lstm_contribution(100, 128, 128, software_traits()), shared);
  EXPECT_EQ(choose_lstm_contribution(5, 8, 128, software_traits()), shared);
  EXPECT_FALSE(choose_lstm_contribution(4, 128, 128, software_traits()).shared_rows);
  EXPECT_FALSE(choose_lstm_contribution(100, 129, 128, software_traits()).shared_rows);
  EXPECT_FALSE(choose_lstm_contribution(100, 128, 128, {}).shared_rows);
  DeviceTraits no_shuffles = software_traits();
  no_shuffles.features = {};
  EXPECT_FALSE(choose_lstm_contribution(100, 128, 128, no_shuffles).shared_rows);
}

TEST(LstmChoice, ChunksHoldAtLeastOneStep) {
  EXPECT_EQ(lstm_chunk_steps(128, 1, 128, {}), 128U);
  EXPECT_EQ(lstm_chunk_steps(128, 1024, 1024, {}), 1U);
  EXPECT_EQ(lstm_chunk_steps(5, UINT32_MAX, UINT32_MAX, {}), 1U);
}

TEST(LstmChoice, WeightsBeyondTheStorageRangeAreRefused) {
  DeviceTraits small;
  small.max_storage_range = uint64_t{16} * kLstmBlock * 20;  // packed weights are whole blocks of columns
  const auto supported = [&](const LstmCase& lstm) {
    const auto plan = make_node(lstm).plan();
    return find_emitter(lstm.code)->support(*plan, plan->nodes[0], small).has_value();
  };
  EXPECT_TRUE(supported({.input_size = 20, .units = 6}));
  EXPECT_FALSE(supported({.input_size = 21, .units = 6}));
  EXPECT_FALSE(supported({.batch = 27, .input_size = 1, .units = 6}));
  EXPECT_FALSE(supported({.code = kBidirectionalSequenceLstm, .input_size = 1, .units = 1, .backward_units = 64}));
  small.max_storage_range = UINT32_MAX;
  EXPECT_TRUE(supported({.units = kMostNormalizedLstmUnits + 1, .projected = 1}));
  EXPECT_FALSE(supported({.units = kMostNormalizedLstmUnits + 1, .projected = 1, .layer_norm = true}));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
