// Strided copies of whole elements: what most data movement is.
#pragma once

#include <bit>
#include <cstring>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/rearrangement.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

// One end of a strided copy: where element [0, 0, ...] lies and how far neighbours are apart, in elements.
struct CopyEnd {
  ptrdiff_t offset = 0;
  Strides strides;
};

inline CopyEnd dense_end(const Shape& shape) { return {0, dense_strides(shape)}; }
// The part of a dense tensor of shape `padded` that the paddings surround.
inline CopyEnd middle_of(const Shape& padded, std::span<const PaddingPair> paddings) {
  CopyEnd middle = dense_end(padded);
  for (size_t d = 0; d < paddings.size(); ++d) middle.offset += static_cast<ptrdiff_t>(paddings[d].before) * middle.strides[d];
  return middle;
}

// Fills `to` with an element of `width` bytes: the low bytes of `element`.
inline void fill_elements(int32_t element, size_t width, std::span<std::byte> to) {
  static_assert(std::endian::native == std::endian::little);
  for (size_t at = 0; at + width <= to.size(); at += width) std::memcpy(to.data() + at, &element, width);
}

// Elements of `width` bytes.
struct Block {
  const Shape& shape;
  size_t width;
};

// Copies a block. The caller guarantees that both ends lie inside their tensors.
inline void strided_copy(const Block& block, const std::byte* from, const CopyEnd& source, std::byte* to, const CopyEnd& target) {
  const Shape& shape = block.shape;
  const size_t width = block.width;
  const size_t row = shape.rank() == 0 ? 1 : shape.dims.back();
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(width);
  const ptrdiff_t from_step = shape.rank() == 0 ? 0 : source.strides.back();
  const ptrdiff_t to_step = shape.rank() == 0 ? 0 : target.strides.back();
  for_each_row<2>(shape, {&source.strides, &target.strides}, [&](const std::array<ptrdiff_t, 2>& offsets) {
    const std::byte* read = from + (source.offset + offsets[0]) * bytes;
    std::byte* write = to + (target.offset + offsets[1]) * bytes;
    if (from_step == 1 && to_step == 1) {
      std::memcpy(write, read, row * width);
      return;
    }
    for (size_t i = 0; i < row; ++i, read += from_step * bytes, write += to_step * bytes) std::memcpy(write, read, width);
  });
}

// The output of a rearranging operation: the walk's elements of the input, one after the other.
inline void copy_rearranged(const Rearrangement& walk, const OperandInfo& input, const std::byte* from, std::byte* to) {
  Shape shape;
  CopyEnd source{static_cast<ptrdiff_t>(walk.first), {}};
  for (const WalkedAxis& axis : walk.axes) {
    shape.dims.push_back(axis.size);
    source.strides.push_back(static_cast<ptrdiff_t>(axis.stride));
  }
  strided_copy({shape, element_size(input.type)}, from, source, to, dense_end(shape));
}

inline const std::byte* input_bytes(const KernelContext& context, size_t i) { return context.operation.inputs[i].value.data(); }

// The kernel of TILE, REVERSE and all of space_depth but SPACE_TO_BATCH_ND.
inline Status rearrange(KernelContext& context) {
  using namespace data_movement;
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  copy_rearranged(walk, context.operation.input(kInput), input_bytes(context, kInput), context.outputs[kOutput].data.data());
  return {};
}

}  // namespace nnvk::cpu
