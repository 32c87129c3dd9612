// Strided copies of whole elements, the basis of most data movement.
#pragma once

#include <bit>
#include <cstring>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/rearrangement.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

// One end of a strided copy: the offset of element [0, 0, ...] and the distances of neighbours, in elements.
struct CopyEnd {
  int64_t offset = 0;
  Strides strides;
};

inline CopyEnd dense_end(const Shape& shape) { return {0, row_major_strides(shape)}; }
// Returns the part of a dense tensor of shape `padded` that the paddings surround.
inline CopyEnd middle_of(const Shape& padded, std::span<const PaddingPair> paddings) {
  CopyEnd middle = dense_end(padded);
  for (size_t d = 0; d < paddings.size(); ++d) middle.offset += paddings[d].before * middle.strides[d];
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
  const size_t width = block.width;
  const auto bytes = static_cast<int64_t>(width);
  const auto copy_row = [&](const Offsets<2>& offsets, const Offsets<2>& steps, size_t length) {
    const std::byte* read = from + (source.offset + offsets[0]) * bytes;
    std::byte* write = to + (target.offset + offsets[1]) * bytes;
    if (steps == Offsets<2>{1, 1}) {
      std::memcpy(write, read, length * width);
      return;
    }
    for (size_t i = 0; i < length; ++i, read += steps[0] * bytes, write += steps[1] * bytes) std::memcpy(write, read, width);
  };
  for_each_row<2>(block.shape, {&source.strides, &target.strides}, copy_row);
}

// Writes an output of a rearranging operation: the walk's elements of `from`, one after the other.
inline void write_rearranged(const Rearrangement& walk, const std::byte* from, const OutputTensor& to) {
  Shape shape;
  CopyEnd source{walk.first, {}};
  for (const WalkedAxis& axis : walk.axes) {
    shape.dims.push_back(axis.size);
    source.strides.push_back(axis.stride);
  }
  strided_copy({shape, element_size(to.info.type)}, from, source, to.data.data(), dense_end(shape));
}

inline const std::byte* input_bytes(const KernelContext& context, size_t i) { return context.operation.inputs[i].value.data(); }

// Serves as the kernel of all operations that rearrangement() knows, except SPACE_TO_BATCH_ND.
inline Status rearrange(KernelContext& context) {
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  write_rearranged(walk, input_bytes(context, data_movement::kInput), context.outputs[data_movement::kOutput]);
  return {};
}

}  // namespace nnvk::cpu
