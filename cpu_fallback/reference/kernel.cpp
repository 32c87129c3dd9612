#include "cpu_fallback/reference/kernel.h"

#include <array>

#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "cpu_fallback/reference/families.h"

namespace nnvk::cpu {
namespace {

using KernelTable = std::array<ReferenceKernel, kOperationCount>;

KernelTable make_table() {
  KernelTable table{};
#define NNVK_ROWS(family) family##_kernels(),
  const std::array families = {NNVK_KERNEL_FAMILIES(NNVK_ROWS)};
#undef NNVK_ROWS
  for (const std::span<const KernelRow> rows : families) {
    for (const KernelRow& row : rows) table[static_cast<size_t>(row.code)] = row.kernel;
  }
  return table;
}

}  // namespace

ReferenceKernel find_reference_kernel(OperationCode code) {
  static const KernelTable table = make_table();
  if (code == kPictureToTensor) return picture_kernels().front().kernel;
  if (code == kConvertPixels) return pixels_kernels().front().kernel;
  if (code == kGatherPixels) return pixels_kernels().back().kernel;
  const auto index = static_cast<int32_t>(code);
  return index >= 0 && index < kOperationCount ? table[static_cast<size_t>(index)] : nullptr;
}

}  // namespace nnvk::cpu
