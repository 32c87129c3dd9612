// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include <algorithm>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/channels_first.h"
#include "cpu_fallback/optimized/rows/pooled_rows.h"

namespace nnvk::cpu {
namespace {
using namespace pooling;

constexpr size_t kFewRows = 8;         // with fewer output rows, threads also share the channels
constexpr size_t kBlockChannels = 64;  // a thread gets at least so many

class PoolingKernel final : public OptimizedKernel {
 public:
  // `window`: of a channels-last image.
  PoolingKernel(const KernelNode& node, const WindowParameters& window, PoolKind kind, const char* name)
      : window_(window), kind_(kind), name_(name), type_(node.operation.input(kImage).type), element_(element_size(type_)) {
    row_.in_width = window.in_width;
    row_.channels = window.in_channels;
    row_.window_width = window.filter_width;
    row_.stride = static_cast<size_t>(window.stride_width);
    row_.left = -ptrdiff_t{window.pad_left};
    row_.out_width = window.out_width;
    const OperandInfo& out = node.operation.output(kOutput);
    if (type_ == OperandType::kTensorFloat32) {
      row_.float_bounds = float_activation_bounds(window.activation);
    } else {
      row_.bounds = quantized_activation_bounds(window.activation, type_, out.scale, out.zero_point);
    }
    rows_ = size_t{window.batches} * window.out_height;
    blocks_ = rows_ < kFewRows ? std::max<size_t>(window.in_channels / kBlockChannels, 1) : 1;
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const size_t cells = size_t{window_.filter_height} * window_.filter_width;
    const double nanoseconds =
        0.02 * static_cast<double>(cells * window_.out_width * window_.in_channels * element_) / static_cast<double>(blocks_);
    threads.parallel_rows(rows_ * blocks_, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) pool_part(memory, i / blocks_, i % blocks_);
    });
  }
  const char* name() const override { return name_; }

 private:
  // Computes one block of channels of one output row. `index` counts the rows of all images.
  void pool_part(const KernelMemory& memory, size_t index, size_t block) const {
    PooledRow row = row_;
    const size_t batch = index / window_.out_height;
    const auto top = static_cast<ptrdiff_t>(index % window_.out_height) * window_.stride_height - window_.pad_top;
    const size_t image_bytes = size_t{window_.in_height} * window_.in_width * window_.in_channels * element_;
    row.image = memory.inputs[kImage] + batch * image_bytes;
    row.first_row = static_cast<size_t>(std::max<ptrdiff_t>(top, 0));
    row.end_row = static_cast<size_t>(std::min<ptrdiff_t>(top + window_.filter_height, window_.in_height));
    row.first_channel = block * kBlockChannels;
    row.end_channel = block + 1 == blocks_ ? window_.in_channels : row.first_channel + kBlockChannels;
    row.out = memory.outputs[kOutput] + index * window_.out_width * window_.in_channels * element_;
    pool_row(kind_, type_, row);
  }

  const WindowParameters window_;
  const PoolKind kind_;
  const char* const name_;
  const OperandType type_;
  const size_t element_;
  PooledRow row_;
  size_t rows_ = 0;
  size_t blocks_ = 1;
};

// Returns whether every window covers a cell of the image. Otherwise the reference computes the node.
bool covers_cells(int32_t before, int32_t after, uint32_t window) {
  const auto size = static_cast<int64_t>(window);
  return before >= 0 && after >= 0 && before < size && after < size;
}

std::unique_ptr<OptimizedKernel> pooled(const KernelNode& node, PoolKind kind) {
  const auto window = window_parameters(node.operation);
  if (!window || node.has_epilogue()) return nullptr;
  const OperandType type = node.operation.input(kImage).type;
  const size_t cells = size_t{window->filter_height} * window->filter_width;
  const bool is_fast = type == OperandType::kTensorFloat32 || (is_quant8_asymm(type) && cells <= kMostPooledBytes);
  if (!is_fast || !covers_cells(window->pad_top, window->pad_bottom, window->filter_height) ||
      !covers_cells(window->pad_left, window->pad_right, window->filter_width)) {
    return nullptr;
  }
  const char* const name = window->nchw ? "pooled rows, turned over" : "pooled rows";
  return make_in_either_layout(node, [kind, name](const KernelNode& of, const WindowParameters& channels_last) {
    return std::make_unique<PoolingKernel>(of, channels_last, kind, name);
  });
}

constexpr auto kRows = rounding_halves_once({
    {OperationCode::kAveragePool2d, [](const KernelNode& node) { return pooled(node, PoolKind::kAverage); }},
    {OperationCode::kMaxPool2d, [](const KernelNode& node) { return pooled(node, PoolKind::kMax); }},
    {OperationCode::kL2Pool2d, [](const KernelNode& node) { return pooled(node, PoolKind::kL2); }},
});

}  // namespace

std::span<const OptimizedRow> optimized_pooling_kernels() { return kRows; }

}  // namespace nnvk::cpu
