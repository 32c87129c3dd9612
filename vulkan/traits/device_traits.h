// The traits of a device that kernel choice may use. Plain data: the device plan fills it, or a test invents a device.
#pragma once

#include <cstdint>
#include <string>

#include "kernel_table.h"  // generated: KernelVariants, KernelFeatures
#include "vulkan/traits/kernel_forms.h"
#include "vulkan/traits/machine_model.h"
#include "vulkan/traits/matrix_shape.h"

namespace nnvk::vulkan {

struct DeviceTraits {
  KernelVariants variants = {KernelVariant::kTexel, KernelVariant::kWords};  // the variants it may run; kWords is always one
  KernelFeatures features;                                                   // those enabled on the device
  uint32_t max_texel_elements = 65536;
  uint64_t max_storage_range = 128ULL << 20;  // bytes
  uint32_t max_storage_buffers = 16;          // in one shader
  uint32_t max_groups[3] = {65535, 65535, 65535};
  uint32_t max_group_invocations = 128;
  uint32_t max_shared_memory = 16384;  // bytes of a work group
  uint32_t subgroup_size = 0;          // 0: no subgroup operations
  static constexpr uint32_t kUsualRegisters = 64;
  uint32_t registers = kUsualRegisters;  // 32-bit ones per invocation that still allow enough subgroups to hide memory latency
  Machine machine;
  bool fast_dot_products = false;  // the driver reports dot products of four packed signed bytes as accelerated
  MatrixShape half_matrices;       // cooperative matrices of halves that kernels use; none without the feature kCooperativeMatrix
  MatrixShape byte_matrices;
  uint32_t matrix_subgroup_size = 0;  // required of kernels with cooperative matrices; 0: theirs is subgroup_size
  KernelForms forms;                  // requested by name, in place of the choice by size and device
  // Forms that a calibration measured as slower on this device than the kernels they replace. Only a request chooses them.
  KernelForms slower;

  // Returns whether nnvk must not choose this form of products for any size.
  bool leaves_out(KernelForm form) const {
    if (form == KernelForm::kPlainProducts) return false;
    return forms.contains(KernelForm::kPlainProducts) || (slower.contains(form) && !forms.contains(form));
  }
  // Returns true for lavapipe and the like, which have few cores and costly barriers.
  bool is_software() const { return machine.kind == MachineKind::kSoftware; }
  // Returns true if kernels have smaller tiles than usual, as on Intel's GPUs before Xe2 (device_plan.cpp).
  bool has_few_registers() const { return registers < kUsualRegisters; }
};

// Returns the names of the features, "float16, int8"; empty for none.
inline std::string names_of(KernelFeatures features) { return names_of(features, kKernelFeatures); }

}  // namespace nnvk::vulkan
