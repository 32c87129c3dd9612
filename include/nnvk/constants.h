/* Constants that stay where the program has them, for programs with large weights. Plain C99. */
#ifndef NNVK_CONSTANTS_H
#define NNVK_CONSTANTS_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the value of an operand as ANeuralNetworksModel_setOperandValue() does, with the same errors, but never copies it: the
 * model refers to `buffer`. The program keeps the buffer and does not change it until the model, the models that refer to it and
 * all their compilations are freed. nnvk copies values that a device cannot read in place (packed weights, weights in the memory
 * of a GPU) when it compiles. `buffer` needs no alignment. */
int nnvk_Model_setOperandValueInPlace(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length);

/* Does the same for a buffer whose dimensions stand in another order than the operand's: dimension d of the operand is dimension
 * order[d] of the buffer, and both are row-major. A filter of CONV_2D that a program has as [outputs, inputs, height, width] has
 * the order {0, 2, 3, 1}. nnvk-cpu puts filters in order one after the other while it packs them, so that a model needs no second
 * copy of its weights. For other devices and operations, nnvk makes that copy when it compiles. The elements of the operand have
 * 1, 2 or 4 bytes. `rank` is the length of `order`. ANEURALNETWORKS_BAD_DATA if `order` does not name each of the operand's
 * dimensions once; ANEURALNETWORKS_UNEXPECTED_NULL if an argument is NULL. */
int nnvk_Model_setOperandValueTransposed(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length,
                                         const uint32_t* order, uint32_t rank);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_CONSTANTS_H */
