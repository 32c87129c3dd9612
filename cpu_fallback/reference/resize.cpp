// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on images in either layout.
#include <cmath>
#include <cstring>

#include "core/operations/parameters/resize_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Interpolates. Elements of 8 bits round half up.
template <class T>
void interpolate(const KernelContext& context, const ResizeParameters& p, std::span<const T> in, std::span<T> out) {
  const ImageLayout from = image_layout(context.operation.shape(resize::kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[resize::kOutput].info.shape, p.nchw);
  const std::vector<ResizeTap> rows = bilinear_taps(from.height, to.height, p.mapping);
  const std::vector<ResizeTap> columns = bilinear_taps(from.width, to.width, p.mapping);
  for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
    const ResizeTap ty = rows[y];
    const ResizeTap tx = columns[x];
    const int64_t corners[] = {from.pixel(n, ty.low, tx.low), from.pixel(n, ty.high, tx.low), from.pixel(n, ty.low, tx.high),
                               from.pixel(n, ty.high, tx.high)};
    for (uint32_t c = 0; c < to.channels; ++c) {
      const auto value = [&](int corner) { return static_cast<float>(in[from.element(corners[corner], c)]); };
      const float sum = value(0) * (1.0F - ty.weight) * (1.0F - tx.weight) + value(1) * ty.weight * (1.0F - tx.weight) +
                        value(2) * (1.0F - ty.weight) * tx.weight + value(3) * ty.weight * tx.weight;
      out[to.element(to.pixel(n, y, x), c)] = static_cast<T>(std::is_same_v<T, float> ? sum : std::floor(sum + 0.5F));
    }
  });
}

// Returns whether there are no images. Sides may then have any length, so callers must make no table for them.
bool is_empty(const KernelContext& context) { return context.outputs[resize::kOutput].data.empty(); }

Status resize_bilinear(KernelContext& context) {
  if (is_empty(context)) return {};
  NNVK_ASSIGN(const ResizeParameters p, resize_parameters(context.operation));
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) -> Status {
    interpolate<decltype(tag)>(context, p, in, out);
    return {};
  });
}

Status resize_nearest(KernelContext& context) {
  if (is_empty(context)) return {};
  NNVK_ASSIGN(const ResizeParameters p, resize_parameters(context.operation));
  const ImageLayout from = image_layout(context.operation.shape(resize::kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[resize::kOutput].info.shape, p.nchw);
  const std::vector<uint32_t> rows = nearest_sources(from.height, to.height, p.mapping);
  const std::vector<uint32_t> columns = nearest_sources(from.width, to.width, p.mapping);
  const size_t width = element_size(context.operation.input(resize::kImage).type);
  const std::byte* in = context.operation.inputs[resize::kImage].value.data();
  std::byte* out = context.outputs[resize::kOutput].data.data();
  for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
    const int64_t source = from.pixel(n, rows[y], columns[x]);
    const int64_t target = to.pixel(n, y, x);
    for (uint32_t c = 0; c < to.channels; ++c) {
      std::memcpy(out + to.element(target, c) * width, in + from.element(source, c) * width, width);
    }
  });
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kResizeBilinear, resize_bilinear},
    {OperationCode::kResizeNearestNeighbor, resize_nearest},
};

}  // namespace

std::span<const KernelRow> resize_kernels() { return kRows; }

}  // namespace nnvk::cpu
