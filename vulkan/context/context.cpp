#include "vulkan/context/context.h"

#include <vector>

#include "vulkan/context/kernel_features.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

template <class Handle>
VKAPI_ATTR void VKAPI_CALL keep(VkDevice, Handle, const VkAllocationCallbacks*) {}

// Returns functions for a hanging device. They destroy nothing, because its work may still use its objects.
VolkDeviceTable without_destruction(VolkDeviceTable functions) {
#define NNVK_KEEP(name) functions.name = keep;
  NNVK_DESTROYING_DEVICE_FUNCTIONS(NNVK_KEEP)
#undef NNVK_KEEP
  return functions;
}

// Never destroys the instance of a hanging device. Otherwise the driver would free memory that running work uses.
void keep_for_ever(std::shared_ptr<Instance> instance) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<Instance>>();  // never freed, but still reachable for leak checkers
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(instance));
}

}  // namespace

Context::Context(std::shared_ptr<Instance> instance, std::optional<ApplicationDevice> application, DeviceSnapshot snapshot,
                 DevicePlan plan)
    : instance_(std::move(instance)),
      application_(std::move(application)),
      snapshot_(std::move(snapshot)),
      plan_(std::move(plan)),
      budget_(application_ ? application_->memory_budget : 0) {}

Result<std::shared_ptr<Context>> Context::create(std::shared_ptr<Instance> instance, VkPhysicalDevice physical_device,
                                                 DeviceSnapshot snapshot, DevicePlan plan) {
  std::shared_ptr<Context> context(new Context(std::move(instance), std::nullopt, std::move(snapshot), std::move(plan)));
  const DevicePlan& chosen = context->plan_;

  const float priority = 1.0F;
  auto queue = vulkan_struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = chosen.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  std::vector<const char*> extensions;
  for (const std::string& extension : chosen.extensions) extensions.push_back(extension.c_str());
  FeatureStructs features;
  link(features, {chosen.extensions.begin(), chosen.extensions.end()});
  features.timeline.timelineSemaphore = chosen.timeline_semaphore ? VK_TRUE : VK_FALSE;
  features.cache_control.pipelineCreationCacheControl = VK_TRUE;  // linked only with the extension
  features.executables.pipelineExecutableInfo = chosen.pipeline_statistics ? VK_TRUE : VK_FALSE;
  switch_on(chosen.traits.features, features);
  auto info = vulkan_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  NNVK_TRY(vulkan_status(vkCreateDevice(physical_device, &info, nullptr, &context->device_),
                         "vkCreateDevice on " + context->snapshot_.name));
  auto table = load_device_functions(vkGetDeviceProcAddr, context->device_);
  if (!table) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(vkGetDeviceProcAddr(context->device_, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(std::exchange(context->device_, VK_NULL_HANDLE), nullptr);
    return fail(table.error());
  }
  context->table_ = *table;
  context->table_.vkGetDeviceQueue(context->device_, chosen.queue_family, 0, &context->queue_);
  NNVK_TRY(context->make_pipeline_cache());
  return context;
}

Result<std::shared_ptr<Context>> Context::adopt(ApplicationDevice application, DeviceSnapshot snapshot, DevicePlan plan) {
  std::shared_ptr<Context> context(new Context(nullptr, std::move(application), std::move(snapshot), std::move(plan)));
  const ApplicationDevice& from = *context->application_;
  NNVK_ASSIGN(context->table_, load_device_functions(from.functions.vkGetDeviceProcAddr, from.device));
  context->device_ = from.device;
  context->queue_ = from.queue;
  context->pipeline_cache_ = from.pipeline_cache;
  if (from.pipeline_cache == VK_NULL_HANDLE) NNVK_TRY(context->make_pipeline_cache());
  return context;
}

Status Context::make_pipeline_cache() {
  auto cache = vulkan_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  NNVK_TRY(NNVK_CREATE(*this, vkCreatePipelineCache, cache, pipeline_cache_));
  owns_pipeline_cache_ = true;
  return {};
}

Context::~Context() {
  if (application_) close();
  if (application_ || device_ == VK_NULL_HANDLE || is_hung()) return;
  // A device with pipeline_statistics only compiles. It runs nothing to wait for, and waiting crashes drivers without hardware
  // (RADV).
  if (!plan_.pipeline_statistics) vk().vkDeviceWaitIdle(device_);
  vk().vkDestroyPipelineCache(device_, pipeline_cache_, nullptr);
  vk().vkDestroyDevice(device_, nullptr);
}

void Context::close() {
  {
    const std::lock_guard lock(holders_mutex_);
    for (OutlivesDevice* holder : holders_) holder->let_go();
    holders_.clear();
  }
  if (std::exchange(owns_pipeline_cache_, false)) vk().vkDestroyPipelineCache(device_, pipeline_cache_, allocator());
}

void Context::add(OutlivesDevice& holder) {
  const std::lock_guard lock(holders_mutex_);
  holders_.insert(&holder);
}

void Context::remove(OutlivesDevice& holder) {
  const std::lock_guard lock(holders_mutex_);
  if (holders_.erase(&holder) != 0) holder.let_go();
}

const VkAllocationCallbacks* Context::allocator() const {
  return application_ && application_->allocator != nullptr ? &application_->allocator->callbacks() : nullptr;
}

std::span<const uint32_t> Context::families() const {
  if (application_) return application_->families;
  return {&plan_.queue_family, 1};
}

Status Context::status(VkResult result, std::string_view what, std::source_location raised_at) const {
  return vulkan_status(noted(result), what, raised_at);
}

void Context::mark_hung(std::string why) {
  {
    const std::lock_guard lock(hang_mutex_);
    if (hung_.load(std::memory_order_relaxed)) return;
    hang_ = std::move(why);
    keeping_table_ = without_destruction(table_);
    keep_for_ever(instance_);
  }
  functions_.store(&keeping_table_, std::memory_order_release);
  hung_.store(true, std::memory_order_release);
  lost_.store(true, std::memory_order_release);
}

Status Context::check_lost() {
  if (!is_lost()) return {};
  if (!told_lost_.exchange(true) && application_ && application_->on_lost) application_->on_lost();
  if (is_hung()) {
    const std::lock_guard lock(hang_mutex_);
    return fail(Code::kDeadObject, hang_);
  }
  return fail(vulkan_error(VK_ERROR_DEVICE_LOST, snapshot_.name));
}

}  // namespace nnvk::vulkan
