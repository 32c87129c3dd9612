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

#ifdef __cplusplus
}
#endif

#endif /* NNVK_CONSTANTS_H */
