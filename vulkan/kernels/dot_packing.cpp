// The dispatches that prepare data for a dot product kernel.
#include "vulkan/kernels/dot_packing.h"

#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

// Whether the bytes range from 0 to 255; others are signed.
bool is_unsigned(OperandType type) { return element_type(type) == kElementUint8; }
int32_t sign_flip_of(OperandType type) { return is_unsigned(type) ? kSignBits : 0; }
int32_t signed_zero_point_of(int32_t zero_point, OperandType type) { return zero_point - (is_unsigned(type) ? 128 : 0); }

}  // namespace

int32_t DotImage::sign_flip() const { return sign_flip_of(type); }
int32_t DotImage::signed_zero_point() const { return signed_zero_point_of(zero_point, type); }
int32_t signed_zero_point(const WeightSource& source) { return signed_zero_point_of(source.zero_point, source.type); }
int32_t sign_flip(const WeightSource& source) { return sign_flip_of(source.type); }

Result<TensorId> packed_dot_weights(const EmitContext& context, const DotWeights& weights, const DotImage& image) {
  const FilterLayout& filter = weights.filter;
  const DotLayout& layout = weights.layout;
  const WeightSource& source = weights.source;
  return context.dispatches.packed(weights.name, source.tensor, layout.packed_bytes(), [&](TensorId target) -> Status {
    DotPackParams params{};
    params.vectors = static_cast<uint32_t>(layout.weight_vectors);
    params.columns = filter.columns;
    params.group_rows = filter.taps * layout.words;
    params.words = layout.words;
    set_filter(filter, params);
    params.sign_flip = sign_flip(source);
    auto packing =
        make_dispatch(context, kernels::kDotConvolutionPack, {.type = element_type(source.type)},
                      {.in_filter = read_scalars(source.tensor, source.type), .out_packed = write_words(target)}, params);
    packing.label = operation_name(context.node.code) + " " + weights.name;
    NNVK_TRY(add_flat(context, std::move(packing), params.vectors));

    DotConstantsParams constants{};
    constants.corrections = static_cast<uint32_t>(layout.corrections);
    constants.scales = layout.scale_vectors;
    constants.columns = filter.columns;
    constants.group_rows = params.group_rows;
    constants.in_zero_point = image.signed_zero_point();
    constants.weight_offset = static_cast<int32_t>(4 * params.group_rows) * signed_zero_point(source);
    auto behind = make_dispatch(context, kernels::kDotConvolutionConstants, {},
                                {.in_scales = read_words(weights.scales.tensor), .packed = read_write(target)}, constants);
    behind.label = operation_name(context.node.code) + " " + weights.name + ", corrections";
    return add_flat(context, std::move(behind), uint64_t{constants.corrections} + constants.scales);
  });
}

DotImageParams image_in_words(const WindowParameters& window, uint32_t groups, uint32_t words) {
  const bool planar = is_planar(window.nchw, window.in_height, window.in_width, window.in_channels);
  DotImageParams params{};
  params.words = words;
  params.groups = groups;
  params.plane = window.in_height * window.in_width;
  params.group_channels = window.in_channels / groups;
  params.stride_image = params.plane * window.in_channels;
  params.stride_pixel = planar ? 1 : window.in_channels;
  params.stride_channel = planar ? params.plane : 1;
  params.stride_group = params.group_channels * params.stride_channel;
  return params;
}

DotImageParams rows_in_words(const ProductRows& rows, uint32_t words) {
  DotImageParams params{};
  params.words = words;
  params.groups = 1;
  params.plane = rows.rows;
  params.group_channels = rows.depth;
  params.stride_image = rows.matrix_stride;
  params.stride_pixel = rows.row_stride;
  params.stride_channel = rows.depth_stride;
  return params;
}

Result<DotImage> copied_into_words(const EmitContext& context, const DotImage& image, uint64_t bytes, DotImageParams params) {
  DotImage copy;
  copy.tensor = context.dispatches.scratch(bytes);
  copy.type = OperandType::kTensorQuant8AsymmSigned;
  copy.zero_point = image.signed_zero_point();
  params.count = static_cast<uint32_t>(bytes / 4);
  params.sign_flip = image.sign_flip();
  params.in_zero_point = copy.zero_point;
  auto dispatch = make_dispatch(context, kernels::kDotConvolutionImage, {.type = element_type(image.type)},
                                {.in_x = read_scalars(image.tensor, image.type), .out_words = write_words(copy.tensor)}, params);
  dispatch.label += " input in words";
  NNVK_TRY(add_flat(context, std::move(dispatch), params.count));
  return copy;
}

}  // namespace nnvk::vulkan
