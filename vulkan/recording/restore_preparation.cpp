#include "vulkan/recording/restore_preparation.h"

#include <set>

#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

// Keeps the memory of a copy alive until it has completed.
template <class Used>
struct Held {
  Used used;
  std::shared_ptr<const void> store;
};

// Reads the packed weights back: one after the other at `offsets`, in a buffer that the host can read.
Result<std::shared_ptr<const Held<Buffer>>> read_back(Gpu& gpu, std::span<const StoredWeights> weights,
                                                      std::span<const uint64_t> offsets, Activity& activity,
                                                      const PreparationOwner& owner) {
  const uint64_t size = offsets.back() + weights.back().size;
  auto staging = std::make_shared<Held<Buffer>>();
  staging->store = owner.store;
  NNVK_ASSIGN(staging->used, Buffer::create(gpu.context, size, MemoryUse::kStaging, activity, "packed weights read back"));
  const auto record = [&](VkCommandBuffer commands) {
    record_barrier(*gpu.context, commands, kAfterEarlierSubmissions);
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i].size == 0) continue;
      const VkBufferCopy region{weights[i].place.offset, offsets[i], weights[i].size};
      gpu.context->vk().vkCmdCopyBuffer(commands, weights[i].place.buffer, staging->used.handle(), 1, &region);
    }
    record_barrier(*gpu.context, commands, kFromCopiesToHost);
  };
  NNVK_TRY(run_once(gpu, activity, {"packed weights, read back", record}, staging, owner.deadline));
  return staging;
}

}  // namespace

Status restore_preparation(const KeptPreparation& kept, Gpu& gpu, ConstantStore& store, Activity& activity,
                           const PreparationOwner& owner) {
  gpu.pipelines.learn(kept.driver_cache, kept.pipelines);
  const auto uploads = std::make_shared<Held<Uploads>>(Held<Uploads>{Uploads(gpu.context), owner.store});
  NNVK_TRY(store.restore(kept.weights, uploads->used));
  if (uploads->used.empty()) return {};
  const auto record = [&](VkCommandBuffer commands) { uploads->used.record(commands); };
  return run_once(gpu, activity, {"packed weights, restored", record}, uploads, owner.deadline);
}

Result<std::vector<std::byte>> keep_preparation(Gpu& gpu, const Recording* recording, const ConstantStore& store,
                                                Activity& activity, const PreparationOwner& owner) {
  KeptPreparation kept;
  NNVK_ASSIGN(const std::vector<std::byte> driver_cache, gpu.pipelines.driver_cache());
  kept.driver_cache = driver_cache;
  if (recording != nullptr) {
    const std::vector<PipelineKey> keys = pipeline_keys(recording->program());
    const std::set<PipelineKey> distinct(keys.begin(), keys.end());
    kept.pipelines.assign(distinct.begin(), distinct.end());
  }
  const std::vector<StoredWeights> weights = store.packed();
  std::vector<uint64_t> offsets;
  uint64_t size = 0;
  for (const StoredWeights& packed : weights) {
    offsets.push_back(size);
    size += packed.size;
  }
  std::shared_ptr<const Held<Buffer>> staging = std::make_shared<Held<Buffer>>();
  if (size > 0) {
    NNVK_ASSIGN(staging, read_back(gpu, weights, offsets, activity, owner));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    kept.weights.push_back({weights[i].node, weights[i].key, staging->used.bytes().subspan(offsets[i], weights[i].size)});
  }
  return encode(kept);
}

}  // namespace nnvk::vulkan
