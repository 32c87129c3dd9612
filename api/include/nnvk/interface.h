/* One function by which a program finds out at run time which extensions of nnvk the NNAPI library that it has loaded knows.
 * Plain C99. Other NNAPI libraries do not have it: look for it with dlsym(library, "nnvk_getInterface"). */
#ifndef NNVK_INTERFACE_H
#define NNVK_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `table` with the functions of the interface `name` in its version `version`. Name, version and type of the table stand in
 * the header of the interface, for instance <nnvk/vulkan_interop.h>: NNVK_VULKAN_INTEROP_NAME, NNVK_VULKAN_INTEROP_VERSION,
 * NnvkVulkanInterop. The functions are those that the library exports under their own names; they stay valid as long as the
 * library is loaded. Thread-safe.
 *
 * ANEURALNETWORKS_NO_ERROR: all `tableSize` bytes are written. UNEXPECTED_NULL: a pointer is NULL. BAD_DATA: no interface of this
 * name, a version that this library does not know, or a table of another size than that version has; `table` is not touched.
 * nnvk_lastError() says what the library has. */
int nnvk_getInterface(const char* name, uint32_t version, void* table, size_t tableSize);

typedef int (*PFN_nnvk_getInterface)(const char* name, uint32_t version, void* table, size_t tableSize);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_INTERFACE_H */
