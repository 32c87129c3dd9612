#include "vulkan/kernels/kernel_emitter.h"

#include <array>

#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {

const KernelEmitter* find_emitter(OperationCode code) {
#define NNVK_ROWS(family) family##_emitters(),
  const std::array families = {NNVK_KERNEL_FAMILIES(NNVK_ROWS) picture_emitters(), pixels_emitters()};
#undef NNVK_ROWS
  for (const std::span<const KernelEmitter> family : families) {
    for (const KernelEmitter& emitter : family) {
      if (emitter.code == code) return &emitter;
    }
  }
  return nullptr;
}

}  // namespace nnvk::vulkan
