// Hands out extension prefixes and remembers the operand types that devices declare.
#include "core/model/extension_registry.h"

#include <algorithm>

namespace nnvk {
namespace {

constexpr size_t kMaxPrefixes = 65535;

int32_t make_code(uint16_t prefix, uint16_t code) { return static_cast<int32_t>((static_cast<uint32_t>(prefix) << 16) | code); }

uint16_t prefix_of(int32_t type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }

}  // namespace

Result<int32_t> ExtensionRegistry::code_of(const std::string& extension, uint16_t code) {
  const std::lock_guard lock(mutex_);
  const auto known = prefixes_.find(extension);
  if (known != prefixes_.end()) return make_code(known->second, code);
  if (prefixes_.size() >= kMaxPrefixes) {
    return fail(Code::kBadData, "no prefix is left for extension \"" + extension + "\": 65535 extension names are in use");
  }
  const auto prefix = static_cast<uint16_t>(prefixes_.size() + 1);
  prefixes_.emplace(extension, prefix);
  names_.emplace(prefix, extension);
  return make_code(prefix, code);
}

bool ExtensionRegistry::knows_prefix(int32_t type) const {
  const std::lock_guard lock(mutex_);
  return names_.count(prefix_of(type)) != 0;
}

std::string ExtensionRegistry::name_of(int32_t type) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(prefix_of(type));
  return known == names_.end() ? std::string() : known->second;
}

Status ExtensionRegistry::declare_operand_type(const std::string& extension, uint16_t code, ExtensionOperandType operand_type) {
  NNVK_ASSIGN(const int32_t type, code_of(extension, code));
  const std::lock_guard lock(mutex_);
  operand_types_[type] = operand_type;
  return {};
}

std::optional<ExtensionOperandType> ExtensionRegistry::operand_type(int32_t type) const {
  const std::lock_guard lock(mutex_);
  const auto known = operand_types_.find(type);
  if (known == operand_types_.end()) return std::nullopt;
  return known->second;
}

bool is_valid_extension_name(const std::string& name) {
  const bool letters = std::all_of(
      name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; });
  return letters && name.find('.') != std::string::npos;
}

}  // namespace nnvk
