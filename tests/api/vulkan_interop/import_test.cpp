// Import and release of an application's device: nnvk must keep to the application's description.
#include <nnvk/diagnostics.h>

#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "tests/api/vulkan_interop/application.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::test {
namespace {

// Runs the convolution on the device and compares with the CPU.
void expect_computes(const ANeuralNetworksDevice* device) {
  const Compiled compiled(make_convolution(), device);
  std::vector<float> input(kConvolutionFloats);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 13) - 6.0F;
  std::vector<float> output(kConvolutionFloats);
  ASSERT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), kOk) << nnvk_lastError();
  const std::vector<float> expected = convolution_of(input);
  for (size_t i = 0; i < output.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-4F) << i;
}

// A device that reports three queue families, two of them with compute, although the driver has one. The driver creates every
// buffer as exclusive; this variable keeps the families that nnvk passed.
std::vector<std::vector<uint32_t>> families_of_buffers;

void VKAPI_CALL three_families(VkPhysicalDevice device, uint32_t* count, VkQueueFamilyProperties* properties) {
  if (properties == nullptr) {
    *count = 3;
    return;
  }
  uint32_t one = 1;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &one, properties);
  for (uint32_t i = 1; i < *count; ++i) properties[i] = properties[0];
  if (*count > 2) properties[2].queueFlags = VK_QUEUE_TRANSFER_BIT;
}

PFN_vkCreateBuffer create_buffer_of_driver = nullptr;

VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                  VkBuffer* buffer) {
  const bool is_concurrent = info->sharingMode == VK_SHARING_MODE_CONCURRENT;
  families_of_buffers.emplace_back(info->pQueueFamilyIndices,
                                   info->pQueueFamilyIndices + (is_concurrent ? info->queueFamilyIndexCount : 0));
  VkBufferCreateInfo exclusive = *info;
  exclusive.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return create_buffer_of_driver(device, &exclusive, callbacks, buffer);
}

PFN_vkVoidFunction VKAPI_CALL device_function_with_families(VkDevice device, const char* name) {
  const PFN_vkVoidFunction found = vkGetDeviceProcAddr(device, name);
  if (std::strcmp(name, "vkCreateBuffer") != 0) return found;
  create_buffer_of_driver = reinterpret_cast<PFN_vkCreateBuffer>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(create_buffer);
}

PFN_vkVoidFunction VKAPI_CALL function_with_families(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(three_families);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(device_function_with_families);
  return vkGetInstanceProcAddr(instance, name);
}

class VulkanImport : public WithApplication {};

TEST_F(VulkanImport, BuffersAreSharedBetweenTheFamiliesOfAnImportWhereThereAreSeveral) {
  NnvkVkDeviceDesc desc = application_->desc();
  desc.getInstanceProcAddr = function_with_families;
  const auto import_for = [&](const std::vector<uint32_t>& families) {
    families_of_buffers.clear();
    desc.recordFamilyCount = static_cast<uint32_t>(families.size());
    desc.recordFamilies = families.data();
    ANeuralNetworksDevice* const device = application_->import(desc);
    if (device == nullptr) return;
    expect_computes(device);
    EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk) << nnvk_lastError();
    EXPECT_FALSE(families_of_buffers.empty());
  };
  import_for({1, 0, 1});
  for (const auto& families : families_of_buffers) EXPECT_EQ(families, (std::vector<uint32_t>{0, 1}));
  import_for({0});  // that of the queue
  for (const auto& families : families_of_buffers) EXPECT_TRUE(families.empty()) << "exclusive";

  ANeuralNetworksDevice* device = nullptr;
  const uint32_t copies_only = 2;
  desc.recordFamilyCount = 1;
  desc.recordFamilies = &copies_only;
  EXPECT_EQ(nnvk_vkImportDevice(&desc, &device), kBadData);
  EXPECT_NE(nnvk_last_error().find("family 2"), std::string::npos) << nnvk_last_error();
}

TEST_F(VulkanImport, RequirementsNameExtensionsThatThePhysicalDeviceHas) {
  NnvkVkRequirements all{};
  all.structSize = sizeof all;
  ASSERT_EQ(nnvk_vkGetRequirements(nullptr, VK_NULL_HANDLE, VK_NULL_HANDLE, &all), kOk);
  EXPECT_EQ(all.minimumApiVersion, VK_API_VERSION_1_1);
  EXPECT_EQ(all.requiredExtensionCount, 0U);
  NnvkVkRequirements here = all;
  ASSERT_EQ(nnvk_vkGetRequirements(vkGetInstanceProcAddr, application_->instance(), application_->physical_device(), &here), kOk);
  const std::set<std::string> known(all.recommendedExtensions, all.recommendedExtensions + all.recommendedExtensionCount);
  EXPECT_TRUE(known.contains(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME));
  for (uint32_t i = 0; i < here.recommendedExtensionCount; ++i) EXPECT_TRUE(known.contains(here.recommendedExtensions[i]));
  all.structSize = 8;
  EXPECT_EQ(nnvk_vkGetRequirements(nullptr, VK_NULL_HANDLE, VK_NULL_HANDLE, &all), kBadData);
}

TEST_F(VulkanImport, FeaturesGoIntoTheStructsThatTheApplicationHas) {
  auto twelve = vulkan::vulkan_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto chain = vulkan::vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &twelve;
  const auto patch = [&](void* arena, size_t* size) {
    return nnvk_vkPatchFeatures(vkGetInstanceProcAddr, application_->instance(), application_->physical_device(),
                                NNVK_VK_FEATURES_RECOMMENDED, &chain, arena, size);
  };
  size_t size = 0;
  ASSERT_EQ(patch(nullptr, &size), kOk);
  EXPECT_EQ(twelve.timelineSemaphore, VK_FALSE);  // this call only asks for the size
  std::vector<std::byte> arena(size + 1);
  if (size > 0) {
    size_t too_small = size - 1;
    EXPECT_EQ(patch(arena.data(), &too_small), kBadData);
    EXPECT_EQ(too_small, size);
  }
  ASSERT_EQ(patch(arena.data(), &size), kOk);
  EXPECT_EQ(twelve.timelineSemaphore, VK_TRUE);
  for (auto* at = static_cast<VkBaseOutStructure*>(chain.pNext); at != nullptr; at = at->pNext) {
    EXPECT_NE(at->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);  // not twice
  }
}

TEST_F(VulkanImport, GivesANormalDeviceThatIsNotListed) {
  const size_t listed = devices().size();
  device_ = application_->import();
  ASSERT_NE(device_, nullptr);
  EXPECT_EQ(devices().size(), listed);
  EXPECT_NE(name_of(device_).find("-imported"), std::string::npos);
  expect_computes(device_);
}

TEST_F(VulkanImport, LocksTheQueueAroundEachSubmission) {
  device_ = application_->import();
  for (int i = 0; i < 3; ++i) expect_computes(device_);
  EXPECT_GT(counts().submits, 3);
  EXPECT_EQ(counts().unlocked_submits, 0);
  EXPECT_EQ(application_->locks(), counts().submits);
  EXPECT_EQ(application_->unlocks(), application_->locks());
}

TEST_F(VulkanImport, NeverWaitsForTheWholeDeviceAndDestroysNothingOfIt) {
  device_ = application_->import();
  expect_computes(device_);
  ASSERT_EQ(nnvk_vkReleaseDevice(device_), kOk) << nnvk_lastError();
  device_ = nullptr;
  EXPECT_EQ(counts().idle_waits, 0);
  EXPECT_EQ(counts().destroyed_devices, 0);
  application_->wait_idle();  // it lives
}

TEST_F(VulkanImport, WorksWithNothingEnabled) {
  const auto plain = Application::create({.recommended = false});
  ANeuralNetworksDevice* const device = plain->import();
  ASSERT_NE(device, nullptr);
  expect_computes(device);
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk);
  EXPECT_EQ(plain->messages(), 0);
}

TEST_F(VulkanImport, WorksWithAnInstanceOfTheLeastVersion) {
  const auto old = Application::create({.recommended = false, .api_version = VK_API_VERSION_1_1});
  ANeuralNetworksDevice* const device = old->import();
  ASSERT_NE(device, nullptr);
  expect_computes(device);
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk);
  EXPECT_EQ(old->messages(), 0);
}

TEST_F(VulkanImport, TwoApplicationsAndTwoImportsOfOneDeviceWorkSideBySide) {
  device_ = application_->import();
  ANeuralNetworksDevice* const second = application_->import();
  const auto other = Application::create();
  ANeuralNetworksDevice* const foreign = other->import();
  EXPECT_NE(name_of(device_), name_of(second));
  std::thread first_thread([&] { expect_computes(device_); });
  std::thread second_thread([&] { expect_computes(second); });
  expect_computes(foreign);
  first_thread.join();
  second_thread.join();
  EXPECT_EQ(counts().unlocked_submits, 0);
  EXPECT_EQ(nnvk_vkReleaseDevice(second), kOk);
  expect_computes(device_);
  EXPECT_EQ(nnvk_vkReleaseDevice(foreign), kOk);
  EXPECT_EQ(other->messages(), 0);
}

TEST_F(VulkanImport, IsNotReleasedWhileObjectsNeedIt) {
  device_ = application_->import();
  {
    const Compiled compiled(make_convolution(), device_);
    ASSERT_EQ(nnvk_vkReleaseDevice(device_), kBadState);
    EXPECT_NE(nnvk_last_error().find("1 compilation"), std::string::npos) << nnvk_last_error();
  }
  const auto buffer = application_->make_buffer(16);
  ANeuralNetworksMemory* memory = nullptr;
  ASSERT_EQ(nnvk_vkMemoryFromBuffer(device_, buffer.buffer, 0, 64, Application::kAllUsage, NNVK_VK_ACCESS_READ, &memory), kOk);
  ASSERT_EQ(nnvk_vkReleaseDevice(device_), kBadState);
  EXPECT_NE(nnvk_last_error().find("1 memory"), std::string::npos) << nnvk_last_error();
  ANeuralNetworksMemory_free(memory);
  ASSERT_EQ(nnvk_vkReleaseDevice(device_), kOk) << nnvk_last_error();
  EXPECT_EQ(nnvk_vkReleaseDevice(device_), kBadData);  // gone
  device_ = nullptr;
}

TEST_F(VulkanImport, LetsGoOfClientMemoryThatItHadImported) {
  // The memory outlives the device on which it was used in place.
  const int fd = ::memfd_create("input", 0);
  ASSERT_EQ(::ftruncate(fd, 4096), 0);
  ANeuralNetworksMemory* memory = nullptr;
  ASSERT_EQ(ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, fd, 0, &memory), kOk);
  const MemoryPointer input(memory);
  ::close(fd);
  device_ = application_->import();
  {
    const Compiled compiled(make_convolution(), device_);
    std::vector<float> output(kConvolutionFloats);
    EXPECT_EQ(compute(make_execution(compiled.compilation, {{input, 0, kConvolutionFloats * 4}}, {output})), kOk);
  }
  ASSERT_EQ(nnvk_vkReleaseDevice(device_), kOk) << nnvk_lastError();
  device_ = nullptr;
  EXPECT_EQ(application_->messages(), 0);
  application_.reset();  // vkDestroyDevice: the layer reports remaining objects
}

TEST_F(VulkanImport, UsesTheMemoryCallbacksForAllDeviceMemory) {
  struct Pool {
    Application* application;
    std::atomic<int> blocks{0};
    std::atomic<int> given{0};
    std::atomic<uint64_t> bytes{0};
  } pool{application_.get()};
  NnvkVkDeviceDesc desc = application_->desc();
  desc.memoryUser = &pool;
  desc.allocateMemory = [](void* user, const NnvkVkMemoryRequest* request, NnvkVkMemoryBlock* block) {
    auto& pool = *static_cast<Pool*>(user);
    EXPECT_EQ(request->structSize, sizeof *request);
    const VkDeviceSize lead = request->alignment;  // a piece of a larger allocation
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, request->size + lead,
                                    request->memoryTypeIndex};
    const VolkDeviceTable& vk = pool.application->vk();
    const VkResult result = vk.vkAllocateMemory(pool.application->device(), &info, nullptr, &block->memory);
    if (result != VK_SUCCESS) return result;
    block->offset = lead;
    if (request->role != NNVK_VK_MEMORY_DEVICE) {
      EXPECT_EQ(vk.vkMapMemory(pool.application->device(), block->memory, lead, VK_WHOLE_SIZE, 0, &block->mapped), VK_SUCCESS);
    }
    block->user = &pool;
    ++pool.blocks;
    ++pool.given;
    pool.bytes += request->size;
    return VK_SUCCESS;
  };
  desc.freeMemory = [](void* user, const NnvkVkMemoryBlock* block) {
    auto& pool = *static_cast<Pool*>(user);
    EXPECT_EQ(block->user, &pool);
    pool.application->vk().vkFreeMemory(pool.application->device(), block->memory, nullptr);
    --pool.blocks;
  };
  ANeuralNetworksDevice* const device = application_->import(desc);
  counts().allocations = 0;
  expect_computes(device);
  EXPECT_GT(pool.given, 0);
  EXPECT_EQ(counts().allocations, 0);
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk);
  EXPECT_EQ(pool.blocks, 0);
}

// The callbacks of an application throw if the test switches it on.
struct Throwing {
  Application* application = nullptr;
  const char* in = "";
  void maybe(const char* callback) const {
    if (std::strcmp(in, callback) == 0) throw std::runtime_error("thrown by the test");
  }
  static const Throwing& of(void* user) { return *static_cast<const Throwing*>(user); }
} throwing;  // memory is freed until the device is released, after the test

NnvkVkDeviceDesc with_throwing_callbacks(const Application& application) {
  NnvkVkDeviceDesc desc = const_cast<Application&>(application).desc();
  desc.queueUser = desc.memoryUser = desc.deviceLostUser = &throwing;
  desc.lockQueue = [](void* user, uint32_t, uint32_t) { Throwing::of(user).maybe("lockQueue"); };
  desc.unlockQueue = [](void* user, uint32_t, uint32_t) { Throwing::of(user).maybe("unlockQueue"); };
  desc.allocateMemory = [](void* user, const NnvkVkMemoryRequest* request, NnvkVkMemoryBlock* block) {
    Throwing::of(user).maybe("allocateMemory");
    const VolkDeviceTable& vk = Throwing::of(user).application->vk();
    const VkDevice device = Throwing::of(user).application->device();
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, request->size, request->memoryTypeIndex};
    const VkResult result = vk.vkAllocateMemory(device, &info, nullptr, &block->memory);
    if (result != VK_SUCCESS || request->role == NNVK_VK_MEMORY_DEVICE) return result;
    return vk.vkMapMemory(device, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
  };
  desc.freeMemory = [](void* user, const NnvkVkMemoryBlock* block) {
    const Throwing& self = Throwing::of(user);
    self.application->vk().vkFreeMemory(self.application->device(), block->memory, nullptr);
    self.maybe("freeMemory");
  };
  desc.deviceLost = [](void* user) { Throwing::of(user).maybe("deviceLost"); };
  return desc;
}

TEST_F(VulkanImport, WhatCallbacksThrowBecomesAnErrorOfTheCall) {
  throwing = {application_.get(), ""};
  device_ = application_->import(with_throwing_callbacks(*application_));
  std::vector<float> input(kConvolutionFloats, 1.0F);
  std::vector<float> output(kConvolutionFloats);
  const Compiled compiled(make_convolution(), device_);
  throwing.in = "lockQueue";
  EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), kFailed);
  EXPECT_NE(nnvk_last_error().find("lockQueue of the application threw an exception: thrown by the test"), std::string::npos)
      << nnvk_last_error();
  ANeuralNetworksEvent* event = nullptr;
  const ExecutionPointer later = make_execution(compiled.compilation, {input}, {output});
  ASSERT_EQ(ANeuralNetworksExecution_startCompute(later.get(), &event), kOk);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kFailed);
  ANeuralNetworksEvent_free(event);
  const VkSemaphore timeline = application_->make_semaphore(true);
  const NnvkVkSemaphore signal{timeline, 1};
  EXPECT_EQ(nnvk_vkStartCompute(make_execution(compiled.compilation, {input}, {output}).get(), 0, nullptr, 1, &signal, 0, nullptr,
                                nullptr),
            kFailed);
  throwing.in = "allocateMemory";
  const ModelBuilder model = make_convolution();
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model.get(), device_).get()), kFailed);
  EXPECT_NE(nnvk_last_error().find("allocateMemory of the application threw"), std::string::npos) << nnvk_last_error();
  throwing.in = "";
  EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), kOk) << nnvk_last_error();
}

TEST_F(VulkanImport, WhatCallbacksThrowThatCannotFailIsLogged) {
  throwing = {application_.get(), "unlockQueue"};
  std::vector<float> input(kConvolutionFloats, 1.0F);
  std::vector<float> output(kConvolutionFloats);
  device_ = application_->import(with_throwing_callbacks(*application_));
  {
    const Compiled compiled(make_convolution(), device_);
    EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), kOk) << nnvk_last_error();
    throwing.in = "deviceLost";
    counts().lose_device = true;
    EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), ANEURALNETWORKS_DEAD_OBJECT);
    counts().lose_device = false;
    throwing.in = "freeMemory";
  }
}

TEST_F(VulkanImport, AHostAllocatorThatThrowsHasNoMemory) {
  struct Allocator {
    bool throws = false;
    size_t thrown = 0;
  } own;
  VkAllocationCallbacks callbacks{};
  callbacks.pUserData = &own;
  callbacks.pfnAllocation = [](void* user, size_t size, size_t alignment, VkSystemAllocationScope) -> void* {
    auto& allocator = *static_cast<Allocator*>(user);
    allocator.thrown += allocator.throws;
    if (allocator.throws) throw std::bad_alloc();
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  };
  callbacks.pfnReallocation = [](void*, void*, size_t, size_t, VkSystemAllocationScope) -> void* { return nullptr; };
  callbacks.pfnFree = [](void*, void* memory) { std::free(memory); };
  NnvkVkDeviceDesc desc = application_->desc();
  desc.hostAllocator = &callbacks;
  device_ = application_->import(desc);
  const Compiled compiled(make_convolution(), device_);
  own.throws = true;
  const ModelBuilder model = make_convolution();
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model.get(), device_).get()), ANEURALNETWORKS_OUT_OF_MEMORY)
      << nnvk_last_error();
  EXPECT_GT(own.thrown, 0U);
  own.throws = false;
}

TEST_F(VulkanImport, FailsClearlyBeyondItsMemoryBudget) {
  NnvkVkDeviceDesc desc = application_->desc();
  desc.memoryBudget = 300;
  ANeuralNetworksDevice* const device = application_->import(desc);
  {
    const ModelBuilder model = make_convolution();
    const CompilationPointer compilation = compile_for(model.get(), device);
    const int result = ANeuralNetworksCompilation_finish(compilation.get());
    EXPECT_TRUE(result == ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT || result == ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT)
        << result;
    EXPECT_NE(nnvk_last_error().find("memoryBudget"), std::string::npos) << nnvk_last_error();
  }
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk) << nnvk_lastError();
}

TEST_F(VulkanImport, UsesTheApplicationsAllocatorAndPipelineCache) {
  struct Host {
    std::atomic<int> live{0};
    std::atomic<int> made{0};
  } host;
  const auto allocate = [](void* user, size_t size, size_t alignment, VkSystemAllocationScope) -> void* {
    ++static_cast<Host*>(user)->live;
    ++static_cast<Host*>(user)->made;
    return std::aligned_alloc(std::max<size_t>(alignment, 16),
                              (size + alignment + 15) / std::max<size_t>(alignment, 16) * std::max<size_t>(alignment, 16) +
                                  std::max<size_t>(alignment, 16));
  };
  const auto release = [](void* user, void* memory) {
    if (memory != nullptr) --static_cast<Host*>(user)->live;
    std::free(memory);
  };
  const auto reallocate = [](void*, void* old, size_t size, size_t, VkSystemAllocationScope) { return std::realloc(old, size); };
  const VkAllocationCallbacks callbacks{&host, allocate, reallocate, release, nullptr, nullptr};
  auto info = vulkan::vulkan_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  VkPipelineCache cache = VK_NULL_HANDLE;
  ASSERT_EQ(application_->vk().vkCreatePipelineCache(application_->device(), &info, nullptr, &cache), VK_SUCCESS);
  NnvkVkDeviceDesc desc = application_->desc();
  desc.hostAllocator = &callbacks;
  desc.pipelineCache = cache;
  ANeuralNetworksDevice* const device = application_->import(desc);
  expect_computes(device);
  EXPECT_EQ(counts().made_caches, 0);
  EXPECT_GT(host.made, 0);
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk);
  EXPECT_EQ(host.live, 0);
  application_->vk().vkDestroyPipelineCache(application_->device(), cache, nullptr);
}

TEST_F(VulkanImport, ALostDeviceIsDeadForGoodAndOthersGoOn) {
  const auto other = Application::create();
  ANeuralNetworksDevice* const healthy = other->import();
  device_ = application_->import();
  {
    const Compiled there(make_convolution(), healthy);
    const Compiled compiled(make_convolution(), device_);
    std::vector<float> input(kConvolutionFloats);
    std::vector<float> output(kConvolutionFloats);
    counts().lose_device = true;
    EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), ANEURALNETWORKS_DEAD_OBJECT) << nnvk_lastError();
    counts().lose_device = false;
    EXPECT_EQ(application_->losses(), 1);
    EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), ANEURALNETWORKS_DEAD_OBJECT) << nnvk_lastError();
    const ModelBuilder model = make_convolution();
    const CompilationPointer late = compile_for(model.get(), device_);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(late.get()), ANEURALNETWORKS_DEAD_OBJECT) << nnvk_lastError();
    EXPECT_EQ(compute(make_execution(there.compilation, {input}, {output})), kOk) << nnvk_lastError();
  }
  EXPECT_EQ(application_->losses(), 1);
  EXPECT_EQ(other->losses(), 0);
  EXPECT_EQ(nnvk_vkReleaseDevice(healthy), kOk) << nnvk_lastError();
}

// The validation layer reports remaining objects when the application destroys the device.
TEST_F(VulkanImport, NothingIsLeftOnADeviceThatWasLostAtAnySubmission) {
  for (int lost_at = 0; lost_at < 12; ++lost_at) {
    SCOPED_TRACE("lost at submission " + std::to_string(lost_at));
    const auto application = Application::create();
    ANeuralNetworksDevice* const device = application->import();
    const auto buffer = application->make_buffer(kConvolutionFloats);
    const auto result = application->make_buffer(kConvolutionFloats);
    const VkSemaphore timeline = application->make_semaphore(true);
    counts().reset();
    counts().lose_at = lost_at;
    {
      const ModelBuilder model = make_convolution();
      const CompilationPointer compilation = compile_for(model.get(), device);
      ANeuralNetworksMemory* in = nullptr;
      ANeuralNetworksMemory* out = nullptr;
      constexpr size_t kBytes = kConvolutionFloats * sizeof(float);
      const uint32_t both = NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE;
      EXPECT_EQ(nnvk_vkMemoryFromBuffer(device, buffer.buffer, 0, kBytes, Application::kAllUsage, both, &in), kOk);
      EXPECT_EQ(nnvk_vkMemoryFromBuffer(device, result.buffer, 0, kBytes, Application::kAllUsage, both, &out), kOk);
      const MemoryPointer in_owner(in);
      const MemoryPointer out_owner(out);
      if (ANeuralNetworksCompilation_finish(compilation.get()) == kOk) {
        const auto bound = [&] { return make_execution(compilation, {{in_owner, 0, kBytes}}, {{out_owner, 0, kBytes}}); };
        for (int i = 0; i < 2; ++i) {
          compute(bound());
          const NnvkVkSemaphore signal{timeline, static_cast<uint64_t>(i) + 1};
          const ExecutionPointer between = bound();
          ANeuralNetworksEvent* event = nullptr;
          if (nnvk_vkStartCompute(between.get(), 0, nullptr, 1, &signal, 0, nullptr, &event) == kOk) {
            ANeuralNetworksEvent_wait(event);
          }
          ANeuralNetworksEvent_free(event);
          ANeuralNetworksMemory_copy(in, out);
        }
      }
    }
    EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk) << nnvk_last_error();
  }
  counts().reset();
}

TEST_F(VulkanImport, WithoutAQueueItCompilesAndRunsNothing) {
  const auto recorder = Application::create({.with_queue = false});
  ANeuralNetworksDevice* const device = recorder->import();
  ASSERT_NE(device, nullptr);
  counts().reset();
  {
    const Compiled compiled(make_convolution(), device);
    std::vector<float> input(kConvolutionFloats);
    std::vector<float> output(kConvolutionFloats);
    EXPECT_EQ(compute(make_execution(compiled.compilation, {input}, {output})), kBadState);
    const ExecutionPointer execution = make_execution(compiled.compilation, {input}, {output});
    EXPECT_EQ(nnvk_vkStartCompute(execution.get(), 0, nullptr, 0, nullptr, 0, nullptr, nullptr), kBadState) << nnvk_lastError();
  }
  EXPECT_EQ(counts().submits, 0);
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk) << nnvk_lastError();
  EXPECT_EQ(recorder->messages(), 0);
}

TEST_F(VulkanImport, SaysWhatIsWrongWithADescription) {
  struct Row {
    const char* text;
    std::function<void(NnvkVkDeviceDesc&)> spoil;
  };
  static NnvkVkQueue queue;
  static const char* extension = "VK_XX_not_there";
  static const uint32_t no_family = 1000;
  static auto features = vulkan::vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  const Row rows[] = {
      {"structSize", [](NnvkVkDeviceDesc& d) { d.structSize = 12; }},
      {"next", [](NnvkVkDeviceDesc& d) { d.next = &d; }},
      {"getInstanceProcAddr", [](NnvkVkDeviceDesc& d) { d.getInstanceProcAddr = nullptr; }},
      {"instance", [](NnvkVkDeviceDesc& d) { d.instance = VK_NULL_HANDLE; }},
      {"physicalDevice", [](NnvkVkDeviceDesc& d) { d.physicalDevice = VK_NULL_HANDLE; }},
      {"device", [](NnvkVkDeviceDesc& d) { d.device = VK_NULL_HANDLE; }},
      {"apiVersion", [](NnvkVkDeviceDesc& d) { d.apiVersion = VK_API_VERSION_1_0; }},
      {"VK_XX_not_there",
       [](NnvkVkDeviceDesc& d) {
         d.enabledExtensionCount = 1;
         d.enabledExtensions = &extension;
       }},
      {"enabledExtensions",
       [](NnvkVkDeviceDesc& d) {
         d.enabledExtensions = nullptr;
         d.enabledExtensionCount = 1;
       }},
      {"sType", [](NnvkVkDeviceDesc& d) { d.enabledFeatures = &features; }},
      {"unlockQueue", [](NnvkVkDeviceDesc& d) { d.unlockQueue = nullptr; }},
      {"NNVK_VK_QUEUE_EXCLUSIVE",
       [](NnvkVkDeviceDesc& d) {
         d.lockQueue = nullptr;
         d.unlockQueue = nullptr;
       }},
      {"sharing",
       [](NnvkVkDeviceDesc& d) {
         queue = *d.queue;
         queue.sharing = 7;
         d.queue = &queue;
       }},
      {"queue family 1000",
       [](NnvkVkDeviceDesc& d) {
         d.recordFamilyCount = 1;
         d.recordFamilies = &no_family;
       }},
      {"recordFamilies is empty", [](NnvkVkDeviceDesc& d) { d.queue = nullptr; }},
      {"freeMemory", [](NnvkVkDeviceDesc& d) { d.freeMemory = [](void*, const NnvkVkMemoryBlock*) {}; }},
  };
  for (const Row& row : rows) {
    NnvkVkDeviceDesc desc = application_->desc();
    row.spoil(desc);
    auto* device = reinterpret_cast<ANeuralNetworksDevice*>(1);
    EXPECT_EQ(nnvk_vkImportDevice(&desc, &device), kBadData) << row.text;
    EXPECT_EQ(device, nullptr) << row.text;
    EXPECT_NE(nnvk_last_error().find(row.text), std::string::npos) << nnvk_last_error();
  }
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(nnvk_vkImportDevice(nullptr, &device), kNull);
  EXPECT_EQ(nnvk_vkReleaseDevice(nullptr), kNull);
  EXPECT_EQ(nnvk_vkReleaseDevice(const_cast<ANeuralNetworksDevice*>(cpu_device())), kBadData);  // not imported
}

TEST_F(VulkanImport, NamesTheFunctionThatALoaderLacks) {
  NnvkVkDeviceDesc desc = application_->desc();
  desc.getInstanceProcAddr = [](VkInstance instance, const char* name) -> PFN_vkVoidFunction {
    return std::strcmp(name, "vkGetPhysicalDeviceFeatures2") == 0 ? nullptr : vkGetInstanceProcAddr(instance, name);
  };
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(nnvk_vkImportDevice(&desc, &device), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
  EXPECT_NE(nnvk_last_error().find("vkGetPhysicalDeviceFeatures2"), std::string::npos) << nnvk_last_error();
}

TEST(VulkanInterface, IsFoundAtRunTime) {
  NnvkVulkanInterop table{};
  ASSERT_EQ(nnvk_getInterface(NNVK_VULKAN_INTEROP_NAME, NNVK_VULKAN_INTEROP_VERSION, &table, sizeof table), kOk);
  EXPECT_EQ(table.importDevice, &nnvk_vkImportDevice);
  EXPECT_EQ(table.prepareRecording, &nnvk_vkPrepareRecording);
  EXPECT_EQ(nnvk_getInterface("nnvk.other", 1, &table, sizeof table), kBadData);
  EXPECT_EQ(nnvk_getInterface(NNVK_VULKAN_INTEROP_NAME, 77, &table, sizeof table), kBadData);
  EXPECT_EQ(nnvk_getInterface(NNVK_VULKAN_INTEROP_NAME, NNVK_VULKAN_INTEROP_VERSION, &table, 8), kBadData);
  EXPECT_NE(std::string(nnvk_lastError()).find("version 1"), std::string::npos);
  EXPECT_EQ(nnvk_getInterface(nullptr, 1, &table, sizeof table), kNull);
}

}  // namespace
}  // namespace nnvk::test
