// The function of libnativewindow.so for libneuralnetworks.so beyond Android's and nnvk's public ones: the location of a buffer's
// content. It is found by name at run time, and not installed. Both libraries are of one build.
#pragma once

#include <cstdint>

struct AHardwareBuffer;

// The location of a buffer's content.
struct nnvk_HardwareBufferMemory {
  void* address;          // page-aligned and readable; all pages up to `size` are mapped
  uint64_t size;          // bytes mapped, at least what the buffer needs
  int writable;           // not 0: the mapping may be written
  int dmaBuf;             // the dma-buf that holds all of it, owned by the buffer; -1: several, or none
  uint64_t dmaBufOffset;  // of `address` in the dma-buf
  int mayShrink;          // not 0: memory that the program trusts (NNVK_FRAME_TRUST_SIZE)
};

// Returns the content of a buffer for a device that shares the machine's memory, whatever the buffer's CPU usage. It is valid as
// long as the caller holds a reference. Returns -EINVAL if `buffer` is not one of this process, or a negative errno if mapping
// fails.
extern "C" int nnvk_getHardwareBufferMemory(const AHardwareBuffer* buffer, nnvk_HardwareBufferMemory* memory);
