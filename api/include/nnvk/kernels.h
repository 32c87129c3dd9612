/* Which kernels a Vulkan device would run, for people who look at them (`nnvk kernels`). Plain C99. Results and texts as in
 * diagnostics.h, whose nnvk_describeDevices() has, beside "devices", all that the Vulkan drivers list; those that are not usable
 * are no devices of the API, for the reason:
 * {"physical_devices": [{"name": "vulkan-llvmpipe", "hardware": "llvmpipe (LLVM 15.0.6, 256 bits)", "usable": true,
 *                        "reason": "", "snapshot": {...}}]}
 * "no_vulkan" is there in its place when Vulkan cannot be used at all, and says why. */
#ifndef NNVK_KERNELS_H
#define NNVK_KERNELS_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels that a Vulkan device would run for a finished model: how they were chosen, how large the dispatches are, and what
 * the driver's compiler says of each pipeline, where it says anything (VK_KHR_pipeline_executable_properties). Nothing runs.
 * `request` is a JSON object, or NULL, which is an empty one:
 *  "device": a physical device: its name or "vulkan:N", the N-th (see nnvk_describeDevices); default: the first. It need not be a
 *    device of the API: drivers without hardware behind them compile just as well.
 *  "snapshot": what is under that name in nnvk_describeDevices(), perhaps on another machine: kernels are chosen for that device,
 *    and nothing is compiled.
 *  "variant": "texel" or "words": the form of kernels; default: the best.
 *  "statistics": false: nothing is compiled.
 * "dispatches" are in running order, those of both models of IF and WHILE one after the other; "times": so many that differ in
 * parameters alone. "once": packs constants at preparation. "predicted_seconds": of one, from what drivers tell of the machine
 * and of the pipeline. "unlisted": what the device does not run, and what only an execution decides. Without a model, instead of
 * the last three, "kernels": all there are.
 * {"device": {"name": "vulkan-amd-unknown", "hardware": "AMD Unknown (RADV NAVI21)", "version": "...", "usable": false,
 *             "subgroup_size": 64, "features": "int8, storage8", "statistics_missing": ""},
 *  "pipelines": [{"kernel": "ConvolutionFloat", "family": "convolution", "variant": "texel", "specialization": {"TYPE": 0},
 *                 "local_size": [32, 1, 1], "statistics": {"VGPRs": 64, "Subgroups per SIMD": 16}}],
 *  "dispatches": [{"pipeline": 0, "operation": 0, "name": "CONV_2D", "label": "CONV_2D 1x56x56x24", "groups": [98, 1, 1],
 *                  "times": 1, "once": false, "multiply_adds": 1806336, "predicted_seconds": 1e-5,
 *                  "reason": "..."}],
 *  "unlisted": [{"operation": 1, "name": "CONV_2D", "reason": "..."}],
 *  "kernels": [{"kernel": "ConvolutionFloat", "family": "convolution", "variants": ["texel", "words"]}]}
 * UNAVAILABLE_DEVICE, naming those there are, for an unknown device; BAD_DATA for a request that means nothing. `json` is freed
 * with nnvk_freeString(). */
int nnvk_listKernels(const ANeuralNetworksModel* model, const char* request, char** json);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_KERNELS_H */
