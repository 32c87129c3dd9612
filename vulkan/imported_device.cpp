#include "vulkan/imported_device.h"

#include <algorithm>
#include <utility>

#include "core/base/config.h"
#include "vulkan/context/device_properties.h"
#include "vulkan/context/kernel_features.h"
#include "vulkan/interop/declared_device.h"
#include "vulkan/interop/feature_chain.h"
#include "vulkan/queue/semaphore_sync.h"
#include "vulkan/vulkan_device.h"

namespace nnvk::vulkan {
namespace {

struct Examined {
  InstanceFunctions functions;
  DeviceSnapshot snapshot;  // all that the physical device supports
};

Result<Examined> examine(const PhysicalDeviceHandle& physical) {
  Examined found;
  NNVK_ASSIGN(found.functions, load_instance_functions(physical.get_instance_proc_addr, physical.instance));
  found.snapshot = read_snapshot(physical.device, found.functions);
  NNVK_TRY(device_plan(found.snapshot));
  return found;
}

// Returns BAD_DATA unless every queue family exists and supports compute.
Status check_families(const DeviceSnapshot& snapshot, std::span<const uint32_t> families) {
  if (families.empty()) {
    return fail(Code::kBadData,
                "there is no queue and recordFamilies is empty: nnvk must know in which queue families its commands run");
  }
  for (const uint32_t family : families) {
    if (family >= snapshot.queue_families.size()) {
      return fail(Code::kBadData, "queue family " + std::to_string(family) + " does not exist, " + snapshot.name + " has " +
                                      std::to_string(snapshot.queue_families.size()));
    }
    if ((snapshot.queue_families[family].flags & VK_QUEUE_COMPUTE_BIT) == 0) {
      return fail(Code::kBadData, "queue family " + std::to_string(family) + " of " + snapshot.name + " does not compute");
    }
  }
  return {};
}

Status check_usage(VkBufferUsageFlags usage, VkBufferUsageFlags for_kernels, VkBufferUsageFlags for_copies, const char* access) {
  if ((usage & for_kernels) == for_kernels || (usage & for_copies) != 0) return {};
  return fail(Code::kBadData, "with the usage flags " + std::to_string(usage) + " the buffer can be " + access +
                                  " neither by kernels nor by copies; make it with the flags that nnvk_vkBufferNeeds says (" +
                                  std::to_string(for_kernels | for_copies) + ")");
}

}  // namespace

Result<std::vector<const char*>> recommended_extensions(const PhysicalDeviceHandle& physical) {
  NNVK_ASSIGN(const Examined found, examine(physical));
  std::vector<const char*> names = used_extensions();
  std::erase_if(names, [&](const char* name) { return !found.snapshot.extensions.contains(name); });
  return names;
}

Status patch_features(const PhysicalDeviceHandle& physical, bool recommended, VkPhysicalDeviceFeatures2& chain, std::byte* arena,
                      size_t& arena_size) {
  NNVK_ASSIGN(const Examined found, examine(physical));
  FeatureStructs wanted;
  if (recommended) {
    switch_on(found.snapshot.kernel_features, wanted);
    const bool has_control = found.snapshot.extensions.contains(VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME);
    wanted.cache_control.pipelineCreationCacheControl = has_control ? VK_TRUE : VK_FALSE;
    wanted.timeline.timelineSemaphore = found.snapshot.timeline_semaphore ? VK_TRUE : VK_FALSE;
  }
  return switch_on_in_chain(wanted, chain, arena, arena_size);
}

Result<std::unique_ptr<ImportedDevice>> ImportedDevice::import(ImportRequest request, const HostEvaluator& evaluator,
                                                               std::span<const std::string> taken) {
  if (request.api_version < VK_API_VERSION_1_1) {
    return fail(Code::kBadData, "apiVersion is " + std::to_string(request.api_version) +
                                    "; nnvk needs an instance of Vulkan 1.1 or later (VK_API_VERSION_1_1 is " +
                                    std::to_string(VK_API_VERSION_1_1) + ")");
  }
  NNVK_ASSIGN(Examined found, examine(request.physical));
  ApplicationDevice& application = request.application;
  std::vector<uint32_t>& families = application.families;
  NNVK_TRY(check_families(found.snapshot, families));
  PlanOverrides overrides;
  overrides.queue_family = families.front();
  overrides.longest_standstill = read_vulkan_timeout();
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());

  const Declaration declared{request.api_version, {request.extensions.begin(), request.extensions.end()}, request.features};
  NNVK_ASSIGN(DeviceSnapshot snapshot, as_declared(std::move(found.snapshot), declared));
  NNVK_ASSIGN(DevicePlan plan, device_plan(snapshot, overrides));
  application.functions = found.functions;
  NNVK_ASSIGN(auto context, Context::adopt(std::move(application), std::move(snapshot), std::move(plan)));
  NNVK_ASSIGN(auto gpu, Gpu::create(std::move(context)));
  // Caches belong to a name, so a device that an application imports again gets the same name.
  std::string name = free_name(device_name(gpu->context->snapshot()) + "-imported",
                               [&](const std::string& wanted) { return std::ranges::find(taken, wanted) != taken.end(); });
  auto device = std::make_unique<VulkanDevice>(std::move(name), gpu, evaluator);
  return std::unique_ptr<ImportedDevice>(new ImportedDevice(std::move(gpu), std::move(device)));
}

ImportedDevice::~ImportedDevice() {
  const std::shared_ptr<Context> context = gpu_->context;
  device_.reset();  // waits for its thread
  gpu_.reset();
  context->close();
}

VkBufferUsageFlags ImportedDevice::full_usage() const { return Buffer::full_usage(*gpu_->context); }

Result<std::unique_ptr<DeviceMemory>> ImportedDevice::memory_of(VkBuffer buffer, uint64_t offset, uint64_t size,
                                                                VkBufferUsageFlags usage, Access access) {
  NNVK_TRY(gpu_->context->check_lost());
  const VkBufferUsageFlags for_kernels = Buffer::kernel_usage(*gpu_->context);
  if (access.read) NNVK_TRY(check_usage(usage, for_kernels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "read"));
  if (access.write) NNVK_TRY(check_usage(usage, for_kernels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, "written"));
  // All memories of one VkBuffer share an IoBuffer, so that hazard checks find overlapping ranges.
  const std::lock_guard lock(gpu_->application_buffers_mutex);
  std::erase_if(gpu_->application_buffers, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const IoBuffer>& known = gpu_->application_buffers[buffer];
  std::shared_ptr<const IoBuffer> shared = known.lock();
  if (shared == nullptr || shared->usage() != usage) {
    shared = std::make_shared<const IoBuffer>(Buffer::of_application(gpu_->context, buffer, offset + size, usage));
    known = shared;
  }
  return ResidentMemory::of_application(gpu_, std::move(shared), offset, size, access);
}

Result<std::unique_ptr<DeviceMemory>> ImportedDevice::memory_over(VkDeviceMemory memory, uint32_t type, uint64_t offset,
                                                                  uint64_t size, Access access) {
  NNVK_TRY(gpu_->context->check_lost());
  NNVK_ASSIGN(Buffer buffer, Buffer::over_memory(gpu_->context, memory, type, offset, size));
  auto shared = std::make_shared<const IoBuffer>(std::move(buffer));
  return ResidentMemory::of_application(gpu_, std::move(shared), 0, size, access);
}

Result<std::unique_ptr<ImageMemory>> ImportedDevice::memory_of(const ImageDescription& image) {
  NNVK_TRY(gpu_->context->check_lost());
  return ImageMemory::create(gpu_, image);
}

Result<std::unique_ptr<ImageMemory>> ImportedDevice::memory_of(std::vector<ImagePart> parts) {
  NNVK_TRY(gpu_->context->check_lost());
  return ImageMemory::create(gpu_, std::move(parts));
}

Result<std::shared_ptr<DeviceSync>> ImportedDevice::sync(QueueSync points, bool submitted_later) const {
  const std::shared_ptr<CompletionQueue> queue(gpu_, gpu_->completions.get());
  NNVK_ASSIGN(std::shared_ptr<DeviceSync> made, SemaphoreSync::create(queue, std::move(points), submitted_later));
  return made;
}

}  // namespace nnvk::vulkan
