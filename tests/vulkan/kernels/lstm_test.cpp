// What the LSTM emitter decides: how many dispatches a sequence takes, how sums are shared. Kernels for large GPUs, which
// software Vulkan does not choose by itself.
#include "tests/support/lstm_case.h"

#include <gtest/gtest.h>

#include "lstm_kernels.h"
#include "tests/vulkan/kernels/kernel_rig.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan::rig {
namespace {

using nnvk::test::LstmCase;
using nnvk::test::LstmOperand;
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

// Counts what an emitter makes.
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
  std::vector<BoundTensor> inputs;
  for (const TensorId id : plan->inputs) inputs.push_back({plan->tensors[id].info.shape});
  std::vector<BoundTensor> outputs;
  for (const TensorId id : plan->outputs) outputs.push_back({plan->tensors[id].info.shape});
  const auto resolution = resolve(*plan, inputs, outputs, {});
  EXPECT_TRUE(resolution.has_value());
  CountingList list;
  const Status status = find_emitter(lstm.code)->emit({{*plan, plan->nodes[0], *resolution, traits}, list});
  EXPECT_TRUE(status.has_value());
  return list.dispatches;
}

TEST(LstmDispatches, ATimeStepIsOneDispatch) {
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20}, {}).size(), 1 + 128U);
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20, .projected = 8}, {}).size(), 1 + 2 * 128U);
  EXPECT_EQ(emit({.steps = 128, .input_size = 28, .units = 20, .layer_norm = true}, {}).size(), 1 + 2 * 128U);
  EXPECT_EQ(emit({.type = kTensorFloat16, .steps = 128, .input_size = 28, .units = 20}, {}).size(), 1 + 128 + 3U);
}

TEST(LstmDispatches, AllStepsOfAFloatSequenceShareOnePipeline) {
  const std::vector<Dispatch> dispatches = emit({.steps = 9, .batch = 3, .input_size = 28, .units = 20}, {});
  for (size_t d = 2; d < dispatches.size(); ++d) {
    EXPECT_EQ(dispatches[d].kernel, kernels::kLstmStep.id);
    ASSERT_EQ(dispatches[d].specialization.size(), dispatches[1].specialization.size());
    for (size_t i = 0; i < dispatches[d].specialization.size(); ++i) {
      EXPECT_EQ(dispatches[d].specialization[i].value, dispatches[1].specialization[i].value);
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
