// The family of an operation, as the list of operations says: what its files in every room are called after.
#pragma once

#include <string_view>

#include "core/operations/operation_code.h"

namespace nnvk::test {

// "convolution"; empty for codes that are not built in.
inline std::string_view operation_family(OperationCode code) {
#define NNVK_FAMILY(enumerator, number, name, family) \
  if (code == OperationCode::enumerator) return #family;
  NNVK_OPERATIONS(NNVK_FAMILY)
#undef NNVK_FAMILY
  return {};
}

}  // namespace nnvk::test
