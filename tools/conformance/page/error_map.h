// A picture of the differences over a tensor: where it is wrong, and how much. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/conformance/comparison.h"

namespace nnvk::tools::conformance {

// How far an element is from its expectation. Wrong elements are graded by the difference as a multiple of the allowed one, or of
// one step where none is allowed.
enum class ErrorLevel : uint8_t {
  kEqual,
  kAllowed,     // different, but within the tolerance
  kSmall,       // up to 2 times
  kMedium,      // up to 10 times
  kLarge,       // up to 1000 times
  kHuge,        // more
  kNotANumber,  // NaN or infinity, expected or found
  kOutside,     // a cell without elements
};

ErrorLevel level_of(const ElementComparison& element);

// A tensor as a matrix of cells. A cell shows the worst of its elements.
struct ErrorMap {
  size_t rows = 0;
  size_t columns = 0;
  std::string row_label;     // the dimensions that rows go through, and the elements per cell
  std::string column_label;  // likewise
  std::vector<ErrorLevel> cells;
};

// A map has at most so many rows and columns.
inline constexpr size_t kMostCells = 64;

// Returns the map of a tensor with this shape, in the order of its elements. `level` tells the level of an element.
ErrorMap map_errors(std::span<const uint32_t> shape, const std::function<ErrorLevel(size_t)>& level);

// Returns an <svg> element whose colours are the classes "level0" to "level6" of the page's style.
std::string to_svg(const ErrorMap& map);

// Writes the levels as digits, one per cell, and reads them back; for files.
std::string to_digits(const std::vector<ErrorLevel>& cells);
std::vector<ErrorLevel> from_digits(const std::string& digits);

}  // namespace nnvk::tools::conformance
