/* nnvk on the VkDevice of an application: a game or a renderer runs networks on the device it draws with, over its own buffers,
 * in step with its own semaphores, or inside its own command buffers. Plain C99. Needs the Vulkan headers (1.3 or later), nothing
 * else of Vulkan: no loader is linked.
 *
 *   1. Before vkCreateDevice: nnvk_vkGetRequirements() and nnvk_vkPatchFeatures() say what nnvk makes use of.
 *   2. nnvk_vkImportDevice() makes an ANeuralNetworksDevice of your VkDevice. Compile for it with
 *      ANeuralNetworksCompilation_createForDevices().
 *   3. nnvk_vkMemoryFromBuffer() makes ANeuralNetworksMemory of your VkBuffers, nnvk_vkMemoryFromImage() of your VkImages.
 *   4. Either nnvk submits: nnvk_vkStartCompute() with semaphores, or any of NNAPI's own functions. Or you submit:
 * nnvk_vkRecord().
 *   5. nnvk_vkReleaseDevice() before vkDestroyDevice.
 *
 * Ownership: nnvk never destroys, resets or frees a Vulkan object that it was given, never waits for a whole queue or device, and
 * takes every Vulkan function from the vkGetInstanceProcAddr that it was given. Objects that you pass must live until what you
 * passed them to is freed (a VkBuffer: until its memory is freed), and the device until nnvk_vkReleaseDevice().
 *
 * Structs begin with `structSize`, which is sizeof the struct, and `next`, which is NULL. Everything that is not set is 0.
 *
 * Results: a ResultCode of NNAPI, or NNVK_NOT_RECORDABLE. nnvk_lastError() (<nnvk/diagnostics.h>) says what is wrong, where, and
 * what to do. In all functions: ANEURALNETWORKS_UNEXPECTED_NULL when a pointer that is needed is NULL; BAD_DATA for a structSize
 * that this library does not know, for handles that are not alive, and for a device that was not imported.
 *
 * Callbacks: an exception that one throws ends in nnvk. Where the callback can fail, the call that needed it does: OP_FAILED with
 * the exception's text, OUT_OF_MEMORY for std::bad_alloc (lockQueue: the queue is not locked then, and nothing is submitted). Of
 * unlockQueue, freeMemory and deviceLost the text is logged, and they count as done.
 *
 * Threads: all functions may be called from any thread, several at once, where nothing else is said. Functions that take the same
 * NnvkVkRecording, or the same command buffer, need you to keep them apart. */
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
#define NNVK_VULKAN_INTEROP_VERSION 2u

/* Besides the ResultCodes of NNAPI. */
enum {
  NNVK_NOT_RECORDABLE = 0x10000 /* the host takes part in what is to be one piece of work for the device */
};

/* ---- Before the device is made ---- */

enum { NNVK_VK_MAX_EXTENSIONS = 32 };

/* The names have static storage. An extension that became a part of the Vulkan version which your VkApplicationInfo names may be
 * left out: the feature alone counts then. */
typedef struct NnvkVkRequirements {
  uint32_t structSize;
  const void* next;
  uint32_t minimumApiVersion;      /* of VkApplicationInfo::apiVersion and of the physical device */
  uint32_t requiredExtensionCount; /* without these there is no import */
  const char* requiredExtensions[NNVK_VK_MAX_EXTENSIONS];
  uint32_t recommendedExtensionCount; /* with these it is faster or can do more */
  const char* recommendedExtensions[NNVK_VK_MAX_EXTENSIONS];
} NnvkVkRequirements;

/* The device extensions that nnvk uses; no instance extension is needed. With a `physicalDevice` only those that it has; then
 * `instance` and `getInstanceProcAddr` must be there too. With NULL for all three: all. Fills `requirements`, whose structSize
 * and next you set. UNAVAILABLE_DEVICE: the physical device cannot be used at all; nnvk_lastError() says why (Vulkan before 1.1,
 * no queue family that computes, fewer than 128 bytes of push constants, no memory that the host reaches, a required extension).
 */
int nnvk_vkGetRequirements(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance, VkPhysicalDevice physicalDevice,
                           NnvkVkRequirements* requirements);

enum NnvkVkFeatureLevel {
  NNVK_VK_FEATURES_REQUIRED = 0,   /* without these there is no import: none today */
  NNVK_VK_FEATURES_RECOMMENDED = 1 /* those that make it faster or let it do more, as far as the physical device has them */
};

/* Switches features on in your chain of structs for vkCreateDevice. Bits that are set stay; nothing is switched off. Bits go into
 * the structs that are in your chain: VkPhysicalDeviceVulkan11Features and VkPhysicalDeviceVulkan12Features where you have those,
 * else the single ones. Structs that are missing are made in `arena` and appended to the chain, so the arena must live as long as
 * the chain. `arenaSize`: in: bytes of `arena`, which is aligned like malloc's memory; out: bytes that were needed. With `arena`
 * NULL nothing is changed and `arenaSize` says how many bytes that will be (possibly 0).
 * Features of extensions need these enabled as well: enable what nnvk_vkGetRequirements() recommends.
 * BAD_DATA: the arena is too small (`arenaSize` says what is needed), `chain` has another sType, or `level` is none. Nothing is
 * changed then. */
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
  int32_t sharing; /* NnvkVkQueueSharing */
  VkQueue queue;
} NnvkVkQueue;

/* What a block of device memory is for. */
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
  uint32_t memoryTypeIndex; /* of this type it must be */
  int32_t role;             /* NnvkVkMemoryRole */
} NnvkVkMemoryRequest;

/* A piece of a VkDeviceMemory to which nnvk binds one VkBuffer. */
typedef struct NnvkVkMemoryBlock {
  VkDeviceMemory memory;
  VkDeviceSize offset; /* a multiple of the alignment */
  void* mapped;        /* the host's address of the byte at `offset` for the roles that are mapped; else not looked at */
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

  /* As they were given to vkCreateDevice. What is not listed here is not used, whatever the physical device could do.
   * `enabledFeatures` may be NULL when none were enabled; whoever passed VkDeviceCreateInfo::pEnabledFeatures puts a copy into a
   * VkPhysicalDeviceFeatures2. Structs in its chain that nnvk does not know are skipped. Only read during the call. */
  const VkPhysicalDeviceFeatures2* enabledFeatures;
  uint32_t enabledExtensionCount; /* device extensions */
  const char* const* enabledExtensions;

  /* NULL: nnvk never submits anything (record only). Compilations then finish without the device, and their weights get there by
   * nnvk_vkRecordPreparation(); computations (compute, startCompute, ...), nnvk_vkStartCompute and Memory_copy to or from memory
   * that the host does not reach fail with BAD_STATE. */
  const NnvkVkQueue* queue;
  /* The families of queues to which you submit command buffers with recordings; none: that of `queue`. At least one without a
   * queue. Where there is more than one family in all, nnvk's buffers are VK_SHARING_MODE_CONCURRENT between them. */
  uint32_t recordFamilyCount;
  const uint32_t* recordFamilies;

  /* Called around each single vkQueueSubmit, on the thread that starts a computation or on one of nnvk's. The same thread makes
   * both calls. They must not call nnvk, and whoever holds the lock must not wait for anything of nnvk. Both, or none. */
  void (*lockQueue)(void* user, uint32_t family, uint32_t index);
  void (*unlockQueue)(void* user, uint32_t family, uint32_t index);
  void* queueUser;

  /* For all Vulkan objects that nnvk makes on the device; may be NULL. Copied; the callbacks must be thread-safe. An allocation
   * that throws counts as one that returned NULL. */
  const VkAllocationCallbacks* hostAllocator;

  /* Where device memory comes from; both, or none (then vkAllocateMemory). allocateMemory fills `block` and returns VK_SUCCESS,
   * or a VkResult with which the call that needed the memory fails. freeMemory gets the block back, when the device no longer
   * uses it and no buffer is bound to it. Called from any thread, several at once; they must not call nnvk. */
  VkResult (*allocateMemory)(void* user, const NnvkVkMemoryRequest* request, NnvkVkMemoryBlock* block);
  void (*freeMemory)(void* user, const NnvkVkMemoryBlock* block);
  void* memoryUser;
  /* The device memory that nnvk may hold on this import at any time, in bytes; 0: no limit. What would exceed it fails with
   * RESOURCE_EXHAUSTED_TRANSIENT, or _PERSISTENT where it alone is larger. Memory that you pass in (buffers, client memory that
   * is imported) does not count. */
  VkDeviceSize memoryBudget;

  /* Used for all pipelines; VK_NULL_HANDLE: nnvk makes one of its own. nnvk makes pipelines on up to four threads at once, only
   * within ANeuralNetworksCompilation_finish() and the first computation or recording with new shapes. It must not have been made
   * with VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT, and while nnvk may use it you must not merge into it. */
  VkPipelineCache pipelineCache;

  /* Called once, when nnvk finds out that the device is lost, on whatever thread finds it; may be NULL. It must not call nnvk.
   * From then on everything on the device fails with ANEURALNETWORKS_DEAD_OBJECT (ANeuralNetworksEvent_wait, which has no such
   * result in NNAPI, with OP_FAILED); frees and nnvk_vkReleaseDevice() stay legal. */
  void (*deviceLost)(void* user);
  void* deviceLostUser;
} NnvkVkDeviceDesc;

/* Makes a device of NNAPI of your VkDevice. Its name is that of the physical device with "-imported" (and "-2" and so on). It is
 * one for all functions that take a device, but ANeuralNetworks_getDevice() does not list it. Two imports of one VkDevice, or of
 * two, know nothing of each other.
 * The struct and what it points to is copied, the callbacks are called until nnvk_vkReleaseDevice() has returned.
 * BAD_DATA: what the struct says cannot be (names the member); UNAVAILABLE_DEVICE: as nnvk_vkGetRequirements(), or a function
 * that getInstanceProcAddr does not have (names it). `*device` is NULL then. */
int nnvk_vkImportDevice(const NnvkVkDeviceDesc* desc, ANeuralNetworksDevice** device);

/* Ends the import. Waits for executions that were freed while they ran, so everything that they wait for must be signalled. When
 * it returns NO_ERROR, nnvk has destroyed all it had made on the VkDevice, none of its threads uses it, and the handle is gone.
 * BAD_STATE while you have compilations, executions, memories, memory descriptors or recordings of the device (says how many of
 * which): free them first; nothing has changed then. Not from one of the callbacks. Without this call nothing of it is freed, not
 * even when the process exits: nnvk cannot know whether the VkDevice still lives then. */
int nnvk_vkReleaseDevice(ANeuralNetworksDevice* device);

/* ---- Memories ---- */

enum NnvkVkAccess {
  NNVK_VK_ACCESS_READ = 1, /* may be bound to inputs, and copied from */
  NNVK_VK_ACCESS_WRITE = 2 /* may be bound to outputs, and copied to */
};

/* `size` bytes from `offset` of a VkBuffer as a memory for inputs and outputs of executions on `device`: kernels use it in place
 * where they can. Offset and length of ANeuralNetworksExecution_setInputFromMemory count from `offset`. Not for constants of
 * models (BAD_DATA from Model_finish). ANeuralNetworksMemory_copy and executions on other devices copy through the host.
 *
 * `usage` is what the buffer was made with. In place needs STORAGE_BUFFER and, where the device has the texel kernels,
 * UNIFORM_TEXEL_BUFFER (nnvk_vkBufferNeeds()), and a multiple of its alignment as offset; else the device copies, which needs
 * TRANSFER_SRC to read and TRANSFER_DST to write. Made with VK_SHARING_MODE_EXCLUSIVE, it must belong to the family of the queue
 * (or of the command buffers it is recorded into) when nnvk's work begins, and still does afterwards. Its memory is bound and not
 * protected. The buffer belongs to you and outlives the memory.
 *
 * Order is yours: what writes an input must have completed, or be waited for by a semaphore of nnvk_vkStartCompute(), or come
 * before in the same command buffer with a barrier; and the same for what reads an output. Bytes behind the end of a tensor, up
 * to the next multiple of 16 inside [offset, offset + size), may be read, never written unless the region covers them.
 *
 * BAD_DATA: an empty range, `usage` that suffices for neither way, `access` without a flag. The range cannot be checked against
 * the buffer. */
int nnvk_vkMemoryFromBuffer(ANeuralNetworksDevice* device, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                            VkBufferUsageFlags usage, uint32_t access, ANeuralNetworksMemory** memory);

/* The same for a range of a VkDeviceMemory, to which nnvk binds a buffer of its own, made for all it needs. `memoryTypeIndex` is
 * the one it was allocated with; it was not allocated for a dedicated resource, and is not protected.
 * BAD_DATA also: `offset` is not a multiple of the alignment that nnvk_vkBufferNeeds() says, or the memory type takes no
 * buffers. */
int nnvk_vkMemoryFromDeviceMemory(ANeuralNetworksDevice* device, VkDeviceMemory deviceMemory, uint32_t memoryTypeIndex,
                                  VkDeviceSize offset, VkDeviceSize size, uint32_t access, ANeuralNetworksMemory** memory);

/* Which channels of the tensor are which components of an image. */
enum NnvkVkChannelOrder {
  NNVK_VK_CHANNELS_RGBA = 0, /* red, green, blue, alpha, in whatever order the format stores them */
  NNVK_VK_CHANNELS_BGRA = 1  /* blue, green, red, alpha */
};

enum NnvkVkTensorLayout {
  NNVK_VK_TENSOR_NHWC = 0, /* [1, height, width, channels] */
  NNVK_VK_TENSOR_NCHW = 1  /* [1, channels, height, width] */
};

/* A VkImage as a tensor. 2D, one sample, one mip level of one array layer, and one of these formats:
 *
 *   format                          components            value of a component     channels of the tensor
 *   VK_FORMAT_R8G8B8A8_UNORM        R G B A               0 to 1                   3 or 4
 *   VK_FORMAT_B8G8R8A8_UNORM        R G B A               0 to 1                   3 or 4
 *   VK_FORMAT_R8G8B8A8_SRGB         R G B A               0 to 1, as stored        3 or 4
 *   VK_FORMAT_B8G8R8A8_SRGB         R G B A               0 to 1, as stored        3 or 4
 *   VK_FORMAT_R8_UNORM              R                     0 to 1                   1
 *   VK_FORMAT_R16G16B16A16_SFLOAT   R G B A               as stored                3 or 4
 *   VK_FORMAT_R16_SFLOAT            R                     as stored                1
 *   VK_FORMAT_R32G32B32A32_SFLOAT   R G B A               as stored                3 or 4
 *   VK_FORMAT_R32_SFLOAT            R                     as stored                1
 *
 * sRGB values stay encoded, as UNORM views of the image would show them: that is what networks are mostly trained with.
 * The tensor is as wide and high as the image, of one picture, with as many channels as the table says: with 3 the image's alpha
 * is not read, and written as 1. Its type is TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED.
 * For channel c of the tensor, in both directions:
 *
 *   real value = component * scale[c] + bias[c]
 *
 * so that scale 2 and bias -1 make tensors from -1 to 1 of 8-bit images and back. Real values are rounded to the type of the
 * tensor (quantized: by its scale and zero point) or of the image, and saturate in its range; NaN becomes the lowest byte. To the
 * bit, on every device: stored number = round(stored number of the other side * f + g), where f and g are worked out in double
 * precision and rounded to float32 once, product and sum are rounded to float32, and bytes are floor(sum + 0.5). FLOAT32 to
 * R32..._SFLOAT and FLOAT16 to R16..._SFLOAT without scale, bias and reordering keep all bits. */
typedef struct NnvkVkImageInfo {
  uint32_t structSize;
  const void* next;
  VkImage image;
  VkFormat format;
  VkExtent3D extent; /* of the mip level, all of it; depth 1 */
  uint32_t mipLevel;
  uint32_t arrayLayer;
  VkSampleCountFlagBits samples; /* VK_SAMPLE_COUNT_1_BIT, or 0 for it */
  VkImageUsageFlags usage;       /* that it was made with: TRANSFER_SRC to be read, TRANSFER_DST to be written */
  /* GENERAL, COLOR_ATTACHMENT_OPTIMAL, SHADER_READ_ONLY_OPTIMAL, TRANSFER_SRC_OPTIMAL, TRANSFER_DST_OPTIMAL, READ_ONLY_OPTIMAL,
   * ATTACHMENT_OPTIMAL or PRESENT_SRC_KHR. An input is in this layout when nnvk's work begins and when it ends. An output is
   * written as a whole: it may be in any layout, also UNDEFINED, when the work begins, and is in this one when it ends. */
  VkImageLayout layout;
  int32_t channelOrder; /* NnvkVkChannelOrder */
  int32_t tensorLayout; /* NnvkVkTensorLayout */
  float scale[4];       /* per channel of the tensor, in its order; 0 means 1 */
  float bias[4];
} NnvkVkImageInfo;

/* An image as a memory for inputs and outputs of executions on `device`, in all that runs them: computations,
 * nnvk_vkStartCompute() and nnvk_vkRecord(). It is bound as a whole, with offset 0 and length 0. On the way the device copies it
 * (TRANSFER stage) from or to memory of nnvk's and converts (COMPUTE_SHADER stage): no memory of the host is involved. What that
 * needs for a kind of tensor is compiled when the image is first bound to one.
 *
 * As for buffers: made with VK_SHARING_MODE_EXCLUSIVE it belongs to the family of nnvk's work; its memory is bound and not
 * protected; it belongs to you and outlives the memory; order is yours. Reading may change the layout for a while, so nothing
 * else reads the image meanwhile. In a command buffer, NnvkVkRecordInfo's stages and accesses are those of images as well.
 *
 * Not for constants. ANeuralNetworksMemory_copy, and executions that do not run wholly on `device` where the image is used, fail
 * with BAD_DATA: nnvk makes no copies of images in memory of the host.
 *
 * BAD_DATA: what the struct says cannot be used so: another format, an extent without pixels, of 3D or of more than 2^31 - 1
 * bytes, samples, usage, layout, a number that is not finite; when binding: offset or length, an access that the memory was not
 * made for, or a tensor that the image cannot be. Whether the image is what the struct says, and is one of the imported VkDevice,
 * cannot be checked. */
int nnvk_vkMemoryFromImage(ANeuralNetworksDevice* device, const NnvkVkImageInfo* info, uint32_t access,
                           ANeuralNetworksMemory** memory);

/* What a VkBuffer should have so that it is used in place: usage flags, and the alignment of offsets (of the memory in the
 * buffer, and of inputs and outputs in the memory). */
int nnvk_vkBufferNeeds(const ANeuralNetworksDevice* device, VkBufferUsageFlags* usage, VkDeviceSize* alignment);

/* ---- Computations between the application's semaphores ---- */

/* A wait or a signal. */
typedef struct NnvkVkSemaphore {
  VkSemaphore semaphore;
  uint64_t value; /* of a timeline semaphore, above 0; 0: the semaphore is a binary one */
} NnvkVkSemaphore;

/* Like ANeuralNetworksExecution_startComputeWithDependencies(), and on the device between `waits` and `signals`: all work of the
 * execution waits for `waits`; `signals` are signalled when it has completed and all its writes are available. The execution is
 * one submission of its own.
 *
 * Submitted within the call: when it returns NO_ERROR and `dependencyCount` was 0, the work is in the queue, and a vkQueueSubmit
 * that waits for `signals` may follow on any queue. With dependencies it is submitted when all of them have signalled: then
 * `signals` are timeline semaphores (else BAD_DATA), and are not to be waited for on the same queue before the event has
 * signalled (that queue would stand still). As Vulkan wants it, binary `waits` have been submitted for signalling before the
 * call.
 *
 * Once it has returned NO_ERROR, `waits` are waited for and `signals` are signalled in every case, also when the execution fails;
 * `event` says whether it did (outputs are undefined then). Only a lost device signals nothing. When it returns an error nothing
 * was waited for and nothing is signalled. Semaphores belong to you; they live until `event` has signalled, or until what waits
 * for `signals` has completed. Inputs in host memory are read before the submission, and so before `waits`; outputs in host
 * memory are written when `event` signals, which is later than `signals`.
 *
 * An execution with a timeout (ANeuralNetworksExecution_setTimeout) that is over ends for the host: `event` says
 * MISSED_DEADLINE_TRANSIENT, a tenth of a second late at most, and host memory is left alone from then on. The submission stays
 * in the queue as it is: it waits for `waits`, uses the buffers and images of yours that are bound, and signals `signals` in its
 * time. All of these live until then.
 *
 * `event` may be NULL: the execution then counts as computing until the device has completed it. Event and execution follow the
 * rules of startComputeWithDependencies otherwise.
 *
 * BAD_DATA: a null semaphore, dependencies with binary `signals`, timeline semaphores on a device without the feature
 * timelineSemaphore, pictures as inputs (nnvk/picture.h), inputs or outputs that must pass through the host. BAD_STATE: as
 * compute; a device without a queue. NNVK_NOT_RECORDABLE: the compilation runs in several steps or not on an imported device.
 * RESOURCE_EXHAUSTED_TRANSIENT: four executions of the compilation with these shapes are in flight, and none ended within 20
 * milliseconds; wait for one. Else the call never waits. */
int nnvk_vkStartCompute(ANeuralNetworksExecution* execution, uint32_t waitCount, const NnvkVkSemaphore* waits,
                        uint32_t signalCount, const NnvkVkSemaphore* signals, uint32_t dependencyCount,
                        const ANeuralNetworksEvent* const* dependencies, ANeuralNetworksEvent** event);

/* ---- Recorded into the application's command buffers ---- */

/* What recording an execution of a compilation needs. */
typedef struct NnvkVkRecordInfo {
  uint32_t structSize;
  const void* next;
  uint32_t recordable;            /* 1 or 0; when 0 only firstBlockedOperation means something */
  uint32_t firstBlockedOperation; /* the operation (in the order of addOperation) that cannot be recorded; UINT32_MAX: none */
  uint32_t shapesKnown;           /* 1: the model's shapes are known, and what follows is too; else it is 0 */
  /* 1: nnvk_vkRecordPreparation() must be recorded and run first. Where shapes are not known: possibly after each
   * nnvk_vkCreateRecording(). */
  uint32_t preparationPending;
  uint32_t dispatchCount;
  /* Scratch memory of one recording (temporary tensors), if you provide it; 0: none is needed. */
  VkDeviceSize scratchSize;
  VkDeviceSize scratchAlignment;   /* of the offset in the buffer */
  VkBufferUsageFlags scratchUsage; /* that the buffer must have */
  /* For your own barriers: with these the recording reads its inputs first and writes its outputs last. */
  VkPipelineStageFlags firstStages;
  VkAccessFlags inputAccess;
  VkPipelineStageFlags lastStages;
  VkAccessFlags outputAccess;
} NnvkVkRecordInfo;

/* `compilation` is finished for `device`. What blocks: an operation that runs on the CPU or another device, IF and WHILE, outputs
 * whose size depends on data, operands that decide what is computed and whose values are inputs. nnvk_lastError() after a
 * function that fails with NNVK_NOT_RECORDABLE says what it is. BAD_STATE: not finished, or it failed. BAD_DATA: not compiled for
 * `device`. */
int nnvk_vkGetRecordInfo(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device, NnvkVkRecordInfo* info);

/* Records what brings the weights of a compilation to the device, where no queue could do it: copies and packing kernels. Needed
 * once per compilation on a record-only device, when NnvkVkRecordInfo says so. The command buffer is as for nnvk_vkRecord().
 * Submit it once; command buffers with recordings of the compilation come after it in the same queue, or wait for it (a barrier
 * from it to them is included). Records nothing when nothing is pending. A command buffer that is reset without having run has to
 * get it again. BAD_STATE as nnvk_vkGetRecordInfo(). NNVK_NOT_RECORDABLE: as it. */
int nnvk_vkRecordPreparation(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device,
                             VkCommandBuffer commandBuffer);
/* You promise that the device has completed what nnvk_vkRecordPreparation() recorded: it is no longer pending, and the memory
 * that only it needed is freed. Without this call it stays until the compilation is freed. */
int nnvk_vkPreparationDone(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device);

/* One execution, ready to be recorded: kernels, descriptors, temporary memory. One per frame in flight. */
typedef struct NnvkVkRecording NnvkVkRecording;

/* Makes everything ready for the inputs and outputs that are bound to `execution`, which must all be memories of the device
 * (nnvk_vkMemoryFromBuffer and others here; memories from a descriptor for this device) or omitted. Compiles and allocates where
 * needed. The execution is only looked at: it may be freed, changed, or used for further recordings. The bound memories must live
 * until the recording is freed.
 * `scratch`: a buffer of yours with `scratchSize` bytes from `scratchOffset` on, as NnvkVkRecordInfo describes it, which nothing
 * else uses while the recording runs; recordings that never run at the same time may share it. VK_NULL_HANDLE: nnvk allocates.
 * BAD_DATA: a binding in host memory or of another device, a scratch offset that is not aligned, shapes that do not fit.
 * NNVK_NOT_RECORDABLE: nnvk_vkGetRecordInfo() says which operation. */
int nnvk_vkCreateRecording(ANeuralNetworksExecution* execution, VkBuffer scratch, VkDeviceSize scratchOffset,
                           NnvkVkRecording** recording);

/* Flags of nnvk_vkRecord(). */
enum NnvkVkRecordFlags {
  /* A barrier before: inputs that earlier commands of the queue have written in any stage are seen. */
  NNVK_VK_RECORD_INPUT_BARRIER = 1,
  /* A barrier after: later commands of the queue see the outputs in any stage, also the host and copies. */
  NNVK_VK_RECORD_OUTPUT_BARRIER = 2
};

/* Records the execution into a command buffer of yours: primary or secondary, in the recording state, outside a render pass, of a
 * family that the import names. Real-time safe: no memory is allocated, nothing is compiled and no lock is taken. Afterwards the
 * compute pipeline, the compute descriptor sets and the push constants are undefined; all other state is as before. Barriers
 * between its own commands are included; those to yours with `flags`, or do them yourself as NnvkVkRecordInfo says.
 * A recording may be recorded once at a time: again after nnvk_vkResetRecording(). Its command buffer may be submitted
 * repeatedly, but must not run twice at once (no SIMULTANEOUS_USE). BAD_STATE: it is recorded already. DEAD_OBJECT: the device is
 * lost. Errors cost an allocation for their text. As it takes no lock, it cannot tell a recording that was freed, which all other
 * functions answer with BAD_DATA: that is undefined behaviour here. */
int nnvk_vkRecord(NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags);

/* You promise that no command buffer with the recording is pending or will be submitted again. OP_FAILED: an operation met values
 * that it cannot work with (GATHER an index outside its table) since the recording was made or reset; the outputs are undefined.
 * It is reset then all the same. */
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
} NnvkVulkanInterop;

#ifdef __cplusplus
}
#endif

#endif /* NNVK_VULKAN_INTEROP_H */
