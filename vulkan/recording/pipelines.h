// The compute pipelines of a device. The library creates each on first use (several in parallel); all prepared plans share them.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "vulkan/context/context.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

struct DispatchProgram;

struct PipelineKey {
  KernelId kernel{};
  KernelVariant variant = KernelVariant::kWords;
  std::vector<std::pair<uint32_t, uint32_t>> specialization;  // id, value; sorted by id
  auto operator<=>(const PipelineKey&) const = default;
};

PipelineKey pipeline_key(const Dispatch& dispatch, KernelVariant variant);

// The Vulkan objects that a dispatch binds. The library owns them.
struct Pipeline {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
};

// A program with one pipeline per dispatch.
struct RunnableProgram {
  const DispatchProgram& program;
  std::span<const Pipeline* const> pipelines;
};

class PipelineLibrary {
 public:
  explicit PipelineLibrary(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~PipelineLibrary();
  PipelineLibrary(const PipelineLibrary&) = delete;
  PipelineLibrary& operator=(const PipelineLibrary&) = delete;

  // Returns one pipeline per key, in the keys' order. Creates missing ones on up to four threads and counts them in `activity`.
  // Thread-safe. The error names the kernel. MISSED_DEADLINE_TRANSIENT if the deadline passes first: the function then starts no
  // further pipeline and keeps the finished ones.
  Result<std::vector<const Pipeline*>> get(std::span<const PipelineKey> keys, Activity& activity, const Deadline& deadline);

  // Loads a driver's cache that an earlier process stored, and the list of its pipelines. When nnvk creates these, they count as
  // pipelines_restored instead of pipelines_created, but not every driver's cache saves compilation (lavapipe's is empty). If the
  // driver refuses the cache, nnvk logs that, ignores the cache, and counts its pipelines as created.
  void learn(std::span<const std::byte> driver_cache, std::span<const PipelineKey> pipelines);
  // Returns the driver's cache data of all pipelines of this device, for another process (vkGetPipelineCacheData).
  Result<std::vector<std::byte>> driver_cache() const;

 private:
  struct Layout {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
    VkShaderModule module = VK_NULL_HANDLE;
  };
  struct Entry {
    std::mutex mutex;  // held while the pipeline is created, so that two plans do not create it twice
    Pipeline pipeline;
  };

  Result<Layout> layout(KernelId kernel, KernelVariant variant);
  Status create(const PipelineKey& key, Entry& entry, Activity& activity, const Deadline& deadline);
  Status merge(std::span<const std::byte> driver_cache);

  std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::map<std::pair<KernelId, KernelVariant>, Layout> layouts_;
  std::map<PipelineKey, std::unique_ptr<Entry>> entries_;
  std::set<PipelineKey> known_;                   // from learn()
  mutable std::shared_mutex driver_cache_mutex_;  // exclusive while another cache is merged into the driver's
};

}  // namespace nnvk::vulkan
