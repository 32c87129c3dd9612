// Contents of a Vulkan plan's cache, and contents that it rejects; then whole preparations from a cache in memory.
#include "vulkan/recording/kept_preparation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "memory_cache.h"
#include "network.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

DeviceSnapshot some_device() {
  DeviceSnapshot device;
  device.vendor_id = 0x10005;
  device.device_id = 7;
  for (size_t i = 0; i < device.pipeline_cache_uuid.size(); ++i) device.pipeline_cache_uuid[i] = static_cast<uint8_t>(i);
  return device;
}

// A driver's pipeline cache for `device`: Vulkan's header, then data of the driver.
std::vector<std::byte> driver_cache_of(const DeviceSnapshot& device) {
  std::vector<std::byte> bytes(40);
  const uint32_t words[] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, device.vendor_id, device.device_id};
  std::memcpy(bytes.data(), words, sizeof words);
  std::memcpy(bytes.data() + sizeof words, device.pipeline_cache_uuid.data(), device.pipeline_cache_uuid.size());
  return bytes;
}

TEST(KeptPreparation, ComesBackAsItWas) {
  const auto driver = driver_cache_of(some_device());
  const std::vector<std::byte> weights(33, std::byte{5});
  KeptPreparation kept;
  kept.driver_cache = driver;
  kept.pipelines = {{KernelId{3}, KernelVariant::kWords, {{1, 2}, {4, 0xFFFFFFFF}}}, {KernelId{0}, KernelVariant::kTexel, {}}};
  kept.weights = {{9, "weights", weights}, {10, "", {}}};
  const auto bytes = encode(kept);
  const auto decoded = decode(bytes, some_device());
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(std::ranges::equal(decoded->driver_cache, driver));
  EXPECT_EQ(decoded->pipelines, kept.pipelines);
  ASSERT_EQ(decoded->weights.size(), 2U);
  EXPECT_EQ(decoded->weights[0].node, 9U);
  EXPECT_EQ(decoded->weights[0].key, "weights");
  EXPECT_TRUE(std::ranges::equal(decoded->weights[0].bytes, weights));
  EXPECT_TRUE(decoded->weights[1].bytes.empty());

  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(std::span(bytes).first(size), some_device())) << size << " bytes of it";
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_FALSE(decode(longer, some_device()));
}

TEST(KeptPreparation, AnotherDriversPipelineCacheIsRefused) {
  const auto driver = driver_cache_of(some_device());
  KeptPreparation kept;
  kept.driver_cache = driver;
  const auto bytes = encode(kept);
  EXPECT_TRUE(decode(bytes, some_device()));
  DeviceSnapshot other[] = {some_device(), some_device(), some_device()};
  ++other[0].vendor_id;
  ++other[1].device_id;
  ++other[2].pipeline_cache_uuid[15];
  for (const DeviceSnapshot& device : other) EXPECT_FALSE(decode(bytes, device));
  for (const size_t size : {size_t{0}, size_t{16}, size_t{31}}) {
    kept.driver_cache = std::span(driver).first(size);
    EXPECT_FALSE(decode(encode(kept), some_device())) << size << " bytes";
  }
}

class CachedPreparation : public OnEveryPath {
 protected:
  void SetUp() override {
    OnEveryPath::SetUp();
    device_.reset();  // every test makes its own
  }
  // Prepares on a device with empty caches, and runs.
  Counters prepare(const std::shared_ptr<const Plan>& plan) {
    const auto device = first_device(GetParam().overrides);
    return prepare_on(*device, plan);
  }
  Counters prepare_on(Device& device, const std::shared_ptr<const Plan>& plan) {
    PrepareOptions options;
    options.cache = &cache_;
    const auto prepared = device.prepare(plan, options);
    if (!prepared) {
      ADD_FAILURE() << prepared.error().message;
      return {};
    }
    cache_.reopen();
    Inference run(kShape, 1);
    EXPECT_TRUE(run.execute(**prepared));
    expect_close(run.out, expected(plan, run));
    return (*prepared)->counters();
  }

  const Shape kShape{1, 5, 7, 4};
  MemoryCache cache_;
};

INSTANTIATE_TEST_SUITE_P(Ways, CachedPreparation, testing::Values(Path{"Default", {}}, Path{"Staging", {.force_staging = true}}),
                         name_of_path);

TEST_P(CachedPreparation, ANewDeviceCreatesNoPipelineAndPacksNothing) {
  const auto plan = residual_network(kShape);
  const Counters cold = prepare(plan);
  EXPECT_GT(cold.at("pipelines_created"), 0U);
  EXPECT_GT(cold.at("weights_packed"), 0U);
  EXPECT_EQ(cold.at("cache_misses"), 1U);
  const Counters warm = prepare(plan);
  EXPECT_EQ(warm.at("pipelines_created"), 0U);
  EXPECT_GT(warm.at("pipelines_restored"), 0U);
  EXPECT_LE(warm.at("driver_cache_hits"), warm.at("pipelines_restored"));
  EXPECT_EQ(warm.at("weights_packed"), 0U);
  EXPECT_EQ(warm.at("weights_restored"), cold.at("weights_packed"));
  EXPECT_EQ(warm.at("cache_hits"), 1U);
  EXPECT_EQ(warm.at("cache_misses"), 0U);
}

TEST_P(CachedPreparation, OnTheSameDeviceNothingIsMadeAtAll) {
  const auto device = first_device(GetParam().overrides);
  const auto plan = residual_network(kShape);
  prepare_on(*device, plan);
  const Counters warm = prepare_on(*device, plan);
  EXPECT_EQ(warm.at("pipelines_created") + warm.at("pipelines_restored") + warm.at("weights_packed"), 0U);
  EXPECT_EQ(warm.at("cache_hits"), 1U);
  EXPECT_TRUE(cache_.fresh.empty());
}

TEST_P(CachedPreparation, WeightsOfAnotherSizeAreNotTrusted) {
  const auto plan = residual_network(kShape);
  prepare(plan);
  auto& entry = cache_.entries.begin()->second;
  auto device = first_device(GetParam().overrides);
  DeviceSnapshot snapshot;  // of the device that wrote the entry: read from its header
  uint32_t words[4];
  std::memcpy(words, entry.data() + sizeof(uint64_t), sizeof words);
  snapshot.vendor_id = words[2];
  snapshot.device_id = words[3];
  std::memcpy(snapshot.pipeline_cache_uuid.data(), entry.data() + sizeof(uint64_t) + sizeof words, VK_UUID_SIZE);
  auto kept = decode(entry, snapshot);
  ASSERT_TRUE(kept);
  ASSERT_FALSE(kept->weights.empty());
  for (KeptWeights& packed : kept->weights) packed.bytes = packed.bytes.first(4);
  entry = encode(*kept);
  const Counters counters = prepare_on(*device, plan);
  EXPECT_EQ(counters.at("cache_misses"), 1U);
  EXPECT_GT(counters.at("weights_packed"), 0U);
  EXPECT_EQ(prepare(plan).at("cache_hits"), 1U) << "it was kept anew";
}

TEST_P(CachedPreparation, PlansOfUnknownShapesHaveNothingToKeep) {
  const auto plan = residual_network({1, kUnknownDimension, 7, 4});
  EXPECT_EQ(prepare(plan).at("cache_misses"), 1U);
  EXPECT_EQ(prepare(plan).at("cache_hits"), 1U);
}

}  // namespace
}  // namespace nnvk::vulkan
