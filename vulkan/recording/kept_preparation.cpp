#include "vulkan/recording/kept_preparation.h"

#include <algorithm>

#include "core/base/byte_stream.h"

namespace nnvk::vulkan {
namespace {

// Checks the header of the driver's data (VkPipelineCacheHeaderVersionOne), because some drivers do not check it themselves.
bool is_from(std::span<const std::byte> driver_cache, const DeviceSnapshot& device) {
  ByteReader reader(driver_cache);
  const auto header_size = reader.value<uint32_t>();
  const auto version = reader.value<uint32_t>();
  const auto vendor = reader.value<uint32_t>();
  const auto id = reader.value<uint32_t>();
  const auto uuid = reader.bytes(device.pipeline_cache_uuid.size());
  return reader.ok() && header_size >= 16 + VK_UUID_SIZE && header_size <= driver_cache.size() &&
         version == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && vendor == device.vendor_id && id == device.device_id &&
         std::ranges::equal(uuid, std::as_bytes(std::span(device.pipeline_cache_uuid)));
}

void write_pipeline(ByteWriter& writer, const PipelineKey& key) {
  writer.value(static_cast<uint32_t>(key.kernel));
  writer.value(key.variant);
  writer.value(static_cast<uint32_t>(key.specialization.size()));
  for (const auto& [id, value] : key.specialization) {
    writer.value(id);
    writer.value(value);
  }
}

PipelineKey read_pipeline(ByteReader& reader) {
  PipelineKey key;
  key.kernel = static_cast<KernelId>(reader.value<uint32_t>());
  key.variant = static_cast<KernelVariant>(reader.value<uint8_t>());
  const auto count = reader.value<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    const auto id = reader.value<uint32_t>();
    const auto value = reader.value<uint32_t>();
    key.specialization.emplace_back(id, value);
  }
  return key;
}

}  // namespace

std::vector<std::byte> encode(const KeptPreparation& kept) {
  ByteWriter writer;
  size_t weights = 0;
  for (const KeptWeights& packed : kept.weights) weights += packed.bytes.size();
  writer.reserve(weights + kept.driver_cache.size() + 256 * (kept.pipelines.size() + kept.weights.size()));
  writer.block(kept.driver_cache);
  writer.value(static_cast<uint32_t>(kept.pipelines.size()));
  for (const PipelineKey& key : kept.pipelines) write_pipeline(writer, key);
  writer.value(static_cast<uint32_t>(kept.weights.size()));
  for (const KeptWeights& packed : kept.weights) {
    writer.value(packed.node);
    writer.text(packed.key);
    writer.block(packed.bytes);
  }
  return writer.take();
}

std::optional<KeptPreparation> decode(std::span<const std::byte> bytes, const DeviceSnapshot& device) {
  ByteReader reader(bytes);
  KeptPreparation kept;
  kept.driver_cache = reader.block();
  const auto pipelines = reader.value<uint32_t>();
  for (uint32_t i = 0; i < pipelines && reader.ok(); ++i) kept.pipelines.push_back(read_pipeline(reader));
  const auto weights = reader.value<uint32_t>();
  for (uint32_t i = 0; i < weights && reader.ok(); ++i) {
    KeptWeights& packed = kept.weights.emplace_back();
    packed.node = reader.value<uint32_t>();
    packed.key = reader.text();
    packed.bytes = reader.block();
  }
  if (!reader.at_end() || !is_from(kept.driver_cache, device)) return std::nullopt;
  return kept;
}

}  // namespace nnvk::vulkan
