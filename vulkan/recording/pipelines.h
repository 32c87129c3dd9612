// Compute pipelines of a device, created when first needed, several at once, and shared by all its prepared plans.
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
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {

struct PipelineKey {
  KernelId kernel{};
  KernelVariant variant = KernelVariant::kWords;
  std::vector<std::pair<uint32_t, uint32_t>> specialization;  // id, value; sorted by id
  auto operator<=>(const PipelineKey&) const = default;
};

PipelineKey pipeline_key(const Dispatch& dispatch, KernelVariant variant);

// What a dispatch binds. Owned by the library.
struct Pipeline {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
};

class PipelineLibrary {
 public:
  explicit PipelineLibrary(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~PipelineLibrary();
  PipelineLibrary(const PipelineLibrary&) = delete;
  PipelineLibrary& operator=(const PipelineLibrary&) = delete;

  // One pipeline per dispatch of the program. Missing ones are created on up to four threads and counted in `activity`.
  // Thread-safe. The error names the kernel. MISSED_DEADLINE_TRANSIENT when the deadline passes first: no further one is begun
  // then, those that were made stay.
  Result<std::vector<const Pipeline*>> get(const DispatchProgram& program, Activity& activity, const Deadline& deadline);

  // One pipeline, made on this thread when it is missing. Thread-safe.
  Result<const Pipeline*> get(const PipelineKey& key, Activity& activity);

  // Takes a driver's cache that an earlier process kept, and the pipelines it had put into it: these count as restored, not as
  // created, when they are made. Whether the driver's cache really spares their compilation is up to the driver (lavapipe's is
  // empty). A cache that the driver refuses is logged and left out, and its pipelines count as created.
  void learn(std::span<const std::byte> driver_cache, std::span<const PipelineKey> pipelines);
  // What the driver can tell another process about all pipelines of this device (vkGetPipelineCacheData).
  Result<std::vector<std::byte>> driver_cache() const;

 private:
  struct Layout {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
    VkShaderModule module = VK_NULL_HANDLE;
  };
  struct Entry {
    std::mutex mutex;  // held while the pipeline is made, so that two plans do not make it twice
    Pipeline pipeline;
  };

  Result<Layout> layout(KernelId kernel, KernelVariant variant);
  Status create(const PipelineKey& key, Entry& entry, Activity& activity, const Deadline& deadline);
  // An application's is used by others meanwhile, may not be merged into, and keeps its contents itself.
  bool has_own_cache() const;
  Status merge(std::span<const std::byte> driver_cache);

  std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::map<std::pair<KernelId, KernelVariant>, Layout> layouts_;
  std::map<PipelineKey, std::unique_ptr<Entry>> entries_;
  std::set<PipelineKey> known_;                   // learnt
  mutable std::shared_mutex driver_cache_mutex_;  // exclusive while another cache is merged into the driver's
};

}  // namespace nnvk::vulkan
