// The list of the families of operations, from which every table of families comes: NNVK_FAMILIES(X) calls X for each family.
//
// A family has the same name in every folder: core/operations/families/<family>.cpp, cpu_fallback/reference/<family>.cpp,
// vulkan/kernels/<family>.cpp, shaders/<family>.json, tools/conformance/generators/<family>.cpp.
#pragma once

// The families whose operations devices compute.
#define NNVK_KERNEL_FAMILIES(X) \
  X(argmax)                     \
  X(cast_quantize)              \
  X(comparison_logical)         \
  X(concatenation)              \
  X(convolution)                \
  X(data_movement)              \
  X(depthwise)                  \
  X(detection)                  \
  X(elementwise_binary)         \
  X(lookup)                     \
  X(lsh_projection)             \
  X(lstm)                       \
  X(matmul)                     \
  X(normalization)              \
  X(pooling)                    \
  X(quantized_lstm)             \
  X(random_multinomial)         \
  X(reduce)                     \
  X(region)                     \
  X(resize)                     \
  X(rnn)                        \
  X(select)                     \
  X(slicing_padding)            \
  X(softmax)                    \
  X(space_depth)                \
  X(suppression)                \
  X(svdf)                       \
  X(topk)                       \
  X(transpose_convolution)      \
  X(unary)

// All families. The runtime itself executes control flow.
#define NNVK_FAMILIES(X)  \
  NNVK_KERNEL_FAMILIES(X) \
  X(control_flow)
