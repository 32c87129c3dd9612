// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. A channels-first image is many images of one channel.
#include "core/operations/parameters/resize_parameters.h"

#include <algorithm>
#include <cstring>

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/rows/bilinear_rows.h"

namespace nnvk::cpu {
namespace {
using namespace resize;

// The reference handles longer sides, because these kernels make tables of that length before any execution needs them.
constexpr size_t kLongestSide = size_t{1} << 20;

// Sizes that both kernels use. Rows are measured in bytes.
struct ResizedImages {
  size_t images = 0;
  size_t in_height = 0, in_width = 0;
  size_t out_height = 0, out_width = 0;
  size_t channels = 0;
  size_t element = 0;

  size_t in_row() const { return in_width * channels * element; }
  size_t out_row() const { return out_width * channels * element; }
  bool are_small() const { return out_height <= kLongestSide && out_width <= kLongestSide; }
};

ResizedImages resized_images(const KernelNode& node, bool nchw) {
  const OperandInfo& in = node.operation.input(kImage);
  const Shape& out = node.operation.output(kOutput).shape;
  const LayoutAxes at = layout_axes(nchw);
  ResizedImages images;
  images.images = nchw ? size_t{in.shape[0]} * in.shape[at.channels] : in.shape[0];
  images.in_height = in.shape[at.height];
  images.in_width = in.shape[at.width];
  images.out_height = out[at.height];
  images.out_width = out[at.width];
  images.channels = nchw ? 1 : in.shape[at.channels];
  images.element = element_size(in.type);
  return images;
}

class BilinearKernel final : public OptimizedKernel {
 public:
  BilinearKernel(const ResizedImages& images, OperandType type, ResizeMapping mapping)
      : images_(images),
        type_(type),
        rows_(bilinear_taps(static_cast<uint32_t>(images.in_height), static_cast<uint32_t>(images.out_height), mapping)),
        columns_(bilinear_taps(static_cast<uint32_t>(images.in_width), static_cast<uint32_t>(images.out_width), mapping)) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const double nanoseconds = 0.3 * static_cast<double>(images_.out_width * images_.channels);
    threads.parallel_rows(images_.images * images_.out_height, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const ResizeTap& tap = rows_[row % images_.out_height];
        const std::byte* const image = memory.inputs[kImage] + row / images_.out_height * images_.in_height * images_.in_row();
        interpolate_row(type_, {image + tap.low * images_.in_row(), image + tap.high * images_.in_row(), tap.weight, columns_,
                                images_.channels, memory.outputs[kOutput] + row * images_.out_row()});
      }
    });
  }
  const char* name() const override { return "bilinear rows"; }

 private:
  const ResizedImages images_;
  const OperandType type_;
  const std::vector<ResizeTap> rows_;
  const std::vector<ResizeTap> columns_;
};

class NearestKernel final : public OptimizedKernel {
 public:
  NearestKernel(const ResizedImages& images, ResizeMapping mapping)
      : images_(images),
        rows_(nearest_sources(static_cast<uint32_t>(images.in_height), static_cast<uint32_t>(images.out_height), mapping)),
        columns_(nearest_sources(static_cast<uint32_t>(images.in_width), static_cast<uint32_t>(images.out_width), mapping)) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const double nanoseconds = static_cast<double>(images_.out_width) + 0.08 * static_cast<double>(images_.out_row());
    threads.parallel_rows(images_.images * images_.out_height, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const size_t y = row % images_.out_height;
        std::byte* const out = memory.outputs[kOutput] + row * images_.out_row();
        if (row > first && y > 0 && rows_[y] == rows_[y - 1]) {
          std::memcpy(out, out - images_.out_row(), images_.out_row());
          continue;
        }
        const size_t in_row = row / images_.out_height * images_.in_height + rows_[y];
        gather_runs(memory.inputs[kImage] + in_row * images_.in_row(), columns_, out, images_.channels * images_.element);
      }
    });
  }
  const char* name() const override { return "nearest rows"; }

 private:
  const ResizedImages images_;
  const std::vector<uint32_t> rows_;
  const std::vector<uint32_t> columns_;
};

std::unique_ptr<OptimizedKernel> bilinear(const KernelNode& node) {
  const auto parameters = resize_parameters(node.operation);
  const OperandType type = node.operation.input(kImage).type;
  const bool is_fast = type == OperandType::kTensorFloat32 || is_quant8_asymm(type);
  if (!parameters || !is_fast || node.has_epilogue()) return nullptr;
  const ResizedImages images = resized_images(node, parameters->nchw);
  return images.are_small() ? std::make_unique<BilinearKernel>(images, type, parameters->mapping) : nullptr;
}

std::unique_ptr<OptimizedKernel> nearest(const KernelNode& node) {
  const auto parameters = resize_parameters(node.operation);
  if (!parameters || node.has_epilogue()) return nullptr;
  const ResizedImages images = resized_images(node, parameters->nchw);
  return images.are_small() ? std::make_unique<NearestKernel>(images, parameters->mapping) : nullptr;
}

constexpr OptimizedRow kRows[] = {
    {.code = OperationCode::kResizeBilinear, .make = bilinear, .rounds_halves_once = true},
    {OperationCode::kResizeNearestNeighbor, nearest},
};

}  // namespace

std::span<const OptimizedRow> optimized_resize_kernels() { return kRows; }

}  // namespace nnvk::cpu
