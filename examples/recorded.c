// A network inside a command buffer of your own. This program has a VkDevice, and submits one command buffer per frame itself.
// Each contains commands that fill a VkImage, the network that reads it, and a copy of the result. Two frames are in flight. With
// no queue in the import, nnvk submits nothing, so no lock is needed. It allocates and compiles only before the first frame.
//
//  cc recorded.c $(pkg-config --cflags --libs nnvk vulkan) -o recorded && ./recorded
#include <android/NeuralNetworks.h>
#include <math.h>
#include <nnvk/diagnostics.h>
#include <nnvk/vulkan_interop.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

enum { kSide = 16, kPixels = kSide * kSide, kBytes = kPixels * 4, kFramesInFlight = 2, kFrames = 6, kSkipped = 77 };

static void check(int code, const char* call) {
  if (code == 0) return;  // ANEURALNETWORKS_NO_ERROR and VK_SUCCESS
  fprintf(stderr, "%s returned %d: %s\n", call, code, nnvk_lastError());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

// ---- The application's Vulkan, which it would have anyway ----

static VkInstance instance;
static VkPhysicalDevice physical_device;
static VkDevice device;
static uint32_t family;
static VkQueue queue;
static VkCommandPool pool;

// Makes the device with the features that nnvk uses; an application adds its own extensions and features to these.
static ANeuralNetworksDevice* make_device(void) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  uint32_t count = 1;
  if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(instance, &count, &physical_device) < 0 || count == 0) {
    puts("There is no Vulkan device on this machine.");
    exit(kSkipped);
  }
  NnvkVkRequirements requirements = {.structSize = sizeof(requirements)};
  CHECK(nnvk_vkGetRequirements(vkGetInstanceProcAddr, instance, physical_device, &requirements));
  const char* extensions[2 * NNVK_VK_MAX_EXTENSIONS];
  uint32_t extension_count = 0;
  for (uint32_t i = 0; i < requirements.requiredExtensionCount; ++i) {
    extensions[extension_count++] = requirements.requiredExtensions[i];
  }
  for (uint32_t i = 0; i < requirements.recommendedExtensionCount; ++i) {
    extensions[extension_count++] = requirements.recommendedExtensions[i];
  }
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  size_t arena_size = 0;
  CHECK(nnvk_vkPatchFeatures(vkGetInstanceProcAddr, instance, physical_device, NNVK_VK_FEATURES_RECOMMENDED, &features, NULL,
                             &arena_size));
  void* const arena = malloc(arena_size + 1);
  CHECK(nnvk_vkPatchFeatures(vkGetInstanceProcAddr, instance, physical_device, NNVK_VK_FEATURES_RECOMMENDED, &features, arena,
                             &arena_size));

  VkQueueFamilyProperties families[16];
  uint32_t family_count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, families);
  while (family < family_count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                          .pNext = &features,
                                          .queueCreateInfoCount = 1,
                                          .pQueueCreateInfos = &queue_info,
                                          .enabledExtensionCount = extension_count,
                                          .ppEnabledExtensionNames = extensions};
  CHECK(vkCreateDevice(physical_device, &device_info, NULL, &device));
  vkGetDeviceQueue(device, family, 0, &queue);
  const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                             .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                             .queueFamilyIndex = family};
  CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));

  // Describes the device to nnvk. No queue: this program itself submits, to queues of this family.
  const NnvkVkDeviceDesc desc = {.structSize = sizeof(desc),
                                 .getInstanceProcAddr = vkGetInstanceProcAddr,
                                 .instance = instance,
                                 .physicalDevice = physical_device,
                                 .device = device,
                                 .apiVersion = application.apiVersion,
                                 .enabledFeatures = &features,
                                 .enabledExtensionCount = extension_count,
                                 .enabledExtensions = extensions,
                                 .recordFamilyCount = 1,
                                 .recordFamilies = &family};
  ANeuralNetworksDevice* nnapi_device = NULL;
  CHECK(nnvk_vkImportDevice(&desc, &nnapi_device));
  free(arena);
  return nnapi_device;
}

typedef struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
} Buffer;

static VkDeviceMemory allocate(const VkMemoryRequirements* needs, VkMemoryPropertyFlags properties) {
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memories);
  uint32_t type = 0;
  while ((needs->memoryTypeBits >> type & 1) == 0 || (memories.memoryTypes[type].propertyFlags & properties) != properties)
    ++type;
  const VkMemoryAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size, .memoryTypeIndex = type};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  CHECK(vkAllocateMemory(device, &allocation, NULL, &memory));
  return memory;
}

static Buffer make_buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags properties) {
  Buffer made;
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
  CHECK(vkCreateBuffer(device, &info, NULL, &made.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  made.memory = allocate(&needs, properties);
  CHECK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
  return made;
}

static void free_buffer(Buffer buffer) {
  vkDestroyBuffer(device, buffer.buffer, NULL);
  vkFreeMemory(device, buffer.memory, NULL);
}

typedef struct Image {
  VkImage image;
  VkDeviceMemory memory;
} Image;

// 8 bits of grey.
static const VkFormat kFormat = VK_FORMAT_R8_UNORM;

static Image make_image(VkImageUsageFlags usage) {
  Image made;
  const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                  .imageType = VK_IMAGE_TYPE_2D,
                                  .format = kFormat,
                                  .extent = {kSide, kSide, 1},
                                  .mipLevels = 1,
                                  .arrayLayers = 1,
                                  .samples = VK_SAMPLE_COUNT_1_BIT,
                                  .usage = usage};
  CHECK(vkCreateImage(device, &info, NULL, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, made.image, &needs);
  made.memory = allocate(&needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  CHECK(vkBindImageMemory(device, made.image, made.memory, 0));
  return made;
}

static void free_image(Image image) {
  vkDestroyImage(device, image.image, NULL);
  vkFreeMemory(device, image.memory, NULL);
}

// ---- The network: edges of a picture ----

static uint32_t add_operand(ANeuralNetworksModel* model, int32_t type, uint32_t rank, const uint32_t* dimensions) {
  static uint32_t next_index = 0;
  const ANeuralNetworksOperandType operand = {.type = type, .dimensionCount = rank, .dimensions = dimensions};
  CHECK(ANeuralNetworksModel_addOperand(model, &operand));
  return next_index++;
}

static uint32_t add_constant(ANeuralNetworksModel* model, int32_t type, uint32_t rank, const uint32_t* dimensions,
                             const void* value, size_t size) {
  const uint32_t index = add_operand(model, type, rank, dimensions);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, value, size));
  return index;
}

static ANeuralNetworksModel* make_model(void) {
  static const float kEdges[9] = {-1, -1, -1, -1, 8, -1, -1, -1, -1};
  static const float kBias[1] = {0};
  static const uint32_t kPicture[4] = {1, kSide, kSide, 1};
  static const uint32_t kWeights[4] = {1, 3, 3, 1};
  static const uint32_t kOneChannel[1] = {1};
  const int32_t same = ANEURALNETWORKS_PADDING_SAME;
  const int32_t one = 1;
  const int32_t relu = ANEURALNETWORKS_FUSED_RELU;
  ANeuralNetworksModel* model = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  const uint32_t inputs[7] = {
      add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kPicture),
      add_constant(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kWeights, kEdges, sizeof(kEdges)),
      add_constant(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, kOneChannel, kBias, sizeof(kBias)),
      add_constant(model, ANEURALNETWORKS_INT32, 0, NULL, &same, sizeof(same)),
      add_constant(model, ANEURALNETWORKS_INT32, 0, NULL, &one, sizeof(one)),
      add_constant(model, ANEURALNETWORKS_INT32, 0, NULL, &one, sizeof(one)),
      add_constant(model, ANEURALNETWORKS_INT32, 0, NULL, &relu, sizeof(relu)),
  };
  const uint32_t edges = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kPicture);
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &edges));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &inputs[0], 1, &edges));
  CHECK(ANeuralNetworksModel_finish(model));
  return model;
}

// ---- Frames ----

typedef struct Frame {
  Buffer pixels;  // the source of the picture here; a renderer would draw
  Image picture;
  Buffer edges;
  Buffer readback;
  float* result;  // the host's mapping of readback
  ANeuralNetworksMemory* memories[2];
  NnvkVkRecording* recording;
  VkCommandBuffer commands;
  VkFence done;
  int number;  // of the frame it holds; -1: none
} Frame;

static void make_frame(ANeuralNetworksDevice* nnapi_device, ANeuralNetworksCompilation* compilation, Frame* frame) {
  VkBufferUsageFlags usage = 0;
  VkDeviceSize alignment = 0;
  CHECK(nnvk_vkBufferNeeds(nnapi_device, &usage, &alignment));
  frame->pixels = make_buffer(kPixels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  const VkImageUsageFlags picture_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  frame->picture = make_image(picture_usage);
  frame->edges = make_buffer(kBytes, usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  frame->readback = make_buffer(kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkMapMemory(device, frame->readback.memory, 0, VK_WHOLE_SIZE, 0, (void**)&frame->result));

  // Greys from 0 to 1, as scale and bias are not set.
  const NnvkVkImageInfo picture = {.structSize = sizeof(picture),
                                   .image = frame->picture.image,
                                   .format = kFormat,
                                   .extent = {kSide, kSide, 1},
                                   .usage = picture_usage,
                                   .layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
  CHECK(nnvk_vkMemoryFromImage(nnapi_device, &picture, NNVK_VK_ACCESS_READ, &frame->memories[0]));
  CHECK(nnvk_vkMemoryFromBuffer(nnapi_device, frame->edges.buffer, 0, kBytes, usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                NNVK_VK_ACCESS_WRITE, &frame->memories[1]));
  ANeuralNetworksExecution* execution = NULL;
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, frame->memories[0], 0, 0));  // as a whole
  CHECK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, frame->memories[1], 0, kBytes));
  CHECK(nnvk_vkCreateRecording(execution, VK_NULL_HANDLE, 0, &frame->recording));  // everything slow happens here
  ANeuralNetworksExecution_free(execution);

  const VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  CHECK(vkAllocateCommandBuffers(device, &allocation, &frame->commands));
  const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  CHECK(vkCreateFence(device, &fence, NULL, &frame->done));
  frame->number = -1;
}

static void free_frame(Frame* frame) {
  nnvk_vkFreeRecording(frame->recording);
  ANeuralNetworksMemory_free(frame->memories[0]);
  ANeuralNetworksMemory_free(frame->memories[1]);
  vkDestroyFence(device, frame->done, NULL);
  free_buffer(frame->pixels);
  free_image(frame->picture);
  free_buffer(frame->edges);
  free_buffer(frame->readback);
}

// The picture of a frame: a bright square that moves.
static uint8_t pixel(int number, int x, int y) { return x >= 2 + number && x < 7 + number && y >= 4 && y < 9 ? 255 : 64; }

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                    VkAccessFlags used) {
  const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = used};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

// Draws the picture of the frame, in the layout that nnvk expects.
static void draw(const Frame* frame, int number) {
  uint8_t pixels[kPixels];
  for (int i = 0; i < kPixels; ++i) pixels[i] = pixel(number, i % kSide, i / kSide);
  vkCmdUpdateBuffer(frame->commands, frame->pixels.buffer, 0, kPixels, pixels);
  VkImageMemoryBarrier change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                 .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                 .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                 .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                 .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                 .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                 .image = frame->picture.image,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  vkCmdPipelineBarrier(frame->commands, transfer, transfer, 0, 0, NULL, 0, NULL, 1, &change);
  barrier(frame->commands, transfer, VK_ACCESS_TRANSFER_WRITE_BIT, transfer, VK_ACCESS_TRANSFER_READ_BIT);
  const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {kSide, kSide, 1}};
  vkCmdCopyBufferToImage(frame->commands, frame->pixels.buffer, frame->picture.image, change.newLayout, 1, &all);
  change.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  change.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  change.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  vkCmdPipelineBarrier(frame->commands, transfer, transfer, 0, 0, NULL, 0, NULL, 1, &change);
}

// Waits for the frame that used this slot before and checks the network's result. Returns the number of wrong pixels.
static int retire(Frame* frame) {
  if (frame->number < 0) return 0;
  CHECK(vkWaitForFences(device, 1, &frame->done, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(device, 1, &frame->done));
  CHECK(nnvk_vkResetRecording(frame->recording));  // the device has completed it: it may be recorded again
  int wrong = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      float expected = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int inside = x + dx >= 0 && x + dx < kSide && y + dy >= 0 && y + dy < kSide;
          if (inside) expected += (dx == 0 && dy == 0 ? 8.0f : -1.0f) * (float)pixel(frame->number, x + dx, y + dy) / 255;
        }
      }
      if (expected < 0) expected = 0;
      if (fabsf(frame->result[y * kSide + x] - expected) > 1e-4f) ++wrong;
    }
  }
  printf("frame %d: %d of %d pixels are wrong\n", frame->number, wrong, kPixels);
  return wrong;
}

int main(void) {
  ANeuralNetworksDevice* const nnapi_device = make_device();
  ANeuralNetworksModel* const model = make_model();
  const ANeuralNetworksDevice* const devices[1] = {nnapi_device};
  ANeuralNetworksCompilation* compilation = NULL;
  CHECK(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));

  NnvkVkRecordInfo info = {.structSize = sizeof(info)};
  CHECK(nnvk_vkGetRecordInfo(compilation, nnapi_device, &info));
  if (!info.recordable) {
    fprintf(stderr, "operation %u cannot be recorded\n", info.firstBlockedOperation);
    return 1;
  }
  Frame frames[kFramesInFlight];
  for (int i = 0; i < kFramesInFlight; ++i) make_frame(nnapi_device, compilation, &frames[i]);

  int wrong = 0;
  for (int number = 0; number < kFrames; ++number) {
    Frame* const frame = &frames[number % kFramesInFlight];
    wrong += retire(frame);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    CHECK(vkBeginCommandBuffer(frame->commands, &begin));
    // Without a queue of its own, nnvk uploads the weights here, once.
    if (number == 0 && info.preparationPending) CHECK(nnvk_vkRecordPreparation(compilation, nnapi_device, frame->commands));

    draw(frame, number);
    barrier(frame->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, info.firstStages, info.inputAccess);
    CHECK(nnvk_vkRecord(frame->recording, frame->commands, 0));
    barrier(frame->commands, info.lastStages, info.outputAccess, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy all = {.size = kBytes};
    vkCmdCopyBuffer(frame->commands, frame->edges.buffer, frame->readback.buffer, 1, &all);
    barrier(frame->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    CHECK(vkEndCommandBuffer(frame->commands));

    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame->commands};
    CHECK(vkQueueSubmit(queue, 1, &submit, frame->done));  // the only one of the frame
    frame->number = number;
  }
  for (int i = 0; i < kFramesInFlight; ++i) wrong += retire(&frames[i]);

  for (int i = 0; i < kFramesInFlight; ++i) free_frame(&frames[i]);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  CHECK(nnvk_vkReleaseDevice(nnapi_device));  // before vkDestroyDevice; nnvk no longer uses the device afterwards
  vkDestroyCommandPool(device, pool, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return wrong == 0 ? 0 : 1;
}
