// The emitter rows of every kernel family (core/operations/family_list.h); <family>.cpp holds the rows of its operations.
#pragma once

#include <initializer_list>

#include "core/operations/family_list.h"
#include "core/operations/operation_enumerators.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

using EmitterRows = std::initializer_list<KernelEmitter>;

#define NNVK_ROWS(family) extern const EmitterRows family##_emitters;
NNVK_KERNEL_FAMILIES(NNVK_ROWS)
NNVK_ROWS(picture)  // PICTURE_TO_TENSOR, never in a model
NNVK_ROWS(pixels)   // CONVERT_PIXELS and GATHER_PIXELS, never in a model
#undef NNVK_ROWS

}  // namespace nnvk::vulkan
