// Instance, device, import, and memory.
#include "tools/game/device.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

namespace nnvk::game {
namespace {

constexpr uint32_t kApiVersion = VK_API_VERSION_1_2;

// Global variables, because nnvk calls the functions below through plain pointers. The game has only one device.
std::mutex queue_mutex;
std::atomic<uint64_t> game_submissions{0};
std::atomic<uint64_t> nnvk_submissions{0};

VKAPI_ATTR VkResult VKAPI_CALL submit_of_nnvk(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  ++nnvk_submissions;
  return vkQueueSubmit(queue, count, infos, fence);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkQueueSubmit") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&submit_of_nnvk);
  return vkGetDeviceProcAddr(device, name);
}
// Gives nnvk its Vulkan functions, with a counting function in place of vkQueueSubmit.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&device_function);
  return vkGetInstanceProcAddr(instance, name);
}

}  // namespace

Status check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return {};
  return fail(fmt::format("{} failed with VkResult {}", call, static_cast<int>(result)));
}

Result<std::unique_ptr<Device>> Device::open(const Window* window, bool is_validated) {
  std::unique_ptr<Device> device(new Device());
  if (is_validated) device->validation_ = std::make_unique<Validation>();
  TOOLS_TRY(device->make_instance(window));
  TOOLS_TRY(device->choose_physical_device(window));
  if (device->physical_device_ == VK_NULL_HANDLE) return nullptr;
  TOOLS_TRY(device->make_device(window));
  TOOLS_TRY(device->import());
  return device;
}

Status Device::make_instance(const Window* window) {
  auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "nnvk game";
  application.apiVersion = kApiVersion;
  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  std::vector<const char*> extensions = window == nullptr ? std::vector<const char*>() : window->instance_extensions();
  if (validation_ != nullptr) validation_->add_to(info, extensions);
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult made = vkCreateInstance(&info, nullptr, &instance_);
  if (made == VK_ERROR_INCOMPATIBLE_DRIVER) return {};
  TOOLS_TRY(check(made, "vkCreateInstance"));
  return validation_ == nullptr ? Status() : validation_->listen(instance_);
}

Status Device::choose_physical_device(const Window* window) {
  if (instance_ == VK_NULL_HANDLE) return {};
  uint32_t count = 0;
  TOOLS_TRY(check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> candidates(count);
  TOOLS_TRY(check(vkEnumeratePhysicalDevices(instance_, &count, candidates.data()), "vkEnumeratePhysicalDevices"));
  constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (const VkPhysicalDevice candidate : candidates) {
    uint32_t family_count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(candidate, &family_count, nullptr);
    std::vector<VkQueueFamilyProperties> families(family_count);
    vkGetPhysicalDeviceQueueFamilyProperties(candidate, &family_count, families.data());
    for (family_ = 0; family_ < family_count; ++family_) {
      if ((families[family_].queueFlags & kNeeded) != kNeeded) continue;
      if (window != nullptr && !window->shows_images_of(instance_, candidate, family_)) continue;
      physical_device_ = candidate;
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(candidate, &properties);
      name_ = properties.deviceName;
      return {};
    }
  }
  return {};
}

Status Device::make_device(const Window* window) {
  if (window != nullptr) made_.extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  return made_.make({vkGetInstanceProcAddr, instance_, physical_device_, family_});
}

Status Device::import() {
  const NnvkVkQueue queue{family_, 0, NNVK_VK_QUEUE_LOCKED, made_.queue};
  NnvkVkDeviceDesc desc = made_.description(kApiVersion);
  desc.getInstanceProcAddr = &instance_function;
  desc.queue = &queue;
  desc.lockQueue = [](void*, uint32_t, uint32_t) { queue_mutex.lock(); };
  desc.unlockQueue = [](void*, uint32_t, uint32_t) { queue_mutex.unlock(); };
  const int result = nnvk_vkImportDevice(&desc, &imported_);
  if (result == ANEURALNETWORKS_NO_ERROR) return {};
  return fail(fmt::format("nnvk_vkImportDevice failed with {}: {}", result, nnvk_lastError()));
}

Device::~Device() {
  if (imported_ != nullptr) nnvk_vkReleaseDevice(imported_);
  if (made_.device != VK_NULL_HANDLE) vkDestroyDevice(made_.device, nullptr);
  if (validation_ != nullptr) validation_->stop();
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

Status Device::submit(VkCommandBuffer commands, VkSemaphore before, VkSemaphore after, VkFence done) {
  constexpr VkPipelineStageFlags kWaiting = VK_PIPELINE_STAGE_TRANSFER_BIT;
  auto info = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.waitSemaphoreCount = before == VK_NULL_HANDLE ? 0 : 1;
  info.pWaitSemaphores = &before;
  info.pWaitDstStageMask = &kWaiting;
  info.signalSemaphoreCount = after == VK_NULL_HANDLE ? 0 : 1;
  info.pSignalSemaphores = &after;
  const std::lock_guard lock(queue_mutex);
  ++game_submissions;
  return check(vkQueueSubmit(made_.queue, 1, &info, done), "vkQueueSubmit");
}

VkResult Device::present(const VkPresentInfoKHR& info) {
  const std::lock_guard lock(queue_mutex);
  return vkQueuePresentKHR(made_.queue, &info);
}

uint64_t Device::submissions_of_game() const { return game_submissions; }
uint64_t Device::submissions_of_nnvk() const { return nnvk_submissions; }

Result<uint32_t> Device::memory_type(uint32_t allowed, VkMemoryPropertyFlags properties) const {
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(physical_device_, &memories);
  for (uint32_t type = 0; type < memories.memoryTypeCount; ++type) {
    const bool has_all = (memories.memoryTypes[type].propertyFlags & properties) == properties;
    if ((allowed >> type & 1) != 0 && has_all) return type;
  }
  return fail(fmt::format("no memory type of the device has the properties {:#x}", properties));
}

Result<VkShaderModule> Device::shader(const uint32_t* code, size_t bytes) const {
  auto info = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = bytes;
  info.pCode = code;
  VkShaderModule made = VK_NULL_HANDLE;
  TOOLS_TRY(check(vkCreateShaderModule(made_.device, &info, nullptr, &made), "vkCreateShaderModule"));
  return made;
}

Result<Buffer> Buffer::create(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, bool for_host) {
  Buffer made;
  made.device_ = device.get();
  made.size_ = size;
  made.usage_ = usage;
  auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = usage;
  TOOLS_TRY(check(vkCreateBuffer(made.device_, &info, nullptr, &made.buffer_), "vkCreateBuffer"));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(made.device_, made.buffer_, &needs);
  auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  constexpr VkMemoryPropertyFlags kForDevice = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kForHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  TOOLS_ASSIGN(allocation.memoryTypeIndex, device.memory_type(needs.memoryTypeBits, for_host ? kForHost : kForDevice));
  TOOLS_TRY(check(vkAllocateMemory(made.device_, &allocation, nullptr, &made.memory_), "vkAllocateMemory"));
  TOOLS_TRY(check(vkBindBufferMemory(made.device_, made.buffer_, made.memory_, 0), "vkBindBufferMemory"));
  if (for_host) TOOLS_TRY(check(vkMapMemory(made.device_, made.memory_, 0, VK_WHOLE_SIZE, 0, &made.mapped_), "vkMapMemory"));
  return made;
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(usage_, other.usage_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Buffer::~Buffer() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDestroyBuffer(device_, buffer_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

Result<Image> Image::create(const Device& device, VkExtent2D size, VkFormat format, VkImageUsageFlags usage,
                            VkImageAspectFlags aspect) {
  Image made;
  made.device_ = device.get();
  made.size_ = size;
  made.format_ = format;
  made.usage_ = usage;
  auto info = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = usage;
  TOOLS_TRY(check(vkCreateImage(made.device_, &info, nullptr, &made.image_), "vkCreateImage"));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(made.device_, made.image_, &needs);
  auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  TOOLS_ASSIGN(allocation.memoryTypeIndex, device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  TOOLS_TRY(check(vkAllocateMemory(made.device_, &allocation, nullptr, &made.memory_), "vkAllocateMemory"));
  TOOLS_TRY(check(vkBindImageMemory(made.device_, made.image_, made.memory_, 0), "vkBindImageMemory"));
  auto view = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = made.image_;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  view.subresourceRange = {aspect, 0, 1, 0, 1};
  TOOLS_TRY(check(vkCreateImageView(made.device_, &view, nullptr, &made.view_), "vkCreateImageView"));
  return made;
}

Image& Image::operator=(Image&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(image_, other.image_);
  std::swap(memory_, other.memory_);
  std::swap(view_, other.view_);
  std::swap(size_, other.size_);
  std::swap(format_, other.format_);
  std::swap(usage_, other.usage_);
  return *this;
}

Image::~Image() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDestroyImageView(device_, view_, nullptr);
  vkDestroyImage(device_, image_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

}  // namespace nnvk::game
