// Memory that ONNX Runtime has freed and the allocator still holds.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nnvk::clients::onnxruntime {

// Returns freed memory to the system. The allocator would keep it for allocations of the same size, beside those that nnvk makes.
inline void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace nnvk::clients::onnxruntime
