// Rules about one operand on its own (docs/nnapi/model.md#operands and docs/nnapi/execution.md#inputs-and-outputs).
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/model/extension_registry.h"
#include "core/model/operand.h"

namespace nnvk {

// An operand type as the client describes it: NNAPI writes unknown dimensions as 0 and an unknown rank as count 0.
struct OperandTypeDescription {
  int32_t type = 0;
  const uint32_t* dimensions = nullptr;  // read during the call only
  uint32_t dimension_count = 0;
  float scale = 0.0F;
  int32_t zero_point = 0;
};

// Checks the description and translates it. BAD_DATA names the rule that it breaks.
Result<OperandInfo> make_operand_info(const OperandTypeDescription& description, const ExtensionRegistry& extensions);

// Returns true if values of this operand have a known size: scalars, and tensors of known rank >= 1 and known dimensions.
bool is_fully_specified(const OperandInfo& info);

// Checks the stricter rules of finish(): the quantization of TENSOR_INT32, and that per-channel parameters are present.
Status check_finished_operand(const OperandInfo& info);

// Checks and copies the scales of a per-channel operand. BAD_DATA names the rule that they break.
Result<std::shared_ptr<const ChannelQuant>> make_channel_quant(const OperandInfo& info, uint32_t channel_dim, const float* scales,
                                                               uint32_t scale_count);

}  // namespace nnvk
