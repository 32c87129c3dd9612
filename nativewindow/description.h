// Validates buffer descriptions and computes the layout of a buffer. Pure: no memory, no descriptors.
#pragma once

#include <android/hardware_buffer.h>

#include <cstdint>

namespace nnvk::nativewindow {

constexpr uint64_t kCpuUsage = AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;

constexpr uint64_t kPage = 65536;  // a multiple of every page size in use: all processes of a machine compute the same

struct PlaneLayout {
  uint64_t offset;        // bytes from the start of the buffer, as it is mapped
  uint32_t pixel_stride;  // bytes
  uint32_t row_stride;    // bytes
};

struct Layout {
  uint64_t size = 0;    // bytes of memory behind the buffer: whole pages
  uint32_t stride = 0;  // pixels from row to row
  uint32_t plane_count = 0;
  PlaneLayout planes[3] = {};  // of the first layer
};

// Computes the layout of a buffer. Returns -EINVAL if the description breaks a rule of the interface, -ENOSYS if this library
// cannot make such a buffer, -ENOMEM if no address space holds it.
int layout_of(const AHardwareBuffer_Desc& description, Layout& layout);

}  // namespace nnvk::nativewindow
