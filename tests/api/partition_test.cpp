// Models over the first device and the CPU device, through the C API: operations that a GPU declines, and the rest.

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kSide = 888;  // heatmaps of more than 886 cells a side keep a GPU busy for too long

// Large enough that even the slowest GPU is faster than the reference.
constexpr uint32_t kWindow = 15;

// maps -> CONV_2D (twice the middle of the window) -> HEATMAP_MAX_KEYPOINT -> scores and keypoints.
ModelBuilder make_model() {
  ModelBuilder b;
  const uint32_t maps = b.operand(kFloat, {1, kSide, kSide, 1});
  const uint32_t boxes = b.operand(kFloat, {1, 4});
  std::vector<float> middle(size_t{kWindow} * kWindow);
  middle[middle.size() / 2] = 2;
  const uint32_t filter = b.constant<float>(kFloat, {1, kWindow, kWindow, 1}, middle);
  const uint32_t bias = b.constant<float>(kFloat, {1}, {0});
  const uint32_t same = b.constant(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = b.constant(1);
  const uint32_t none = b.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t nchw = b.constant<uint8_t>(ANEURALNETWORKS_BOOL, {}, {0});
  const uint32_t filtered = b.operand(kFloat, {1, kSide, kSide, 1});
  const uint32_t scores = b.operand(kFloat, {1, 1});
  const uint32_t keypoints = b.operand(kFloat, {1, 1, 2});
  EXPECT_EQ(b.operation(ANEURALNETWORKS_CONV_2D, {maps, filter, bias, same, one, one, none}, {filtered}), 0);
  EXPECT_EQ(b.operation(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, {filtered, boxes, nchw}, {scores, keypoints}), 0);
  b.finish({maps, boxes}, {scores, keypoints});
  return b;
}

std::array<float, 3> run(const CompilationPointer& compilation, const std::vector<float>& maps) {
  const std::array<float, 4> box{0, 0, kSide, kSide};
  std::array<float, 3> results{};
  const std::span<float> all(results);
  EXPECT_EQ(compute(make_execution(compilation, {maps, box}, {all.first(1), all.last(2)})), kOk);
  return results;
}

TEST(Partitions, WhatTheGpuDeclinesRunsOnTheCpuAndTheRestOnTheGpu) {
  int32_t type = 0;
  if (!gpus().empty()) ANeuralNetworksDevice_getType(gpus().front(), &type);
  if (type == ANEURALNETWORKS_DEVICE_CPU || type == 0) GTEST_SKIP() << "no device but the CPU";
  const ModelBuilder model = make_model();
  const ANeuralNetworksDevice* const gpu = gpus().front();
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model.get(), gpu).get()), kBadData);
  EXPECT_NE(std::string(nnvk_lastError()).find("HEATMAP_MAX_KEYPOINT"), std::string::npos) << nnvk_lastError();

  const CompilationPointer both = finished(compile_for(model.get(), {gpu, cpu_device()}));
  const auto described = describe(both);
  ASSERT_EQ(described["partitions"].size(), 2U) << described.dump(1);
  EXPECT_EQ(described["operations"][0]["device"], name_of(gpu));
  EXPECT_EQ(described["operations"][1]["device"], "nnapi-reference");
  EXPECT_GT(described["partitions"][1]["transfer_bytes"], kSide * kSide * 4);

  std::vector<float> maps(size_t{kSide} * kSide);
  for (size_t i = 0; i < maps.size(); ++i) maps[i] = static_cast<float>(i * 7919 % 4099) / 4099.0F;
  maps[400 * kSide + 300] = 3.0F;
  const CompilationPointer cpu = compiled_on(model.get(), cpu_device());
  const auto expected = run(cpu, maps);
  EXPECT_EQ(run(both, maps), expected);
  EXPECT_GE(expected[0], 6.0F);
  EXPECT_EQ(run(both, maps), expected);
  EXPECT_EQ(describe(both)["counters"]["step_buffer_allocations"], 1);
}

}  // namespace
}  // namespace nnvk::test
