// The application's instance, device and functions.
#include "tests/api/recording/application.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/api/recording/watched_heap.h"

namespace nnvk::test {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

struct AtomicCounts {
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> updated{0};
  std::atomic<uint64_t> submitted{0};
  std::atomic<uint64_t> recorded{0};
  std::atomic<uint64_t> foreign{0};
} counts;

std::atomic<PipelineDriver> pipeline_driver{PipelineDriver::kReal};
std::atomic<uint64_t> cache_only_pipelines{0};
PFN_vkCreateComputePipelines real_create_pipelines = nullptr;

// Behaves as `pipeline_driver` says. nnvk makes one pipeline per call.
VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                                VkPipeline* pipelines) {
  ++counts.made;
  const HeapWatchPause pause;
  VkComputePipelineCreateInfo info = infos[0];
  constexpr VkPipelineCreateFlags kCacheOnly = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  const bool is_cache_only = (info.flags & kCacheOnly) != 0;
  if (is_cache_only) ++cache_only_pipelines;
  const PipelineDriver driver = pipeline_driver;
  if (is_cache_only && (driver == PipelineDriver::kCachesNothing || driver == PipelineDriver::kHangs)) {
    pipelines[0] = VK_NULL_HANDLE;
    return VK_PIPELINE_COMPILE_REQUIRED;
  }
  while (pipeline_driver == PipelineDriver::kHangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (driver == PipelineDriver::kCachesAll) info.flags &= ~kCacheOnly;
  return real_create_pipelines(device, cache, count, &info, allocator, pipelines);
}
PFN_vkVoidFunction install_create_pipelines(PFN_vkVoidFunction real) {
  real_create_pipelines = reinterpret_cast<PFN_vkCreateComputePipelines>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(&create_pipelines);
}

// A function of the driver (or the layers) that counts its calls. Its own memory and lock calls do not count as nnvk's.
template <class Function, int kNumber>
struct Counted;
template <class R, class... A, int kNumber>
struct Counted<R(VKAPI_PTR*)(A...), kNumber> {
  static inline R(VKAPI_PTR* real)(A...) = nullptr;
  static inline std::atomic<uint64_t>* counter = nullptr;
  static R VKAPI_CALL call(A... arguments) {
    counter->fetch_add(1, std::memory_order_relaxed);
    const HeapWatchPause pause;
    return real(arguments...);
  }
};

struct Replacement {
  const char* name;
  PFN_vkVoidFunction (*install)(PFN_vkVoidFunction real);
};
template <class Function, int kNumber, auto kCounter>
PFN_vkVoidFunction install(PFN_vkVoidFunction real) {
  using Function_ = Counted<Function, kNumber>;
  Function_::real = reinterpret_cast<Function>(real);
  Function_::counter = &(counts.*kCounter);
  return reinterpret_cast<PFN_vkVoidFunction>(&Function_::call);
}
#define NNVK_COUNTED(name, counter) \
  { #name, &install < PFN_##name, __LINE__, &AtomicCounts::counter> }
constexpr Replacement kReplacements[] = {
    NNVK_COUNTED(vkAllocateMemory, made),
    NNVK_COUNTED(vkAllocateCommandBuffers, made),
    NNVK_COUNTED(vkAllocateDescriptorSets, made),
    NNVK_COUNTED(vkCreateBuffer, made),
    NNVK_COUNTED(vkCreateBufferView, made),
    NNVK_COUNTED(vkCreateCommandPool, made),
    {"vkCreateComputePipelines", &install_create_pipelines},
    NNVK_COUNTED(vkCreateDescriptorPool, made),
    NNVK_COUNTED(vkCreateFence, made),
    NNVK_COUNTED(vkCreateSemaphore, made),
    NNVK_COUNTED(vkCreateShaderModule, made),
    NNVK_COUNTED(vkMapMemory, updated),
    NNVK_COUNTED(vkUpdateDescriptorSets, updated),
    NNVK_COUNTED(vkQueueSubmit, submitted),
    NNVK_COUNTED(vkCmdBindDescriptorSets, recorded),
    NNVK_COUNTED(vkCmdBindPipeline, recorded),
    NNVK_COUNTED(vkCmdCopyBuffer, recorded),
    NNVK_COUNTED(vkCmdCopyBufferToImage, recorded),
    NNVK_COUNTED(vkCmdCopyImageToBuffer, recorded),
    NNVK_COUNTED(vkCmdDispatch, recorded),
    NNVK_COUNTED(vkCmdPipelineBarrier, recorded),
    NNVK_COUNTED(vkCmdPushConstants, recorded),
};
#undef NNVK_COUNTED

// In the place of every other command: whatever its arguments are.
VKAPI_ATTR void VKAPI_CALL foreign_command() { ++counts.foreign; }

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = vkGetDeviceProcAddr(device, name);
  for (const Replacement& replacement : kReplacements) {
    if (real != nullptr && std::strcmp(replacement.name, name) == 0) return replacement.install(real);
  }
  if (real != nullptr && std::string_view(name).starts_with("vkCmd")) return &foreign_command;
  return real;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&device_function);
  return vkGetInstanceProcAddr(instance, name);
}

std::mutex complaints_mutex;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  const std::lock_guard lock(complaints_mutex);
  static_cast<std::vector<std::string>*>(user)->emplace_back(data->pMessage);
  return VK_FALSE;
}

template <class Function>
Function load(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

bool has_validation_layer() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(),
                     [](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, kValidationLayer) == 0; });
}

}  // namespace

VulkanCounts vulkan_counts() {
  return {counts.made, counts.updated, counts.submitted, counts.recorded, counts.foreign, cache_only_pipelines};
}

void set_pipeline_driver(PipelineDriver driver) { pipeline_driver = driver; }

namespace {

// The feature's bit in a chain that nnvk_vkPatchFeatures() has made; null if the device lacks it.
VkBool32* cache_control_in(const VkPhysicalDeviceFeatures2& features) {
  constexpr VkStructureType kWanted = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES;
  for (auto* at = static_cast<VkBaseOutStructure*>(features.pNext); at != nullptr; at = at->pNext) {
    if (at->sType != kWanted) continue;
    return &reinterpret_cast<VkPhysicalDevicePipelineCreationCacheControlFeatures*>(at)->pipelineCreationCacheControl;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Application> Application::open() {
  std::unique_ptr<Application> application(new Application());
  if (!application->make_instance() || !application->make_device()) return nullptr;
  return application;
}

bool Application::make_instance() {
  const bool validates = has_validation_layer();
  const std::array extensions{VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_2;
  const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  auto features = make<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pNext = validates ? &features : nullptr;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validates ? 1 : 0;
  info.ppEnabledLayerNames = &kValidationLayer;
  info.enabledExtensionCount = validates ? static_cast<uint32_t>(extensions.size()) : 0;
  info.ppEnabledExtensionNames = extensions.data();
  if (vkCreateInstance(&info, nullptr, &instance_) != VK_SUCCESS) return false;
  if (!validates) return true;
  auto messages = make<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messages.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messages.pfnUserCallback = &on_message;
  messages.pUserData = &complaints_;
  const auto make = load<PFN_vkCreateDebugUtilsMessengerEXT>(instance_, "vkCreateDebugUtilsMessengerEXT");
  return make(instance_, &messages, nullptr, &messenger_) == VK_SUCCESS;
}

bool Application::make_device() {
  uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance_, &count, &physical_device_) < 0 || count == 0) return false;
  std::array<VkQueueFamilyProperties, 16> families{};
  uint32_t family_count = families.size();
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device_, &family_count, families.data());
  while (family_ < family_count && (families[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family_;
  const auto made = made_.make({vkGetInstanceProcAddr, instance_, physical_device_, family_});
  EXPECT_TRUE(made) << made.error().message;
  return made.has_value();
}

Application::~Application() {
  for (ANeuralNetworksDevice* imported : std::exchange(imports_, {})) EXPECT_EQ(nnvk_vkReleaseDevice(imported), kOk);
  if (made_.device != VK_NULL_HANDLE) vkDestroyDevice(made_.device, nullptr);
  if (messenger_ != VK_NULL_HANDLE) {
    load<PFN_vkDestroyDebugUtilsMessengerEXT>(instance_, "vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
  EXPECT_THAT(complaints_, testing::IsEmpty());
}

ANeuralNetworksDevice* Application::import(const ImportOptions& options) {
  // The tests submit from one thread, while no work of nnvk is in progress.
  const NnvkVkQueue queue{family_, 0, NNVK_VK_QUEUE_EXCLUSIVE, made_.queue};
  NnvkVkDeviceDesc desc = made_.description(VK_API_VERSION_1_2);
  desc.getInstanceProcAddr = &instance_function;
  desc.queue = options.with_queue ? &queue : nullptr;
  desc.recordFamilyCount = 1;
  desc.recordFamilies = &family_;
  VkBool32* const cache_control = cache_control_in(made_.features);
  EXPECT_NE(cache_control, nullptr) << "the tests of cache control need a device with it";
  if (cache_control != nullptr && !options.with_cache_control) *cache_control = VK_FALSE;
  ANeuralNetworksDevice* imported = nullptr;
  EXPECT_EQ(nnvk_vkImportDevice(&desc, &imported), kOk) << nnvk_lastError();
  if (cache_control != nullptr) *cache_control = VK_TRUE;
  if (imported != nullptr) imports_.push_back(imported);
  return imported;
}

void Application::release(ANeuralNetworksDevice* imported) {
  std::erase(imports_, imported);
  EXPECT_EQ(nnvk_vkReleaseDevice(imported), kOk) << nnvk_lastError();
}

uint32_t Application::memory_type(uint32_t allowed) const {
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(physical_device_, &memories);
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while ((allowed >> type & 1) == 0 || (memories.memoryTypes[type].propertyFlags & kWanted) != kWanted) ++type;
  return type;
}

HostBuffer::HostBuffer(const Application& application, VkDeviceSize size, VkBufferUsageFlags usage)
    : device_(application.device()), size_(size) {
  auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = usage;
  EXPECT_EQ(vkCreateBuffer(device_, &info, nullptr, &buffer_), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, buffer_, &needs);
  auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = application.memory_type(needs.memoryTypeBits);
  EXPECT_EQ(vkAllocateMemory(device_, &allocation, nullptr, &memory_), VK_SUCCESS);
  EXPECT_EQ(vkBindBufferMemory(device_, buffer_, memory_, 0), VK_SUCCESS);
  EXPECT_EQ(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_), VK_SUCCESS);
}

HostBuffer::~HostBuffer() {
  vkDestroyBuffer(device_, buffer_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

Commands::Commands(const Application& application) : application_(application) {
  auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = application.family();
  EXPECT_EQ(vkCreateCommandPool(application.device(), &pool, nullptr, &pool_), VK_SUCCESS);
  auto info = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool_;
  info.commandBufferCount = 1;
  EXPECT_EQ(vkAllocateCommandBuffers(application.device(), &info, &commands_), VK_SUCCESS);
  auto fence = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  EXPECT_EQ(vkCreateFence(application.device(), &fence, nullptr, &fence_), VK_SUCCESS);
}

Commands::~Commands() {
  wait();
  vkDestroyFence(application_.device(), fence_, nullptr);
  vkDestroyCommandPool(application_.device(), pool_, nullptr);
}

VkCommandBuffer Commands::begin() {
  auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  EXPECT_EQ(vkBeginCommandBuffer(commands_, &info), VK_SUCCESS);
  return commands_;
}

void Commands::submit() {
  EXPECT_EQ(vkEndCommandBuffer(commands_), VK_SUCCESS);
  auto info = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  EXPECT_EQ(vkQueueSubmit(application_.queue(), 1, &info, fence_), VK_SUCCESS);
  is_pending_ = true;
}

void Commands::wait() {
  if (!std::exchange(is_pending_, false)) return;
  EXPECT_EQ(vkWaitForFences(application_.device(), 1, &fence_, VK_TRUE, UINT64_MAX), VK_SUCCESS);
  EXPECT_EQ(vkResetFences(application_.device(), 1, &fence_), VK_SUCCESS);
}

void Commands::run(const std::function<void(VkCommandBuffer)>& record) {
  record(begin());
  submit();
  wait();
}

}  // namespace nnvk::test
