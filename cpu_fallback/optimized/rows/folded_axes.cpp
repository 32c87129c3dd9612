#include "cpu_fallback/optimized/rows/folded_axes.h"

namespace nnvk::cpu {

FoldedAxes folded_axes(const Shape& shape, const std::vector<bool>& reduced, bool keeps_order) {
  constexpr size_t kShort = 16;
  struct Merged {
    size_t size;
    bool is_folded;
  };
  std::vector<Merged> merged;  // innermost first, kept and folded ones in turn
  for (size_t d = shape.rank(); d-- > 0;) {
    if (shape[d] == 1) continue;  // counts as either
    if (merged.empty() || merged.back().is_folded != reduced[d]) {
      merged.push_back({shape[d], reduced[d]});
    } else {
      merged.back().size *= shape[d];
    }
  }
  FoldedAxes axes;
  size_t next = 0;
  const bool is_only_one = merged.size() <= 2;
  if (next < merged.size() && merged[next].is_folded && merged[next].size <= kShort && (is_only_one || !keeps_order)) {
    axes.neighbours = merged[next++].size;
  }
  if (next < merged.size() && !merged[next].is_folded) axes.columns = merged[next++].size;
  if (next < merged.size()) axes.rows = merged[next++].size;
  size_t step = axes.rows * axes.width();
  for (; next < merged.size(); ++next) {
    (merged[next].is_folded ? axes.folded : axes.kept).add_outer(merged[next].size, step);
    step *= merged[next].size;
  }
  return axes;
}

}  // namespace nnvk::cpu
