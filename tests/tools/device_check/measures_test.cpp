// The measurements of `nnvk gpu-check` on the CPU devices and, where there is one, on a Vulkan device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/device_check/latency.h"
#include "tools/device_check/layers.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools::device_check {
namespace {

DeviceEntry device_named(const char* spec) {
  const auto device = find_device(spec);
  EXPECT_TRUE(device) << device.error().message;
  return device ? *device : DeviceEntry{};
}

// A layer that a device refuses would be missing on the page of every GPU.
TEST(DeviceCheckLayers, EveryLayerOfEveryTypeCompiles) {
  const auto device = device_named("nnvk-cpu");
  for (const Layer& layer : layers()) {
    for (const LayerType& type : layer_types()) {
      for (const uint32_t batch : layer_batches()) {
        const auto model = layer_model(layer, type, batch);
        ASSERT_TRUE(model) << layer.name << " " << type.name << ": " << model.error().message;
        const auto session = Session::compile(*model, {&device, 1});
        EXPECT_TRUE(session) << layer.name << " " << type.name << ": " << session.error().message;
      }
    }
  }
}

// Weights of random bits could be infinities, which some processors compute slowly.
TEST(DeviceCheckLayers, ResultsAreFiniteAndNotAllZero) {
  const auto device = device_named("cpu");
  for (const Layer& layer : layers()) {
    if (layer.kind == LayerKind::kBatchMatmul) continue;  // without weights
    const auto model = layer_model(layer, layer_types().front(), 1);
    ASSERT_TRUE(model);
    auto session = Session::compile(*model, {&device, 1});
    ASSERT_TRUE(session);
    const auto input = session->input(0);
    const std::vector<float> ones(input.size() / sizeof(float), 1);
    std::memcpy(input.data(), ones.data(), input.size());
    ASSERT_TRUE(session->run());
    const auto* const output = reinterpret_cast<const float*>(session->output(0).data());
    float largest = 0;
    for (size_t i = 0; i < session->output(0).size() / sizeof(float); ++i) {
      ASSERT_TRUE(std::isfinite(output[i])) << layer.name;
      largest = std::max(largest, std::fabs(output[i]));
    }
    EXPECT_GT(largest, 0) << layer.name;
  }
}

TEST(DeviceCheckLayers, WithoutTimeAllAreLeftOut) {
  const auto figures = measure_layers(device_named("nnvk-cpu"), Json::object(), -1);
  EXPECT_EQ(figures["layers"].size(), 0u);
  EXPECT_EQ(figures["left_out"], layers().size() * layer_types().size() * layer_batches().size());
}

TEST(DeviceCheckLayers, AMeasuredLayerHasATimeAndARate) {
  const auto figures = measure_layers(device_named("nnvk-cpu"), Json::object(), 0.05);
  ASSERT_GT(figures["layers"].size(), 0u) << figures.dump();
  EXPECT_GT(figures["layers"][0]["seconds"].get<double>(), 0);
  EXPECT_GT(figures["layers"][0]["operations_per_second"].get<double>(), 0);
  EXPECT_EQ(figures["errors"].size(), 0u) << figures.dump();
}

TEST(DeviceCheckLatency, SpreadsAreOfSortedTimes) {
  std::vector<double> times;
  for (int i = 100; i > 0; --i) times.push_back(i * 1e-6);
  const auto spread = spread_of(times);
  EXPECT_EQ(spread["samples"], 100);
  EXPECT_NEAR(spread["median_us"].get<double>(), 50, 1);
  EXPECT_NEAR(spread["p99_us"].get<double>(), 99, 1);
  EXPECT_NEAR(spread["largest_us"].get<double>(), 100, 1e-6);
  EXPECT_EQ(spread_of({})["samples"], 0);
}

TEST(DeviceCheckLatency, EveryWayOfExecutingIsMeasured) {
  const auto figures = measure_latency(device_named("nnvk-cpu"), 0.04);
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_EQ((*figures)["latencies"].size(), 5u);
  for (const auto& row : (*figures)["latencies"]) EXPECT_GT(row["median_us"].get<double>(), 0) << row.dump();
}

}  // namespace
}  // namespace nnvk::tools::device_check
