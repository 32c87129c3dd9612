// No kernels of this family yet.
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
std::span<const KernelEmitter> resize_emitters() { return {}; }
}  // namespace nnvk::vulkan
