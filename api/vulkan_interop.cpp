// Entry points for applications' own Vulkan devices and memory, and for executions between their semaphores.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "core/base/foreign_call.h"
#include "core/runtime/device_range_memory.h"
#include "vulkan/context/host_allocator.h"
#include "vulkan/imported_device.h"
#include "vulkan/interop/declared_device.h"

using namespace nnvk;
using namespace nnvk::api;

namespace {

static_assert(static_cast<int>(vulkan::MemoryUse::kDevice) == NNVK_VK_MEMORY_DEVICE);
static_assert(static_cast<int>(vulkan::MemoryUse::kUpload) == NNVK_VK_MEMORY_WEIGHTS);
static_assert(static_cast<int>(vulkan::MemoryUse::kIo) == NNVK_VK_MEMORY_IO);
static_assert(static_cast<int>(vulkan::MemoryUse::kStaging) == NNVK_VK_MEMORY_STAGING);

static_assert(vulkan::kMostImageParts == NNVK_VK_MAX_IMAGE_PARTS);

constexpr uint32_t kAllAccess = NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE;

// Returns BAD_DATA unless the struct has the size that this version of it has.
template <class Struct>
Status check_struct(const Struct& given, const char* name) {
  if (given.structSize != sizeof(Struct)) {
    return fail(Code::kBadData, std::string(name) + "->structSize is " + std::to_string(given.structSize) +
                                    ", this library knows " + std::to_string(sizeof(Struct)) +
                                    "; set it to sizeof the struct, with the header of this library");
  }
  if (given.next != nullptr)
    return fail(Code::kBadData, std::string(name) + "->next is not NULL; this library knows no extension of the struct");
  return {};
}

Status bad(const std::string& what) { return fail(Code::kBadData, "desc->" + what); }

Status check_handles(const NnvkVkDeviceDesc& desc) {
  if (desc.getInstanceProcAddr == nullptr) return bad("getInstanceProcAddr is NULL; pass your loader's vkGetInstanceProcAddr");
  if (desc.instance == VK_NULL_HANDLE) return bad("instance is VK_NULL_HANDLE");
  if (desc.physicalDevice == VK_NULL_HANDLE) return bad("physicalDevice is VK_NULL_HANDLE");
  if (desc.device == VK_NULL_HANDLE) return bad("device is VK_NULL_HANDLE");
  if (desc.enabledExtensionCount > 0 && desc.enabledExtensions == nullptr)
    return bad("enabledExtensions is NULL, its count is not 0");
  if (desc.recordFamilyCount > 0 && desc.recordFamilies == nullptr) return bad("recordFamilies is NULL, its count is not 0");
  for (uint32_t i = 0; i < desc.enabledExtensionCount; ++i) {
    if (desc.enabledExtensions[i] == nullptr) return bad("enabledExtensions[" + std::to_string(i) + "] is NULL");
  }
  return {};
}

Status check_queue(const NnvkVkDeviceDesc& desc) {
  if ((desc.lockQueue == nullptr) != (desc.unlockQueue == nullptr)) return bad("lockQueue and unlockQueue: one of them is NULL");
  if (desc.queue == nullptr) return {};
  if (desc.queue->queue == VK_NULL_HANDLE) return bad("queue->queue is VK_NULL_HANDLE; a device without a queue has queue NULL");
  NNVK_TRY(check_choice(desc.queue->sharing, NNVK_VK_QUEUE_INTERNALLY_SYNCHRONIZED, "desc->queue->sharing"));
  if (desc.queue->sharing != NNVK_VK_QUEUE_LOCKED || desc.lockQueue != nullptr) return {};
  return bad(
      "queue->sharing is NNVK_VK_QUEUE_LOCKED, but lockQueue is NULL; give both callbacks, or say that the queue is "
      "NNVK_VK_QUEUE_EXCLUSIVE or NNVK_VK_QUEUE_INTERNALLY_SYNCHRONIZED");
}

Status check_desc(const NnvkVkDeviceDesc& desc) {
  NNVK_TRY(check_struct(desc, "desc"));
  NNVK_TRY(check_handles(desc));
  NNVK_TRY(check_queue(desc));
  if ((desc.allocateMemory == nullptr) != (desc.freeMemory == nullptr)) {
    return bad("allocateMemory and freeMemory: one of them is NULL");
  }
  if (desc.enabledFeatures != nullptr && desc.enabledFeatures->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
    return bad("enabledFeatures->sType is not VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2");
  }
  return {};
}

void take_queue(const NnvkVkDeviceDesc& desc, vulkan::ApplicationDevice& application) {
  if (desc.queue != nullptr) {
    const NnvkVkQueue queue = *desc.queue;
    application.queue = queue.queue;
    application.families.push_back(queue.family);
    if (queue.sharing == NNVK_VK_QUEUE_LOCKED) {
      application.lock_queue = [=, lock = desc.lockQueue, user = desc.queueUser] {
        return call_application("lockQueue", [&] { lock(user, queue.family, queue.index); });
      };
      application.unlock_queue = [=, unlock = desc.unlockQueue, user = desc.queueUser] {
        tell_application("unlockQueue", [&] { unlock(user, queue.family, queue.index); });
      };
    }
  }
  application.families.insert(application.families.end(), desc.recordFamilies, desc.recordFamilies + desc.recordFamilyCount);
}

void take_memory(const NnvkVkDeviceDesc& desc, vulkan::ApplicationDevice& application) {
  application.memory_budget = desc.memoryBudget;
  if (desc.hostAllocator != nullptr) application.allocator = std::make_shared<const vulkan::HostAllocator>(*desc.hostAllocator);
  if (desc.allocateMemory == nullptr) return;
  application.allocate_memory = [allocate = desc.allocateMemory, user = desc.memoryUser](
                                    const vulkan::MemoryBlockRequest& request, vulkan::MemoryBlock& block) -> Result<VkResult> {
    const NnvkVkMemoryRequest wanted{sizeof(NnvkVkMemoryRequest), nullptr,      request.size,
                                     request.alignment,           request.type, request.role};
    NnvkVkMemoryBlock given{};
    VkResult result = VK_ERROR_UNKNOWN;
    NNVK_TRY(call_application("allocateMemory", [&] { result = allocate(user, &wanted, &given); }));
    if (result == VK_SUCCESS) block = {given.memory, given.offset, request.size, given.mapped, given.user};
    return result;
  };
  application.free_memory = [release = desc.freeMemory, user = desc.memoryUser](const vulkan::MemoryBlock& block) {
    const NnvkVkMemoryBlock given{block.memory, block.offset, block.mapped, block.user};
    tell_application("freeMemory", [&] { release(user, &given); });
  };
}

vulkan::ImportRequest to_request(const NnvkVkDeviceDesc& desc) {
  vulkan::ImportRequest request;
  request.physical = {desc.getInstanceProcAddr, desc.instance, desc.physicalDevice};
  request.api_version = desc.apiVersion;
  request.features = desc.enabledFeatures;
  request.extensions.assign(desc.enabledExtensions, desc.enabledExtensions + desc.enabledExtensionCount);
  vulkan::ApplicationDevice& application = request.application;
  application.device = desc.device;
  take_queue(desc, application);
  take_memory(desc, application);
  application.pipeline_cache = desc.pipelineCache;
  if (desc.deviceLost != nullptr) {
    application.on_lost = [lost = desc.deviceLost, user = desc.deviceLostUser] {
      tell_application("deviceLost", [&] { lost(user); });
    };
  }
  return request;
}

Status check_access(uint32_t access) {
  if (access != 0 && (access & ~kAllAccess) == 0) return {};
  return fail(Code::kBadData,
              "access is " + std::to_string(access) + "; it is NNVK_VK_ACCESS_READ, NNVK_VK_ACCESS_WRITE or both");
}

// Checks that the range is not empty and ends within kMostBytes.
Status check_range(VkDeviceSize offset, VkDeviceSize size) {
  if (size > 0 && offset <= vulkan::kMostBytes && size <= vulkan::kMostBytes - offset) return {};
  return fail(Code::kBadData, "the range of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                                  " is empty or exceeds any memory; give the size, VK_WHOLE_SIZE is not known here");
}

// Sets `made` to the memory that `make` returns for the device.
template <class Make>
Status make_memory(ANeuralNetworksMemory& made, ANeuralNetworksDevice* device, uint32_t access, const Make& make) {
  NNVK_REQUIRE(device);
  NNVK_TRY(check_access(access));
  NNVK_ASSIGN(std::shared_ptr<Imported> imported, instance().imported(device));
  const vulkan::ImportedDevice::Access wanted{(access & NNVK_VK_ACCESS_READ) != 0, (access & NNVK_VK_ACCESS_WRITE) != 0};
  auto* const into = imported->device();
  made.uses.emplace_back(std::move(imported), Imported::kMemory);
  NNVK_ASSIGN(made.memory, make(*into, wanted));
  return {};
}

Result<vulkan::ImageDescription> to_image(const NnvkVkImageInfo& info, vulkan::ImportedDevice::Access access) {
  NNVK_TRY(check_struct(info, "info"));
  NNVK_TRY(check_choice(info.channelOrder, NNVK_VK_CHANNELS_BGRA, "info->channelOrder"));
  NNVK_TRY(check_choice(info.tensorLayout, NNVK_VK_TENSOR_NCHW, "info->tensorLayout"));
  vulkan::ImageDescription image;
  image.image = info.image;
  image.format = info.format;
  image.extent = info.extent;
  image.mip_level = info.mipLevel;
  image.array_layer = info.arrayLayer;
  if (info.samples != 0) image.samples = info.samples;
  image.usage = info.usage;
  image.layout = info.layout;
  image.order = info.channelOrder == NNVK_VK_CHANNELS_BGRA ? ChannelOrder::kBgr : ChannelOrder::kRgb;
  image.nchw = info.tensorLayout == NNVK_VK_TENSOR_NCHW;
  for (size_t c = 0; c < image.scale.size(); ++c) {
    if (info.scale[c] != 0) image.scale[c] = info.scale[c];
    image.bias[c] = info.bias[c];
  }
  image.is_read = access.read;
  image.is_written = access.write;
  return image;
}

Result<vulkan::ImagePart> to_part(const NnvkVkImagePart& given, vulkan::ImportedDevice::Access access) {
  NNVK_TRY(check_struct(given, "part"));
  NNVK_TRY(check_choice(given.filter, NNVK_VK_FILTER_AREA, "part->filter"));
  if (given.image == nullptr) return fail(Code::kUnexpectedNull, "part->image is NULL");
  vulkan::ImagePart part;
  NNVK_ASSIGN(part.image, to_image(*given.image, access));
  part.channels = given.channelCount;
  switch (given.filter) {
    case NNVK_VK_FILTER_BILINEAR:
      part.filter = PictureFilter::kBilinear;
      break;
    case NNVK_VK_FILTER_NEAREST:
      part.filter = PictureFilter::kNearest;
      break;
    case NNVK_VK_FILTER_AREA:
      part.filter = PictureFilter::kArea;
      break;
    default:
      break;  // the image has the tensor's size
  }
  return part;
}

Result<std::vector<vulkan::ImagePart>> to_parts(std::span<const NnvkVkImagePart> given, vulkan::ImportedDevice::Access access) {
  std::vector<vulkan::ImagePart> parts;
  for (const NnvkVkImagePart& one : given) {
    auto part = to_part(one, access);
    if (!part) return fail(part.error().at("parts[" + std::to_string(parts.size()) + "]"));
    parts.push_back(*std::move(part));
  }
  return parts;
}

// Returns a memory that clients bind as a whole, as an image.
Result<std::unique_ptr<Memory>> as_memory(std::unique_ptr<vulkan::ImageMemory> images, vulkan::ImportedDevice::Access access) {
  const auto prepare = [into = images.get()](const OperandInfo& tensor, bool is_input) -> Status {
    NNVK_TRY(into->bind(tensor, !is_input));
    return {};
  };
  return make_device_range_memory(std::move(images), access.read, access.write, prepare);
}

Result<std::vector<vulkan::SemaphorePoint>> to_points(const NnvkVkSemaphore* semaphores, uint32_t count, const char* name) {
  NNVK_TRY(check_pair(semaphores, count, name));
  std::vector<vulkan::SemaphorePoint> points;
  for (uint32_t i = 0; i < count; ++i) points.push_back({semaphores[i].semaphore, semaphores[i].value});
  return points;
}

// Returns the imported device for which the compilation was made; NOT_RECORDABLE unless there is exactly one.
Result<vulkan::ImportedDevice*> imported_device_of(const ANeuralNetworksCompilation& compilation) {
  if (compilation.uses.size() == 1) return compilation.uses.front().imported()->device();
  return fail(
      Code::kNotRecordable,
      "the compilation was made for " + std::to_string(compilation.uses.size()) +
          " imported devices; ANeuralNetworksCompilation_createForDevices with one device of nnvk_vkImportDevice makes one "
          "that can wait for semaphores");
}

}  // namespace

int nnvk_vkGetRequirements(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance, VkPhysicalDevice physicalDevice,
                           NnvkVkRequirements* requirements) {
  return call(__func__, {NNVK_ARGUMENT(requirements)}, [&]() -> Status {
    NNVK_TRY(check_struct(*requirements, "requirements"));
    std::vector<const char*> names = vulkan::used_extensions();
    if (physicalDevice != VK_NULL_HANDLE) {
      NNVK_REQUIRE(getInstanceProcAddr);
      NNVK_REQUIRE(instance);
      NNVK_ASSIGN(names, vulkan::recommended_extensions({getInstanceProcAddr, instance, physicalDevice}));
    }
    NnvkVkRequirements made{};
    made.structSize = sizeof made;
    made.minimumApiVersion = VK_API_VERSION_1_1;
    made.recommendedExtensionCount = static_cast<uint32_t>(names.size());
    std::copy(names.begin(), names.end(), made.recommendedExtensions);
    *requirements = made;
    return {};
  });
}

int nnvk_vkPatchFeatures(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance, VkPhysicalDevice physicalDevice,
                         int32_t level, VkPhysicalDeviceFeatures2* chain, void* arena, size_t* arenaSize) {
  return call(__func__,
              {NNVK_ARGUMENT(getInstanceProcAddr), NNVK_ARGUMENT(instance), NNVK_ARGUMENT(physicalDevice), NNVK_ARGUMENT(chain),
               NNVK_ARGUMENT(arenaSize)},
              [&]() -> Status {
                NNVK_TRY(check_choice(level, NNVK_VK_FEATURES_RECOMMENDED, "level"));
                return vulkan::patch_features({getInstanceProcAddr, instance, physicalDevice},
                                              level == NNVK_VK_FEATURES_RECOMMENDED, *chain, static_cast<std::byte*>(arena),
                                              *arenaSize);
              });
}

int nnvk_vkImportDevice(const NnvkVkDeviceDesc* desc, ANeuralNetworksDevice** device) {
  return call(__func__, {NNVK_ARGUMENT(desc), NNVK_ARGUMENT(device)}, [&]() -> Status {
    *device = nullptr;
    NNVK_TRY(check_desc(*desc));
    NNVK_ASSIGN(*device, instance().import(to_request(*desc)));
    return {};
  });
}

int nnvk_vkReleaseDevice(ANeuralNetworksDevice* device) {
  return call(__func__, [&]() -> Status {
    { NNVK_REQUIRE(device); }
    return instance().release(device);  // fails while a call uses the device; this call no longer does
  });
}

int nnvk_vkMemoryFromBuffer(ANeuralNetworksDevice* device, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                            VkBufferUsageFlags usage, uint32_t access, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) {
    return make_memory(made, device, access, [&](vulkan::ImportedDevice& on, auto wanted) -> Result<std::unique_ptr<Memory>> {
      if (buffer == VK_NULL_HANDLE) return fail(Code::kBadData, "buffer is VK_NULL_HANDLE");
      NNVK_TRY(check_range(offset, size));
      NNVK_ASSIGN(auto bytes, on.memory_of(buffer, offset, size, usage, wanted));
      return make_device_range_memory(std::move(bytes), wanted.read, wanted.write);
    });
  });
}

int nnvk_vkMemoryFromDeviceMemory(ANeuralNetworksDevice* device, VkDeviceMemory deviceMemory, uint32_t memoryTypeIndex,
                                  VkDeviceSize offset, VkDeviceSize size, uint32_t access, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) {
    return make_memory(made, device, access, [&](vulkan::ImportedDevice& on, auto wanted) -> Result<std::unique_ptr<Memory>> {
      if (deviceMemory == VK_NULL_HANDLE) return fail(Code::kBadData, "deviceMemory is VK_NULL_HANDLE");
      NNVK_TRY(check_range(offset, size));
      NNVK_ASSIGN(auto bytes, on.memory_over(deviceMemory, memoryTypeIndex, offset, size, wanted));
      return make_device_range_memory(std::move(bytes), wanted.read, wanted.write);
    });
  });
}

int nnvk_vkMemoryFromImage(ANeuralNetworksDevice* device, const NnvkVkImageInfo* info, uint32_t access,
                           ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_REQUIRE(info);
    return make_memory(made, device, access, [&](vulkan::ImportedDevice& on, auto wanted) -> Result<std::unique_ptr<Memory>> {
      NNVK_ASSIGN(const vulkan::ImageDescription description, to_image(*info, wanted));
      NNVK_ASSIGN(auto image, on.memory_of(description));
      return as_memory(std::move(image), wanted);
    });
  });
}

int nnvk_vkMemoryFromImages(ANeuralNetworksDevice* device, uint32_t partCount, const NnvkVkImagePart* parts,
                            ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_REQUIRE(parts);
    return make_memory(made, device, NNVK_VK_ACCESS_READ,
                       [&](vulkan::ImportedDevice& on, auto wanted) -> Result<std::unique_ptr<Memory>> {
                         NNVK_ASSIGN(auto all, to_parts({parts, partCount}, wanted));
                         NNVK_ASSIGN(auto images, on.memory_of(std::move(all)));
                         return as_memory(std::move(images), wanted);
                       });
  });
}

int nnvk_vkBufferNeeds(const ANeuralNetworksDevice* device, VkBufferUsageFlags* usage, VkDeviceSize* alignment) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(usage), NNVK_ARGUMENT(alignment)}, [&]() -> Status {
    NNVK_ASSIGN(const std::shared_ptr<Imported> imported, instance().imported(device));
    *usage = imported->device()->full_usage();
    *alignment = imported->device()->alignment();
    return {};
  });
}

int nnvk_vkStartCompute(ANeuralNetworksExecution* execution, uint32_t waitCount, const NnvkVkSemaphore* waits,
                        uint32_t signalCount, const NnvkVkSemaphore* signals, uint32_t dependencyCount,
                        const ANeuralNetworksEvent* const* dependencies, ANeuralNetworksEvent** event) {
  return call(__func__, [&]() -> Status {
    if (event != nullptr) *event = nullptr;
    NNVK_REQUIRE(execution);
    NNVK_TRY(check_pair(dependencies, dependencyCount, "dependencies"));
    NNVK_ASSIGN(vulkan::ImportedDevice* const device, imported_device_of(execution->compilation.handle()));
    vulkan::QueueSync points;
    NNVK_ASSIGN(points.waits, to_points(waits, waitCount, "waits"));
    NNVK_ASSIGN(points.signals, to_points(signals, signalCount, "signals"));
    NNVK_ASSIGN(auto sync, device->sync(std::move(points), dependencyCount > 0));
    NNVK_ASSIGN(const EventList list, event_list(dependencies, dependencyCount));
    auto made = std::make_unique<ANeuralNetworksEvent>();  // after the check of the dependencies, see event_list()
    NNVK_ASSIGN(made->event, execution->execution->start_between(std::move(sync), list.events, event != nullptr));
    if (event != nullptr) *event = made.release();
    return {};
  });
}
