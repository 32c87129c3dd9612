#include "vulkan/kernels/kernel_emitter.h"

#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {

const KernelEmitter* find_emitter(OperationCode code) {
#define NNVK_ROWS(family) family##_emitters,
  for (const EmitterRows& family : {NNVK_KERNEL_FAMILIES(NNVK_ROWS) picture_emitters, pixels_emitters}) {
#undef NNVK_ROWS
    for (const KernelEmitter& emitter : family) {
      if (emitter.code == code) return &emitter;
    }
  }
  return nullptr;
}

}  // namespace nnvk::vulkan
