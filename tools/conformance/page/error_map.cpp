// The layout of a tensor as a matrix, and its drawing.
#include "tools/conformance/page/error_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nnvk::tools::conformance {
namespace {

size_t product(std::span<const uint32_t> shape) {
  size_t count = 1;
  for (const uint32_t size : shape) count *= size;
  return count;
}

size_t divided(size_t count, size_t by) { return (count + by - 1) / by; }

struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::string row_label;
  std::string column_label;
};

// Writes a label such as "dimensions 0 to 1 (1 x 8)".
std::string label_of(std::span<const uint32_t> shape, size_t first, size_t end) {
  const auto sizes = fmt::format("{}", fmt::join(shape.subspan(first, end - first), " x "));
  return end - first == 1 ? fmt::format("dimension {} ({})", first, sizes)
                          : fmt::format("dimensions {} to {} ({})", first, end - 1, sizes);
}

// Lets the first dimensions be rows and all others columns, so that the matrix is as square as possible. A vector is cut into
// rows.
Matrix matrix_of(std::span<const uint32_t> shape) {
  const size_t count = product(shape);
  size_t best = 0;
  double best_ratio = 0;
  for (size_t split = 1; split < shape.size(); ++split) {
    const auto rows = static_cast<double>(product(shape.first(split)));
    const double ratio = std::min(rows * rows / static_cast<double>(count), static_cast<double>(count) / (rows * rows));
    if (ratio <= best_ratio) continue;
    best = split;
    best_ratio = ratio;
  }
  constexpr double kTooLong = 1.0 / 64;  // a matrix 64 times as long as wide
  if (best == 0 || best_ratio < kTooLong) {
    const auto side = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    const size_t columns = std::min(count, std::max<size_t>(side, 8));
    return {divided(count, columns), columns, fmt::format("{} elements each", columns), "consecutive elements"};
  }
  return {product(shape.first(best)), product(shape.subspan(best)), label_of(shape, 0, best),
          label_of(shape, best, shape.size())};
}

void mention_blocks(std::string& label, size_t block) {
  if (block > 1) label += fmt::format(", {} per cell", block);
}

}  // namespace

ErrorLevel level_of(const ElementComparison& element) {
  if (element.got == element.expected || (std::isnan(element.got) && std::isnan(element.expected))) return ErrorLevel::kEqual;
  if (element.agrees) return ErrorLevel::kAllowed;
  const double difference = std::abs(element.got - element.expected);
  if (!std::isfinite(difference)) return ErrorLevel::kNotANumber;
  const double times = difference / (element.allowed > 0 ? element.allowed : 1);
  return times <= 2      ? ErrorLevel::kSmall
         : times <= 10   ? ErrorLevel::kMedium
         : times <= 1000 ? ErrorLevel::kLarge
                         : ErrorLevel::kHuge;
}

ErrorMap map_errors(std::span<const uint32_t> shape, const std::function<ErrorLevel(size_t)>& level) {
  const size_t count = product(shape);
  if (count == 0) return {};
  Matrix matrix = matrix_of(shape);
  const size_t height = divided(matrix.rows, kMostCells);
  const size_t width = divided(matrix.columns, kMostCells);
  mention_blocks(matrix.row_label, height);
  mention_blocks(matrix.column_label, width);
  ErrorMap map{divided(matrix.rows, height), divided(matrix.columns, width), matrix.row_label, matrix.column_label, {}};
  map.cells.assign(map.rows * map.columns, ErrorLevel::kOutside);
  for (size_t i = 0; i < count; ++i) {
    ErrorLevel& cell = map.cells[i / matrix.columns / height * map.columns + i % matrix.columns / width];
    const ErrorLevel now = level(i);
    cell = cell == ErrorLevel::kOutside ? now : std::max(cell, now);
  }
  return map;
}

std::string to_svg(const ErrorMap& map) {
  if (map.cells.empty()) return "";
  constexpr size_t kSide = 256;  // pixels of the longer side
  const size_t cell = std::clamp<size_t>(kSide / std::max(map.rows, map.columns), 4, 16);
  auto text =
      fmt::format("<svg class=\"map\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"differences\">",
                  map.columns, map.rows, map.columns * cell, map.rows * cell);
  // One path per level, a stroke for each run of equal cells, keeps even a noisy picture small.
  for (int level = 0; level < static_cast<int>(ErrorLevel::kOutside); ++level) {
    std::string path;
    for (size_t row = 0; row < map.rows; ++row) {
      for (size_t column = 0; column < map.columns;) {
        const auto is_here = [&](size_t at) { return static_cast<int>(map.cells[row * map.columns + at]) == level; };
        size_t end = column;
        while (end < map.columns && is_here(end)) ++end;
        if (end > column) path += fmt::format("M{} {}.5h{}", column, row, end - column);
        column = std::max(end, column + 1);
      }
    }
    if (!path.empty()) text += fmt::format("<path class=\"level{}\" d=\"{}\"/>", level, path);
  }
  return text + "</svg>";
}

std::string to_digits(const std::vector<ErrorLevel>& cells) {
  std::string digits;
  for (const ErrorLevel level : cells) digits += static_cast<char>('0' + static_cast<int>(level));
  return digits;
}

std::vector<ErrorLevel> from_digits(const std::string& digits) {
  std::vector<ErrorLevel> cells;
  for (const char digit : digits) {
    cells.push_back(digit >= '0' && digit <= '7' ? static_cast<ErrorLevel>(digit - '0') : ErrorLevel::kOutside);
  }
  return cells;
}

}  // namespace nnvk::tools::conformance
