/* Lets a program find out at run time which extensions of nnvk the loaded NNAPI library has. Plain C99. Other NNAPI libraries
 * lack this function: look for it with dlsym(library, "nnvk_getInterface"). */
#ifndef NNVK_INTERFACE_H
#define NNVK_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `table` with the functions of the interface `name` in its version `version`. The header of the interface defines name,
 * version and type of the table, for instance <nnvk/vulkan_interop.h>: NNVK_VULKAN_INTEROP_NAME, NNVK_VULKAN_INTEROP_VERSION,
 * NnvkVulkanInterop. The functions are those that the library exports under their own names; they stay valid as long as the
 * library is loaded. Thread-safe.
 *
 * ANEURALNETWORKS_NO_ERROR: all `tableSize` bytes are written. UNEXPECTED_NULL: a pointer is NULL. BAD_DATA: the library does not
 * know this name or version, or that version's table has another size; `table` stays unchanged. The text of nnvk_lastError()
 * lists what the library has. */
int nnvk_getInterface(const char* name, uint32_t version, void* table, size_t tableSize);

typedef int (*PFN_nnvk_getInterface)(const char* name, uint32_t version, void* table, size_t tableSize);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_INTERFACE_H */
