#include "core/operations/parameters/slicing_padding_parameters.h"

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/moves/move_kernels.h"
#include "cpu_fallback/optimized/moves/padded_copy.h"

namespace nnvk::cpu {
namespace {
using namespace slicing_padding;

std::unique_ptr<OptimizedKernel> pad(const KernelNode& node) {
  const OperandInfo& in = node.operation.input(kInput);
  const auto paddings = padding_pairs(node.operation);
  const auto element = padding_element(node.operation);
  if (!paddings || !element || node.has_epilogue()) return nullptr;
  const PaddedCopy copy(in.shape, *paddings, *element, element_size(in.type));
  return function_kernel("padded rows", [copy](const KernelMemory& memory, ThreadPool& threads) {
    copy.run(memory.inputs[kInput], memory.outputs[kOutput], threads);
  });
}

// MIRROR_PAD makes a dimension of up to three parts: a mirrored border, the input itself, a mirrored border.
struct MirroredPart {
  int64_t from = 0;  // the input position of its first element
  int64_t to = 0;
  uint32_t size = 0;
  bool is_mirrored = false;
};
std::vector<MirroredPart> mirrored_parts(uint32_t size, PaddingPair padding, int64_t edge) {
  std::vector<MirroredPart> parts = {{0, padding.before, size, false}};
  const int64_t behind = int64_t{padding.before} + size;
  if (padding.before > 0) parts.push_back({mirrored_position(-int64_t{padding.before}, size, edge), 0, padding.before, true});
  if (padding.after > 0) parts.push_back({mirrored_position(size, size, edge), behind, padding.after, true});
  return parts;
}

// Makes the kernel of MIRROR_PAD, with a copy for each combination of parts.
std::unique_ptr<OptimizedKernel> mirror_pad(const KernelNode& node) {
  const OperandInfo& in = node.operation.input(kInput);
  const auto paddings = padding_pairs(node.operation);
  const auto reflects = mirrors_without_border(node.operation);
  if (!paddings || !reflects) return nullptr;
  const std::vector<int64_t> read = row_major_strides(in.shape);
  const std::vector<int64_t> write = row_major_strides(node.operation.output(kOutput).shape);
  struct Corner {
    std::vector<MovedAxis> axes;
    MovedFrom start;
  };
  std::vector<Corner> corners(1);
  for (size_t d = 0; d < in.shape.rank(); ++d) {
    std::vector<Corner> next;
    for (const MirroredPart& part : mirrored_parts(in.shape[d], (*paddings)[d], *reflects ? 1 : 0)) {
      for (Corner corner : corners) {
        corner.axes.push_back({part.size, part.is_mirrored ? -read[d] : read[d], write[d]});
        corner.start.from += part.from * read[d];
        corner.start.to += part.to * write[d];
        next.push_back(std::move(corner));
      }
    }
    corners = std::move(next);
  }
  std::vector<PlacedMove> moves;
  for (Corner& corner : corners) {
    moves.push_back({kInput, kOutput, StridedMove(std::move(corner.axes), corner.start, element_size(in.type))});
  }
  return move_kernel(node, std::move(moves));
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kPad, pad},
    {OperationCode::kPadV2, pad},
    {OperationCode::kMirrorPad, mirror_pad},
    {OperationCode::kStridedSlice, rearrange},
    {OperationCode::kSlice, rearrange},
};

}  // namespace

std::span<const OptimizedRow> optimized_slicing_padding_kernels() { return kRows; }

}  // namespace nnvk::cpu
