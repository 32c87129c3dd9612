#include "accelerators/table_model.h"

namespace nnvk::accelerators {
namespace {

class ModelBuilder {
 public:
  ModelBuilder(const SlTable& table, const ModelDescription& description, const TableRegions& regions)
      : table_(table), description_(description), regions_(regions) {}

  Result<BuiltModel> build() {
    NNVK_ASSIGN(built_.model, NNVK_TABLE_OBJECT(table_, ANeuralNetworksModel_create, ANeuralNetworksModel_free));
    for (size_t i = 0; i < description_.operands.size(); ++i) {
      const auto place = OperandPlace{"operand", static_cast<uint32_t>(i)};
      if (const Status added = add_operand(static_cast<int32_t>(i), description_.operands[i]); !added) {
        return fail(added.error().at(place));
      }
    }
    for (const ModelOperation& operation : description_.operations) NNVK_TRY(add_operation(operation));
    const auto count = [](const std::vector<uint32_t>& list) { return static_cast<uint32_t>(list.size()); };
    // A model may have no inputs, but the call accepts no null pointer.
    constexpr uint32_t kNone = 0;
    const uint32_t* const inputs = description_.inputs.empty() ? &kNone : description_.inputs.data();
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_identifyInputsAndOutputs, model(), count(description_.inputs), inputs,
                             count(description_.outputs), description_.outputs.data()));
    if (description_.relaxed) {
      NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_relaxComputationFloat32toFloat16, model(), true));
    }
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_finish, model()));
    return std::move(built_);
  }

 private:
  ANeuralNetworksModel* model() const { return built_.model.get(); }

  Status add_operand(int32_t index, const ModelOperand& operand) {
    int32_t type = operand.type;
    if (operand.extension) {
      NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_getExtensionOperandType, model(),
                               operand.extension->extension.c_str(), operand.extension->type.code, &type));
    }
    built_.types.push_back(type);
    const ANeuralNetworksOperandType description{type, static_cast<uint32_t>(operand.dimensions.size()),
                                                 operand.dimensions.empty() ? nullptr : operand.dimensions.data(), operand.scale,
                                                 operand.zero_point};
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_addOperand, model(), &description));
    if (operand.channel_quant) {
      const ANeuralNetworksSymmPerChannelQuantParams parameters{operand.channel_quant->channel_dim,
                                                                static_cast<uint32_t>(operand.channel_quant->scales.size()),
                                                                operand.channel_quant->scales.data()};
      NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams, model(), index, &parameters));
    }
    if (operand.extension && !operand.extension->data.empty()) {
      const auto& data = operand.extension->data;
      NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_setOperandExtensionData, model(), index, data.data(), data.size()));
    }
    return set_value(index, operand);
  }

  Status set_value(int32_t index, const ModelOperand& operand) {
    if (operand.life == OperandLife::kOmitted) {
      return NNVK_TABLE_CALL(table_, ANeuralNetworksModel_setOperandValue, model(), index, nullptr, 0);
    }
    if (operand.life != OperandLife::kConstant) return {};
    if (!operand.bytes.empty()) {
      return NNVK_TABLE_CALL(table_, ANeuralNetworksModel_setOperandValue, model(), index, operand.bytes.data(),
                             operand.bytes.size());
    }
    auto region = regions_(operand.range.region);
    if (region == nullptr || operand.range.offset > region->size || operand.range.length > region->size - operand.range.offset) {
      return fail(Code::kBadData, "the constant lies outside the memory that was shared");
    }
    NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_setOperandValueFromMemory, model(), index, region->memory.get(),
                             operand.range.offset, operand.range.length));
    built_.regions.push_back(std::move(region));
    return {};
  }

  Status add_operation(const ModelOperation& operation) {
    ANeuralNetworksOperationType code = operation.code;
    if (operation.extension) {
      NNVK_TRY(NNVK_TABLE_CALL(table_, ANeuralNetworksModel_getExtensionOperationType, model(),
                               operation.extension->extension.c_str(), operation.extension->code, &code));
    }
    return NNVK_TABLE_CALL(table_, ANeuralNetworksModel_addOperation, model(), code,
                           static_cast<uint32_t>(operation.inputs.size()), operation.inputs.data(),
                           static_cast<uint32_t>(operation.outputs.size()), operation.outputs.data());
  }

  const SlTable& table_;
  const ModelDescription& description_;
  const TableRegions& regions_;
  BuiltModel built_;
};

}  // namespace

Result<BuiltModel> build_model(const SlTable& table, const ModelDescription& description, const TableRegions& regions) {
  return ModelBuilder(table, description, regions).build();
}

}  // namespace nnvk::accelerators
