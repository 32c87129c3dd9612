// Names of vendor extensions and the 16-bit prefixes that stand for them in type and operation codes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace nnvk {

// An operand type that a device's extension offers.
struct ExtensionOperandType {
  bool is_tensor = false;
  uint32_t byte_size = 0;  // of the scalar, or of one element
};

// One per process (the composition root owns it). Thread-safe. Prefixes start at 1 and stay as long as the registry.
class ExtensionRegistry {
 public:
  // (prefix << 16) | code; the same name always has the same prefix. BAD_DATA once all 65535 prefixes are taken.
  Result<int32_t> code_of(const std::string& extension, uint16_t code);
  // True when the prefix in the high half of `type` has been handed out.
  bool knows_prefix(int32_t type) const;
  // Name of the extension that a type or operation code belongs to; empty when its prefix is unknown.
  std::string name_of(int32_t type) const;
  // Declares an operand type; called while devices are registered.
  Status declare_operand_type(const std::string& extension, uint16_t code, ExtensionOperandType operand_type);
  // nullopt when no device has declared this type.
  std::optional<ExtensionOperandType> operand_type(int32_t type) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, uint16_t> prefixes_;
  std::map<uint16_t, std::string> names_;
  std::map<int32_t, ExtensionOperandType> operand_types_;
};

// The form of an extension name: letters a-z, digits, '_' and '.', with at least one '.'.
bool is_valid_extension_name(const std::string& name);

}  // namespace nnvk
