// TRANSPOSE_CONV_2D as convolutions. Output positions with the same remainder modulo the stride form a phase: they use the same
// filter taps and neighbouring inputs. Each phase is a convolution of stride 1 with those taps in reverse order. Phases that read
// the same windows become channels of one convolution. A separate pass copies their results to the output.
#include <algorithm>
#include <array>
#include <cstring>

#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/channels_first.h"
#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/products/product_kernels.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

// Neighbouring phases of one dimension that one convolution computes: the outputs from `first` to first + phases - 1 and, `count`
// times, those one stride further. The first window begins `pad` before the image; a window has `taps` inputs.
struct PhaseGroup {
  int32_t first = 0;
  int32_t phases = 1;
  int32_t count = 0;
  int32_t taps = 0;
  int32_t pad = 0;

  bool has_windows_of(const PhaseGroup& other) const { return count == other.count && taps == other.taps && pad == other.pad; }
};

struct Dimension {
  int32_t out;
  int32_t filter;
  int32_t stride;
  int32_t pad;

  // Returns the first filter tap that reaches output `position`; further taps are a stride apart.
  int32_t first_tap(int32_t position) const { return static_cast<int32_t>((int64_t{position} + pad) % stride); }
  // Returns the number of values first, first + stride and so on below `end`. (Strides may be as large as integers get.)
  int32_t steps(int32_t first, int32_t end) const { return first < end ? (end - first - 1) / stride + 1 : 0; }
};

// Returns the groups of phases. Input r reaches output y through tap y + pad - r * stride. So the last input that reaches output
// y is (y + pad) / stride.
std::vector<PhaseGroup> phase_groups(const Dimension& d) {
  std::vector<PhaseGroup> groups;
  for (int32_t first = 0; first < std::min(d.stride, d.out); ++first) {
    PhaseGroup group;
    group.first = first;
    group.count = d.steps(first, d.out);
    group.taps = d.steps(d.first_tap(first), d.filter);
    group.pad = group.taps - 1 - static_cast<int32_t>((int64_t{first} + d.pad) / d.stride);
    if (!groups.empty() && groups.back().has_windows_of(group)) {
      ++groups.back().phases;
    } else {
      groups.push_back(group);
    }
  }
  return groups;
}

// Gathers the filter and bias of a block: all output channels of every phase.
class BlockWeights {
 public:
  BlockWeights(const OperationView& operation, const WindowParameters& p, const PhaseGroup& of_rows, const PhaseGroup& of_columns)
      : tap_bytes_(p.in_channels * element_size(operation.input(kFilter).type)),
        bias_bytes_(static_cast<size_t>(operation.input(kBias).byte_size().value_or(0))),
        phases_(static_cast<size_t>(of_rows.phases * of_columns.phases)) {
    const Dimension rows{0, 0, p.stride_height, p.pad_top};
    const Dimension columns{0, 0, p.stride_width, p.pad_left};
    for (int32_t y = 0; y < of_rows.phases; ++y) {
      for (int32_t x = 0; x < of_columns.phases; ++x) {
        const int32_t first_row = rows.first_tap(of_rows.first + y);
        const int32_t first_column = columns.first_tap(of_columns.first + x);
        for (size_t c = 0; c < p.out_channels; ++c) {
          for (int32_t i = of_rows.taps - 1; i >= 0; --i) {
            for (int32_t j = of_columns.taps - 1; j >= 0; --j) {
              taps_.push_back((c * p.filter_height + static_cast<size_t>(first_row + i * p.stride_height)) * p.filter_width +
                              static_cast<size_t>(first_column + j * p.stride_width));
            }
          }
        }
      }
    }
  }
  size_t filter_bytes() const { return taps_.size() * tap_bytes_; }
  size_t bias_bytes() const { return phases_ * bias_bytes_; }
  void gather(const std::byte* filter, const std::byte* bias, std::byte* block_filter, std::byte* block_bias) const {
    for (const size_t tap : taps_) {
      std::memcpy(block_filter, filter + tap * tap_bytes_, tap_bytes_);
      block_filter += tap_bytes_;
    }
    for (size_t phase = 0; phase < phases_; ++phase) std::memcpy(block_bias + phase * bias_bytes_, bias, bias_bytes_);
  }

 private:
  const size_t tap_bytes_;
  const size_t bias_bytes_;
  const size_t phases_;
  std::vector<size_t> taps_;  // of the whole filter, in the order of the block's
};

// One convolution: some phases of either dimension.
struct Block {
  PhaseGroup rows;
  PhaseGroup columns;
  std::unique_ptr<OptimizedKernel> kernel;
  size_t result_bytes = 0;
  std::unique_ptr<BlockWeights> weights;  // null if the weights are constant
};

// The operands of a block's convolution, with values if weights are constant.
class BlockOperands {
 public:
  BlockOperands(const OperationView& operation, const BlockWeights& weights, size_t phases)
      : filter_(operation.input(kFilter)), inputs_(operation.inputs.begin(), operation.inputs.end()) {
    if (filter_.channel_quant != nullptr) {
      const auto& all = filter_.channel_quant->scales;
      auto repeated = std::make_shared<ChannelQuant>(ChannelQuant{filter_.channel_quant->channel_dim, {}});
      for (size_t phase = 0; phase < phases; ++phase) repeated->scales.insert(repeated->scales.end(), all.begin(), all.end());
      filter_.channel_quant = std::move(repeated);
    }
    inputs_[kFilter].info = &filter_;
    if (!has_constant_weights(operation)) return;
    filter_bytes_.resize(weights.filter_bytes());
    bias_bytes_.resize(weights.bias_bytes());
    weights.gather(operation.inputs[kFilter].value.data(), operation.inputs[kBias].value.data(), filter_bytes_.data(),
                   bias_bytes_.data());
    inputs_[kFilter].value = filter_bytes_;
    inputs_[kBias].value = bias_bytes_;
  }
  std::span<const OperandView> inputs() const { return inputs_; }

 private:
  OperandInfo filter_;
  std::vector<OperandView> inputs_;
  std::vector<std::byte> filter_bytes_;
  std::vector<std::byte> bias_bytes_;
};

WindowParameters block_parameters(const WindowParameters& p, const Block& block) {
  WindowParameters q = p;
  q.out_height = static_cast<uint32_t>(block.rows.count);
  q.out_width = static_cast<uint32_t>(block.columns.count);
  q.out_channels = p.out_channels * static_cast<uint32_t>(block.rows.phases * block.columns.phases);
  q.filter_height = static_cast<uint32_t>(block.rows.taps);
  q.filter_width = static_cast<uint32_t>(block.columns.taps);
  q.pad_top = block.rows.pad;
  q.pad_left = block.columns.pad;
  q.stride_height = q.stride_width = 1;
  return q;
}

class TransposeConvolutionKernel final : public OptimizedKernel {
 public:
  TransposeConvolutionKernel(const WindowParameters& p, size_t element, std::vector<Block> blocks)
      : p_(p), pixel_bytes_(p.out_channels * element), blocks_(std::move(blocks)) {
    for (const Block& block : blocks_) {
      result_bytes_ = std::max(result_bytes_, block.result_bytes);
      inner_bytes_ = std::max(inner_bytes_, block.kernel->scratch_bytes());
      if (block.weights == nullptr) continue;
      filter_bytes_ = std::max(filter_bytes_, padded_to_vectors(block.weights->filter_bytes()));
      bias_bytes_ = std::max(bias_bytes_, padded_to_vectors(block.weights->bias_bytes()));
    }
  }
  size_t scratch_bytes() const override { return result_bytes_ + filter_bytes_ + bias_bytes_ + inner_bytes_; }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const std::array<std::byte*, 1> outputs = {memory.scratch};
    std::byte* const filter = memory.scratch + result_bytes_;
    std::byte* const bias = filter + filter_bytes_;
    const std::array<const std::byte*, 3> gathered = {memory.inputs[kImage], filter, bias};
    KernelMemory inner{memory.inputs, outputs, nullptr, bias + bias_bytes_};
    for (const Block& block : blocks_) {
      if (block.weights != nullptr) {
        block.weights->gather(memory.inputs[kFilter], memory.inputs[kBias], filter, bias);
        inner.inputs = gathered;
      }
      block.kernel->run(inner, threads);
      const auto rows = static_cast<size_t>(block.rows.count) * p_.batches;
      const size_t row_bytes = static_cast<size_t>(block.columns.count * block.columns.phases * block.rows.phases) * pixel_bytes_;
      threads.parallel_rows(rows, 0.05 * static_cast<double>(row_bytes), 1, [&](size_t first, size_t end) {
        for (size_t row = first; row < end; ++row)
          scatter_row(block, row, memory.scratch + row * row_bytes, memory.outputs[kOutput]);
      });
    }
  }
  const char* name() const override { return blocks_.front().kernel->name(); }

 private:
  // Copies row `row` of a block's results to the output rows of its phases.
  void scatter_row(const Block& block, size_t row, const std::byte* results, std::byte* out) const {
    const auto count = static_cast<size_t>(block.rows.count);
    const size_t run = static_cast<size_t>(block.columns.phases) * pixel_bytes_;  // neighbours in the output
    const auto read_step = static_cast<ptrdiff_t>(run) * block.rows.phases;
    const auto write_step = static_cast<ptrdiff_t>(pixel_bytes_) * p_.stride_width;
    const size_t y = row % count * static_cast<size_t>(p_.stride_height) + static_cast<size_t>(block.rows.first);
    std::byte* to =
        out + ((row / count * p_.out_height + y) * p_.out_width + static_cast<size_t>(block.columns.first)) * pixel_bytes_;
    for (int32_t phase = 0; phase < block.rows.phases; ++phase, results += run, to += p_.out_width * pixel_bytes_) {
      copy_runs({results, read_step}, {to, write_step}, run, static_cast<size_t>(block.columns.count));
    }
  }

  const WindowParameters p_;
  const size_t pixel_bytes_;  // of the output
  const std::vector<Block> blocks_;
  size_t result_bytes_ = 0;
  size_t inner_bytes_ = 0;
  size_t filter_bytes_ = 0;  // of the largest block; 0 if weights are constant
  size_t bias_bytes_ = 0;
};

std::unique_ptr<OptimizedKernel> make_blocks(const KernelNode& node, const WindowParameters& p) {
  const OperationView& operation = node.operation;
  const auto as_int = [](uint32_t v) { return static_cast<int32_t>(v); };
  const size_t element = element_size(operation.output(kOutput).type);
  std::vector<Block> blocks;
  for (const PhaseGroup& rows : phase_groups({as_int(p.out_height), as_int(p.filter_height), p.stride_height, p.pad_top})) {
    for (const PhaseGroup& columns : phase_groups({as_int(p.out_width), as_int(p.filter_width), p.stride_width, p.pad_left})) {
      // The reference computes cases with outputs that no tap reaches, or with inputs before the first window.
      if (rows.taps < 1 || columns.taps < 1 || rows.pad < 0 || columns.pad < 0) return nullptr;
      Block block{rows, columns, nullptr, 0, std::make_unique<BlockWeights>(operation, p, rows, columns)};
      const BlockOperands operands(operation, *block.weights, static_cast<size_t>(rows.phases * columns.phases));
      if (has_constant_weights(operation)) block.weights = nullptr;
      const OperationView view{operation.code, operands.inputs(), operation.outputs};
      const WindowParameters q = block_parameters(p, block);
      block.kernel =
          make_product_kernel({node.node, CheckedOperation::derived(node.operation, view), nullptr, node.only_asks}, q);
      if (block.kernel == nullptr) return nullptr;
      block.result_bytes = padded_to_vectors(size_t{q.batches} * q.out_height * q.out_width * q.out_channels * element);
      blocks.push_back(std::move(block));
    }
  }
  return std::make_unique<TransposeConvolutionKernel>(p, element, std::move(blocks));
}

std::unique_ptr<OptimizedKernel> transpose_conv_2d(const KernelNode& node) { return make_in_either_layout(node, make_blocks); }

constexpr auto kRows = rounding_halves_once({{OperationCode::kTransposeConv2d, transpose_conv_2d}});

}  // namespace

std::span<const OptimizedRow> optimized_transpose_convolution_kernels() { return kRows; }

}  // namespace nnvk::cpu
