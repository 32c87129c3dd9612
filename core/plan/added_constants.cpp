#include "core/plan/added_constants.h"

#include <cstring>
#include <utility>

namespace nnvk {

TensorId add_constant(Plan& plan, OperandInfo info, std::vector<std::byte> bytes) {
  auto block = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  PlanTensor tensor;
  tensor.info = std::move(info);
  tensor.role = TensorRole::kConstant;
  tensor.value = *block;
  tensor.owner = std::move(block);
  plan.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(plan.tensors.size() - 1);
}

TensorId add_int_constant(Plan& plan, int32_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  OperandInfo info;
  info.type = OperandType::kInt32;
  return add_constant(plan, std::move(info), std::move(bytes));
}

}  // namespace nnvk
