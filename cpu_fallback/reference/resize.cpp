// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on images in either layout.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// The optional trailing flags are inputs 3, 4 and 5 in every signature of both operations.
struct ResizeFlags {
  bool nchw = false;
  bool align_corners = false;
  bool half_pixel_centers = false;
};

Result<ResizeFlags> resize_flags(const KernelContext& context) {
  const ResizeFlags flags{flag_operand(context, 3), flag_operand(context, 4), flag_operand(context, 5)};
  if (flags.align_corners && flags.half_pixel_centers) {
    return fail(Code::kOpFailed, "align_corners and half_pixel_centers cannot both be true");
  }
  return flags;
}

float axis_scale(uint32_t in, uint32_t out, bool align_corners) {
  return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                  : static_cast<float>(in) / static_cast<float>(out);
}

// The two input positions an output position lies between, and the weight of the second.
struct Tap {
  uint32_t low = 0;
  uint32_t high = 0;
  float weight = 0.0F;
};

std::vector<Tap> bilinear_taps(uint32_t in, uint32_t out, ResizeFlags flags) {
  const float scale = axis_scale(in, out, flags.align_corners);
  std::vector<Tap> taps(out);
  for (uint32_t o = 0; o < out; ++o) {
    const float position =
        flags.half_pixel_centers ? (static_cast<float>(o) + 0.5F) * scale - 0.5F : static_cast<float>(o) * scale;
    const float last = static_cast<float>(in - 1);
    const float low = std::min(std::max(std::floor(position), 0.0F), last);
    const float high = std::max(std::min(std::ceil(position), last), 0.0F);
    taps[o] = {static_cast<uint32_t>(low), static_cast<uint32_t>(high), position - low};
  }
  return taps;
}

std::vector<uint32_t> nearest_sources(uint32_t in, uint32_t out, ResizeFlags flags) {
  const float scale = axis_scale(in, out, flags.align_corners);
  std::vector<uint32_t> sources(out);
  for (uint32_t o = 0; o < out; ++o) {
    const float position = flags.half_pixel_centers ? (static_cast<float>(o) + 0.5F) * scale : static_cast<float>(o) * scale;
    const float source = flags.align_corners ? std::round(position) : std::floor(position);
    sources[o] = static_cast<uint32_t>(std::max(std::min(source, static_cast<float>(in - 1)), 0.0F));
  }
  return sources;
}

// round(float) gives the element to store.
template <class In, class Out, class Round>
void interpolate(const KernelContext& context, ResizeFlags flags, const In& in, Out&& out, Round&& round) {
  const ImageLayout from = image_layout(context.operation.shape(0), flags.nchw);
  const ImageLayout to = image_layout(context.outputs[0].info.shape, flags.nchw);
  const std::vector<Tap> rows = bilinear_taps(from.height, to.height, flags);
  const std::vector<Tap> columns = bilinear_taps(from.width, to.width, flags);
  for (uint32_t n = 0; n < to.batches; ++n) {
    for (uint32_t y = 0; y < to.height; ++y) {
      for (uint32_t x = 0; x < to.width; ++x) {
        const Tap ty = rows[y];
        const Tap tx = columns[x];
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
  NNVK_ASSIGN(const ResizeFlags flags, resize_flags(context));
  const OperandType type = context.operation.input(0).type;
  if (is_quant8_asymm(type)) {
    return with_quant8_type(type, [&](auto tag) -> Status {
      using T = decltype(tag);
      interpolate(context, flags, context.input<T>(0), context.output<T>(0),
                  [](float v) { return static_cast<T>(std::floor(v + 0.5F)); });
      return {};
    });
  }
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  interpolate(context, flags, in.values(), out.values(), [](float v) { return v; });
  out.store();
  return {};
}

Status resize_nearest(KernelContext& context) {
  NNVK_ASSIGN(const ResizeFlags flags, resize_flags(context));
  const ImageLayout from = image_layout(context.operation.shape(0), flags.nchw);
  const ImageLayout to = image_layout(context.outputs[0].info.shape, flags.nchw);
  const std::vector<uint32_t> rows = nearest_sources(from.height, to.height, flags);
  const std::vector<uint32_t> columns = nearest_sources(from.width, to.width, flags);
  const auto width = static_cast<ptrdiff_t>(element_size(context.operation.input(0).type));
  const std::byte* in = context.operation.inputs[0].value.data();
  std::byte* out = context.outputs[0].data.data();
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
