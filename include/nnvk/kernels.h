/* The kernels that a Vulkan device would run, for people who study them (`nnvk kernels`). Plain C99. Results and texts as in
 * diagnostics.h. Beside "devices", nnvk_describeDevices() lists all physical devices of the Vulkan drivers. If one is not usable,
 * the API has no device for it, and "reason" explains why:
 * `{"physical_devices": [{"name": "vulkan-llvmpipe", "hardware": "llvmpipe (LLVM 15.0.6, 256 bits)", "usable": true,
 *                         "reason": "", "snapshot": {...}}]}`
 * (Instead, "no_vulkan" gives the reason if Vulkan cannot be used at all.) */
#ifndef NNVK_KERNELS_H
#define NNVK_KERNELS_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lists the kernels that a Vulkan device would run for a finished model: how they were chosen, and how large the dispatches are.
 * Includes the compiler's statistics of each pipeline if the driver has any (VK_KHR_pipeline_executable_properties). Nothing
 * runs. `request` is a JSON object, or NULL, which is an empty one:
 *  "device": a physical device: its name or "vulkan:N", the N-th (see nnvk_describeDevices); default: the first. It need not be a
 *    device of the API: drivers without hardware compile as well.
 *  "snapshot": the member of that name in nnvk_describeDevices(), perhaps from another machine: kernels are chosen for that
 *    device, and nothing is compiled.
 *  "variant": "texel" or "words": the kernel variant; default: the best.
 *  "statistics": false: nothing is compiled.
 * "dispatches" are in running order; both models of IF and WHILE follow one after the other. "times" counts dispatches that
 * differ in parameters alone. "once": packs constants at preparation. "predicted_seconds": the time of one, predicted from the
 * drivers' facts about the machine and the pipeline; "roofline_seconds": the same with all lanes busy, at the machine's peaks and
 * without any wait. "unlisted": operations that the device does not run, or that only an execution decides. Without a model,
 * "kernels" replaces the last three ("pipelines", "dispatches", "unlisted"): all kernels.
 * `{"device": {"name": "vulkan-amd-unknown", "hardware": "AMD Unknown (RADV NAVI21)", "version": "...", "usable": false,
 *              "subgroup_size": 64, "features": "int8, storage8", "statistics_missing": ""},
 *   "pipelines": [{"kernel": "ConvolutionFloat", "family": "convolution", "variant": "texel", "specialization": {"TYPE": 0},
 *                  "local_size": [32, 1, 1], "statistics": {"VGPRs": 64, "Subgroups per SIMD": 16}}],
 *   "dispatches": [{"pipeline": 0, "operation": 0, "name": "CONV_2D", "label": "CONV_2D 1x56x56x24", "groups": [98, 1, 1],
 *                   "times": 1, "once": false, "multiply_adds": 1806336, "predicted_seconds": 1e-5,
 *                   "roofline_seconds": 2e-7, "reason": "..."}],
 *   "unlisted": [{"operation": 1, "name": "CONV_2D", "reason": "..."}],
 *   "kernels": [{"kernel": "ConvolutionFloat", "family": "convolution", "variants": ["texel", "words"]}]}`
 * UNAVAILABLE_DEVICE for an unknown device (the error lists the devices); BAD_DATA for an invalid request. Free `json` with
 * nnvk_freeString(). */
int nnvk_listKernels(const ANeuralNetworksModel* model, const char* request, char** json);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_KERNELS_H */
