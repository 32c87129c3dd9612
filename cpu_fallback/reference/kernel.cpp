// Looks up the reference kernel of an operation among the rows of all families.
#include "cpu_fallback/reference/kernel.h"

#include <array>

#include "core/operations/parameters/picture_conversion.h"
#include "cpu_fallback/reference/families.h"

namespace nnvk::cpu {
namespace {

using KernelTable = std::array<ReferenceKernel, kOperationCount>;

KernelTable make_table() {
  KernelTable table{};
  const std::array families = {
      cast_quantize_kernels(),
      comparison_logical_kernels(),
      convolution_kernels(),
      data_movement_kernels(),
      depthwise_kernels(),
      detection_kernels(),
      elementwise_binary_kernels(),
      lookup_kernels(),
      lsh_projection_kernels(),
      lstm_kernels(),
      matmul_kernels(),
      normalization_kernels(),
      pooling_kernels(),
      quantized_lstm_kernels(),
      random_multinomial_kernels(),
      random_topk_arg_kernels(),
      reduce_kernels(),
      region_kernels(),
      resize_kernels(),
      rnn_kernels(),
      select_kernels(),
      softmax_kernels(),
      space_depth_kernels(),
      suppression_kernels(),
      svdf_kernels(),
      topk_kernels(),
      transpose_convolution_kernels(),
      unary_kernels(),
  };
  for (const std::span<const KernelRow> rows : families) {
    for (const KernelRow& row : rows) table[static_cast<size_t>(row.code)] = row.kernel;
  }
  return table;
}

}  // namespace

ReferenceKernel find_reference_kernel(OperationCode code) {
  static const KernelTable table = make_table();
  if (code == kPictureToTensor) return picture_kernels().front().kernel;
  const auto index = static_cast<int32_t>(code);
  return index >= 0 && index < kOperationCount ? table[static_cast<size_t>(index)] : nullptr;
}

}  // namespace nnvk::cpu
