// Proves at compile time that the numbers in core equal the public ones. Contains no code.
#include "api/handles.h"
#include "core/base/result_code_list.h"
#include "core/model/operand_type_list.h"
#include "core/operations/operation_enumerators.h"

namespace {

using nnvk::Code;
using nnvk::DeviceType;
using nnvk::OperandType;
using nnvk::OperationCode;

#define NNVK_IS_PUBLIC(enumerator, name) static_assert(static_cast<int>(Code::enumerator) == ANEURALNETWORKS_##name);
NNVK_RESULT_CODES(NNVK_IS_PUBLIC)
#undef NNVK_IS_PUBLIC
#define NNVK_IS_PUBLIC(enumerator, name, bytes, is_tensor, feature_level) \
  static_assert(static_cast<int>(OperandType::enumerator) == ANEURALNETWORKS_##name);
NNVK_OPERAND_TYPES(NNVK_IS_PUBLIC)
#undef NNVK_IS_PUBLIC
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
