// Proves at compile time that the numbers in core equal the public ones. Contains no code.
#include "api/handles.h"
#include "core/operations/operation_enumerators.h"

namespace {

using nnvk::Code;
using nnvk::DeviceType;
using nnvk::OperandType;
using nnvk::OperationCode;

static_assert(static_cast<int>(Code::kNoError) == ANEURALNETWORKS_NO_ERROR);
static_assert(static_cast<int>(Code::kOutOfMemory) == ANEURALNETWORKS_OUT_OF_MEMORY);
static_assert(static_cast<int>(Code::kIncomplete) == ANEURALNETWORKS_INCOMPLETE);
static_assert(static_cast<int>(Code::kUnexpectedNull) == ANEURALNETWORKS_UNEXPECTED_NULL);
static_assert(static_cast<int>(Code::kBadData) == ANEURALNETWORKS_BAD_DATA);
static_assert(static_cast<int>(Code::kOpFailed) == ANEURALNETWORKS_OP_FAILED);
static_assert(static_cast<int>(Code::kBadState) == ANEURALNETWORKS_BAD_STATE);
static_assert(static_cast<int>(Code::kUnmappable) == ANEURALNETWORKS_UNMAPPABLE);
static_assert(static_cast<int>(Code::kOutputInsufficientSize) == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
static_assert(static_cast<int>(Code::kUnavailableDevice) == ANEURALNETWORKS_UNAVAILABLE_DEVICE);
static_assert(static_cast<int>(Code::kMissedDeadlineTransient) == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
static_assert(static_cast<int>(Code::kMissedDeadlinePersistent) == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
static_assert(static_cast<int>(Code::kResourceExhaustedTransient) == ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
static_assert(static_cast<int>(Code::kResourceExhaustedPersistent) == ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT);
static_assert(static_cast<int>(Code::kDeadObject) == ANEURALNETWORKS_DEAD_OBJECT);
static_assert(static_cast<int>(OperandType::kFloat32) == ANEURALNETWORKS_FLOAT32);
static_assert(static_cast<int>(OperandType::kInt32) == ANEURALNETWORKS_INT32);
static_assert(static_cast<int>(OperandType::kUint32) == ANEURALNETWORKS_UINT32);
static_assert(static_cast<int>(OperandType::kTensorFloat32) == ANEURALNETWORKS_TENSOR_FLOAT32);
static_assert(static_cast<int>(OperandType::kTensorInt32) == ANEURALNETWORKS_TENSOR_INT32);
static_assert(static_cast<int>(OperandType::kTensorQuant8Asymm) == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM);
static_assert(static_cast<int>(OperandType::kBool) == ANEURALNETWORKS_BOOL);
static_assert(static_cast<int>(OperandType::kTensorQuant16Symm) == ANEURALNETWORKS_TENSOR_QUANT16_SYMM);
static_assert(static_cast<int>(OperandType::kTensorFloat16) == ANEURALNETWORKS_TENSOR_FLOAT16);
static_assert(static_cast<int>(OperandType::kTensorBool8) == ANEURALNETWORKS_TENSOR_BOOL8);
static_assert(static_cast<int>(OperandType::kFloat16) == ANEURALNETWORKS_FLOAT16);
static_assert(static_cast<int>(OperandType::kTensorQuant8SymmPerChannel) == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL);
static_assert(static_cast<int>(OperandType::kTensorQuant16Asymm) == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM);
static_assert(static_cast<int>(OperandType::kTensorQuant8Symm) == ANEURALNETWORKS_TENSOR_QUANT8_SYMM);
static_assert(static_cast<int>(OperandType::kTensorQuant8AsymmSigned) == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
static_assert(static_cast<int>(OperandType::kModel) == ANEURALNETWORKS_MODEL);
static_assert(static_cast<int>(OperandType::kOemScalar) == ANEURALNETWORKS_OEM_SCALAR);
static_assert(static_cast<int>(OperandType::kTensorOemByte) == ANEURALNETWORKS_TENSOR_OEM_BYTE);
static_assert(static_cast<int>(DeviceType::kUnknown) == ANEURALNETWORKS_DEVICE_UNKNOWN);
static_assert(static_cast<int>(DeviceType::kOther) == ANEURALNETWORKS_DEVICE_OTHER);
static_assert(static_cast<int>(DeviceType::kCpu) == ANEURALNETWORKS_DEVICE_CPU);
static_assert(static_cast<int>(DeviceType::kGpu) == ANEURALNETWORKS_DEVICE_GPU);
static_assert(static_cast<int>(DeviceType::kAccelerator) == ANEURALNETWORKS_DEVICE_ACCELERATOR);
#define NNVK_IS_PUBLIC(enumerator, number, name, family) \
  static_assert(static_cast<int>(OperationCode::enumerator) == ANEURALNETWORKS_##name);
NNVK_OPERATIONS(NNVK_IS_PUBLIC)
#undef NNVK_IS_PUBLIC
static_assert(static_cast<int>(OperationCode::kOemOperation) == ANEURALNETWORKS_OEM_OPERATION);
static_assert(sizeof(ANeuralNetworksOperandType) == (sizeof(void*) == 8 ? 24 : 20));
static_assert(sizeof(ANeuralNetworksSymmPerChannelQuantParams) == (sizeof(void*) == 8 ? 16 : 12));

}  // namespace
