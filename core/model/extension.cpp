// Checks the descriptions of extensions that devices supply.
#include "core/model/extension.h"

#include <set>

namespace nnvk {

bool is_valid_extension_name(const std::string& name) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  return name.find_first_not_of(kLetters) == std::string::npos && name.find('.') != std::string::npos;
}

Status check_extension(const ExtensionDescription& extension) {
  const std::string place = "extension \"" + extension.name + "\"";
  if (!is_valid_extension_name(extension.name)) {
    return fail(Code::kBadData, place + " has no valid name: it needs letters a-z, digits, '_' and at least one '.'");
  }
  std::set<uint16_t> types;
  for (const ExtensionType& type : extension.operand_types) {
    if (!types.insert(type.code).second) {
      return fail(Code::kBadData, place + " lists operand type " + std::to_string(type.code) + " twice");
    }
  }
  std::set<uint16_t> operations;
  for (const uint16_t code : extension.operations) {
    if (!operations.insert(code).second) {
      return fail(Code::kBadData, place + " lists operation " + std::to_string(code) + " twice");
    }
  }
  return {};
}

}  // namespace nnvk
