// The extensions of one process: the 16-bit prefixes that represent their names in type and operation codes, and the operand
// types that the devices have described.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/model/extension.h"

namespace nnvk {

// "vendor.name:3".
inline std::string name_of(const ExtensionOperation& operation) {
  return operation.extension + ":" + std::to_string(operation.code);
}

// One per process (the composition root owns it). Thread-safe. Prefixes start at 1 and stay as long as the registry.
class ExtensionRegistry {
 public:
  // (prefix << 16) | code; the same name always has the same prefix. BAD_DATA once all 65535 prefixes are taken.
  Result<int32_t> code_of(const std::string& extension, uint16_t code);
  // True when the prefix in the high half of `type` has been handed out.
  bool knows_prefix(int32_t type) const;
  // Name of the extension that a type or operation code belongs to; empty when its prefix is unknown.
  std::string name_of(int32_t type) const;

  // Adds a device's extension; called while devices are registered. BAD_DATA when another device has described the operand types
  // of this extension differently: they count as unknown from then on.
  Status declare(const ExtensionDescription& extension);
  // Null when no device has described this type, or two differently.
  std::shared_ptr<const ExtensionOperand> operand_type(int32_t type) const;

 private:
  struct Declared {
    std::map<uint16_t, std::shared_ptr<const ExtensionOperand>> types;
    bool disabled = false;
  };

  std::optional<std::string> find_name(int32_t type) const;  // callers hold mutex_

  mutable std::mutex mutex_;
  std::map<std::string, uint16_t> prefixes_;
  std::map<uint16_t, std::string> names_;
  std::map<std::string, Declared> declared_;
};

}  // namespace nnvk
