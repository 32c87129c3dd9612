/* The interface of libnativewindow.so for libneuralnetworks.so beyond Android's. Not installed; found by name at run time. */
#ifndef NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H
#define NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H

#include <android/hardware_buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The location of a buffer's content. */
typedef struct nnvk_HardwareBufferMemory {
  void* address;         /* page-aligned and readable; all pages up to `size` are mapped */
  uint64_t size;         /* bytes mapped, at least what the buffer needs */
  int writable;          /* not 0: the mapping may be written */
  int dmaBuf;            /* the dma-buf that holds all of it, owned by the buffer; -1: several, or none */
  uint64_t dmaBufOffset; /* of `address` in the dma-buf */
  int mayShrink;         /* not 0: memory that the program trusts (NNVK_FRAME_TRUST_SIZE) */
} nnvk_HardwareBufferMemory;

/* Returns the content of a buffer for a device that shares the machine's memory, whatever the buffer's CPU usage. It is valid as
 * long as the caller holds a reference. Returns -EINVAL if `buffer` is not one of this process, or a negative errno if mapping
 * fails. */
int nnvk_getHardwareBufferMemory(const AHardwareBuffer* buffer, nnvk_HardwareBufferMemory* memory);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_NATIVEWINDOW_PRIVATE_INTERFACE_H */
