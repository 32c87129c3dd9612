// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. A channels-first image is many images of one channel.
#include "core/operations/parameters/resize_parameters.h"

#include <cstring>

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
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

std::unique_ptr<OptimizedKernel> bilinear(const KernelNode& node) {
  const auto parameters = resize_parameters(node.operation);
  const OperandType type = node.operation.input(kImage).type;
  const bool is_fast = type == OperandType::kTensorFloat32 || is_quant8_asymm(type);
  if (!parameters || !is_fast || node.has_epilogue()) return nullptr;
  const ResizedImages images = resized_images(node, parameters->nchw);
  if (!images.are_small()) return nullptr;
  const ResizeMapping& mapping = parameters->mapping;
  auto rows = bilinear_taps(static_cast<uint32_t>(images.in_height), static_cast<uint32_t>(images.out_height), mapping);
  auto columns = bilinear_taps(static_cast<uint32_t>(images.in_width), static_cast<uint32_t>(images.out_width), mapping);
  const auto run = [images, type, rows, columns](const KernelMemory& memory, ThreadPool& threads) {
    const double nanoseconds = 0.3 * static_cast<double>(images.out_width * images.channels);
    threads.parallel_rows(images.images * images.out_height, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const ResizeTap& tap = rows[row % images.out_height];
        const std::byte* const image = memory.inputs[kImage] + row / images.out_height * images.in_height * images.in_row();
        interpolate_row(type, {image + tap.low * images.in_row(), image + tap.high * images.in_row(), tap.weight, columns,
                               images.channels, memory.outputs[kOutput] + row * images.out_row()});
      }
    });
  };
  return function_kernel("bilinear rows", run);
}

std::unique_ptr<OptimizedKernel> nearest(const KernelNode& node) {
  const auto parameters = resize_parameters(node.operation);
  if (!parameters || node.has_epilogue()) return nullptr;
  const ResizedImages images = resized_images(node, parameters->nchw);
  if (!images.are_small()) return nullptr;
  const ResizeMapping& mapping = parameters->mapping;
  auto rows = nearest_sources(static_cast<uint32_t>(images.in_height), static_cast<uint32_t>(images.out_height), mapping);
  auto columns = nearest_sources(static_cast<uint32_t>(images.in_width), static_cast<uint32_t>(images.out_width), mapping);
  const auto run = [images, rows, columns](const KernelMemory& memory, ThreadPool& threads) {
    const double nanoseconds = static_cast<double>(images.out_width) + 0.08 * static_cast<double>(images.out_row());
    threads.parallel_rows(images.images * images.out_height, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const size_t y = row % images.out_height;
        std::byte* const out = memory.outputs[kOutput] + row * images.out_row();
        if (row > first && y > 0 && rows[y] == rows[y - 1]) {
          std::memcpy(out, out - images.out_row(), images.out_row());
          continue;
        }
        const size_t in_row = row / images.out_height * images.in_height + rows[y];
        gather_runs(memory.inputs[kImage] + in_row * images.in_row(), columns, out, images.channels * images.element);
      }
    });
  };
  return function_kernel("nearest rows", run);
}

constexpr OptimizedRow kRows[] = {
    {.code = OperationCode::kResizeBilinear, .make = bilinear, .rounds_halves_once = true},
    {OperationCode::kResizeNearestNeighbor, nearest},
};

}  // namespace

std::span<const OptimizedRow> optimized_resize_kernels() { return kRows; }

}  // namespace nnvk::cpu
