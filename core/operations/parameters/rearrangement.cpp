// Turns block sizes, groups, repetitions and axes into strided walks.
#include "core/operations/parameters/rearrangement.h"

#include <array>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "core/operations/parameters/space_depth_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// The sizes and strides of an image by meaning.
struct ImageAxes {
  WalkedAxis batch, height, width, channels;
};

ImageAxes image_axes(const Shape& shape, bool nchw) {
  const std::vector<int64_t> strides = row_major_strides(shape);
  const LayoutAxes at = layout_axes(nchw);
  const auto axis = [&](size_t d) { return WalkedAxis{shape[d], strides[d]}; };
  return {axis(0), axis(at.height), axis(at.width), axis(at.channels)};
}

// Orders the axes of an output image by its layout; each dimension may consist of several axes.
using Axes = std::vector<WalkedAxis>;
Rearrangement laid_out(bool nchw, const Axes& batch, const Axes& height, const Axes& width, const Axes& channels) {
  Rearrangement walk;
  for (const Axes* dimension : {&batch, nchw ? &channels : &height, nchw ? &height : &width, nchw ? &width : &channels}) {
    walk.axes.insert(walk.axes.end(), dimension->begin(), dimension->end());
  }
  return walk;
}

// Cuts an axis into `count` runs of neighbours. Returns two axes: over the runs, and over the positions in a run.
std::array<WalkedAxis, 2> runs(const WalkedAxis& axis, uint32_t count) {
  const uint32_t length = axis.size / count;
  return {WalkedAxis{count, axis.stride * length}, WalkedAxis{length, axis.stride}};
}

Rearrangement whole(const Shape& shape) {
  Rearrangement walk;
  const std::vector<int64_t> strides = row_major_strides(shape);
  for (size_t d = 0; d < shape.rank(); ++d) walk.axes.push_back({shape[d], strides[d]});
  return walk;
}

// Returns the walk of an operation that moves blocks. b, c, h, w: batches, channels, height and width of the result; bh, bw:
// height and width of a block.
Result<Rearrangement> move_blocks(const OperationView& operation) {
  NNVK_ASSIGN(const BlockParameters blocks, known_blocks(operation));
  const ImageAxes in = image_axes(padded_shape(operation.shape(space_depth::kInput), blocks.paddings), blocks.nchw);
  const auto height = static_cast<uint32_t>(blocks.height);
  const auto width = static_cast<uint32_t>(blocks.width);
  if (operation.code == OperationCode::kDepthToSpace) {  // out[n, y*bh+i, x*bw+j, k] = in[n, y, x, (i*bw+j)*c + k]
    const auto [tiles, channel] = runs(in.channels, height * width);
    const auto [i, j] = runs({height * width, tiles.stride}, height);
    return laid_out(blocks.nchw, {in.batch}, {in.height, i}, {in.width, j}, {channel});
  }
  if (operation.code == OperationCode::kBatchToSpaceNd) {  // out[n, y*bh+i, x*bw+j, k] = in[(i*bw+j)*b + n, y, x, k]
    const auto [tiles, batch] = runs(in.batch, height * width);
    const auto [i, j] = runs({height * width, tiles.stride}, height);
    return laid_out(blocks.nchw, {batch}, {in.height, i}, {in.width, j}, {in.channels});
  }
  const auto [y, i] = runs(in.height, in.height.size / height);
  const auto [x, j] = runs(in.width, in.width.size / width);
  if (operation.code == OperationCode::kSpaceToDepth) {  // out[n, y, x, (i*bw+j)*c + k] = in[n, y*bh+i, x*bw+j, k]
    return laid_out(blocks.nchw, {in.batch}, {y}, {x}, {i, j, in.channels});
  }
  // SPACE_TO_BATCH_ND: out[(i*bw+j)*b + n, y, x, k] = padded[n, y*bh+i, x*bw+j, k]
  return laid_out(blocks.nchw, {i, j, in.batch}, {y}, {x}, {in.channels});
}

// Returns the walk of CHANNEL_SHUFFLE: out[k*groups + g] = in[g*group_size + k] along the axis.
Result<Rearrangement> shuffle_channels(const OperationView& operation) {
  NNVK_ASSIGN(const int32_t groups, int_parameter(operation, channel_shuffle::kGroups));
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, channel_shuffle::kAxis));
  Rearrangement walk = whole(operation.shape(channel_shuffle::kInput));
  const auto [group, member] = runs(walk.axes[axis], static_cast<uint32_t>(groups));
  walk.axes[axis] = member;
  walk.axes.insert(walk.axes.begin() + axis + 1, group);
  return walk;
}

Result<Rearrangement> repeat_dimensions(const OperationView& operation) {
  const Shape& input = operation.shape(tile::kInput);
  NNVK_ASSIGN(const auto multiples, list_parameter(operation, tile::kMultiples, input.rank()));
  Rearrangement walk;
  const std::vector<int64_t> strides = row_major_strides(input);
  for (size_t d = 0; d < input.rank(); ++d) {
    walk.axes.push_back({static_cast<uint32_t>(multiples[d]), 0});
    walk.axes.push_back({input[d], strides[d]});
  }
  return walk;
}

Result<Rearrangement> reverse_axis(const OperationView& operation) {
  NNVK_ASSIGN(const auto axis, list_parameter(operation, reverse::kAxis, 1));
  Rearrangement walk = whole(operation.shape(reverse::kInput));
  WalkedAxis& reversed = walk.axes[static_cast<size_t>(axis.front())];
  walk.first = (int64_t{reversed.size} - 1) * reversed.stride;
  reversed.stride = -reversed.stride;
  return walk;
}

Result<Rearrangement> permute_dimensions(const OperationView& operation) {
  NNVK_ASSIGN(const auto permutation, transpose_permutation(operation));
  const Rearrangement input = whole(operation.shape(transpose::kInput));
  Rearrangement walk;
  for (const uint32_t from : permutation) walk.axes.push_back(input.axes[from]);
  return walk;
}

// Returns the walk of a slice. A shrunk dimension contributes only its first index.
Result<Rearrangement> take_slice(const OperationView& operation) {
  NNVK_ASSIGN(const auto slices, slice_axes(operation));
  const std::vector<int64_t> strides = row_major_strides(operation.shape(slicing_padding::kInput));
  Rearrangement walk;
  for (size_t d = 0; d < slices.size(); ++d) {
    walk.first += slices[d].begin * strides[d];
    if (!slices[d].shrunk) walk.axes.push_back({slices[d].length, slices[d].stride * strides[d]});
  }
  return walk;
}

}  // namespace

std::vector<int64_t> row_major_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t d = shape.rank(); d-- > 1;) strides[d - 1] = strides[d] * static_cast<int64_t>(shape[d]);
  return strides;
}

Result<Rearrangement> rearrangement(const OperationView& operation) {
  switch (operation.code) {
    case OperationCode::kChannelShuffle:
      return shuffle_channels(operation);
    case OperationCode::kTile:
      return repeat_dimensions(operation);
    case OperationCode::kReverse:
      return reverse_axis(operation);
    case OperationCode::kTranspose:
      return permute_dimensions(operation);
    case OperationCode::kSlice:
    case OperationCode::kStridedSlice:
      return take_slice(operation);
    default:
      return move_blocks(operation);
  }
}

Result<Rearrangement> split_part(const OperationView& operation, size_t part) {
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, split::kAxis));
  Rearrangement walk = whole(operation.shape(split::kInput));
  WalkedAxis& cut = walk.axes[axis];
  cut.size /= static_cast<uint32_t>(operation.outputs.size());
  walk.first = static_cast<int64_t>(part) * cut.size * cut.stride;
  return walk;
}

}  // namespace nnvk
