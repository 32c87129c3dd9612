// A model under construction or finished: operands, operations, constants and references to other models.
// Follows the C API's state machine; every method returns the result code that api.md gives for the case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/operation_code.h"

namespace nnvk {

class Memory;

enum class Lifetime : uint8_t { kTemporary, kModelInput, kModelOutput, kConstant, kOmitted, kModelReference };

struct Operand {
  OperandInfo info;
  Lifetime lifetime = Lifetime::kTemporary;
  // Bytes of a constant. Owned by `owner` (a copied block) or by `memory` (mapped); empty for other lifetimes.
  std::span<const std::byte> value;
  std::shared_ptr<const void> owner;
  const Memory* memory = nullptr;   // constant in client memory; the client keeps it alive (api.md 0.6)
  size_t memory_offset = 0;
  const class Model* model = nullptr;  // kModelReference: not owned, outlives this model
};

struct Operation {
  OperationCode code{};
  std::vector<uint32_t> inputs;   // operand indexes
  std::vector<uint32_t> outputs;  // operand indexes
};

}  // namespace nnvk
