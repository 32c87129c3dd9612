/* nnvk on the VkDevice of an application: a game or a renderer runs networks on the device it draws with. They use the
 * application's buffers, and run between its semaphores or inside its command buffers. Plain C99. Needs the Vulkan headers (1.3
 * or later), nothing else of Vulkan: no loader is linked.
 *
 *   1. Before vkCreateDevice: nnvk_vkGetRequirements() lists the extensions that nnvk uses, and nnvk_vkPatchFeatures() enables
 *      features.
 *   2. nnvk_vkImportDevice() makes an ANeuralNetworksDevice of your VkDevice. Compile for it with
 *      ANeuralNetworksCompilation_createForDevices().
 *   3. nnvk_vkMemoryFromBuffer() makes ANeuralNetworksMemory of your VkBuffers, nnvk_vkMemoryFromImage() of your VkImages.
 *      nnvk_vkMemoryFromImages() makes one input of several images, and resizes them.
 *   4. Either nnvk submits: nnvk_vkStartCompute() with semaphores, or any of NNAPI's own functions. Or you submit:
 *      nnvk_vkRecord().
 *   5. nnvk_vkReleaseDevice() before vkDestroyDevice.
 *
 * Ownership: nnvk never destroys, resets or frees a Vulkan object of yours, and never waits for a whole queue or device. It takes
 * every Vulkan function from your vkGetInstanceProcAddr. Objects that you pass must outlive the object made from them (a
 * VkBuffer: its memory). The device must live until nnvk_vkReleaseDevice().
 *
 * Structs begin with `structSize`, which is sizeof the struct, and `next`, which is NULL. Set all unused members to 0.
 *
 * Results: a ResultCode of NNAPI, NNVK_NOT_RECORDABLE or NNVK_NOT_PREPARED. The text of nnvk_lastError()
 * (<nnvk/diagnostics.h>) describes what is wrong, where, and what to do. All functions return ANEURALNETWORKS_UNEXPECTED_NULL if
 * a required pointer is NULL. They return BAD_DATA for an unknown structSize, for handles that are not alive, and for a device
 * that was not imported.
 *
 * Callbacks: nnvk catches exceptions that a callback throws. If the callback can fail, the call that needed it fails: OP_FAILED
 * with the exception's text, or OUT_OF_MEMORY for std::bad_alloc. After an exception of lockQueue, the queue counts as not
 * locked, and nnvk submits nothing. Exceptions of unlockQueue, freeMemory and deviceLost are only logged: the calls count as
 * done.
 *
 * Threads: any thread may call any function, several at once, unless its description says otherwise. You must serialise calls
 * that take the same NnvkVkRecording or the same command buffer. */
#ifndef NNVK_VULKAN_INTEROP_H
#define NNVK_VULKAN_INTEROP_H

#include <android/NeuralNetworks.h>
#include <nnvk/interface.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For nnvk_getInterface(). */
#define NNVK_VULKAN_INTEROP_NAME "nnvk.vulkan_interop"
#define NNVK_VULKAN_INTEROP_VERSION 4u

/* Besides the ResultCodes of NNAPI. */
enum {
  NNVK_NOT_RECORDABLE = 0x10000, /* the host takes part in the execution: it is not one piece of work for the device */
  NNVK_NOT_PREPARED = 0x10001    /* it would have to compile or wait: only nnvk_vkCreateRecordingIfPrepared() returns this */
};

/* ---- Before the device is made ---- */

enum { NNVK_VK_MAX_EXTENSIONS = 32 };

/* The names have static storage. You need not enable an extension that became a part of the Vulkan version in your
 * VkApplicationInfo: only the feature counts then. */
typedef struct NnvkVkRequirements {
  uint32_t structSize;
  const void* next;
  uint32_t minimumApiVersion;      /* of VkApplicationInfo::apiVersion and of the physical device */
  uint32_t requiredExtensionCount; /* without these there is no import */
  const char* requiredExtensions[NNVK_VK_MAX_EXTENSIONS];
  uint32_t recommendedExtensionCount; /* with these it is faster or can do more */
  const char* recommendedExtensions[NNVK_VK_MAX_EXTENSIONS];
} NnvkVkRequirements;

/* Lists the device extensions that nnvk uses; it needs no instance extension. With a `physicalDevice`, lists only those that it
 * supports; then `instance` and `getInstanceProcAddr` are required too. With NULL for all three: all. You set structSize and next
 * of `requirements`. UNAVAILABLE_DEVICE: nnvk cannot use the physical device. The reason is in nnvk_lastError() (Vulkan before
 * 1.1, no compute queue family, fewer than 128 bytes of push constants, no host-visible memory, a required extension). */
int nnvk_vkGetRequirements(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance, VkPhysicalDevice physicalDevice,
                           NnvkVkRequirements* requirements);

enum NnvkVkFeatureLevel {
  NNVK_VK_FEATURES_REQUIRED = 0,   /* an import fails without these; nnvk requires none today */
  NNVK_VK_FEATURES_RECOMMENDED = 1 /* those that make it faster or let it do more, as far as the physical device has them */
};

/* Enables features in your chain of structs for vkCreateDevice; it disables none. It sets bits in the structs of your chain:
 * VkPhysicalDeviceVulkan11Features and VkPhysicalDeviceVulkan12Features if you have those, else the single ones. It makes missing
 * structs in `arena` and appends them to the chain, so the arena must live as long as the chain. `arenaSize`: in: bytes of
 * `arena`, which is aligned like malloc's memory; out: bytes that were needed. With `arena` NULL nothing changes, and `arenaSize`
 * receives the number of bytes needed (possibly 0).
 * Features of extensions need these enabled as well: enable what nnvk_vkGetRequirements() recommends.
 * BAD_DATA: the arena is too small (`arenaSize` receives the size needed), `chain` has another sType, or `level` is unknown.
 * Nothing changes then. */
int nnvk_vkPatchFeatures(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance, VkPhysicalDevice physicalDevice,
                         int32_t level, VkPhysicalDeviceFeatures2* chain, void* arena, size_t* arenaSize);

/* ---- Import ---- */

/* How the queue is shared. */
enum NnvkVkQueueSharing {
  NNVK_VK_QUEUE_LOCKED = 0,                 /* between lockQueue and unlockQueue, which must be there */
  NNVK_VK_QUEUE_EXCLUSIVE = 1,              /* only nnvk uses the VkQueue */
  NNVK_VK_QUEUE_INTERNALLY_SYNCHRONIZED = 2 /* made with VK_DEVICE_QUEUE_CREATE_INTERNALLY_SYNCHRONIZED_BIT_KHR: needs no lock */
};

/* The queue that nnvk submits to. For more than one queue import the device once for each. */
typedef struct NnvkVkQueue {
  uint32_t family; /* one that computes */
  uint32_t index;  /* only for lockQueue and unlockQueue */
  int32_t sharing; /* an NnvkVkQueueSharing */
  VkQueue queue;
} NnvkVkQueue;

/* The use of a block of device memory. */
enum NnvkVkMemoryRole {
  NNVK_VK_MEMORY_DEVICE = 0,  /* only the device touches it: temporary tensors, packed weights. Not mapped */
  NNVK_VK_MEMORY_WEIGHTS = 1, /* the host writes it once, then the device reads it. Mapped */
  NNVK_VK_MEMORY_IO = 2,      /* both read and write it. Mapped */
  NNVK_VK_MEMORY_STAGING = 3  /* the host's side of copies. Mapped */
};

typedef struct NnvkVkMemoryRequest {
  uint32_t structSize;
  const void* next;
  VkDeviceSize size;
  VkDeviceSize alignment;
  uint32_t memoryTypeIndex; /* the memory must have this type */
  int32_t role;             /* NnvkVkMemoryRole */
} NnvkVkMemoryRequest;

/* A piece of a VkDeviceMemory to which nnvk binds one VkBuffer. */
typedef struct NnvkVkMemoryBlock {
  VkDeviceMemory memory;
  VkDeviceSize offset; /* a multiple of the alignment */
  void* mapped;        /* the host's address of the byte at `offset` for the roles that are mapped; else ignored */
  void* user;          /* for freeMemory */
} NnvkVkMemoryBlock;

typedef struct NnvkVkDeviceDesc {
  uint32_t structSize;
  const void* next;

  PFN_vkGetInstanceProcAddr getInstanceProcAddr; /* your loader's: the only source of functions */
  VkInstance instance;
  VkPhysicalDevice physicalDevice;
  VkDevice device;
  uint32_t apiVersion; /* VkApplicationInfo::apiVersion of the instance */

  /* Exactly what you gave to vkCreateDevice; nnvk uses nothing else, whatever the physical device supports. `enabledFeatures` may
   * be NULL if you enabled none. If you passed VkDeviceCreateInfo::pEnabledFeatures, copy them into a VkPhysicalDeviceFeatures2.
   * Structs in its chain that nnvk does not know are skipped. Only read during the call. */
  const VkPhysicalDeviceFeatures2* enabledFeatures;
  uint32_t enabledExtensionCount; /* device extensions */
  const char* const* enabledExtensions;

  /* NULL: nnvk never submits anything (record only). Compilations then finish without the device, and nnvk_vkRecordPreparation()
   * uploads their weights. Computations (compute, startCompute, ...) and nnvk_vkStartCompute fail with BAD_STATE. So does
   * Memory_copy to or from memory that the host cannot map. */
  const NnvkVkQueue* queue;
  /* The queue families to which you submit command buffers with recordings; none: that of `queue`. Without a queue, name at least
   * one. If there is more than one family in all, nnvk shares its buffers between them (VK_SHARING_MODE_CONCURRENT). */
  uint32_t recordFamilyCount;
  const uint32_t* recordFamilies;

  /* Called around each single vkQueueSubmit, on the thread that starts a computation or on one of nnvk's. The same thread makes
   * both calls. They must not call nnvk. A thread that holds the lock must not wait for nnvk. Both, or none. */
  void (*lockQueue)(void* user, uint32_t family, uint32_t index);
  void (*unlockQueue)(void* user, uint32_t family, uint32_t index);
  void* queueUser;

  /* For all Vulkan objects that nnvk makes on the device; may be NULL. Copied; the callbacks must be thread-safe. An allocation
   * that throws counts as one that returned NULL. */
  const VkAllocationCallbacks* hostAllocator;

  /* The allocator of device memory; both, or none (then vkAllocateMemory). `allocateMemory` fills `block` and returns VK_SUCCESS,
   * or a VkResult with which the call that needed the memory fails. `freeMemory` receives the block back, when the device no
   * longer uses it and no buffer is bound to it. Any thread calls them, several at once; they must not call nnvk. */
  VkResult (*allocateMemory)(void* user, const NnvkVkMemoryRequest* request, NnvkVkMemoryBlock* block);
  void (*freeMemory)(void* user, const NnvkVkMemoryBlock* block);
  void* memoryUser;
  /* The most device memory that nnvk may hold on this import at any time, in bytes; 0: no limit. A request beyond it fails with
   * RESOURCE_EXHAUSTED_TRANSIENT, or _PERSISTENT if it alone exceeds the limit. Memory that you pass in (buffers, client memory
   * that is imported) does not count. */
  VkDeviceSize memoryBudget;

  /* Used for all pipelines; VK_NULL_HANDLE: nnvk makes its own. Up to four threads make pipelines at once, only within
   * ANeuralNetworksCompilation_finish() and the first computation or recording with new shapes. Do not make the cache with
   * VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT. Do not merge into it while nnvk may use it. */
  VkPipelineCache pipelineCache;

  /* Called once, when nnvk finds the device lost, on the thread that finds it; may be NULL. It must not call nnvk. From then on
   * everything on the device fails with ANEURALNETWORKS_DEAD_OBJECT. Only ANeuralNetworksEvent_wait returns OP_FAILED, as NNAPI
   * has no such result for it. Frees and nnvk_vkReleaseDevice() stay legal. */
  void (*deviceLost)(void* user);
  void* deviceLostUser;
} NnvkVkDeviceDesc;

/* Makes an NNAPI device of your VkDevice. Its name is that of the physical device with "-imported" (and "-2" and so on). All
 * functions that take a device accept it, but ANeuralNetworks_getDevice() does not list it. Several imports, of one VkDevice or
 * of two, are independent of each other.
 * Copies the struct and what it points to. Calls the callbacks until nnvk_vkReleaseDevice() has returned.
 * BAD_DATA: a member of the struct is invalid (the error names it). UNAVAILABLE_DEVICE: as nnvk_vkGetRequirements(), or
 * getInstanceProcAddr lacks a function (the error names it). `*device` is NULL then. */
int nnvk_vkImportDevice(const NnvkVkDeviceDesc* desc, ANeuralNetworksDevice** device);

/* Ends the import. Waits for executions that you freed while they ran, so everything that they wait for must be signalled. After
 * NO_ERROR, nnvk has destroyed all its objects on the VkDevice, none of its threads uses it, and the handle is freed. BAD_STATE:
 * you still have compilations, executions, memories, memory descriptors or recordings of the device (the error counts them).
 * Nothing has changed then: free them first. Do not call it from one of the callbacks. Without this call nnvk frees nothing of
 * the import, not even when the process exits: it cannot know whether the VkDevice still lives then. */
int nnvk_vkReleaseDevice(ANeuralNetworksDevice* device);

/* ---- Memories ---- */

enum NnvkVkAccess {
  NNVK_VK_ACCESS_READ = 1, /* may be bound to inputs, and copied from */
  NNVK_VK_ACCESS_WRITE = 2 /* may be bound to outputs, and copied to */
};

/* Makes `size` bytes from `offset` of a VkBuffer a memory for inputs and outputs of executions on `device`. Kernels use it in
 * place if possible. Offset and length of ANeuralNetworksExecution_setInputFromMemory count from `offset`. Constants of models
 * cannot use it (BAD_DATA from Model_finish). ANeuralNetworksMemory_copy and executions on other devices copy through the host.
 *
 * `usage` is the usage that you made the buffer with. To use it in place, kernels need STORAGE_BUFFER, UNIFORM_TEXEL_BUFFER if
 * the device has the texel kernels (nnvk_vkBufferNeeds()), and an aligned offset. Otherwise the device copies, which needs
 * TRANSFER_SRC to read and TRANSFER_DST to write. A buffer with VK_SHARING_MODE_EXCLUSIVE must belong to the queue family that
 * runs nnvk's work when it begins, and still does afterwards. The buffer's memory is bound and not protected. You own the buffer;
 * it must outlive the memory.
 *
 * You order the accesses. Whatever writes an input must have completed, signal a semaphore that nnvk_vkStartCompute() waits for,
 * or stand before a barrier earlier in the same command buffer. The same holds for readers of an output. Kernels may read the
 * bytes behind the end of a tensor, up to the next multiple of 16 inside [offset, offset + size). They write them only if the
 * region covers them.
 *
 * BAD_DATA: an empty range, `usage` that permits neither use in place nor copies, `access` without a flag. nnvk cannot check
 * the range against the buffer. */
int nnvk_vkMemoryFromBuffer(ANeuralNetworksDevice* device, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                            VkBufferUsageFlags usage, uint32_t access, ANeuralNetworksMemory** memory);

/* As nnvk_vkMemoryFromBuffer(), for a range of a VkDeviceMemory: nnvk binds a buffer of its own, with every usage it needs, to
 * the range. You allocated the memory with `memoryTypeIndex`, not for a dedicated resource, and not protected.
 * BAD_DATA also: `offset` is not a multiple of the alignment that nnvk_vkBufferNeeds() returns, or the memory type takes no
 * buffers. */
int nnvk_vkMemoryFromDeviceMemory(ANeuralNetworksDevice* device, VkDeviceMemory deviceMemory, uint32_t memoryTypeIndex,
                                  VkDeviceSize offset, VkDeviceSize size, uint32_t access, ANeuralNetworksMemory** memory);

/* The mapping of an image's components to the tensor's channels. */
enum NnvkVkChannelOrder {
  NNVK_VK_CHANNELS_RGBA = 0, /* red, green, blue, alpha, in whatever order the format stores them */
  NNVK_VK_CHANNELS_BGRA = 1  /* blue, green, red, alpha; means nothing for formats without blue */
};

enum NnvkVkTensorLayout {
  NNVK_VK_TENSOR_NHWC = 0, /* [1, height, width, channels] */
  NNVK_VK_TENSOR_NCHW = 1  /* [1, channels, height, width] */
};

/* A VkImage as a tensor. It is 2D, with one sample, one mip level of one array layer. Its format is one of these.
 *
 *   VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM: components R G B A from 0 to 1; tensors of 3 or 4 channels.
 *   VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_SRGB: components R G B A from 0 to 1, as stored; tensors of 3 or 4 channels.
 *   VK_FORMAT_A2B10G10R10_UNORM_PACK32: components R G B A from 0 to 1; tensors of 3 or 4 channels.
 *   VK_FORMAT_B10G11R11_UFLOAT_PACK32: components R G B as stored; tensors of 3 channels.
 *   VK_FORMAT_R8G8_UNORM: components R G from 0 to 1; tensors of 2 channels.
 *   VK_FORMAT_R8_UNORM: component R from 0 to 1; tensors of 1 channel.
 *   VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT: components R G B A as stored; tensors of 3 or 4 channels.
 *   VK_FORMAT_R16G16_SFLOAT: components R G as stored; tensors of 2 channels.
 *   VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32_SFLOAT: component R as stored; tensors of 1 channel.
 *   VK_FORMAT_D32_SFLOAT: the depth as component R, as stored; tensors of 1 channel. For inputs alone.
 *
 * Values of sRGB formats stay encoded, as UNORM views of the image would show them: most networks are trained with such values.
 * The tensor has the width and height of the image, a batch of 1, and one of the numbers of channels above. With 3 channels, the
 * image's alpha is not read, and is written as 1. The tensor's type is TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or
 * TENSOR_QUANT8_ASYMM_SIGNED. For channel c of the tensor, in both directions:
 *
 *   `real value = component * scale[c] + bias[c]`.
 *
 * For example, scale 2 and bias -1 convert 8-bit images to tensors from -1 to 1, and back. The device rounds real values to the
 * type of the tensor (quantized: by its scale and zero point) or of the image. It saturates them in the type's range; NaN becomes
 * the lowest byte. The result is the same bits on every device: `stored number = round(stored number of the other side * f + g)`.
 * Here f and g are computed in double precision and rounded to float32 once. Product and sum are rounded to float32. Bytes and
 * numbers of 10 or 2 bits are floor(sum + 0.5). Floats of 10 and 11 bits are rounded to the nearest, ties to even. In them, all
 * below 0 becomes 0, and finite values beyond the largest one become that one. FLOAT32 to R32..._SFLOAT and FLOAT16 to
 * R16..._SFLOAT without scale, bias and reordering keep all bits. */
typedef struct NnvkVkImageInfo {
  uint32_t structSize;
  const void* next;
  VkImage image;
  VkFormat format;
  VkExtent3D extent; /* of the mip level, all of it; depth 1 */
  uint32_t mipLevel;
  uint32_t arrayLayer;
  VkSampleCountFlagBits samples; /* VK_SAMPLE_COUNT_1_BIT, or 0 for the same */
  VkImageUsageFlags usage;       /* of its creation: TRANSFER_SRC to be read, TRANSFER_DST to be written */
  /* GENERAL, COLOR_ATTACHMENT_OPTIMAL, SHADER_READ_ONLY_OPTIMAL, TRANSFER_SRC_OPTIMAL, TRANSFER_DST_OPTIMAL, READ_ONLY_OPTIMAL,
   * ATTACHMENT_OPTIMAL or PRESENT_SRC_KHR. For depth, in place of COLOR_ATTACHMENT_OPTIMAL and PRESENT_SRC_KHR, it is
   * DEPTH_STENCIL_ATTACHMENT_OPTIMAL, DEPTH_STENCIL_READ_ONLY_OPTIMAL, DEPTH_ATTACHMENT_OPTIMAL or DEPTH_READ_ONLY_OPTIMAL. An
   * input is in this layout when nnvk's work begins and when it ends. An output may be in any layout, also UNDEFINED, when the
   * work begins: nnvk writes all of it. It is in this layout when the work ends. */
  VkImageLayout layout;
  int32_t channelOrder; /* NnvkVkChannelOrder */
  int32_t tensorLayout; /* NnvkVkTensorLayout */
  float scale[4];       /* per channel of the tensor, in its order; 0 means 1 */
  float bias[4];
} NnvkVkImageInfo;

/* Makes an image a memory for inputs and outputs of executions on `device`: computations, nnvk_vkStartCompute() and
 * nnvk_vkRecord(). You bind it as a whole, with offset 0 and length 0. The device copies it (TRANSFER stage) from or to memory of
 * nnvk's and converts it (COMPUTE_SHADER stage), without memory of the host. The conversion for a kind of tensor is compiled when
 * you first bind the image to one.
 *
 * As for buffers: an image with VK_SHARING_MODE_EXCLUSIVE belongs to the queue family of nnvk's work, and its memory is bound and
 * not protected. You own it, it outlives the memory, and you order the accesses. Reading may change the layout for a while, so
 * nothing else may read the image meanwhile. In a command buffer, stages and accesses of NnvkVkRecordInfo hold for images too.
 *
 * Constants cannot use it. ANeuralNetworksMemory_copy fails with BAD_DATA, and so do executions that use the image on another
 * device or the CPU: nnvk makes no copies of images in memory of the host.
 *
 * BAD_DATA: another format, an extent that is empty, 3D or above 2^31 - 1 bytes, invalid samples, usage or layout, or a number
 * that is not finite. BAD_DATA also: depth with NNVK_VK_ACCESS_WRITE. Binding returns BAD_DATA for an offset or length, an access
 * that the memory was not made for, or a tensor that does not match the image. It cannot check whether the struct describes the
 * image, and the image belongs to the imported VkDevice. */
int nnvk_vkMemoryFromImage(ANeuralNetworksDevice* device, const NnvkVkImageInfo* info, uint32_t access,
                           ANeuralNetworksMemory** memory);

/* How an image becomes a tensor of another size. nnvk/picture.h defines the filters: the value of an element is that of the
 * image, in the same float32 arithmetic, as for pictures without a crop. */
enum NnvkVkImageFilter {
  NNVK_VK_FILTER_NONE = 0,     /* the image must have the tensor's size */
  NNVK_VK_FILTER_BILINEAR = 1, /* as NNVK_PICTURE_BILINEAR */
  NNVK_VK_FILTER_NEAREST = 2,  /* as NNVK_PICTURE_NEAREST */
  NNVK_VK_FILTER_AREA = 3      /* as NNVK_PICTURE_AREA */
};

enum { NNVK_VK_MAX_IMAGE_PARTS = 8 };

/* An image that fills some channels of a tensor. */
typedef struct NnvkVkImagePart {
  uint32_t structSize;
  const void* next;
  /* Only read during the call. `scale` and `bias` count from the image's first channel. */
  const NnvkVkImageInfo* image;
  /* The first components of the image, in its channelOrder: 1 to the number of the format's components. */
  uint32_t channelCount;
  int32_t filter; /* NnvkVkImageFilter */
} NnvkVkImagePart;

/* Makes 1 to NNVK_VK_MAX_IMAGE_PARTS images one memory for inputs of executions on `device`. A renderer's colour, depth and
 * motion vectors become one tensor so. The images fill the tensor's channels in their order: all channels of parts[0], then those
 * of parts[1], and so on. The tensor has as many channels as the parts together, and a batch of 1. Filters resize images of other
 * sizes before scale and bias, so a single part resizes an image. All else is as for nnvk_vkMemoryFromImage() with
 * NNVK_VK_ACCESS_READ: the images' layouts, the conversions, the binding, and the order of accesses. One VkImage may be several
 * parts.
 *
 * BAD_DATA: as nnvk_vkMemoryFromImage(), for each image; the error names the part. BAD_DATA also: no parts or too many, a
 * channelCount that the format does not have, another filter, tensorLayouts that differ, or images of more than 2^31 - 1 bytes
 * together. Binding returns BAD_DATA for a tensor with another number of channels, or another size without a filter. */
int nnvk_vkMemoryFromImages(ANeuralNetworksDevice* device, uint32_t partCount, const NnvkVkImagePart* parts,
                            ANeuralNetworksMemory** memory);

/* Returns what a VkBuffer needs to be used in place: usage flags, and the alignment of offsets. The alignment holds for the
 * memory in the buffer, and for inputs and outputs in the memory. */
int nnvk_vkBufferNeeds(const ANeuralNetworksDevice* device, VkBufferUsageFlags* usage, VkDeviceSize* alignment);

/* ---- Computations between the application's semaphores ---- */

/* A wait or a signal. */
typedef struct NnvkVkSemaphore {
  VkSemaphore semaphore;
  uint64_t value; /* of a timeline semaphore, above 0; 0: the semaphore is a binary one */
} NnvkVkSemaphore;

/* Like ANeuralNetworksExecution_startComputeWithDependencies(), and on the device between `waits` and `signals`. All work of the
 * execution waits for `waits`. The device signals `signals` when the work has completed and all its writes are available. The
 * execution is one submission of its own.
 *
 * If `dependencyCount` is 0, the work is in the queue when the call returns NO_ERROR. You may then call vkQueueSubmit with a wait
 * for `signals` on any queue. With dependencies, nnvk submits the work when all of them have signalled. Then `signals` must be
 * timeline semaphores (else BAD_DATA), and nothing on the same queue may wait for them before the event has signalled (that queue
 * would stand still). As Vulkan requires, you have submitted the signals of binary `waits` before the call.
 *
 * After NO_ERROR, the device waits for `waits` and signals `signals` in every case, also when the execution fails; `event`
 * reports failure (outputs are undefined then). Only a lost device signals nothing. After an error, nothing was waited for and
 * nothing is signalled. You own the semaphores; they live until `event` has signalled, or until what waits for `signals` has
 * completed. Inputs in host memory are read before the submission, and so before `waits`. Outputs in host memory are written when
 * `event` signals, which is later than `signals`.
 *
 * When a timeout (ANeuralNetworksExecution_setTimeout) expires, the execution ends for the host, a tenth of a second late at
 * most. Then `event` reports MISSED_DEADLINE_TRANSIENT, and nnvk no longer touches host memory. The submission stays in the
 * queue: it waits for `waits`, uses your bound buffers and images, and signals `signals` later. All of these must live until
 * then.
 *
 * `event` may be NULL: the execution then counts as computing until the device has completed it. Otherwise, event and execution
 * follow the rules of startComputeWithDependencies.
 *
 * BAD_DATA: a null semaphore, dependencies with binary `signals`, or timeline semaphores without the feature timelineSemaphore.
 * BAD_DATA also: pictures as inputs (nnvk/picture.h), inputs or outputs that must pass through the host. BAD_STATE: as compute; a
 * device without a queue. NNVK_NOT_RECORDABLE: the compilation runs in several steps or not on an imported device.
 * RESOURCE_EXHAUSTED_TRANSIENT: four executions of the compilation with these shapes are in flight, and none ended within 20
 * milliseconds; wait for one. Otherwise the call never waits. */
int nnvk_vkStartCompute(ANeuralNetworksExecution* execution, uint32_t waitCount, const NnvkVkSemaphore* waits,
                        uint32_t signalCount, const NnvkVkSemaphore* signals, uint32_t dependencyCount,
                        const ANeuralNetworksEvent* const* dependencies, ANeuralNetworksEvent** event);

/* ---- Recorded into the application's command buffers ---- */

/* Requirements of a recording of a compilation's execution. */
typedef struct NnvkVkRecordInfo {
  uint32_t structSize;
  const void* next;
  uint32_t recordable;            /* 1 or 0; when 0 only firstBlockedOperation means something */
  uint32_t firstBlockedOperation; /* the operation (in the order of addOperation) that cannot be recorded; UINT32_MAX: none */
  uint32_t shapesKnown;           /* 1: the model's shapes are known; else all below preparationPending is 0 */
  /* 1: record and run nnvk_vkRecordPreparation() first. If the shapes are not known: possibly after each
   * nnvk_vkCreateRecording(). */
  uint32_t preparationPending;
  uint32_t dispatchCount;
  /* Scratch memory of one recording (temporary tensors), if you provide it; 0: none is needed. */
  VkDeviceSize scratchSize;
  VkDeviceSize scratchAlignment;   /* of the offset in the buffer */
  VkBufferUsageFlags scratchUsage; /* that the buffer must have */
  /* For your own barriers: the recording reads its inputs first, and writes its outputs last, with these. */
  VkPipelineStageFlags firstStages;
  VkAccessFlags inputAccess;
  VkPipelineStageFlags lastStages;
  VkAccessFlags outputAccess;
} NnvkVkRecordInfo;

/* `compilation` must be finished for `device`. Obstacles to a recording are operations on the CPU or another device, IF and
 * WHILE, and outputs whose size depends on data. Another one is an input of the model that decides what an operation computes.
 * After a function failed with NNVK_NOT_RECORDABLE, nnvk_lastError() gives the reason. BAD_STATE: not finished, or it failed.
 * BAD_DATA: not compiled for `device`. */
int nnvk_vkGetRecordInfo(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device, NnvkVkRecordInfo* info);

/* Records the upload of a compilation's weights if no queue could do it: copies and packing kernels. A record-only device needs
 * it once per compilation, when NnvkVkRecordInfo says so. The command buffer is as for nnvk_vkRecord(). Submit it once. Command
 * buffers with recordings of the compilation follow it in the same queue, or wait for it (it includes a barrier before them).
 * Records nothing if nothing is pending. If you reset the command buffer before it ran, record this again. BAD_STATE and
 * NNVK_NOT_RECORDABLE: as nnvk_vkGetRecordInfo(). */
int nnvk_vkRecordPreparation(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device,
                             VkCommandBuffer commandBuffer);
/* You promise that the device has completed the commands of nnvk_vkRecordPreparation(). They are no longer pending, and nnvk
 * frees the memory that only they needed. Without this call it stays until you free the compilation. */
int nnvk_vkPreparationDone(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device);

/* One execution, ready to be recorded: kernels, descriptors, temporary memory. Make one for each frame in flight. */
typedef struct NnvkVkRecording NnvkVkRecording;

/* Compiles, on a thread of nnvk, all that nnvk_vkCreateRecording() needs for the shapes that are bound to `execution`, and
 * returns at once. When `event` has signalled, that call compiles nothing for these shapes, and a render thread can make it
 * between two frames. Call this when a new size is likely, for instance while the user drags the edge of a window, and render
 * the old size until the event has signalled: ANeuralNetworksEvent_getSyncFenceFd() gives a descriptor that poll() can ask.
 * The execution is only read, and its memories are not used. A compilation keeps its preparations for the last eight sets of
 * shapes; nnvk_Compilation_addInputShapes() in shapes.h names some of them beforehand. To free the event or the compilation
 * waits for the preparation. ANeuralNetworksEvent_wait() returns the errors of the preparation; other errors are those of
 * nnvk_vkCreateRecording(). */
int nnvk_vkPrepareRecording(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event);

/* Prepares a recording for the inputs and outputs that are bound to `execution`; compiles and allocates if needed. All must be
 * omitted, or memories of the device: nnvk_vkMemoryFromBuffer and others here, or from a descriptor for this device. The
 * execution is only read: you may free it, change it, or use it for further recordings. The bound memories must live until you
 * free the recording.
 * `scratch`: a buffer of yours with `scratchSize` bytes from `scratchOffset` on (NnvkVkRecordInfo). Nothing else may use it while
 * the recording runs. Recordings that never run at the same time may share it. VK_NULL_HANDLE: nnvk allocates.
 * BAD_DATA: a binding in host memory or of another device, a scratch offset that is not aligned, shapes that do not fit.
 * NNVK_NOT_RECORDABLE: nnvk_vkGetRecordInfo() names the operation. */
int nnvk_vkCreateRecording(ANeuralNetworksExecution* execution, VkBuffer scratch, VkDeviceSize scratchOffset,
                           NnvkVkRecording** recording);

/* As nnvk_vkCreateRecording(), for render threads: it never compiles, and never waits for other threads or for the device. It
 * may allocate. NNVK_NOT_PREPARED: it would have to; `*recording` is NULL then. Call nnvk_vkPrepareRecording(), render on with
 * the old recording, and try again in a later frame. If the device was made with the feature pipelineCreationCacheControl,
 * which nnvk_vkPatchFeatures() enables, pipelines may also come from the driver's cache (NnvkVkDeviceDesc::pipelineCache).
 * Otherwise nnvk must have made all of them before. The first binding of a kind of image compiles too
 * (nnvk_vkMemoryFromImage()): make one while your program loads. */
int nnvk_vkCreateRecordingIfPrepared(ANeuralNetworksExecution* execution, VkBuffer scratch, VkDeviceSize scratchOffset,
                                     NnvkVkRecording** recording);

/* Flags of nnvk_vkRecord(). */
enum NnvkVkRecordFlags {
  /* A barrier before: the recording sees inputs that earlier commands of the queue wrote in any stage. */
  NNVK_VK_RECORD_INPUT_BARRIER = 1,
  /* A barrier after: later commands of the queue see the outputs in any stage, also the host and copies. */
  NNVK_VK_RECORD_OUTPUT_BARRIER = 2
};

/* Records the execution into a command buffer of yours: primary or secondary, in the recording state, outside a render pass, of a
 * family that the import names. Real-time safe: it allocates no memory, compiles nothing and takes no lock. Afterwards the
 * compute pipeline, the compute descriptor sets and the push constants are undefined; all other state is unchanged. It includes
 * barriers between its own commands. For those to yours, pass `flags`, or record them yourself with NnvkVkRecordInfo.
 * Record a recording again only after nnvk_vkResetRecording(). You may submit its command buffer repeatedly, but it must not run
 * twice at once (no SIMULTANEOUS_USE). BAD_STATE: it is recorded already. DEAD_OBJECT: the device is lost. Errors cost an
 * allocation for their text. Without a lock it cannot detect a recording that you freed (all other functions return BAD_DATA):
 * that is undefined behaviour here. */
int nnvk_vkRecord(NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags);

/* Records a part of a long network, so that several frames share its time: the next dispatches that take no longer than
 * `microseconds` by nnvk's prediction, but at least one. `remaining` gets the predicted microseconds of all later slices, 0 after
 * the last one, else at least 1. Submit the command buffers in their order to one queue; other work may lie between them. Inputs
 * and scratch memory stay as they are from the first slice until the last one has run. Of `flags`, the input barrier applies to
 * the first slice, the output barrier to the last one. All else is as with nnvk_vkRecord(). nnvk_vkResetRecording() also ends a
 * recording of which some slices are missing. BAD_STATE also: nnvk_vkRecord() between slices. */
int nnvk_vkRecordSlice(NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags, uint32_t microseconds,
                       uint32_t* remaining);

/* You promise that no command buffer with the recording is pending or will be submitted again. OP_FAILED: since the last reset,
 * an operation met values that it cannot work with (GATHER: an index outside its table); the outputs are undefined. The recording
 * is reset then as well. */
int nnvk_vkResetRecording(NnvkVkRecording* recording);

/* As nnvk_vkResetRecording(), and frees it. NULL is ignored. */
void nnvk_vkFreeRecording(NnvkVkRecording* recording);

/* ---- All functions, for nnvk_getInterface() ---- */

typedef struct NnvkVulkanInterop {
  int (*getRequirements)(PFN_vkGetInstanceProcAddr, VkInstance, VkPhysicalDevice, NnvkVkRequirements*);
  int (*patchFeatures)(PFN_vkGetInstanceProcAddr, VkInstance, VkPhysicalDevice, int32_t, VkPhysicalDeviceFeatures2*, void*,
                       size_t*);
  int (*importDevice)(const NnvkVkDeviceDesc*, ANeuralNetworksDevice**);
  int (*releaseDevice)(ANeuralNetworksDevice*);
  int (*memoryFromBuffer)(ANeuralNetworksDevice*, VkBuffer, VkDeviceSize, VkDeviceSize, VkBufferUsageFlags, uint32_t,
                          ANeuralNetworksMemory**);
  int (*memoryFromDeviceMemory)(ANeuralNetworksDevice*, VkDeviceMemory, uint32_t, VkDeviceSize, VkDeviceSize, uint32_t,
                                ANeuralNetworksMemory**);
  int (*bufferNeeds)(const ANeuralNetworksDevice*, VkBufferUsageFlags*, VkDeviceSize*);
  int (*startCompute)(ANeuralNetworksExecution*, uint32_t, const NnvkVkSemaphore*, uint32_t, const NnvkVkSemaphore*, uint32_t,
                      const ANeuralNetworksEvent* const*, ANeuralNetworksEvent**);
  int (*getRecordInfo)(const ANeuralNetworksCompilation*, ANeuralNetworksDevice*, NnvkVkRecordInfo*);
  int (*recordPreparation)(const ANeuralNetworksCompilation*, ANeuralNetworksDevice*, VkCommandBuffer);
  int (*preparationDone)(const ANeuralNetworksCompilation*, ANeuralNetworksDevice*);
  int (*createRecording)(ANeuralNetworksExecution*, VkBuffer, VkDeviceSize, NnvkVkRecording**);
  int (*record)(NnvkVkRecording*, VkCommandBuffer, uint32_t);
  int (*resetRecording)(NnvkVkRecording*);
  void (*freeRecording)(NnvkVkRecording*);
  /* Since version 2. */
  int (*memoryFromImage)(ANeuralNetworksDevice*, const NnvkVkImageInfo*, uint32_t, ANeuralNetworksMemory**);
  /* Since version 3. */
  int (*prepareRecording)(ANeuralNetworksExecution*, ANeuralNetworksEvent**);
  int (*recordSlice)(NnvkVkRecording*, VkCommandBuffer, uint32_t, uint32_t, uint32_t*);
  /* Since version 4. */
  int (*memoryFromImages)(ANeuralNetworksDevice*, uint32_t, const NnvkVkImagePart*, ANeuralNetworksMemory**);
  int (*createRecordingIfPrepared)(ANeuralNetworksExecution*, VkBuffer, VkDeviceSize, NnvkVkRecording**);
} NnvkVulkanInterop;

#ifdef __cplusplus
}
#endif

#endif /* NNVK_VULKAN_INTEROP_H */
