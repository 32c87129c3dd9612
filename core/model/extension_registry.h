// The extensions of a process: 16-bit prefixes that stand for their names in codes, and operand types from the devices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/result.h"
#include "core/model/extension.h"

namespace nnvk {

// Returns the operation's name in messages: "vendor.name:3".
inline std::string name_of(const ExtensionOperation& operation) {
  return operation.extension + ":" + std::to_string(operation.code);
}

// Assigns a prefix to the name of every extension, and keeps the operand types that devices describe. It is thread-safe. A
// process has one registry, which the composition root owns. Prefixes start at 1 and stay as long as the registry.
class ExtensionRegistry {
 public:
  // Returns (prefix << 16) | code; the same name always gets the same prefix. BAD_DATA if all 65535 prefixes are taken.
  Result<int32_t> code_of(const std::string& extension, uint16_t code);
  // Returns true if the registry has assigned the prefix in the high half of `type`.
  bool knows_prefix(int32_t type) const;
  // Returns the name of the extension that a type or operation code belongs to; empty if its prefix is unknown.
  std::string name_of(int32_t type) const;

  // Adds a device's extension, while devices are registered. BAD_DATA if another device has described an operand type of this
  // extension differently; the extension's operand types are unknown from then on.
  Status declare(const ExtensionDescription& extension);
  // Returns the operand type with this code; null if no device has described it, or if two devices have described it differently.
  std::shared_ptr<const ExtensionOperand> operand_type(int32_t type) const;

 private:
  struct Declared {
    std::map<uint16_t, std::shared_ptr<const ExtensionOperand>> types;
    bool disabled = false;
  };

  mutable std::mutex mutex_;
  std::map<std::string, uint16_t> prefixes_;
  std::map<uint16_t, std::string> names_;
  std::map<std::string, Declared> declared_;
};

}  // namespace nnvk
