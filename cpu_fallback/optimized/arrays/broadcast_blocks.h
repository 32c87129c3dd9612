// Cuts two tensors that broadcast against each other into blocks in which both are dense arrays: loops over elements need no
// shapes. The shapes alone determine the blocks; walking over them allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/model/operand.h"

namespace nnvk::cpu {

// Elements [at, at + count) of the result, and the elements of both operands for them as dense arrays.
struct OperandBlock {
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
  size_t at = 0;
  size_t count = 0;
};

class BroadcastBlocks {
 public:
  // Bytes of one operand's part of a block.
  static constexpr size_t kBlockBytes = 4096;

  // `width`: bytes of an element of either operand. Nothing if too many dimensions remain after merging.
  static std::optional<BroadcastBlocks> make(const Shape& first, const Shape& second, const Shape& result, size_t width);

  size_t count() const { return outer_count_ * pieces_; }  // of blocks
  size_t block_elements() const { return piece_; }         // of all but the last blocks of lines

  // Calls fn(OperandBlock) for blocks [begin, end).
  template <class Function>
  void for_each(const std::byte* first, const std::byte* second, size_t begin, size_t end, const Function& fn) const {
    Walk walk(*this, {first, second}, begin);
    for (size_t i = begin; i < end; ++i) fn(walk.next());
  }

 private:
  static constexpr size_t kOperands = 2;
  static constexpr size_t kMaxOuter = 6;

  // The steps of an operand along a line, which consists of rows of `row_` elements.
  struct LineSteps {
    size_t row = 0;      // elements from row to row
    size_t element = 0;  // 0 or 1
  };
  // A dimension outside the lines.
  struct Outer {
    size_t size = 1;
    std::array<size_t, kOperands> steps{};
  };

  class Walk {
   public:
    Walk(const BroadcastBlocks& blocks, std::array<const std::byte*, kOperands> operands, size_t block);
    OperandBlock next();

   private:
    const std::byte* dense(size_t operand, size_t from, size_t count);
    void advance_line();

    const BroadcastBlocks& blocks_;
    const std::array<const std::byte*, kOperands> operands_;
    size_t piece_ = 0;  // the next one, counted in its line
    size_t line_ = 0;
    std::array<size_t, kMaxOuter> position_{};
    std::array<size_t, kOperands> offsets_{};  // of the line's first elements
    // The ranges of elements in the buffers: a repeating operand's block is written only once.
    std::array<size_t, kOperands> held_from_{};
    std::array<size_t, kOperands> held_count_{};
    alignas(64) std::array<std::array<std::byte, kBlockBytes>, kOperands> buffers_;
  };

  size_t width_ = 1;
  size_t row_ = 1;     // elements of a row: the innermost dimension
  size_t line_ = 1;    // elements of a line: one row, or several short ones
  size_t piece_ = 1;   // elements of a block
  size_t pieces_ = 1;  // blocks of a line
  std::array<LineSteps, kOperands> steps_{};
  std::array<Outer, kMaxOuter> outer_{};  // innermost first
  size_t outer_dims_ = 0;
  size_t outer_count_ = 1;
};

}  // namespace nnvk::cpu
