// Copies up to three tensors into one buffer and records where they begin. Devices with few storage buffers read this buffer
// instead. 16 bytes per invocation.
#version 450
#include "gathered_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(GatherInputsParams)
NNVK_TABLE(0, first)
NNVK_TABLE(1, second)
NNVK_TABLE(2, third)
NNVK_INOUT(3, target)

void main() {
  const uint i = nnvk_invocation();
  if (i < params.inputs) target_word(params.first + i, 4 * params.at[i]);
  if (i >= params.count) return;
  const uint second_begin = params.size[0];
  const uint third_begin = second_begin + params.size[1];
  if (i < second_begin) {
    target_words4(params.at[0] + i, first4(i));
  } else if (i < third_begin) {
    target_words4(params.at[1] + i - second_begin, second4(i - second_begin));
  } else {
    target_words4(params.at[2] + i - third_begin, third4(i - third_begin));
  }
}
