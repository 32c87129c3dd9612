// Looks up the emitter of an operation among the rows of all families.
#include "vulkan/kernels/kernel_emitter.h"

#include <array>

#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {

const KernelEmitter* find_emitter(OperationCode code) {
  const std::array families = {
      cast_quantize_emitters(),
      comparison_logical_emitters(),
      concatenation_emitters(),
      convolution_emitters(),
      data_movement_emitters(),
      depthwise_emitters(),
      detection_emitters(),
      elementwise_binary_emitters(),
      lookup_emitters(),
      lsh_projection_emitters(),
      lstm_emitters(),
      matmul_emitters(),
      normalization_emitters(),
      picture_emitters(),
      pooling_emitters(),
      quantized_lstm_emitters(),
      random_multinomial_emitters(),
      random_topk_arg_emitters(),
      reduce_emitters(),
      region_emitters(),
      resize_emitters(),
      rnn_emitters(),
      select_emitters(),
      softmax_emitters(),
      space_depth_emitters(),
      suppression_emitters(),
      svdf_emitters(),
      topk_emitters(),
      transpose_convolution_emitters(),
      unary_emitters(),
  };
  for (const std::span<const KernelEmitter> family : families) {
    for (const KernelEmitter& emitter : family) {
      if (emitter.code == code) return &emitter;
    }
  }
  return nullptr;
}

}  // namespace nnvk::vulkan
