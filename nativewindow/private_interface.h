/* What libnativewindow.so offers to libneuralnetworks.so beyond Android's interface. Not installed; found by name at run time. */
#ifndef NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H
#define NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H

#include <android/hardware_buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The content of a buffer for a device that shares the machine's memory, whatever the CPU may do with it: page-aligned, readable
 * and writable, valid as long as the caller holds a reference. `size`: bytes mapped, at least what the description needs. -EINVAL
 * when `buffer` is none of this process; negative errno when mapping fails. */
int nnvk_mapHardwareBuffer(const AHardwareBuffer* buffer, void** address, uint64_t* size);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H */
