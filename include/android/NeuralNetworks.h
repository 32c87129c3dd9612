/* The Neural Networks API, feature levels 1 to 8: functions exported by libneuralnetworks.so.
 * Every function returning int returns a ResultCode; a required pointer that is NULL gives UNEXPECTED_NULL. The log (stderr, or
 * logcat on Android) says what was wrong; nnvk_lastError() in nnvk/diagnostics.h returns the same text.
 * One object may be changed by one thread at a time. Finished models and compilations may be used by many threads. */
#ifndef ANDROID_NEURAL_NETWORKS_H
#define ANDROID_NEURAL_NETWORKS_H

#include <android/NeuralNetworksTypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Library and devices ---- */

/* The highest feature level this library implements, as a FeatureLevelCode. Never fails. Feature level 5. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/* Returns the number of devices, at least 1. Vulkan devices come first, the CPU device nnapi-reference last. Feature level 3. */
int ANeuralNetworks_getDeviceCount(uint32_t* numDevices);

/* Returns device devIndex; the same index always gives the same handle. BAD_DATA if it is out of range. Feature level 3. */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device);

/* Returns a name that is unique in the process; the string lives as long as the library. Feature level 3. */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name);

/* Returns a version that changes when results or caches may change. The string lives as long as the library. Feature level 3. */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version);

/* A DeviceTypeCode. Feature level 3. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type);

/* A FeatureLevelCode. Feature level 3. */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device, int64_t* featureLevel);

/* Blocks until the device accepts work. Feature level 4. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device);

/* Sets supportedOps[i] to true if one of the devices runs operation i (in the order of addOperation). The model must be
 * finished. The array needs one entry per operation. Feature level 3. */
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices, uint32_t numDevices,
                                                          bool* supportedOps);

/* Returns the nanoseconds that a WHILE loop may take without a call of setLoopTimeout. Feature level 4. */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/* Returns the upper limit for setLoopTimeout, in nanoseconds. Feature level 4. */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/* ---- Models ---- */

/* Makes an empty model. Free it with ANeuralNetworksModel_free. Feature level 1. */
int ANeuralNetworksModel_create(ANeuralNetworksModel** model);

/* Destroys a model in any state; ignores NULL. Free compilations and parent models that use it first. Feature level 1. */
void ANeuralNetworksModel_free(ANeuralNetworksModel* model);

/* Appends an operand; its index is the number of operands added before. BAD_DATA for an illegal type, shape or quantization.
 * Feature level 1. */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type);

/* Gives an operand a constant value of exactly its size. Up to 128 bytes are copied now; longer buffers must stay unchanged
 * until the model is finished. NULL with length 0 marks an optional operand as omitted. Feature level 1. */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length);

/* Gives an operand a constant value inside a memory object, which must outlive the model. Copies nothing. Feature level 1. */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset, size_t length);

/* Gives a MODEL operand its value: a finished model, which must outlive this one. Call it before the IF or WHILE is added.
 * Feature level 4. */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index, const ANeuralNetworksModel* value);

/* Gives a TENSOR_QUANT8_SYMM_PER_CHANNEL operand its scales (copied). Call it before the operation that reads the operand is
 * added. Feature level 3. */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel* model, int32_t index,
                                                             const ANeuralNetworksSymmPerChannelQuantParams* channelQuant);

/* Appends an operation that reads and writes the given operands. Accepts operations in any order. BAD_DATA if the operands do
 * not fit one of the signatures of the operation. Feature level 1. */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t* inputs, uint32_t outputCount, const uint32_t* outputs);

/* Sets the inputs and outputs of the model, in the order in which executions number them. Feature level 1. */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount, const uint32_t* inputs,
                                                  uint32_t outputCount, const uint32_t* outputs);

/* Allows devices to compute FLOAT32 operations with float16 range and precision. Default: not allowed. Feature level 2. */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow);

/* Validates the model and makes it read-only. BAD_DATA makes it invalid for ever. Feature level 1. */
int ANeuralNetworksModel_finish(ANeuralNetworksModel* model);

/* ---- Compilations ---- */

/* Makes a compilation of a finished model for all devices, with CPU fallback. The model must outlive it. Feature level 1. */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation);

/* Makes a compilation for exactly the given devices, without fallback. Feature level 3. */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices, ANeuralNetworksCompilation** compilation);

/* Destroys a compilation; NULL is ignored. Free its executions, bursts and memories first. Feature level 1. */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation);

/* Sets a PreferenceCode. Default: PREFER_FAST_SINGLE_ANSWER. Feature level 1. */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference);

/* Keeps compiled state in cacheDir under a 32-byte token. An unusable directory only disables caching. Feature level 3. */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir, const uint8_t* token);

/* Sets a PriorityCode. Default: PRIORITY_DEFAULT. Feature level 4. */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority);

/* Limits the time of finish, in nanoseconds; 0: no limit. Needs a compilation for exactly one device. Feature level 4. */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, uint64_t duration);

/* Compiles the model. Call it once. BAD_DATA if no allowed device runs an operation. Feature level 1. */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation);

/* Returns the preferred alignment of an input's memory in bytes, a power of two; all others work too. Feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                   uint32_t* alignment);

/* Returns the preferred multiple for the length of an input's memory in bytes, a power of two. Feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                 uint32_t* padding);

/* As ...AlignmentForInput, for an output. Feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                    uint32_t* alignment);

/* As ...PaddingForInput, for an output. Feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation* compilation, uint32_t index,
                                                                  uint32_t* padding);

/* ---- Executions ---- */

/* Makes an execution of a compilation that finished successfully. The compilation must outlive it. Feature level 1. */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution** execution);

/* Destroys an execution, which must not be running; ignores NULL. Feature level 1. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution);

/* Binds a buffer to an input; computations read it, so it must stay unchanged until they have ended. type may give the
 * dimensions that the model leaves open (NULL: none). NULL buffer with length 0 omits an optional input. Feature level 1. */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                                      const void* buffer, size_t length);

/* The same as setInput with a part of a memory object. Feature level 1. */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory,
                                                size_t offset, size_t length);

/* Binds a buffer to an output. If the output's shape is not yet known, the computation reports OUTPUT_INSUFFICIENT_SIZE when the
 * result does not fit. NULL buffer with length 0 skips the output. Feature level 1. */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                                       void* buffer, size_t length);

/* The same as setOutput with a part of a memory object. Feature level 1. */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory,
                                                 size_t offset, size_t length);

/* Allows inputs and outputs to be longer than needed. Call it before you set any input or output. Feature level 5. */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable);

/* Allows the execution to be computed again and again with the same bindings. Feature level 5. */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable);

/* Asks for durations. Needs a compilation for exactly one device. Feature level 3. */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure);

/* Limits each computation, in nanoseconds from the call; 0: no limit. Needs a compilation for one device. Feature level 4. */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/* Limits each WHILE loop, in nanoseconds; clamps values above the maximum. Feature level 4. */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/* Computes and returns when the outputs are ready. Feature level 3. */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution);

/* Starts a computation and returns an event that completes with its result. Feature level 1. */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event);

/* Computes like ANeuralNetworksExecution_compute, as part of a burst of the same compilation. Feature level 3. */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst);

/* Starts a computation that waits for the given events. The new event may carry a sync fence. `duration` limits the time after
 * the dependencies have signalled, in nanoseconds; 0 is no limit. Output shapes must be known. Feature level 4. */
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t num_dependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event);

/* Returns the last computation's time in nanoseconds; durationCode is a DurationCode. UINT64_MAX: the device cannot tell.
 * BAD_STATE without ANeuralNetworksExecution_setMeasureTiming, and if the last computation failed. Feature level 3. */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t durationCode, uint64_t* duration);

/* Returns the computed rank of an output. If the output's memory was too small, sets the rank all the same and returns
 * OUTPUT_INSUFFICIENT_SIZE. Feature level 3. */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index, uint32_t* rank);

/* Returns the computed dimensions of an output; the array needs rank entries. Errors as for ...Rank. Feature level 3. */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index, uint32_t* dimensions);

/* ---- Bursts ---- */

/* Makes a burst object for a compilation that finished successfully. Feature level 3. */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst);

/* Destroys a burst; NULL is ignored. Feature level 3. */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst);

/* ---- Events ---- */

/* Blocks until the event completes and returns its computation's result. Threads may call it repeatedly. Feature level 1. */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event);

/* Waits until the event completes and destroys it; NULL is ignored. Feature level 1. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event);

/* Wraps a sync fence file descriptor (duplicated) so that it can be a dependency. Feature level 4. */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent** event);

/* Returns a duplicate of an event's sync fence, owned by the caller. BAD_DATA and -1 if it has none. Feature level 4. */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* sync_fence_fd);

/* ---- Memories ---- */

/* Describes `size` bytes at `offset` of a mappable file descriptor, which it duplicates. `protect`: PROT_READ and PROT_WRITE, as
 * for mmap. Feature level 1. */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory** memory);

/* Describes a hardware buffer, which must outlive the memory. Feature level 3. */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb, ANeuralNetworksMemory** memory);

/* Allocates memory for the roles of a finished descriptor. Its content is uninitialised. Feature level 4. */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc, ANeuralNetworksMemory** memory);

/* Copies the whole content of one memory to another of the same size. Blocks. Feature level 4. */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst);

/* Destroys a memory, which nothing may use any more; ignores NULL. Feature level 1. */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory);

/* Makes an empty memory descriptor. Feature level 4. */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc);

/* Destroys a descriptor; NULL is ignored. Memories made from it stay valid. Feature level 4. */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc);

/* The memory will be input `index` of executions of the compilation, with a relative frequency in (0, 1]. Feature level 4. */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                           uint32_t index, float frequency);

/* As ...addInputRole, for an output. Feature level 4. */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                            uint32_t index, float frequency);

/* Adds the known dimensions of the shape; 0 entries are unspecified. Feature level 4. */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank, const uint32_t* dimensions);

/* Makes the descriptor read-only. BAD_DATA when it has no role. Feature level 4. */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc);

#ifdef __cplusplus
}
#endif

#endif /* ANDROID_NEURAL_NETWORKS_H */
