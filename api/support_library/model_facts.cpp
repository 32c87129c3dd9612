#include "api/support_library/model_facts.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/sha256.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk::api::support_library {
namespace {

// Adds the length of a list, then its elements.
void add_list(Sha256& hash, const std::vector<uint32_t>& numbers) {
  hash.add(uint64_t{numbers.size()});
  for (const uint32_t number : numbers) hash.add(uint64_t{number});
}

void add_operand(Sha256& hash, const Operand& operand) {
  const OperandInfo& info = operand.info;
  hash.add(static_cast<uint64_t>(info.type));
  hash.add(uint64_t{info.shape.rank_known});
  add_list(hash, info.shape.dims);
  hash.add(uint64_t{std::bit_cast<uint32_t>(info.scale)});
  hash.add(static_cast<uint64_t>(info.zero_point));
  hash.add(static_cast<uint64_t>(operand.role));
  const bool has_channels = info.channel_quant != nullptr;
  hash.add(uint64_t{has_channels});
  if (!has_channels) return;
  hash.add(uint64_t{info.channel_quant->channel_dim});
  for (const float scale : info.channel_quant->scales) hash.add(uint64_t{std::bit_cast<uint32_t>(scale)});
}

void add_model(Sha256& hash, const Model& model, std::vector<const Model*>& referenced) {
  for (const Operand& operand : model.operands()) {
    add_operand(hash, operand);
    if (operand.model == nullptr) continue;
    auto found = std::find(referenced.begin(), referenced.end(), operand.model);
    hash.add(static_cast<uint64_t>(found - referenced.begin()));
    if (found == referenced.end()) referenced.push_back(operand.model);
  }
  for (const uint32_t index : model.run_order()) {
    const Operation& operation = model.operations()[index];
    hash.add(static_cast<uint64_t>(operation.code));
    add_list(hash, operation.inputs);
    add_list(hash, operation.outputs);
  }
  add_list(hash, model.inputs());
  add_list(hash, model.outputs());
}

std::optional<DataClass> class_of(OperandType type) {
  switch (type) {
    case OperandType::kTensorFloat32:
      return ANNDIAG_DATA_CLASS_FLOAT32;
    case OperandType::kTensorFloat16:
      return ANNDIAG_DATA_CLASS_FLOAT16;
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
    case OperandType::kTensorQuant8Symm:
    case OperandType::kTensorQuant8SymmPerChannel:
    case OperandType::kTensorQuant16Asymm:
    case OperandType::kTensorQuant16Symm:
      return ANNDIAG_DATA_CLASS_QUANT;
    default:
      return std::nullopt;
  }
}

}  // namespace

ArchitectureHash architecture_hash(const Model& model) {
  Sha256 hash;
  std::vector<const Model*> models{&model};
  for (size_t i = 0; i < models.size(); ++i) add_model(hash, *models[i], models);  // grows during the loop
  return hash.finish();
}

DataClass data_class(const Model& model, const std::vector<uint32_t>& operands) {
  if (operands.empty()) return ANNDIAG_DATA_CLASS_UNKNOWN;
  std::optional<DataClass> common;
  for (const uint32_t index : operands) {
    const auto own = class_of(model.operands()[index].info.type);
    if (!own) continue;
    if (common && *common != *own) return ANNDIAG_DATA_CLASS_MIXED;
    common = own;
  }
  return common.value_or(ANNDIAG_DATA_CLASS_OTHER);
}

bool uses_control_flow(const Model& model) {
  const auto is_branch = [](const Operation& o) { return o.code == OperationCode::kIf || o.code == OperationCode::kWhile; };
  const auto is_model = [](const Operand& o) { return o.role == TensorRole::kSubgraph; };
  return std::any_of(model.operations().begin(), model.operations().end(), is_branch) ||
         std::any_of(model.operands().begin(), model.operands().end(), is_model);
}

}  // namespace nnvk::api::support_library
