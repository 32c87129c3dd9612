// The rows of every family of kernel emitters (core/operations/operation_list.h): <family>.cpp holds those of its operations.
#pragma once

#include <span>

#include "core/operations/operation_list.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// <family>_emitters(): the rows of a family.
#define NNVK_ROWS(family) std::span<const KernelEmitter> family##_emitters();
NNVK_KERNEL_FAMILIES(NNVK_ROWS)
NNVK_ROWS(picture)  // PICTURE_TO_TENSOR, which no model contains
NNVK_ROWS(pixels)   // CONVERT_PIXELS, which no model contains
#undef NNVK_ROWS

}  // namespace nnvk::vulkan
