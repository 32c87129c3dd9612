// The family of an operation, from the list of operations: the name of its files in every component.
#pragma once

#include <string_view>

#include "core/operations/operation_enumerators.h"

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
