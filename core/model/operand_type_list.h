// The operand types of NNAPI, in the order of their numbers (ANEURALNETWORKS_*). NNVK_OPERAND_TYPES(X) calls X with the
// enumerator of OperandType, the name, the bytes of an element (0: MODEL has none), whether it is a tensor, and the feature
// level.
#pragma once

#define NNVK_OPERAND_TYPES(X)                                                \
  X(kFloat32, FLOAT32, 4, false, 1)                                          \
  X(kInt32, INT32, 4, false, 1)                                              \
  X(kUint32, UINT32, 4, false, 1)                                            \
  X(kTensorFloat32, TENSOR_FLOAT32, 4, true, 1)                              \
  X(kTensorInt32, TENSOR_INT32, 4, true, 1)                                  \
  X(kTensorQuant8Asymm, TENSOR_QUANT8_ASYMM, 1, true, 1)                     \
  X(kBool, BOOL, 1, false, 3)                                                \
  X(kTensorQuant16Symm, TENSOR_QUANT16_SYMM, 2, true, 3)                     \
  X(kTensorFloat16, TENSOR_FLOAT16, 2, true, 3)                              \
  X(kTensorBool8, TENSOR_BOOL8, 1, true, 3)                                  \
  X(kFloat16, FLOAT16, 2, false, 3)                                          \
  X(kTensorQuant8SymmPerChannel, TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, true, 3) \
  X(kTensorQuant16Asymm, TENSOR_QUANT16_ASYMM, 2, true, 3)                   \
  X(kTensorQuant8Symm, TENSOR_QUANT8_SYMM, 1, true, 3)                       \
  X(kTensorQuant8AsymmSigned, TENSOR_QUANT8_ASYMM_SIGNED, 1, true, 4)        \
  X(kModel, MODEL, 0, false, 4)
