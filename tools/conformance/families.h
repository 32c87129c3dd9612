// The families of operations. A family is the second part of dotted case names, and a line of a run's summary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnvk::tools::conformance {

struct FamilyRow {
  std::string_view name;
  std::vector<std::string_view> operations;
};

// Returns the families. Every built-in operation is in exactly one family.
std::span<const FamilyRow> families();

// Returns the family of an operation, such as "pooling" for "MAX_POOL_2D"; "" for names that are no operation.
std::string_view family_of(std::string_view operation);

// Returns the family of a model's first operation that is not ADD: published vectors use ADD to make internal operands.
std::string_view family_of(std::span<const std::string> operations);

}  // namespace nnvk::tools::conformance
