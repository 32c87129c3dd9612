// Models over the first device and the CPU device, through the C API: what a GPU declines, and what becomes of the rest.

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kSide = 888;  // heatmaps of more than 886 cells a side keep a GPU busy for too long

// maps -> CONV_2D (3x3, twice the middle) -> HEATMAP_MAX_KEYPOINT -> scores and keypoints.
ModelBuilder make_model() {
  ModelBuilder b;
  const uint32_t maps = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, kSide, kSide, 1});
  const uint32_t boxes = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, 4});
  const uint32_t filter = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, 3, 3, 1});
  const uint32_t bias = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1});
  const std::array<float, 9> middle{0, 0, 0, 0, 2, 0, 0, 0, 0};
  const float zero = 0;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(filter), middle.data(), sizeof middle), 0);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(bias), &zero, sizeof zero), 0);
  const uint32_t same = b.constant(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = b.constant(1);
  const uint32_t none = b.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t nchw = b.operand(ANEURALNETWORKS_BOOL);
  const uint8_t no = 0;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(nchw), &no, sizeof no), 0);
  const uint32_t filtered = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, kSide, kSide, 1});
  const uint32_t scores = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, 1});
  const uint32_t keypoints = b.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {1, 1, 2});
  EXPECT_EQ(b.operation(ANEURALNETWORKS_CONV_2D, {maps, filter, bias, same, one, one, none}, {filtered}), 0);
  EXPECT_EQ(b.operation(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, {filtered, boxes, nchw}, {scores, keypoints}), 0);
  EXPECT_EQ(b.identify({maps, boxes}, {scores, keypoints}), 0);
  EXPECT_EQ(b.finish(), 0);
  return b;
}

CompilationPointer compile(const ModelBuilder& model, const std::vector<const ANeuralNetworksDevice*>& chosen, int expected) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(
      ANeuralNetworksCompilation_createForDevices(model.get(), chosen.data(), static_cast<uint32_t>(chosen.size()), &compilation),
      ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation), expected);
  return CompilationPointer(compilation);
}

std::array<float, 3> run(ANeuralNetworksCompilation* compilation, std::vector<float> maps) {
  std::array<float, 4> box{0, 0, kSide, kSide};
  std::array<float, 3> results{};
  ExecutionPointer execution = make_execution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, maps.data(), maps.size() * 4), 0);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, box.data(), sizeof box), 0);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, results.data(), 4), 0);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 1, nullptr, results.data() + 1, 8), 0);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_NO_ERROR);
  return results;
}

TEST(Partitions, WhatTheGpuDeclinesRunsOnTheCpuAndTheRestOnTheGpu) {
  const auto list = all_devices();
  if (list.size() < 2) GTEST_SKIP() << "no device but the CPU";
  const ModelBuilder model = make_model();
  compile(model, {list.front()}, ANEURALNETWORKS_BAD_DATA);
  EXPECT_NE(std::string(nnvk_lastError()).find("HEATMAP_MAX_KEYPOINT"), std::string::npos) << nnvk_lastError();

  const CompilationPointer both = compile(model, {list.front(), list.back()}, ANEURALNETWORKS_NO_ERROR);
  const auto described = describe(both);
  ASSERT_EQ(described["partitions"].size(), 2U) << described.dump(1);
  EXPECT_EQ(described["operations"][0]["device"], name_of(list.front()));
  EXPECT_EQ(described["operations"][1]["device"], "nnapi-reference");
  EXPECT_GT(described["partitions"][1]["transfer_bytes"], kSide * kSide * 4);

  std::vector<float> maps(size_t{kSide} * kSide);
  for (size_t i = 0; i < maps.size(); ++i) maps[i] = static_cast<float>(i * 7919 % 4099) / 4099.0F;
  maps[400 * kSide + 300] = 3.0F;
  const CompilationPointer cpu = compile(model, {list.back()}, ANEURALNETWORKS_NO_ERROR);
  const auto expected = run(cpu.get(), maps);
  EXPECT_EQ(run(both.get(), maps), expected);
  EXPECT_GE(expected[0], 6.0F);
  EXPECT_EQ(run(both.get(), maps), expected);
  EXPECT_EQ(describe(both)["counters"]["step_buffer_allocations"], 1);
}

}  // namespace
}  // namespace nnvk::test
