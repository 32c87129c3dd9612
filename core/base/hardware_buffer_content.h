// The function by which libneuralnetworks.so learns from libnativewindow.so, built together with it, the place of a buffer's
// content. It is not public: nnvk finds it by name at run time, and installs no header.
#pragma once

#include <cstdint>

struct AHardwareBuffer;

struct nnvk_HardwareBufferMemory {
  void* address;          // page-aligned and readable; all pages up to `size` are mapped
  uint64_t size;          // bytes mapped, at least what the buffer needs
  int writable;           // not 0: the mapping may be written
  int dmaBuf;             // the dma-buf that holds all of it, owned by the buffer; -1: several, or none
  uint64_t dmaBufOffset;  // of `address` in the dma-buf
  int mayShrink;          // not 0: memory that the program trusts (NNVK_FRAME_TRUST_SIZE)
};

// Describes the content of `buffer`, whatever its CPU usage, in `memory` for devices that share the machine's memory. Valid while
// the caller holds a reference. Returns -EINVAL unless `buffer` is one of this process, another negative errno if mapping fails.
extern "C" int nnvk_getHardwareBufferMemory(const AHardwareBuffer* buffer, nnvk_HardwareBufferMemory* memory);
