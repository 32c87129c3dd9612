#include "cpu_fallback/optimized/moves/channels_first.h"

#include <array>

#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/moves/transpose.h"

namespace nnvk::cpu {
namespace {

using namespace convolution;

class ChannelsFirstKernel final : public OptimizedKernel {
 public:
  ChannelsFirstKernel(const KernelNode& node, const WindowParameters& p, std::unique_ptr<OptimizedKernel> channels_last)
      : channels_last_(std::move(channels_last)),
        element_(element_size(node.operation.input(kImage).type)),
        image_{p.batches, p.in_channels, size_t{p.in_height} * p.in_width},
        result_{p.batches, size_t{p.out_height} * p.out_width, p.out_channels},
        image_bytes_(padded_to_vectors(image_.count * image_.rows * image_.columns * element_)),
        result_bytes_(padded_to_vectors(result_.count * result_.rows * result_.columns * element_)),
        has_residual_(node.node.residual != kNoTensor) {}

  size_t scratch_bytes() const override {
    return image_bytes_ + (has_residual_ ? 2 : 1) * result_bytes_ + channels_last_->scratch_bytes();
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    std::byte* const image = memory.scratch;
    std::byte* const result = image + image_bytes_;
    std::byte* const residual = result + result_bytes_;
    transpose_matrices(memory.inputs[kImage], image, image_, element_, threads);
    if (has_residual_) {
      transpose_matrices(memory.residual, residual, {result_.count, result_.columns, result_.rows}, element_, threads);
    }
    // Poolings have other operands behind the image, which they do not read.
    const std::array<const std::byte*, 3> inputs = {image, memory.inputs[kFilter], memory.inputs[kBias]};
    const std::array<std::byte*, 1> outputs = {result};
    KernelMemory inner{inputs, outputs};
    if (has_residual_) inner.residual = residual;
    inner.scratch = residual + (has_residual_ ? result_bytes_ : 0);
    channels_last_->run(inner, threads);
    transpose_matrices(result, memory.outputs[kOutput], result_, element_, threads);
  }
  const char* name() const override { return channels_last_->name(); }

 private:
  const std::unique_ptr<OptimizedKernel> channels_last_;
  const size_t element_;  // bytes; results have the type of the image
  const MatrixStack image_;
  const MatrixStack result_;
  const size_t image_bytes_;
  const size_t result_bytes_;
  const bool has_residual_;
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_in_either_layout(const KernelNode& node, const MakeWindowKernel& make) {
  const auto p = window_parameters(node.operation);
  if (!p) return nullptr;
  WindowParameters channels_last = *p;
  channels_last.nchw = false;
  auto kernel = make(node, channels_last);
  if (kernel == nullptr || !p->nchw) return kernel;
  return std::make_unique<ChannelsFirstKernel>(node, *p, std::move(kernel));
}

}  // namespace nnvk::cpu
