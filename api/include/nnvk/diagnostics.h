/* What nnvk knows about itself, for tools and tests: devices, placement, compilations, executions, errors. Plain C99.
 *
 * Functions returning int return an NNAPI ResultCode. `json` receives a UTF-8 JSON text allocated by the library: free it with
 * nnvk_freeString(). On an error it is set to NULL. Members may be added to the JSON in later versions, never removed. */
#ifndef NNVK_DIAGNOSTICS_H
#define NNVK_DIAGNOSTICS_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All devices, in NNAPI's order. With `measure`, runs the devices' micro-benchmarks (a second or two each).
 * {"runtime_feature_level": 1000008,
 *  "devices": [{"index": 0, "name": "vulkan-llvmpipe", "version": "...", "type": "GPU", "feature_level": 1000008, "calibrated":
 * false, "properties": [{"group": "limits", "name": "maxStorageBufferRange", "value": "134217728"}], "extensions": [{"name":
 * "vendor.name", "operations": [3], "operand_types": [{"code": 1, "is_tensor": true, "byte_size": 4}]}], "ceilings":
 * {"fp32_gflops": 80.1, "int8_gops": 0, "read_gigabytes_per_second": 12, "copy_gigabytes_per_second": 6}}]} "ceilings" only with
 * `measure`; "ceilings_error": "why not" instead when a device cannot measure. Beside "devices", "plugins" says what became of
 * every manifest of a plugin, in the order in which they count; one that could not be read has a reason and a name that is empty:
 * {"plugins": [{"name": "sample-npu", "manifest": "/etc/nnvk/plugins.d/sample_npu.json", "library": "/usr/lib/libsample_npu.so",
 *               "isolation": "process", "used": true, "reason": "", "devices": ["sample-npu/npu"]}]} */
int nnvk_describeDevices(bool measure, char** json);

/* Measures what operations take on every device, which takes a few seconds each, and which of a GPU's forms of kernels are slower
 * there than what they take the place of; keeps both in the user's cache folder ($XDG_CACHE_HOME/nnvk or ~/.cache/nnvk).
 * Processes that load the library afterwards predict times from it and leave out those forms; without it they use built-in
 * figures. Nothing else ever measures or writes there. BAD_STATE where there is no such folder, and in processes with more rights
 * than their user. "error" instead of the figures for a device that cannot be measured. "median_error" is relative, of what is
 * predicted for the "samples" themselves.
 * {"devices": [{"device": "nnvk-cpu", "file": "/home/me/.cache/nnvk/calibration-nnvk-cpu", "seconds": 0.9, "samples": 120,
 *               "median_error": 0.1, "choices": ""}]}  "choices": "leaves out kernels tiles: measured to be slower" */
int nnvk_calibrateDevices(char** json);

/* Placement of every operation of a finished model on each of the given devices (NULL with 0: all devices). Operations of
 * extensions are named by extension and code, here and below: "vendor.name:3".
 * {"operations": [{"index": 0, "name": "CONV_2D", "devices": [{"device": "vulkan-llvmpipe", "supported": true,
 *                                                              "reason": "", "predicted_seconds": 0.001}]}]} */
int nnvk_explainModel(const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices, uint32_t numDevices,
                      char** json);

/* What a finished compilation became. "operation" is the index in the order of addOperation; operations that were folded into
 * others or computed at compile time have "removed": true and no device.
 * Partitions run one after the other. "transfer_seconds" is the predicted time to start one and to move "transfer_bytes" to its
 * device and away. Control flow whose models run on several devices has the device "several". The last "counters" are those of
 * the whole, which know what happens between partitions as well ("step_buffer_allocations", "steps_run_again_on_cpu").
 * "pictures": conversions made ready for pictures that executions were given (<nnvk/picture.h>), those of them that a starting
 * call had to make ready, and pictures converted; what the conversions copied, recorded and wrote; dma-bufs that the device
 * imported; tensors that it keeps for results.
 * "dependent_executions": fenced executions that were started before what they depend on had ended: given to the device at once,
 * behind it, or launched by the host when it had.
 * {"result": "NO_ERROR", "explicit_devices": true,
 *  "partitions": [{"device": "vulkan-llvmpipe", "nodes": 65, "predicted_seconds": 0.03, "transfer_seconds": 0.0002,
 *                  "transfer_bytes": 606116, "counters": {"pipelines_created": 12, "executions": 3}}],
 *  "pictures": {"prepared": 1, "prepared_while_starting": 0, "executions": 3, "bytes_copied_in": 0,
 *               "command_buffers_recorded": 3, "descriptor_sets_written": 3, "dma_bufs_imported": 0, "tensors": 1},
 *  "dependent_executions": {"queued_behind": 99, "through_host": 0},
 *  "operations": [{"index": 0, "name": "CONV_2D", "partition": 0, "device": "vulkan-llvmpipe", "removed": false}],
 *  "counters": {"pipelines_created": 12, "executions": 3}} */
int nnvk_describeCompilation(const ANeuralNetworksCompilation* compilation, char** json);

/* Asks for per-operation times of the following computations. BAD_STATE after the first computation has started. */
int nnvk_enableProfiling(ANeuralNetworksExecution* execution, bool enable);

/* The last computation of an execution that is not running. "nodes" needs nnvk_enableProfiling(); durations are null when
 * unknown.
 * {"state": "completed", "result": "NO_ERROR", "message": "", "device": "vulkan-llvmpipe", "wall_nanoseconds": 1234567,
 *  "hardware_nanoseconds": 1200000, "driver_nanoseconds": null, "outputs": [{"shape": [1, 1001], "sufficient": true}],
 *  "nodes": [{"operation": 0, "name": "CONV_2D", "kernel": "conv3x3 texel", "device": "vulkan-llvmpipe", "nanoseconds": 81000,
 *             "bytes": 602112, "multiply_adds": 10838016}]}
 * A dimension that is not known is null. */
int nnvk_describeExecution(const ANeuralNetworksExecution* execution, char** json);

/* Text of the last failed call on this thread: what, where, what to do. "" if none failed. Valid until the next failing call on
 * this thread. */
const char* nnvk_lastError(void);

/* With `mute`, the library logs no failed calls until it is called with false: for programs that make calls which must be
 * refused. Results, nnvk_lastError() and messages of other origin (drivers, validation layers) stay. For the whole process. */
void nnvk_muteFailedCalls(bool mute);

/* A section of the caller's own in the trace that the environment variable NNVK_TRACE=FILE switches on; nothing happens without.
 * Each nnvk_traceBegin() needs an nnvk_traceEnd() on the same thread; sections nest. `nnvk trace` counts names with NNAPI's
 * prefixes for applications: "[NN_LA_PO]" overall, "[NN_LA_PI]" initialisation, "[NN_LA_PP]" preparation, "[NN_LA_PC]"
 * compilation, "[NN_LA_PE]" execution with the parts "[NN_LA_PIO]" inputs and outputs, "[NN_LA_PCO]" computation and
 * "[NN_LA_PR]" results, "[NN_LA_PT]" termination, as in "[NN_LA_PE]frame 17". ASCII, 120 characters at most. NULL is ignored and
 * needs no end. */
void nnvk_traceBegin(const char* name);
void nnvk_traceEnd(void);

/* Frees a text returned by one of these functions; NULL is ignored. */
void nnvk_freeString(char* text);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_DIAGNOSTICS_H */
