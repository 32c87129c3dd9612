// Vendor extensions: names, types, operations and attributes beside NNAPI's own (docs/nnapi/model.md#extensions). Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace nnvk {

inline constexpr int kExtensionFeatureLevel = 3;  // NNAPI feature level that introduced extensions

// An operand type of an extension.
struct ExtensionType {
  uint16_t code = 0;  // within the extension
  bool is_tensor = false;
  uint32_t byte_size = 0;  // of the scalar, or of one element
  bool operator==(const ExtensionType&) const = default;
};

// An extension as a device lists it.
struct ExtensionDescription {
  std::string name;
  std::vector<ExtensionType> operand_types;
  std::vector<uint16_t> operations;  // those that the device may run, by their codes within the extension
};

// The extension operation that a node runs.
struct ExtensionOperation {
  std::string extension;
  uint16_t code = 0;
};

// The extension and type of an operand, and the data that the client attached to it.
struct ExtensionOperand {
  std::string extension;
  ExtensionType type;
  std::vector<std::byte> data;  // opaque blob; empty without one
  bool operator==(const ExtensionOperand&) const = default;
};

// Attributes of a compilation or an execution: (extension, code) -> bytes. Sorted, so that equal ones make equal cache keys.
using ExtensionAttributes = std::map<std::pair<std::string, uint16_t>, std::vector<std::byte>>;

// Returns true for a valid name: letters a-z, digits, '_' and '.', with at least one '.'.
bool is_valid_extension_name(const std::string& name);
// Returns BAD_DATA if the name is malformed or a code occurs twice.
Status check_extension(const ExtensionDescription& extension);

}  // namespace nnvk
