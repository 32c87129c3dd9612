#include "tools/conformance/families.h"

#include <algorithm>
#include <array>

#include "core/operations/family_list.h"
#include "core/operations/operation_list.h"

namespace nnvk::tools::conformance {
namespace {

struct NamedOperation {
  std::string_view name;
  std::string_view family;
};
#define NNVK_NAMED(enumerator, number, name, family) NamedOperation{#name, #family},
constexpr auto kOperations = std::to_array({NNVK_OPERATIONS(NNVK_NAMED)});
#undef NNVK_NAMED

std::vector<FamilyRow> all_families() {
#define NNVK_ROW(family) FamilyRow{#family, {}},
  std::vector<FamilyRow> rows = {NNVK_FAMILIES(NNVK_ROW)};
#undef NNVK_ROW
  for (FamilyRow& row : rows) {
    for (const auto& operation : kOperations) {
      if (operation.family == row.name) row.operations.push_back(operation.name);
    }
    std::ranges::sort(row.operations);
  }
  return rows;
}

}  // namespace

std::span<const FamilyRow> families() {
  static const std::vector<FamilyRow> rows = all_families();
  return rows;
}

std::string_view family_of(std::string_view operation) {
  const auto found = std::ranges::find(kOperations, operation, &NamedOperation::name);
  return found == kOperations.end() ? std::string_view{} : found->family;
}

std::string_view family_of(std::span<const std::string> operations) {
  for (const auto& operation : operations) {
    if (operation != "ADD") return family_of(operation);
  }
  return operations.empty() ? "" : family_of(operations.front());
}

}  // namespace nnvk::tools::conformance
