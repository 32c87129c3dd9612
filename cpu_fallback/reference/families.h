// The rows of every family of reference kernels (core/operations/family_list.h): <family>.cpp holds those of its operations.
#pragma once

#include <span>

#include "core/operations/family_list.h"
#include "core/operations/operation_enumerators.h"
#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

struct KernelRow {
  OperationCode code{};
  ReferenceKernel kernel = nullptr;
};

// Declares <family>_kernels(), which returns the rows of a family.
#define NNVK_ROWS(family) std::span<const KernelRow> family##_kernels();
NNVK_KERNEL_FAMILIES(NNVK_ROWS)
NNVK_ROWS(picture)  // PICTURE_TO_TENSOR, which no model contains
NNVK_ROWS(pixels)   // CONVERT_PIXELS and GATHER_PIXELS, which no model contains
#undef NNVK_ROWS

}  // namespace nnvk::cpu
