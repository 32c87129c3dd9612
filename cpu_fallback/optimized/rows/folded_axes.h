// Locates the elements of a tensor that a reduction folds into one result, for any set of folded axes. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/operations/parameters/axis_split.h"

namespace nnvk::cpu {

// Numbers all positions along some axes, the innermost axis fastest.
class AxisWalk {
 public:
  // Adds an axis around those added before; `step`: elements from one position to the next.
  void add_outer(size_t size, size_t step) { axes_.push_back({size, step}); }
  size_t count() const {
    size_t count = 1;
    for (const Axis& axis : axes_) count *= axis.size;
    return count;
  }
  // Returns the offset of position `i`, in elements.
  size_t offset(size_t i) const {
    size_t offset = 0;
    for (size_t a = 0; a < axes_.size(); ++a) {
      if (a + 1 == axes_.size()) return offset + i * axes_[a].step;
      offset += i % axes_[a].size * axes_[a].step;
      i /= axes_[a].size;
    }
    return offset;
  }

 private:
  struct Axis {
    size_t size, step;
  };
  std::vector<Axis> axes_;  // innermost first
};

// The result at position k of `kept` and column c folds the elements at these offsets, for all f, rows and n:
//   kept.offset(k) + folded.offset(f) + (row * columns + c) * neighbours + n
struct FoldedAxes {
  AxisWalk kept;
  AxisWalk folded;
  size_t rows = 1;
  size_t columns = 1;
  size_t neighbours = 1;  // the innermost axis, if it is folded and short: it lies behind the columns

  size_t width() const { return columns * neighbours; }  // of a row, in elements
  size_t folded_elements() const { return folded.count() * rows * neighbours; }
};

// Sorts the axes of a tensor into kept and folded ones. `reduced`: whether each dimension is folded. No dimension is 0.
// `keeps_order`: nested loops over f, rows and n, innermost last, meet the elements of a result in the order of memory.
FoldedAxes folded_axes(const Shape& shape, const std::vector<bool>& reduced, bool keeps_order);

}  // namespace nnvk::cpu
