#include "cpu_fallback/optimized/moves/strided_move.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nnvk::cpu {
namespace {

constexpr size_t kWidestElement = 16;
constexpr size_t kPiece = size_t{1} << 15;  // bytes of a long run per task

// Returns whether the two neighbouring dimensions are equivalent to a single one.
bool are_one(const MovedAxis& outer, const MovedAxis& inner) {
  const auto size = static_cast<ptrdiff_t>(inner.size);
  return outer.from == size * inner.from && outer.to == size * inner.to;
}

template <size_t kWidth>
void copy_elements(RunsToRead from, RunsToWrite to, size_t count) {
  for (size_t i = 0; i < count; ++i, from.first += from.step, to.first += to.step) std::memcpy(to.first, from.first, kWidth);
}

}  // namespace

StridedMove::StridedMove(std::vector<MovedAxis> axes, MovedFrom start, size_t width) : run_(width) {
  const auto bytes = static_cast<ptrdiff_t>(width);
  start_ = {start.from * bytes, start.to * bytes};
  for (MovedAxis& axis : axes) {
    if (axis.size == 0) return;
    axis.from *= bytes;
    axis.to *= bytes;
  }
  merge_axes(axes);
  outer_ = std::move(axes);
  choose_way();
  for (const MovedAxis& axis : outer_) positions_ *= axis.size;
}

void StridedMove::merge_axes(std::vector<MovedAxis>& axes) {
  std::erase_if(axes, [](const MovedAxis& axis) { return axis.size == 1; });
  for (size_t d = axes.size(); d-- > 1;) {
    if (!are_one(axes[d - 1], axes[d])) continue;
    axes[d - 1] = {axes[d - 1].size * axes[d].size, axes[d].from, axes[d].to};
    axes.erase(axes.begin() + static_cast<ptrdiff_t>(d));
  }
  const auto width = static_cast<ptrdiff_t>(run_);
  if (!axes.empty() && axes.back().from == width && axes.back().to == width) {
    run_ *= axes.back().size;
    axes.pop_back();
  }
}

void StridedMove::choose_way() {
  if (!outer_.empty()) {
    row_ = outer_.back();
    outer_.pop_back();
  }
  rows_ = row_.size;
  way_ = Way::kRuns;
  const bool is_element = run_ <= kWidestElement && std::has_single_bit(run_);
  if (run_ > kPiece) {
    way_ = Way::kPieces;
    rows_ *= (run_ + kPiece - 1) / kPiece;
  } else if (is_element) {
    way_ = Way::kElements;
    const auto width = static_cast<ptrdiff_t>(run_);
    if (row_.to != width) return;
    if (row_.from == 0) {
      way_ = Way::kRepeats;
      return;
    }
    const auto column = std::ranges::find(outer_, width, &MovedAxis::from);
    if (column == outer_.end()) return;
    way_ = Way::kBlocks;
    column_ = *column;
    outer_.erase(column);
    blocks_ = TransposedBlocks(row_.size, column_.size, run_);
    rows_ = blocks_.count();
  }
}

double StridedMove::nanoseconds_per_row() const {
  constexpr double kPerByte = 0.08;  // from one cache to another
  switch (way_) {
    case Way::kNothing:
      return 0;
    case Way::kPieces:
      return kPerByte * static_cast<double>(kPiece);
    case Way::kRuns:
      return 1 + kPerByte * static_cast<double>(run_);
    case Way::kRepeats:
    case Way::kElements:
      return 0.5;
    case Way::kBlocks:
      return blocks_.nanoseconds();
  }
  return 0;
}

// Calls visit(byte offset in `from`, in `to`, first row, number of rows) for rows [first, end), numbered through all positions.
template <class Visit>
void StridedMove::visit_rows(size_t first, size_t end, const Visit& visit) const {
  std::array<size_t, kMostOuterAxes> at{};
  MovedFrom here = start_;
  size_t row = first % rows_;
  size_t rest = first / rows_;
  for (size_t d = outer_.size(); d-- > 0; rest /= outer_[d].size) {
    at[d] = rest % outer_[d].size;
    here.from += static_cast<ptrdiff_t>(at[d]) * outer_[d].from;
    here.to += static_cast<ptrdiff_t>(at[d]) * outer_[d].to;
  }
  while (first < end) {
    const size_t count = std::min(rows_ - row, end - first);
    visit(here, row, count);
    first += count;
    row = 0;
    for (size_t d = outer_.size(); d-- > 0;) {
      const bool is_next = ++at[d] < outer_[d].size;
      const ptrdiff_t steps = is_next ? 1 : 1 - static_cast<ptrdiff_t>(outer_[d].size);
      here.from += steps * outer_[d].from;
      here.to += steps * outer_[d].to;
      if (is_next) break;
      at[d] = 0;
    }
  }
}

// Copies rows [row, row + count) of one position of the outer dimensions; that position's first row is at `from` and `to`.
void StridedMove::move_rows(RunsToRead from, RunsToWrite to, size_t row, size_t count) const {
  if (way_ == Way::kBlocks) {
    blocks_.run({from, {to.first, column_.to}, row_.size, column_.size}, row, row + count);
    return;
  }
  if (way_ == Way::kPieces) {
    const size_t pieces = (run_ + kPiece - 1) / kPiece;
    for (size_t i = row; i < row + count; ++i) {
      const auto run = static_cast<ptrdiff_t>(i / pieces);
      const size_t piece = i % pieces * kPiece;
      std::memcpy(to.first + run * to.step + piece, from.first + run * from.step + piece, std::min(kPiece, run_ - piece));
    }
    return;
  }
  from.first += static_cast<ptrdiff_t>(row) * from.step;
  to.first += static_cast<ptrdiff_t>(row) * to.step;
  if (way_ == Way::kRuns) return copy_runs(from, to, run_, count);
  if (way_ == Way::kRepeats) return fill_runs(FillPattern(from.first, run_), {to.first, 0}, count * run_, 1);
  switch (run_) {
    case 1:
      return copy_elements<1>(from, to, count);
    case 2:
      return copy_elements<2>(from, to, count);
    case 4:
      return copy_elements<4>(from, to, count);
    case 8:
      return copy_elements<8>(from, to, count);
    default:
      return copy_elements<16>(from, to, count);
  }
}

void StridedMove::run(const std::byte* from, std::byte* to, ThreadPool& threads) const {
  if (way_ == Way::kNothing) return;
  threads.parallel_rows(positions_ * rows_, nanoseconds_per_row(), 1, [&](size_t first, size_t end) {
    visit_rows(first, end, [&](MovedFrom here, size_t row, size_t count) {
      move_rows({from + here.from, row_.from}, {to + here.to, row_.to}, row, count);
    });
  });
}

}  // namespace nnvk::cpu
