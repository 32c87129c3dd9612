/* nnvk's reports about itself, for tools and tests: devices, placement, compilations, executions, errors. Plain C99.
 *
 * Functions returning int return an NNAPI ResultCode. `json` receives a UTF-8 JSON text allocated by the library: free it with
 * nnvk_freeString(). On an error it receives NULL. Later versions may add members to the JSON, but never remove any. */
#ifndef NNVK_DIAGNOSTICS_H
#define NNVK_DIAGNOSTICS_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Describes all devices, in NNAPI's order. With `measure`, runs the devices' micro-benchmarks (a second or two each).
 * `{"runtime_feature_level": 1000008,
 *   "devices": [{"index": 0, "name": "vulkan-llvmpipe", "version": "...", "type": "GPU", "feature_level": 1000008,
 *                "calibrated": false,
 *                "properties": [{"group": "limits", "name": "maxStorageBufferRange", "value": "134217728"}],
 *                "extensions": [{"name": "vendor.name", "operations": [3],
 *                                "operand_types": [{"code": 1, "is_tensor": true, "byte_size": 4}]}],
 *                "ceilings": {"fp32_gflops": 80.1, "int8_gops": 0, "read_gigabytes_per_second": 12,
 *                             "copy_gigabytes_per_second": 6, "traffic": [{"bytes": 65536, "gigabytes_per_second": 90}]}}]}`
 * "ceilings" only with `measure`, else "ceilings_error": "why not". "traffic": the speed of moving so many bytes over and over.
 * Beside "devices", "plugins" reports the outcome of every manifest of a plugin, in order of precedence. A manifest that nnvk
 * cannot read has a "reason" and an empty "name".
 * `{"plugins": [{"name": "sample-npu", "manifest": "/etc/nnvk/plugins.d/sample_npu.json",
 *                "library": "/usr/lib/libsample_npu.so", "isolation": "process", "used": true, "reason": "",
 *                "devices": ["sample-npu/npu"]}]}` */
int nnvk_describeDevices(bool measure, char** json);

/* Measures the times of operations on every device (a few seconds each), and which of a GPU's kernel variants are slower there
 * than the ones they replace. Keeps both in the user's cache folder ($XDG_CACHE_HOME/nnvk or ~/.cache/nnvk). Processes that load
 * the library afterwards predict times from it and leave out those variants. Without it they use built-in figures; a GPU measures
 * its speed in about 20 ms before its first prediction, and keeps that in the same folder. BAD_STATE if there is no such folder,
 * and in processes with more rights than their user. If a device cannot be measured, "error" replaces its figures.
 * "median_error" is the median relative error of predictions for the "samples" themselves.
 * `{"devices": [{"device": "nnvk-cpu", "file": "/home/me/.cache/nnvk/calibration-nnvk-cpu", "seconds": 0.9, "samples": 120,
 *               "median_error": 0.1, "choices": ""}]}`  "choices": "leaves out kernels tiles: measured to be slower" */
int nnvk_calibrateDevices(char** json);

/* Describes the placement of every operation of a finished model on each given device (NULL with 0: all devices). Here and below,
 * an extension's operation has the name of the extension and its code: "vendor.name:3".
 * "kernel" is "reference" if the device runs a slow kernel of nnapi-reference, else "own".
 * "transfers" predicts the time to start a device and to move tensors to it or away.
 * {"operations": [{"index": 0, "name": "CONV_2D", "devices": [{"device": "vulkan-llvmpipe", "supported": true, "reason": "",
 *                                                              "predicted_seconds": 0.001, "kernel": "own"}]}],
 *  "transfers": [{"device": "vulkan-llvmpipe", "seconds_per_step": 6e-05, "seconds_per_tensor": 2e-06,
 *                 "seconds_per_byte": 2.5e-10}]} */
int nnvk_explainModel(const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices, uint32_t numDevices,
                      char** json);

/* Describes a finished compilation. "operation" is the index in the order of addOperation. Operations that were merged into
 * others or computed at compile time have "removed": true and no device.
 * Partitions run one after the other. "transfer_seconds" is the predicted time to start one and to move "transfer_bytes" to its
 * device and away. Control flow whose models run on several devices has the device "several". The last "counters" belong to the
 * whole compilation. They also count work between partitions ("step_buffer_allocations", "steps_run_again_on_cpu").
 * "pictures" counts the conversions that were prepared for pictures (<nnvk/picture.h>), those of them that a starting call had to
 * prepare, and the pictures converted. It also counts what the conversions copied, recorded and wrote, the dma-bufs that the
 * device imported, and the tensors that it keeps for results.
 * "dependent_executions" counts fenced executions that were started before their dependencies had ended. The device queued them
 * behind their dependencies, or the host launched them afterwards. "reasons" counts the host's launches by cause.
 * "foreign_fence": a dependency is a fence that the device cannot wait for. "no_queue": a dependency was in no device's queue.
 * "picture": the device cannot convert a picture behind other work. "semaphores": the execution has some. "needs_host": a
 * dependency ran on another device, or the host must copy an input or read a value.
 * `{"result": "NO_ERROR", "explicit_devices": true,
 *   "partitions": [{"device": "vulkan-llvmpipe", "nodes": 65, "predicted_seconds": 0.03, "transfer_seconds": 0.0002,
 *                   "transfer_bytes": 606116, "counters": {"pipelines_created": 12, "executions": 3}}],
 *   "pictures": {"prepared": 1, "prepared_while_starting": 0, "executions": 3, "bytes_copied_in": 0,
 *                "command_buffers_recorded": 3, "descriptor_sets_written": 3, "dma_bufs_imported": 0, "tensors": 1},
 *   "dependent_executions": {"queued_behind": 99, "through_host": 1, "reasons": {"foreign_fence": 1}},
 *   "operations": [{"index": 0, "name": "CONV_2D", "partition": 0, "device": "vulkan-llvmpipe", "removed": false}],
 *   "counters": {"pipelines_created": 12, "executions": 3}}` */
int nnvk_describeCompilation(const ANeuralNetworksCompilation* compilation, char** json);

/* Asks for per-operation times of the following computations. BAD_STATE after the first computation has started. */
int nnvk_enableProfiling(ANeuralNetworksExecution* execution, bool enable);

/* Describes the last computation of an execution that is not running. "nodes" needs nnvk_enableProfiling(); unknown durations
 * are null.
 * `{"state": "completed", "result": "NO_ERROR", "message": "", "device": "vulkan-llvmpipe", "wall_nanoseconds": 1234567,
 *   "hardware_nanoseconds": 1200000, "driver_nanoseconds": null, "outputs": [{"shape": [1, 1001], "sufficient": true}],
 *   "nodes": [{"operation": 0, "name": "CONV_2D", "kernel": "conv3x3 texel", "device": "vulkan-llvmpipe",
 *              "nanoseconds": 81000, "bytes": 602112, "multiply_adds": 10838016, "merged_operations": [1]}]}`
 * A dimension that is not known is null. "merged_operations" are other operations that the device computed in the same step, such
 * as the RELU behind a convolution. */
int nnvk_describeExecution(const ANeuralNetworksExecution* execution, char** json);

/* Returns what failed in the last failed call on this thread, where, and what to do; "" if none failed. Valid until the next
 * failing call on this thread. */
const char* nnvk_lastError(void);

/* With `mute`, the library logs no failed calls until you call this with false: for programs that make invalid calls on purpose.
 * It affects neither results, nor nnvk_lastError(), nor messages of other origin (drivers, validation layers). For the whole
 * process. */
void nnvk_muteFailedCalls(bool mute);

/* Begins and ends a section of the caller's own in the trace that the environment variable NNVK_TRACE=FILE enables. Without
 * NNVK_TRACE nothing happens. Each nnvk_traceBegin() needs an nnvk_traceEnd() on the same thread; sections nest. `nnvk trace`
 * counts names with NNAPI's prefixes for applications, as in "[NN_LA_PE]frame 17": "[NN_LA_PO]" overall, "[NN_LA_PI]"
 * initialisation, "[NN_LA_PP]" preparation, "[NN_LA_PC]" compilation, "[NN_LA_PT]" termination. "[NN_LA_PE]" is execution, with
 * the parts "[NN_LA_PIO]" inputs and outputs, "[NN_LA_PCO]" computation and "[NN_LA_PR]" results. ASCII, 120 characters at most.
 * NULL is ignored and needs no end. */
void nnvk_traceBegin(const char* name);
void nnvk_traceEnd(void);

/* Frees a text returned by one of these functions; NULL is ignored. */
void nnvk_freeString(char* text);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_DIAGNOSTICS_H */
