/* Names the shapes that executions will have, so that a compilation prepares for them. Plain C99. */
#ifndef NNVK_SHAPES_H
#define NNVK_SHAPES_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNVK_MAX_INPUT_SHAPES = 8 }; /* calls of nnvk_Compilation_addInputShapes() for one compilation */

/* The shape of one input. A dimension of 0 is as the model declares it; rank 0: so is the whole shape. */
typedef struct NnvkShape {
  uint32_t rank;
  const uint32_t* dimensions; /* only read during the call; NULL if rank is 0 */
} NnvkShape;

/* Names one set of shapes for the inputs of a model that leaves shapes open. `shapes` has one entry per input of the model, in
 * their order; `count` is their number. Call it once for each set, before ANeuralNetworksCompilation_finish(). That then compiles
 * for all named sets, and takes as much longer. Afterwards the first execution with such shapes compiles nothing, nor does the
 * first recording (nnvk_vkCreateRecording() in vulkan_interop.h). Executions may have other shapes as well.
 *
 * It is accepted on every device, also on one that has nothing to compile. Nothing is prepared for the models of IF and WHILE,
 * and for steps behind an operation whose output size depends on data. If values of inputs decide shapes, nothing is prepared at
 * all. Compilation caches keep nothing for named shapes.
 *
 * BAD_DATA: `count` is not the number of inputs, a shape has another rank or dimension than the model declares, or a dimension is
 * known from neither. BAD_DATA also: NNVK_MAX_INPUT_SHAPES sets are named already. BAD_STATE: the compilation is finished.
 * ANeuralNetworksCompilation_finish() returns BAD_DATA if an operation cannot work with the shapes of a set. */
int nnvk_Compilation_addInputShapes(ANeuralNetworksCompilation* compilation, const NnvkShape* shapes, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_SHAPES_H */
