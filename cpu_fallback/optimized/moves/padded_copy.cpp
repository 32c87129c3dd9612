#include "cpu_fallback/optimized/moves/padded_copy.h"

#include <algorithm>

namespace nnvk::cpu {
namespace {

constexpr size_t kRowsAtOnce = 64;  // border and middle of so many rows are written while the cache has them

}  // namespace

PaddedCopy::PaddedCopy(const Shape& shape, std::span<const PaddingPair> paddings, int32_t element, size_t width)
    : pattern_(&element, width) {
  std::vector<Axis> axes;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const Axis axis{paddings[d].before, shape[d], paddings[d].after};
    if (!axes.empty() && !axis.is_padded()) {
      Axis& outer = axes.back();
      outer = {outer.before * axis.size, outer.size * axis.size, outer.after * axis.size};
    } else {
      axes.push_back(axis);
    }
  }
  const auto take_innermost = [&] {
    if (axes.empty()) return Axis{};
    const Axis axis = axes.back();
    axes.pop_back();
    return axis;
  };
  row_ = take_innermost();
  row_ = {row_.before * width, row_.size * width, row_.after * width};
  rows_ = take_innermost();
  outer_ = std::move(axes);
}

void PaddedCopy::fill(std::byte* to, size_t rows) const { fill_runs(pattern_, {to, 0}, rows * row_.all(), 1); }

void PaddedCopy::copy(const std::byte* from, std::byte* to, size_t rows) const {
  const auto read_step = static_cast<ptrdiff_t>(row_.size);
  const auto write_step = static_cast<ptrdiff_t>(row_.all());
  for (size_t done = 0; done < rows; done += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, rows - done);
    std::byte* const write = to + done * row_.all();
    fill_runs(pattern_, {write, write_step}, row_.before, count);
    copy_runs({from + done * row_.size, read_step}, {write + row_.before, write_step}, row_.size, count);
    fill_runs(pattern_, {write + row_.before + row_.size, write_step}, row_.after, count);
  }
}

// Makes rows [first, end) of the result, numbered through all outer dimensions.
void PaddedCopy::make_rows(const std::byte* from, std::byte* to, size_t first, size_t end) const {
  while (first < end) {
    const size_t position = first / rows_.all();
    const size_t row = first % rows_.all();
    const size_t stop = std::min(rows_.all(), row + (end - first));
    std::byte* const write = to + position * rows_.all() * row_.all();
    bool is_inside = true;
    size_t source = 0;
    size_t size = 1;
    for (size_t d = outer_.size(), rest = position; d-- > 0; rest /= outer_[d].all()) {
      const size_t at = rest % outer_[d].all();
      is_inside = is_inside && at >= outer_[d].before && at < outer_[d].before + outer_[d].size;
      source += (at - outer_[d].before) * size;
      size *= outer_[d].size;
    }
    const size_t begin_middle = is_inside ? std::clamp(rows_.before, row, stop) : stop;
    const size_t end_middle = is_inside ? std::clamp(rows_.before + rows_.size, row, stop) : stop;
    fill(write + row * row_.all(), begin_middle - row);
    if (begin_middle < end_middle) {
      const std::byte* const read = from + (source * rows_.size + begin_middle - rows_.before) * row_.size;
      copy(read, write + begin_middle * row_.all(), end_middle - begin_middle);
    }
    fill(write + end_middle * row_.all(), stop - end_middle);
    first += stop - row;
  }
}

void PaddedCopy::run(const std::byte* from, std::byte* to, ThreadPool& threads) const {
  size_t rows = rows_.all();
  for (const Axis& axis : outer_) rows *= axis.all();
  threads.parallel_rows(rows, 1 + 0.08 * static_cast<double>(row_.all()), 1,
                        [&](size_t first, size_t end) { make_rows(from, to, first, end); });
}

}  // namespace nnvk::cpu
