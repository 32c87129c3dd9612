// Assigns extension prefixes and stores the operand types that devices declare.
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
  return names_.contains(prefix_of(type));
}

std::string ExtensionRegistry::name_of(int32_t type) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(prefix_of(type));
  return known == names_.end() ? std::string() : known->second;
}

Status ExtensionRegistry::declare(const ExtensionDescription& extension) {
  NNVK_TRY(check_extension(extension));
  Declared declared;
  for (const ExtensionType& type : extension.operand_types) {
    declared.types.emplace(type.code, std::make_shared<const ExtensionOperand>(ExtensionOperand{extension.name, type, {}}));
  }
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = declared_.try_emplace(extension.name, declared);
  if (is_new) return {};
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first && *a.second == *b.second; };
  const auto& types = known->second.types;
  if (!known->second.disabled && std::equal(types.begin(), types.end(), declared.types.begin(), declared.types.end(), same)) {
    return {};
  }
  known->second.disabled = true;
  return fail(Code::kBadData,
              "extension \"" + extension.name + "\" is disabled: two devices describe its operand types differently");
}

std::shared_ptr<const ExtensionOperand> ExtensionRegistry::operand_type(int32_t type) const {
  const std::lock_guard lock(mutex_);
  const auto name = names_.find(prefix_of(type));
  if (name == names_.end()) return nullptr;
  const auto extension = declared_.find(name->second);
  if (extension == declared_.end() || extension->second.disabled) return nullptr;
  const auto known = extension->second.types.find(static_cast<uint16_t>(type));
  return known == extension->second.types.end() ? nullptr : known->second;
}

}  // namespace nnvk
