// Block sizes, groups, repetitions and axes as strided walks.
#include "core/operations/parameters/rearrangement.h"

#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

tl::unexpected<Error> unknown_parameter() { return fail(Code::kOpFailed, "a parameter of the operation is not known"); }

// Sizes and strides of an image by meaning.
struct ImageAxes {
  WalkedAxis batch, height, width, channels;
};

ImageAxes image_axes(const Shape& shape, bool nchw) {
  const std::vector<int64_t> strides = row_major_strides(shape);
  const LayoutAxes at = layout_axes(nchw);
  const auto axis = [&](size_t d) { return WalkedAxis{shape[d], strides[d]}; };
  return {axis(0), axis(at.height), axis(at.width), axis(at.channels)};
}

// The axes of an output image in its layout; each dimension may consist of several.
using Axes = std::vector<WalkedAxis>;
Rearrangement laid_out(bool nchw, const Axes& batch, const Axes& height, const Axes& width, const Axes& channels) {
  Rearrangement walk;
  for (const Axes* dimension : {&batch, nchw ? &channels : &height, nchw ? &height : &width, nchw ? &width : &channels}) {
    walk.axes.insert(walk.axes.end(), dimension->begin(), dimension->end());
  }
  return walk;
}

// Cuts an axis into `count` runs of neighbours: {the run, the position in it}.
std::array<WalkedAxis, 2> runs(const WalkedAxis& axis, uint32_t count) {
  const uint32_t length = axis.size / count;
  return {WalkedAxis{count, axis.stride * length}, WalkedAxis{length, axis.stride}};
}

// out[n, y*b+i, x*b+j, k] = in[n, y, x, (i*b+j)*C + k]
Rearrangement depth_to_space(const Shape& input, bool nchw, uint32_t block) {
  const ImageAxes in = image_axes(input, nchw);
  const auto [tiles, channel] = runs(in.channels, block * block);
  const auto [i, j] = runs({block * block, tiles.stride}, block);
  return laid_out(nchw, {in.batch}, {in.height, i}, {in.width, j}, {channel});
}

// out[n, y, x, (i*b+j)*c + k] = in[n, y*b+i, x*b+j, k]
Rearrangement space_to_depth(const Shape& input, bool nchw, uint32_t block) {
  const ImageAxes in = image_axes(input, nchw);
  const auto [y, i] = runs(in.height, in.height.size / block);
  const auto [x, j] = runs(in.width, in.width.size / block);
  return laid_out(nchw, {in.batch}, {y}, {x}, {i, j, in.channels});
}

// out[b, y*bh+i, x*bw+j, k] = in[(i*bw+j)*B + b, y, x, k]
Rearrangement batch_to_space(const Shape& input, bool nchw, uint32_t block_height, uint32_t block_width) {
  const ImageAxes in = image_axes(input, nchw);
  const auto [tiles, batch] = runs(in.batch, block_height * block_width);
  const auto [i, j] = runs({block_height * block_width, tiles.stride}, block_height);
  return laid_out(nchw, {batch}, {in.height, i}, {in.width, j}, {in.channels});
}

// out[(i*bw+j)*n + b, y, x, k] = padded[b, y*bh+i, x*bw+j, k]
Rearrangement space_to_batch(const Shape& padded, bool nchw, uint32_t block_height, uint32_t block_width) {
  const ImageAxes in = image_axes(padded, nchw);
  const auto [y, i] = runs(in.height, in.height.size / block_height);
  const auto [x, j] = runs(in.width, in.width.size / block_width);
  return laid_out(nchw, {i, j, in.batch}, {y}, {x}, {in.channels});
}

Rearrangement whole(const Shape& shape) {
  Rearrangement walk;
  const std::vector<int64_t> strides = row_major_strides(shape);
  for (size_t d = 0; d < shape.rank(); ++d) walk.axes.push_back({shape[d], strides[d]});
  return walk;
}

Result<Rearrangement> move_blocks(const OperationView& operation) {
  const size_t layout_input = operation.code == OperationCode::kSpaceToBatchNd ? 3 : 2;
  const bool nchw = layout_is_nchw(operation, layout_input).value_or(false);
  const Shape& input = operation.shape(0);
  if (operation.code == OperationCode::kDepthToSpace || operation.code == OperationCode::kSpaceToDepth) {
    const auto block = operation.scalar<int32_t>(1);
    if (!block) return unknown_parameter();
    const auto size = static_cast<uint32_t>(*block);
    return operation.code == OperationCode::kDepthToSpace ? depth_to_space(input, nchw, size) : space_to_depth(input, nchw, size);
  }
  const auto block = operation.values<int32_t>(1);
  if (!block || block->size() != 2) return unknown_parameter();
  const auto height = static_cast<uint32_t>((*block)[0]);
  const auto width = static_cast<uint32_t>((*block)[1]);
  if (operation.code == OperationCode::kBatchToSpaceNd) return batch_to_space(input, nchw, height, width);
  NNVK_ASSIGN(const auto paddings, space_to_batch_padding(operation));
  Shape padded = input;
  for (size_t d = 0; d < padded.rank(); ++d) padded.dims[d] += paddings[d].before + paddings[d].after;
  return space_to_batch(padded, nchw, height, width);
}

// out[k*groups + g] = in[g*group_size + k] along the axis.
Result<Rearrangement> shuffle_channels(const OperationView& operation) {
  const auto groups = operation.scalar<int32_t>(1);
  const auto axis = operation.scalar<int32_t>(2);
  if (!groups || !axis) return unknown_parameter();
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, operation.shape(0).rank(), Code::kOpFailed));
  Rearrangement walk = whole(operation.shape(0));
  const auto [group, member] = runs(walk.axes[index], static_cast<uint32_t>(*groups));
  walk.axes[index] = member;
  walk.axes.insert(walk.axes.begin() + index + 1, group);
  return walk;
}

Result<Rearrangement> tile(const OperationView& operation) {
  const Shape& input = operation.shape(0);
  const auto multiples = operation.values<int32_t>(1);
  if (!multiples || multiples->size() != input.rank()) return unknown_parameter();
  Rearrangement walk;
  const std::vector<int64_t> strides = row_major_strides(input);
  for (size_t d = 0; d < input.rank(); ++d) {
    walk.axes.push_back({static_cast<uint32_t>((*multiples)[d]), 0});
    walk.axes.push_back({input[d], strides[d]});
  }
  return walk;
}

Result<Rearrangement> reverse(const OperationView& operation) {
  const auto axis = operation.values<int32_t>(1);
  if (!axis || axis->size() != 1) return unknown_parameter();
  Rearrangement walk = whole(operation.shape(0));
  WalkedAxis& reversed = walk.axes[static_cast<size_t>(axis->front())];
  walk.first = (int64_t{reversed.size} - 1) * reversed.stride;
  reversed.stride = -reversed.stride;
  return walk;
}

}  // namespace

std::vector<int64_t> row_major_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t d = shape.rank(); d-- > 1;) strides[d - 1] = strides[d] * static_cast<int64_t>(shape[d]);
  return strides;
}

Result<std::array<PaddingPair, 4>> space_to_batch_padding(const OperationView& operation) {
  NNVK_ASSIGN(const auto pairs, padding_pairs(operation, 2, 2));
  const LayoutAxes at = layout_axes(layout_is_nchw(operation, 3).value_or(false));
  std::array<PaddingPair, 4> paddings{};
  paddings[at.height] = pairs[0];
  paddings[at.width] = pairs[1];
  return paddings;
}

Result<Rearrangement> rearrangement(const OperationView& operation) {
  switch (operation.code) {
    case OperationCode::kChannelShuffle:
      return shuffle_channels(operation);
    case OperationCode::kTile:
      return tile(operation);
    case OperationCode::kReverse:
      return reverse(operation);
    default:
      return move_blocks(operation);
  }
}

Result<Rearrangement> split_part(const OperationView& operation, size_t part) {
  const auto axis = operation.scalar<int32_t>(1);
  if (!axis) return unknown_parameter();
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, operation.shape(0).rank(), Code::kOpFailed));
  Rearrangement walk = whole(operation.shape(0));
  WalkedAxis& cut = walk.axes[index];
  cut.size /= static_cast<uint32_t>(operation.outputs.size());
  walk.first = static_cast<int64_t>(part) * cut.size * cut.stride;
  return walk;
}

}  // namespace nnvk
