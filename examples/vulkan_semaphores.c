// A program with a VkDevice of its own lets nnvk run a network on it: over its own buffers, on its own queue, between its own
// semaphores. For each of eight frames it takes three steps, and never waits in between:
//
//  1. Fill the input buffer (own submission, signals 3n + 1).
//  2. Double it by a network (nnvk's submission, waits for 3n + 1, signals 3n + 2).
//  3. Copy the result (own submission, waits for 3n + 2, signals 3n + 3).
//
//  cc vulkan_semaphores.c $(pkg-config --cflags --libs nnvk vulkan) -pthread -o vulkan_semaphores && ./vulkan_semaphores
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <nnvk/vulkan_interop.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { kFloats = 1024, kFrames = 8, kSkipped = 77 /* ctest's sign that there is nothing to test */ };

static void check(int code, const char* call) {
  if (code == ANEURALNETWORKS_NO_ERROR) return;
  fprintf(stderr, "%s returned %d: %s\n", call, code, nnvk_lastError());
  exit(1);
}
#define CHECK(call) check(call, #call)

static void check_vulkan(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s returned %d\n", call, (int)result);
  exit(1);
}
#define CHECK_VULKAN(call) check_vulkan(call, #call)

// The objects of any program that uses Vulkan.
static VkInstance instance;
static VkPhysicalDevice physical_device;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static VkCommandPool pool;

// nnvk submits to the queue as well, also on a thread of its own.
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock_queue(void* user, uint32_t queue_family, uint32_t index) {
  (void)user, (void)queue_family, (void)index;
  pthread_mutex_lock(&queue_mutex);
}
static void unlock_queue(void* user, uint32_t queue_family, uint32_t index) {
  (void)user, (void)queue_family, (void)index;
  pthread_mutex_unlock(&queue_mutex);
}

static void make_instance(void) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  uint32_t count = 1;
  if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(instance, &count, &physical_device) < VK_SUCCESS || count == 0) {
    puts("there is no Vulkan device");
    exit(kSkipped);
  }
}

// Makes the device as nnvk recommends, and imports it.
static ANeuralNetworksDevice* make_device(void) {
  NnvkVkRequirements wanted = {.structSize = sizeof(wanted)};
  CHECK(nnvk_vkGetRequirements(vkGetInstanceProcAddr, instance, physical_device, &wanted));
  // Our own features come first; nnvk adds its own to them.
  VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12};
  features12.timelineSemaphore = VK_TRUE;
  size_t size = 0;
  CHECK(nnvk_vkPatchFeatures(vkGetInstanceProcAddr, instance, physical_device, NNVK_VK_FEATURES_RECOMMENDED, &features, NULL,
                             &size));
  void* arena = malloc(size + 1);
  CHECK(nnvk_vkPatchFeatures(vkGetInstanceProcAddr, instance, physical_device, NNVK_VK_FEATURES_RECOMMENDED, &features, arena,
                             &size));

  VkQueueFamilyProperties families[16];
  uint32_t count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
  while (family + 1 < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = &features,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue_info,
                                   .enabledExtensionCount = wanted.recommendedExtensionCount,
                                   .ppEnabledExtensionNames = wanted.recommendedExtensions};
  CHECK_VULKAN(vkCreateDevice(physical_device, &info, NULL, &device));
  vkGetDeviceQueue(device, family, 0, &queue);
  const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  CHECK_VULKAN(vkCreateCommandPool(device, &pool_info, NULL, &pool));

  const NnvkVkQueue shared = {.family = family, .sharing = NNVK_VK_QUEUE_LOCKED, .queue = queue};
  const NnvkVkDeviceDesc desc = {.structSize = sizeof(desc),
                                 .getInstanceProcAddr = vkGetInstanceProcAddr,
                                 .instance = instance,
                                 .physicalDevice = physical_device,
                                 .device = device,
                                 .apiVersion = VK_API_VERSION_1_2,
                                 .enabledFeatures = &features,
                                 .enabledExtensionCount = wanted.recommendedExtensionCount,
                                 .enabledExtensions = wanted.recommendedExtensions,
                                 .queue = &shared,
                                 .lockQueue = lock_queue,
                                 .unlockQueue = unlock_queue};
  ANeuralNetworksDevice* imported = NULL;
  CHECK(nnvk_vkImportDevice(&desc, &imported));
  free(arena);
  return imported;
}

typedef struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  float* floats;
} Buffer;

static Buffer make_buffer(VkBufferUsageFlags usage, VkDeviceSize size) {
  Buffer made;
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
  CHECK_VULKAN(vkCreateBuffer(device, &info, NULL, &made.buffer));
  VkMemoryRequirements wanted;
  vkGetBufferMemoryRequirements(device, made.buffer, &wanted);
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  const VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while ((wanted.memoryTypeBits >> type & 1u) == 0 || (memory.memoryTypes[type].propertyFlags & needed) != needed) ++type;
  const VkMemoryAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = wanted.size, .memoryTypeIndex = type};
  CHECK_VULKAN(vkAllocateMemory(device, &allocation, NULL, &made.memory));
  CHECK_VULKAN(vkBindBufferMemory(device, made.buffer, made.memory, 0));
  CHECK_VULKAN(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, (void**)&made.floats));
  return made;
}

static void free_buffer(Buffer buffer) {
  vkDestroyBuffer(device, buffer.buffer, NULL);
  vkFreeMemory(device, buffer.memory, NULL);
}

static VkCommandBuffer begin_commands(void) {
  const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK_VULKAN(vkAllocateCommandBuffers(device, &info, &commands));
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK_VULKAN(vkBeginCommandBuffer(commands, &begin));
  return commands;
}

// The commands wait for one value of the timeline (0: for nothing) and signal another.
static void submit(VkCommandBuffer commands, VkSemaphore timeline, uint64_t wait, uint64_t signal) {
  CHECK_VULKAN(vkEndCommandBuffer(commands));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                .waitSemaphoreValueCount = wait > 0,
                                                .pWaitSemaphoreValues = &wait,
                                                .signalSemaphoreValueCount = 1,
                                                .pSignalSemaphoreValues = &signal};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &values,
                             .waitSemaphoreCount = wait > 0,
                             .pWaitSemaphores = &timeline,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &timeline};
  lock_queue(NULL, family, 0);
  CHECK_VULKAN(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  unlock_queue(NULL, family, 0);
}

// y = x + x, compiled for one device.
static ANeuralNetworksCompilation* compile(ANeuralNetworksModel* model, const ANeuralNetworksDevice* on) {
  static const uint32_t kShape[1] = {kFloats};
  const ANeuralNetworksOperandType tensor = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = kShape};
  const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
  const int32_t no_activation = ANEURALNETWORKS_FUSED_NONE;
  const uint32_t x = 0, y = 2, inputs[3] = {0, 0, 1};
  CHECK(ANeuralNetworksModel_addOperand(model, &tensor));
  CHECK(ANeuralNetworksModel_addOperand(model, &scalar));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 1, &no_activation, sizeof(no_activation)));
  CHECK(ANeuralNetworksModel_addOperand(model, &tensor));
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &y));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y));
  CHECK(ANeuralNetworksModel_finish(model));
  ANeuralNetworksCompilation* compilation = NULL;
  CHECK(ANeuralNetworksCompilation_createForDevices(model, &on, 1, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));
  return compilation;
}

int main(void) {
  make_instance();
  ANeuralNetworksDevice* on = make_device();
  ANeuralNetworksModel* model = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  ANeuralNetworksCompilation* compilation = compile(model, on);

  // Buffers that kernels use in place.
  VkBufferUsageFlags usage = 0;
  VkDeviceSize alignment = 0;
  CHECK(nnvk_vkBufferNeeds(on, &usage, &alignment));
  usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;  // for our own commands
  const VkDeviceSize size = kFloats * sizeof(float);
  const Buffer input = make_buffer(usage, size);
  const Buffer output = make_buffer(usage, size);
  const Buffer results = make_buffer(VK_BUFFER_USAGE_TRANSFER_DST_BIT, kFrames * size);
  ANeuralNetworksMemory *in = NULL, *out = NULL;
  CHECK(nnvk_vkMemoryFromBuffer(on, input.buffer, 0, size, usage, NNVK_VK_ACCESS_READ, &in));
  CHECK(nnvk_vkMemoryFromBuffer(on, output.buffer, 0, size, usage, NNVK_VK_ACCESS_WRITE, &out));

  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  VkSemaphore timeline;
  CHECK_VULKAN(vkCreateSemaphore(device, &semaphore_info, NULL, &timeline));

  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    // At most four executions of a compilation may be in flight: wait for the frame four before this one.
    const uint64_t before = frame >= 4 ? 3 * (frame - 4) + 3 : 0;
    const VkSemaphoreWaitInfo wait = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &timeline, .pValues = &before};
    CHECK_VULKAN(vkWaitSemaphores(device, &wait, UINT64_MAX));

    VkCommandBuffer fill = begin_commands();
    const float value = (float)frame + 0.5f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    vkCmdFillBuffer(fill, input.buffer, 0, size, bits);
    submit(fill, timeline, 3 * frame, 3 * frame + 1);

    const NnvkVkSemaphore filled = {timeline, 3 * frame + 1};
    const NnvkVkSemaphore doubled = {timeline, 3 * frame + 2};
    ANeuralNetworksExecution* execution = NULL;
    CHECK(ANeuralNetworksExecution_create(compilation, &execution));
    CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, size));
    CHECK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, size));
    CHECK(nnvk_vkStartCompute(execution, 1, &filled, 1, &doubled, 0, NULL, NULL));
    ANeuralNetworksExecution_free(execution);  // it lives until it has completed

    VkCommandBuffer copy = begin_commands();
    const VkBufferCopy region = {.dstOffset = frame * size, .size = size};
    vkCmdCopyBuffer(copy, output.buffer, results.buffer, 1, &region);
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(copy, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
    submit(copy, timeline, 3 * frame + 2, 3 * frame + 3);
  }
  const uint64_t last = 3 * kFrames;
  const VkSemaphoreWaitInfo wait = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &timeline, .pValues = &last};
  CHECK_VULKAN(vkWaitSemaphores(device, &wait, UINT64_MAX));

  int wrong = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int i = 0; i < kFloats; ++i) wrong += results.floats[frame * kFloats + i] != 2.0f * ((float)frame + 0.5f);
  }
  printf("%d frames, %d wrong values\n", kFrames, wrong);

  ANeuralNetworksMemory_free(in);
  ANeuralNetworksMemory_free(out);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  CHECK(nnvk_vkReleaseDevice(on));  // before vkDestroyDevice
  // After a timeline has its last value, Mesa's drivers may still use it for a moment (seen with 22.3.6). Wait for the queue, not
  // only for the signal, before you destroy it.
  CHECK_VULKAN(vkDeviceWaitIdle(device));
  vkDestroySemaphore(device, timeline, NULL);
  free_buffer(input);
  free_buffer(output);
  free_buffer(results);
  vkDestroyCommandPool(device, pool, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return wrong == 0 ? 0 : 1;
}
