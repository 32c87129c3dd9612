// Cuts tensors that broadcast against each other into blocks in which all are dense arrays: loops over elements need no shapes.
// The shapes alone determine the blocks; walking over them allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "core/model/operand.h"

namespace nnvk::cpu {

class BroadcastBlocks {
 public:
  // The most bytes of one operand's part of a block.
  static constexpr size_t kBlockBytes = 4096;
  static constexpr size_t kMostOperands = 6;

  struct Operand {
    Shape shape;
    size_t width = 1;  // bytes of an element: 1, 2 or 4
  };
  // Elements [at, at + count) of the result, and the elements of every operand for them as dense arrays.
  struct Block {
    std::array<const std::byte*, kMostOperands> operands{};
    size_t at = 0;
    size_t count = 0;
  };

  // Makes the blocks. `width`: bytes of the widest element that the caller computes for a block; operands may be wider. Returns
  // nothing if there are more than kMostOperands, or if too many dimensions remain after merging.
  static std::optional<BroadcastBlocks> make(std::span<const Operand> operands, const Shape& result, size_t width);

  size_t count() const { return outer_count_ * pieces_; }  // of blocks
  size_t block_elements() const { return piece_; }         // of all but the last blocks of lines

  // Calls fn(Block) for blocks [begin, end). `operands`: the addresses of the whole operands.
  template <class Function>
  void for_each(std::span<const std::byte* const> operands, size_t begin, size_t end, const Function& fn) const {
    Walk walk(*this, operands, begin);
    for (size_t i = begin; i < end; ++i) fn(walk.next());
  }

 private:
  static constexpr size_t kMaxOuter = 6;

  // The steps of an operand along a line, which consists of rows of `row_` elements.
  struct LineSteps {
    size_t row = 0;      // elements from row to row
    size_t element = 0;  // 0 or 1
  };
  // A dimension outside the lines.
  struct Outer {
    size_t size = 1;
    std::array<size_t, kMostOperands> steps{};
  };

  class Walk {
   public:
    Walk(const BroadcastBlocks& blocks, std::span<const std::byte* const> operands, size_t block);
    Block next();

   private:
    const std::byte* dense(size_t operand, size_t from, size_t count);
    void advance_line();

    const BroadcastBlocks& blocks_;
    const std::span<const std::byte* const> operands_;
    size_t piece_ = 0;  // the next one, counted in its line
    size_t line_ = 0;
    std::array<size_t, kMaxOuter> position_{};
    std::array<size_t, kMostOperands> offsets_{};  // of the line's first elements
    // The ranges of elements in the buffers: a repeating operand's block is written only once.
    std::array<size_t, kMostOperands> held_from_{};
    std::array<size_t, kMostOperands> held_count_{};
    alignas(64) std::array<std::array<std::byte, kBlockBytes>, kMostOperands> buffers_;
  };

  size_t operands_ = 0;
  std::array<size_t, kMostOperands> widths_{};
  size_t row_ = 1;     // elements of a row: the innermost dimension
  size_t line_ = 1;    // elements of a line: one row, or several short ones
  size_t piece_ = 1;   // elements of a block
  size_t pieces_ = 1;  // blocks of a line
  std::array<LineSteps, kMostOperands> steps_{};
  std::array<Outer, kMaxOuter> outer_{};  // innermost first
  size_t outer_dims_ = 0;
  size_t outer_count_ = 1;
};

}  // namespace nnvk::cpu
