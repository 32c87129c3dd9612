// The rows of every family of kernel emitters. find_emitter() searches them; a new family adds its line here and to
// kernel_emitter.cpp.
#pragma once

#include <span>

#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

std::span<const KernelEmitter> cast_quantize_emitters();
std::span<const KernelEmitter> comparison_logical_emitters();
std::span<const KernelEmitter> concatenation_emitters();
std::span<const KernelEmitter> convolution_emitters();
std::span<const KernelEmitter> data_movement_emitters();
std::span<const KernelEmitter> depthwise_emitters();
std::span<const KernelEmitter> detection_emitters();
std::span<const KernelEmitter> elementwise_binary_emitters();
std::span<const KernelEmitter> lstm_emitters();
std::span<const KernelEmitter> lookup_emitters();
std::span<const KernelEmitter> lsh_projection_emitters();
std::span<const KernelEmitter> matmul_emitters();
std::span<const KernelEmitter> normalization_emitters();
std::span<const KernelEmitter> picture_emitters();
std::span<const KernelEmitter> pooling_emitters();
std::span<const KernelEmitter> random_multinomial_emitters();
std::span<const KernelEmitter> random_topk_arg_emitters();
std::span<const KernelEmitter> quantized_lstm_emitters();
std::span<const KernelEmitter> reduce_emitters();
std::span<const KernelEmitter> region_emitters();
std::span<const KernelEmitter> resize_emitters();
std::span<const KernelEmitter> select_emitters();
std::span<const KernelEmitter> softmax_emitters();
std::span<const KernelEmitter> suppression_emitters();
std::span<const KernelEmitter> space_depth_emitters();
std::span<const KernelEmitter> topk_emitters();
std::span<const KernelEmitter> rnn_emitters();
std::span<const KernelEmitter> svdf_emitters();
std::span<const KernelEmitter> transpose_convolution_emitters();
std::span<const KernelEmitter> unary_emitters();

}  // namespace nnvk::vulkan
