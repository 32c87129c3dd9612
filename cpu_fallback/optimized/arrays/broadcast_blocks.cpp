#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"

#include <algorithm>
#include <cstdint>

namespace nnvk::cpu {
namespace {

// If this many rows or more fit into a block, a block holds several rows; longer rows are cut one by one.
constexpr size_t kShortRow = 2;

// Returns the steps of a dense tensor along the dimensions of shape `to`, to which it broadcasts: 0 for dimensions that repeat.
std::vector<size_t> steps_in(const Shape& from, const Shape& to) {
  std::vector<size_t> steps(to.rank());
  size_t step = 1;
  for (size_t d = from.rank(); d-- > 0;) {
    steps[to.rank() - from.rank() + d] = from[d] == 1 ? 0 : step;
    step *= from[d];
  }
  return steps;
}

// `count` rows of `length` elements; the source advances by `step` from row to row and by `element_step` (0 or 1) inside a row.
struct Rows {
  size_t count = 0;
  size_t length = 0;
  size_t step = 0;
  size_t element_step = 0;
};

template <class T>
void fill_rows(const Rows& rows, const std::byte* from, std::byte* to) {
  const auto* in = reinterpret_cast<const T*>(from);
  auto* out = reinterpret_cast<T*>(to);
  for (size_t r = 0; r < rows.count; ++r, in += rows.step, out += rows.length) {
    if (rows.element_step == 0) {
      std::fill_n(out, rows.length, *in);
    } else {
      std::copy_n(in, rows.length, out);
    }
  }
}

}  // namespace

std::optional<BroadcastBlocks> BroadcastBlocks::make(std::span<const Operand> operands, const Shape& result, size_t width) {
  if (operands.size() > kMostOperands) return std::nullopt;
  BroadcastBlocks blocks;
  blocks.operands_ = operands.size();
  std::array<std::vector<size_t>, kMostOperands> steps;
  for (size_t o = 0; o < operands.size(); ++o) {
    steps[o] = steps_in(operands[o].shape, result);
    blocks.widths_[o] = operands[o].width;
    width = std::max(width, operands[o].width);
  }
  // Merges a dimension with its inner neighbour if every operand's step continues the neighbour's (or both steps are 0).
  std::vector<Outer> dims;
  for (size_t d = result.rank(); d-- > 0;) {
    Outer dim{result[d], {}};
    for (size_t o = 0; o < operands.size(); ++o) dim.steps[o] = steps[o][d];
    if (dim.size == 1) continue;
    const auto continues = [&] {
      const Outer& inner = dims.back();
      for (size_t o = 0; o < operands.size(); ++o) {
        if (dim.steps[o] != inner.steps[o] * inner.size) return false;
      }
      return true;
    };
    if (!dims.empty() && continues()) {
      dims.back().size *= dim.size;
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) {
    dims.push_back({});
    dims[0].steps.fill(1);
  }
  const size_t most = kBlockBytes / width;
  size_t used = 1;
  blocks.row_ = blocks.line_ = dims[0].size;
  blocks.piece_ = std::min(most, blocks.line_);
  for (size_t o = 0; o < operands.size(); ++o) blocks.steps_[o] = {0, dims[0].steps[o]};
  if (dims.size() > 1 && blocks.row_ * kShortRow <= most) {
    used = 2;
    blocks.line_ *= dims[1].size;
    blocks.piece_ = std::min(dims[1].size, most / blocks.row_) * blocks.row_;
    for (size_t o = 0; o < operands.size(); ++o) blocks.steps_[o].row = dims[1].steps[o];
  }
  blocks.pieces_ = (blocks.line_ + blocks.piece_ - 1) / blocks.piece_;
  if (dims.size() - used > kMaxOuter) return std::nullopt;
  for (; used < dims.size(); ++used) {
    blocks.outer_[blocks.outer_dims_++] = dims[used];
    blocks.outer_count_ *= dims[used].size;
  }
  return blocks;
}

BroadcastBlocks::Walk::Walk(const BroadcastBlocks& blocks, std::span<const std::byte* const> operands, size_t block)
    : blocks_(blocks), operands_(operands), piece_(block % blocks.pieces_), line_(block / blocks.pieces_) {
  size_t rest = line_;
  for (size_t d = 0; d < blocks.outer_dims_; ++d) {
    const Outer& dim = blocks.outer_[d];
    position_[d] = rest % dim.size;
    rest /= dim.size;
    for (size_t o = 0; o < blocks_.operands_; ++o) offsets_[o] += position_[d] * dim.steps[o];
  }
}

void BroadcastBlocks::Walk::advance_line() {
  piece_ = 0;
  ++line_;
  for (size_t d = 0; d < blocks_.outer_dims_; ++d) {
    const Outer& dim = blocks_.outer_[d];
    const bool is_next = ++position_[d] < dim.size;
    for (size_t o = 0; o < blocks_.operands_; ++o) {
      offsets_[o] = is_next ? offsets_[o] + dim.steps[o] : offsets_[o] - dim.steps[o] * (dim.size - 1);
    }
    if (is_next) return;
    position_[d] = 0;
  }
}

BroadcastBlocks::Block BroadcastBlocks::Walk::next() {
  if (piece_ == blocks_.pieces_) advance_line();
  const size_t from = piece_++ * blocks_.piece_;
  const size_t count = std::min(blocks_.piece_, blocks_.line_ - from);
  Block block;
  for (size_t o = 0; o < blocks_.operands_; ++o) block.operands[o] = dense(o, from, count);
  block.at = line_ * blocks_.line_ + from;
  block.count = count;
  return block;
}

const std::byte* BroadcastBlocks::Walk::dense(size_t operand, size_t from, size_t count) {
  const LineSteps& steps = blocks_.steps_[operand];
  const size_t row = blocks_.row_;
  const bool is_one_row = blocks_.line_ == row;
  const size_t offset = offsets_[operand];
  const std::byte* const data = operands_[operand];
  const size_t width = blocks_.widths_[operand];
  if (steps.element == 1 && (is_one_row || steps.row == row)) return data + (offset + from) * width;
  const size_t start = offset + (is_one_row ? 0 : from / row * steps.row);
  std::byte* const buffer = buffers_[operand].data();
  const bool repeats = is_one_row || steps.row == 0;
  if (repeats && held_from_[operand] == start && held_count_[operand] >= count) return buffer;
  held_from_[operand] = start;
  held_count_[operand] = repeats ? count : 0;
  const size_t length = is_one_row ? count : row;
  const Rows rows{count / length, length, steps.row, steps.element};
  const std::byte* const source = data + start * width;
  if (width == 1) fill_rows<uint8_t>(rows, source, buffer);
  if (width == 2) fill_rows<uint16_t>(rows, source, buffer);
  if (width == 4) fill_rows<uint32_t>(rows, source, buffer);
  return buffer;
}

}  // namespace nnvk::cpu
