// Settles shapes of outputs, checks their room and copies their bytes.
#include "core/runtime/output_delivery.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/operations/rules/data_dependent_shape.h"

namespace nnvk {

Result<SettledOutput> settle_output(size_t index, const OperandInfo& agreed, const Shape& computed) {
  auto shape = settle_data_dependent_shape(agreed.shape, computed);
  if (!shape) {
    return fail(Code::kOpFailed, "output " + std::to_string(index) + " has shape " + computed.to_string() +
                                     " but is declared as " + agreed.shape.to_string());
  }
  OperandInfo info = agreed;
  info.shape = *std::move(shape);
  const auto size = info.byte_size();
  if (!size) {
    return fail(Code::kOpFailed, "output " + std::to_string(index) + " has the impossible shape " + info.shape.to_string());
  }
  const bool is_zeros = info.shape != computed;
  return SettledOutput{std::move(info.shape), *size, is_zeros};
}

size_t available_bytes(const Binding& binding) {
  if (binding.device_memory == nullptr) return binding.data != nullptr ? binding.size : 0;
  const uint64_t size = binding.device_memory->size();
  const uint64_t behind = binding.device_offset < size ? size - binding.device_offset : 0;
  return binding.size > 0 ? std::min<uint64_t>(behind, binding.size) : behind;
}

Status check_room(size_t index, const Binding& binding, OutputExtent output) {
  if (binding.omitted || binding.growable != nullptr || available_bytes(binding) >= output.size) return {};
  return fail(Code::kOutputInsufficientSize, "output " + std::to_string(index) + " has " +
                                                 std::to_string(available_bytes(binding)) + " bytes, " +
                                                 std::to_string(output.size) + " are needed for " + output.shape.to_string());
}

uint64_t deliver(const Binding& binding, OutputExtent output, const std::byte* bytes) {
  if (binding.omitted) return 0;
  if (binding.growable != nullptr) binding.growable->resize(output.size);  // in place it only shrinks and does not move
  std::byte* const to = binding.growable != nullptr ? binding.growable->data() : binding.data;
  if (output.size == 0 || (bytes == to && !output.is_zeros)) return 0;
  output.is_zeros ? std::memset(to, 0, output.size) : std::memcpy(to, bytes, output.size);
  return output.size;
}

}  // namespace nnvk
