// What kernel choice may know about a device. Plain data, filled from the device plan; tests invent it.
#pragma once

#include <cstdint>
#include <string>

#include "kernel_table.h"  // generated: KernelVariants, KernelFeatures
#include "vulkan/kernels/kernel_forms.h"
#include "vulkan/kernels/machine_model.h"
#include "vulkan/kernels/matrix_shape.h"

namespace nnvk::vulkan {

struct DeviceTraits {
  KernelVariants variants = {KernelVariant::kTexel, KernelVariant::kWords};  // that it may run, always with kWords
  KernelFeatures features;                                                   // that it has, switched on
  uint32_t max_texel_elements = 65536;
  uint64_t max_storage_range = 128ULL << 20;  // bytes
  uint32_t max_storage_buffers = 16;          // in one shader
  uint32_t max_groups[3] = {65535, 65535, 65535};
  uint32_t max_group_invocations = 128;
  uint32_t max_shared_memory = 16384;  // bytes of a work group
  uint32_t subgroup_size = 0;          // 0: no subgroup operations
  uint32_t registers = 64;  // 32-bit ones per invocation that leave the subgroups a GPU needs to hide its memory's latency
  Machine machine;
  bool fast_dot_products = false;  // the driver says that packed signed 4x8-bit ones are accelerated
  MatrixShape half_matrices;       // that subgroups multiply, with the feature kCooperativeMatrix
  MatrixShape byte_matrices;
  KernelForms forms;  // asked for by name, whatever the device is
  // Measured to take longer on this device than what they take the place of: not chosen, unless asked for (slower_forms.h).
  KernelForms slower;

  // Whether a form of products is not to be chosen, whatever the sizes.
  bool leaves_out(KernelForm form) const {
    return forms.contains(KernelForm::kPlainProducts) || (slower.contains(form) && !forms.contains(form));
  }
  // Lavapipe and friends: few cores, costly barriers.
  bool is_software() const { return machine.kind == MachineKind::kSoftware; }
};

// "float16, int8"; empty for none.
inline std::string names_of(KernelFeatures features) { return names_of(features, kKernelFeatures); }

}  // namespace nnvk::vulkan
