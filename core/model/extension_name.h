// How messages and descriptions name operations of extensions.
#pragma once

#include <string>

#include "core/model/extension.h"

namespace nnvk {

// "vendor.name:3".
inline std::string name_of(const ExtensionOperation& operation) {
  return operation.extension + ":" + std::to_string(operation.code);
}

}  // namespace nnvk
