// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on images in either layout.
#include <cmath>
#include <cstring>

#include "core/operations/parameters/resize_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// round(float) gives the element to store.
template <class In, class Out, class Round>
void interpolate(const KernelContext& context, const ResizeParameters& p, const In& in, Out&& out, Round&& round) {
  const ImageLayout from = image_layout(context.operation.shape(resize::kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[resize::kOutput].info.shape, p.nchw);
  const std::vector<ResizeTap> rows = bilinear_taps(from.height, to.height, p.mapping);
  const std::vector<ResizeTap> columns = bilinear_taps(from.width, to.width, p.mapping);
  for (uint32_t n = 0; n < to.batches; ++n) {
    for (uint32_t y = 0; y < to.height; ++y) {
      for (uint32_t x = 0; x < to.width; ++x) {
        const ResizeTap ty = rows[y];
        const ResizeTap tx = columns[x];
        const ptrdiff_t corners[] = {from.at(n, ty.low, tx.low), from.at(n, ty.high, tx.low), from.at(n, ty.low, tx.high),
                                     from.at(n, ty.high, tx.high)};
        for (uint32_t c = 0; c < to.channels; ++c) {
          const auto value = [&](int corner) {
            return static_cast<float>(in[static_cast<size_t>(corners[corner] + static_cast<ptrdiff_t>(c) * from.channel_step)]);
          };
          const float sum = value(0) * (1.0F - ty.weight) * (1.0F - tx.weight) + value(1) * ty.weight * (1.0F - tx.weight) +
                            value(2) * (1.0F - ty.weight) * tx.weight + value(3) * ty.weight * tx.weight;
          out[static_cast<size_t>(to.at(n, y, x) + static_cast<ptrdiff_t>(c) * to.channel_step)] = round(sum);
        }
      }
    }
  }
}

Status resize_bilinear(KernelContext& context) {
  NNVK_ASSIGN(const ResizeParameters p, resize_parameters(context.operation));
  const OperandType type = context.operation.input(resize::kImage).type;
  if (is_quant8_asymm(type)) {
    return with_quant8_type(type, [&](auto tag) -> Status {
      using T = decltype(tag);
      interpolate(context, p, context.input<T>(resize::kImage), context.output<T>(resize::kOutput),
                  [](float v) { return static_cast<T>(std::floor(v + 0.5F)); });
      return {};
    });
  }
  const FloatInput in(context, resize::kImage);
  FloatOutput out(context, resize::kOutput);
  interpolate(context, p, in.values(), out.values(), [](float v) { return v; });
  out.store();
  return {};
}

Status resize_nearest(KernelContext& context) {
  NNVK_ASSIGN(const ResizeParameters p, resize_parameters(context.operation));
  const ImageLayout from = image_layout(context.operation.shape(resize::kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[resize::kOutput].info.shape, p.nchw);
  const std::vector<uint32_t> rows = nearest_sources(from.height, to.height, p.mapping);
  const std::vector<uint32_t> columns = nearest_sources(from.width, to.width, p.mapping);
  const auto width = static_cast<ptrdiff_t>(element_size(context.operation.input(resize::kImage).type));
  const std::byte* in = context.operation.inputs[resize::kImage].value.data();
  std::byte* out = context.outputs[resize::kOutput].data.data();
  for (uint32_t n = 0; n < to.batches; ++n) {
    for (uint32_t y = 0; y < to.height; ++y) {
      for (uint32_t x = 0; x < to.width; ++x) {
        for (uint32_t c = 0; c < to.channels; ++c) {
          const ptrdiff_t source = from.at(n, rows[y], columns[x]) + static_cast<ptrdiff_t>(c) * from.channel_step;
          const ptrdiff_t target = to.at(n, y, x) + static_cast<ptrdiff_t>(c) * to.channel_step;
          std::memcpy(out + target * width, in + source * width, static_cast<size_t>(width));
        }
      }
    }
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kResizeBilinear, resize_bilinear},
    {OperationCode::kResizeNearestNeighbor, resize_nearest},
};

}  // namespace

std::span<const KernelRow> resize_kernels() { return kRows; }

}  // namespace nnvk::cpu
