#include "core/operations/parameters/space_depth_parameters.h"

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/move_kernels.h"
#include "cpu_fallback/optimized/moves/padded_copy.h"

namespace nnvk::cpu {
namespace {
using namespace space_depth;

// Pads the image into scratch memory, then copies it to the output in another order.
class PaddedBlocksKernel final : public OptimizedKernel {
 public:
  PaddedBlocksKernel(const PaddedCopy& pad, size_t padded_bytes, const StridedMove& move)
      : pad_(pad), padded_bytes_(padded_bytes), move_(move) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    pad_.run(memory.inputs[kInput], memory.scratch, threads);
    move_.run(memory.scratch, memory.outputs[kOutput], threads);
  }
  size_t scratch_bytes() const override { return padded_bytes_; }
  const char* name() const override { return "padded rows, strided copies"; }

 private:
  const PaddedCopy pad_;
  const size_t padded_bytes_;
  const StridedMove move_;
};

std::unique_ptr<OptimizedKernel> space_to_batch(const KernelNode& node) {
  const auto blocks = known_blocks(node.operation);
  const auto walk = rearrangement(node.operation);
  if (!blocks || !walk || node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(kInput);
  const Shape padded = padded_shape(in.shape, blocks->paddings);
  if (padded == in.shape) return rearranging_kernel(node, walk);
  const size_t width = element_size(in.type);
  const StridedMove move = rearranging_move(*walk, width);
  if (!move.is_possible()) return nullptr;
  return std::make_unique<PaddedBlocksKernel>(PaddedCopy(in.shape, blocks->paddings, zero_element(in), width),
                                              static_cast<size_t>(padded.element_count()) * width, move);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kDepthToSpace, rearrange},   {OperationCode::kSpaceToDepth, rearrange},
    {OperationCode::kBatchToSpaceNd, rearrange}, {OperationCode::kSpaceToBatchNd, space_to_batch},
    {OperationCode::kChannelShuffle, rearrange},
};

}  // namespace

std::span<const OptimizedRow> optimized_space_depth_kernels() { return kRows; }

}  // namespace nnvk::cpu
