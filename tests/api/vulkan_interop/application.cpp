// Instance, device, buffers and submissions of the application.
#include "tests/api/vulkan_interop/application.h"

#include <nnvk/diagnostics.h>

#include <cstdio>
#include <cstring>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::test {
namespace {

thread_local int locks_held = 0;

CallCounts g_counts;

PFN_vkGetDeviceProcAddr g_get_device_proc = nullptr;
PFN_vkQueueSubmit g_submit = nullptr;
PFN_vkQueueWaitIdle g_queue_wait_idle = nullptr;
PFN_vkDeviceWaitIdle g_device_wait_idle = nullptr;
PFN_vkDestroyDevice g_destroy_device = nullptr;
PFN_vkAllocateMemory g_allocate = nullptr;
PFN_vkCreatePipelineCache g_create_cache = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL count_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  const int number = g_counts.submits++;
  if (locks_held == 0) ++g_counts.unlocked_submits;
  if (g_counts.lose_device || number >= g_counts.lose_at) return VK_ERROR_DEVICE_LOST;
  return g_submit(queue, count, infos, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL count_queue_wait_idle(VkQueue queue) {
  ++g_counts.idle_waits;
  return g_queue_wait_idle(queue);
}
VKAPI_ATTR VkResult VKAPI_CALL count_device_wait_idle(VkDevice device) {
  ++g_counts.idle_waits;
  return g_device_wait_idle(device);
}
VKAPI_ATTR void VKAPI_CALL count_destroy_device(VkDevice, const VkAllocationCallbacks*) { ++g_counts.destroyed_devices; }
VKAPI_ATTR VkResult VKAPI_CALL count_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  ++g_counts.allocations;
  return g_allocate(device, info, callbacks, memory);
}
VKAPI_ATTR VkResult VKAPI_CALL count_create_cache(VkDevice device, const VkPipelineCacheCreateInfo* info,
                                                  const VkAllocationCallbacks* callbacks, VkPipelineCache* cache) {
  ++g_counts.made_caches;
  return g_create_cache(device, info, callbacks, cache);
}

template <class Function>
PFN_vkVoidFunction replaced(Function& original, PFN_vkVoidFunction found, Function replacement) {
  original = reinterpret_cast<Function>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(replacement);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL count_get_device_proc(VkDevice device, const char* name) {
  const PFN_vkVoidFunction found = g_get_device_proc(device, name);
  const std::string wanted = name;
  if (wanted == "vkQueueSubmit") return replaced(g_submit, found, count_submit);
  if (wanted == "vkQueueWaitIdle") return replaced(g_queue_wait_idle, found, count_queue_wait_idle);
  if (wanted == "vkDeviceWaitIdle") return replaced(g_device_wait_idle, found, count_device_wait_idle);
  if (wanted == "vkDestroyDevice") return replaced(g_destroy_device, found, count_destroy_device);
  if (wanted == "vkAllocateMemory") return replaced(g_allocate, found, count_allocate);
  if (wanted == "vkCreatePipelineCache") return replaced(g_create_cache, found, count_create_cache);
  return found;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL count_get_instance_proc(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction found = vkGetInstanceProcAddr(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return replaced(g_get_device_proc, found, count_get_device_proc);
  return found;
}

bool has_layer(const char* name) {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(), [&](const auto& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

}  // namespace

void CallCounts::reset() {
  for (std::atomic<int>* count : {&submits, &unlocked_submits, &idle_waits, &destroyed_devices, &allocations, &made_caches})
    *count = 0;
  lose_device = false;
  lose_at = INT_MAX;
}

CallCounts& counts() { return g_counts; }

PFN_vkGetInstanceProcAddr counting_gipa() { return count_get_instance_proc; }

std::unique_ptr<Application> Application::create(const ApplicationOptions& options) {
  if (volkInitialize() != VK_SUCCESS) return nullptr;
  std::unique_ptr<Application> made(new Application());
  made->api_version_ = options.api_version;
  const bool works = made->make_instance(options) && made->choose_device() && made->make_device(options);
  return works ? std::move(made) : nullptr;
}

bool Application::make_instance(const ApplicationOptions& options) {
  constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
  constexpr const char* kExtensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  const bool validates = options.validated && has_layer(kLayer);
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "test", 0, nullptr, 0, options.api_version};
  const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  auto messages =
      vulkan::vulkan_struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messages.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messages.pfnUserCallback = on_message;
  messages.pUserData = this;
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messages, 1, &synchronization, 0, nullptr};
  auto info = vulkan::vulkan_struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  if (validates) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kLayer;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = kExtensions;
  }
  if (vkCreateInstance(&info, nullptr, &instance_) != VK_SUCCESS) return false;
  volkLoadInstanceOnly(instance_);
  return !validates || vkCreateDebugUtilsMessengerEXT(instance_, &messages, nullptr, &messenger_) == VK_SUCCESS;
}

bool Application::choose_device() {
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance_, &count, &physical_device_);
  if (count == 0) return false;
  uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &families, nullptr);
  std::vector<VkQueueFamilyProperties> properties(families);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &families, properties.data());
  for (family_ = 0; family_ < families; ++family_) {
    if ((properties[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return true;
  }
  return false;
}

bool Application::make_device(const ApplicationOptions& options) {
  const tools::DeviceChoice choice{vkGetInstanceProcAddr, instance_, physical_device_, family_};
  const auto made = options.recommended ? made_.make(choice) : made_.make_plain(choice);
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return false;
  device_ = made_.device;
  volkLoadDeviceTable(&vk_, device_);
  queue_ = {family_, 0, NNVK_VK_QUEUE_LOCKED, made_.queue};
  with_queue_ = options.with_queue;
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family_};
  return vk_.vkCreateCommandPool(device_, &pool, nullptr, &pool_) == VK_SUCCESS;
}

Application::~Application() {
  if (device_ != VK_NULL_HANDLE) {
    vk_.vkDeviceWaitIdle(device_);
    for (const HostBuffer& buffer : buffers_) {
      vk_.vkDestroyBuffer(device_, buffer.buffer, nullptr);
      vk_.vkFreeMemory(device_, buffer.memory, nullptr);
    }
    for (const VkSemaphore semaphore : semaphores_) vk_.vkDestroySemaphore(device_, semaphore, nullptr);
    vk_.vkDestroyCommandPool(device_, pool_, nullptr);
    vk_.vkDestroyDevice(device_, nullptr);
  }
  if (instance_ == VK_NULL_HANDLE) return;
  volkLoadInstanceOnly(instance_);
  if (messenger_ != VK_NULL_HANDLE) vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  vkDestroyInstance(instance_, nullptr);
  EXPECT_EQ(messages_, 0) << "told when the device was destroyed";
}

NnvkVkDeviceDesc Application::desc() {
  NnvkVkDeviceDesc desc = made_.description(api_version_);
  desc.getInstanceProcAddr = counting_gipa();
  if (with_queue_) {
    desc.queue = &queue_;
  } else {
    desc.recordFamilyCount = 1;
    desc.recordFamilies = &family_;
  }
  desc.lockQueue = lock;
  desc.unlockQueue = unlock;
  desc.queueUser = this;
  desc.deviceLost = lost;
  desc.deviceLostUser = this;
  return desc;
}

ANeuralNetworksDevice* Application::import(const NnvkVkDeviceDesc& desc) {
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(nnvk_vkImportDevice(&desc, &device), kOk) << nnvk_lastError();
  return device;
}

void Application::lock(void* user, uint32_t family, uint32_t index) {
  auto* const self = static_cast<Application*>(user);
  EXPECT_EQ(family, self->family_);
  EXPECT_EQ(index, 0U);
  self->queue_mutex_.lock();
  ++locks_held;
  ++self->locks_;
}

void Application::unlock(void* user, uint32_t, uint32_t) {
  auto* const self = static_cast<Application*>(user);
  ++self->unlocks_;
  --locks_held;
  self->queue_mutex_.unlock();
}

void Application::lost(void* user) {
  EXPECT_EQ(locks_held, 0);
  ++static_cast<Application*>(user)->losses_;
}

VkBool32 Application::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  ++static_cast<Application*>(user)->messages_;
  std::fprintf(stderr, "validation: %s\n", data->pMessage);
  return VK_FALSE;
}

Application::HostBuffer Application::make_buffer(size_t floats, VkBufferUsageFlags usage) {
  HostBuffer made;
  auto info = vulkan::vulkan_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = floats * sizeof(float);
  info.usage = usage;
  EXPECT_EQ(vk_.vkCreateBuffer(device_, &info, nullptr, &made.buffer), VK_SUCCESS);
  VkMemoryRequirements wanted{};
  vk_.vkGetBufferMemoryRequirements(device_, made.buffer, &wanted);
  VkPhysicalDeviceMemoryProperties properties{};
  vkGetPhysicalDeviceMemoryProperties(physical_device_, &properties);
  constexpr VkMemoryPropertyFlags kNeeded = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while ((wanted.memoryTypeBits >> made.memory_type & 1U) == 0 ||
         (properties.memoryTypes[made.memory_type].propertyFlags & kNeeded) != kNeeded) {
    ++made.memory_type;
  }
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, wanted.size, made.memory_type};
  EXPECT_EQ(vk_.vkAllocateMemory(device_, &allocation, nullptr, &made.memory), VK_SUCCESS);
  EXPECT_EQ(vk_.vkBindBufferMemory(device_, made.buffer, made.memory, 0), VK_SUCCESS);
  void* address = nullptr;
  EXPECT_EQ(vk_.vkMapMemory(device_, made.memory, 0, VK_WHOLE_SIZE, 0, &address), VK_SUCCESS);
  made.floats = static_cast<float*>(address);
  std::fill_n(made.floats, floats, 0.0F);
  buffers_.push_back(made);
  return made;
}

VkSemaphore Application::make_semaphore(bool timeline) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  EXPECT_EQ(vk_.vkCreateSemaphore(device_, &info, nullptr, &made), VK_SUCCESS);
  semaphores_.push_back(made);
  return made;
}

VkCommandBuffer Application::begin() {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  EXPECT_EQ(vk_.vkAllocateCommandBuffers(device_, &info, &commands), VK_SUCCESS);
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  EXPECT_EQ(vk_.vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
  return commands;
}

void Application::submit_fill(VkBuffer buffer, size_t count, float value, const std::vector<NnvkVkSemaphore>& waits,
                              const std::vector<NnvkVkSemaphore>& signals) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const VkCommandBuffer commands = begin();
  vk_.vkCmdFillBuffer(commands, buffer, 0, count * sizeof(float), bits);
  submit(waits, signals, commands);
}

void Application::submit_copy(VkBuffer from, VkBuffer to, size_t count, const std::vector<NnvkVkSemaphore>& waits,
                              const std::vector<NnvkVkSemaphore>& signals) {
  const VkCommandBuffer commands = begin();
  const VkBufferCopy region{0, 0, count * sizeof(float)};
  vk_.vkCmdCopyBuffer(commands, from, to, 1, &region);
  submit(waits, signals, commands);
}

void Application::submit(const std::vector<NnvkVkSemaphore>& waits, const std::vector<NnvkVkSemaphore>& signals,
                         VkCommandBuffer commands) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  vk_.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                           nullptr);
  EXPECT_EQ(vk_.vkEndCommandBuffer(commands), VK_SUCCESS);
  std::vector<VkSemaphore> handles[2];
  std::vector<uint64_t> values[2];
  for (const int side : {0, 1}) {
    for (const NnvkVkSemaphore& s : side == 0 ? waits : signals) {
      handles[side].push_back(s.semaphore);
      values[side].push_back(s.value);
    }
  }
  const std::vector<VkPipelineStageFlags> stages(waits.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  const VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               nullptr,
                                               static_cast<uint32_t>(waits.size()),
                                               values[0].data(),
                                               static_cast<uint32_t>(signals.size()),
                                               values[1].data()};
  const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          &timeline,
                          static_cast<uint32_t>(waits.size()),
                          handles[0].data(),
                          stages.data(),
                          1,
                          &commands,
                          static_cast<uint32_t>(signals.size()),
                          handles[1].data()};
  const std::lock_guard lock(queue_mutex_);
  EXPECT_EQ(vk_.vkQueueSubmit(queue_.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

bool Application::wait(VkSemaphore semaphore, uint64_t value) {
  const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &value};
  return vk_.vkWaitSemaphores(device_, &info, 10'000'000'000) == VK_SUCCESS;
}

uint64_t Application::value_of(VkSemaphore semaphore) {
  uint64_t value = 0;
  EXPECT_EQ(vk_.vkGetSemaphoreCounterValue(device_, semaphore, &value), VK_SUCCESS);
  return value;
}

void Application::wait_idle() {
  const std::lock_guard lock(queue_mutex_);
  EXPECT_EQ(vk_.vkDeviceWaitIdle(device_), VK_SUCCESS);
}

std::string WithApplication::nnvk_last_error() { return nnvk_lastError(); }

ModelBuilder make_convolution() {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {1, 8, 8, 4});
  std::vector<float> values(size_t{4} * 3 * 3 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) * 0.25F - 0.5F;
  const uint32_t weights = builder.constant<float>(kFloat, {4, 3, 3, 4}, values);
  const uint32_t bias = builder.constant<float>(kFloat, {4}, {0.5F, -1.0F, 0.0F, 2.0F});
  const uint32_t same = builder.constant(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = builder.constant(1);
  const uint32_t fused = builder.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = builder.operand(kFloat, {1, 8, 8, 4});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_CONV_2D, {x, weights, bias, same, one, one, fused}, {y}), kOk);
  builder.finish({x}, {y});
  return builder;
}

std::vector<float> convolution_of(std::span<const float> input) {
  const Compiled on_cpu(make_convolution(), cpu_device());
  std::vector<float> output(kConvolutionFloats);
  EXPECT_EQ(compute(make_execution(on_cpu.compilation, {input}, {output})), kOk);
  return output;
}

}  // namespace nnvk::test
