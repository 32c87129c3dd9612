#include "vulkan/kernels/products/byte_words.h"

namespace nnvk::vulkan {
namespace {

// Returns whether bytes of the type range from 0 to 255, else from -128 to 127.
bool is_unsigned(OperandType type) { return element_type(type) == kElementUint8; }
int32_t sign_flip_of(OperandType type) { return is_unsigned(type) ? kSignBits : 0; }
int32_t signed_zero_point_of(int32_t zero_point, OperandType type) { return zero_point - (is_unsigned(type) ? 128 : 0); }

}  // namespace

int32_t signed_zero_point(const WeightSource& source) { return signed_zero_point_of(source.zero_point, source.type); }
int32_t sign_flip(const WeightSource& source) { return sign_flip_of(source.type); }

uint64_t word_image_bytes(const ProductShape& shape, uint32_t group_words) {
  return shape.input_pixels * shape.input_groups() * group_words * 4;
}

bool reads_four_words(const ProductShape& shape, uint32_t group_words) {
  return shape.scalar_input() ? group_words % 4 == 0 : shape.input_unit == 16;
}

Result<WordImage> input_in_words(const EmitContext& context, const Product& product, uint32_t group_words) {
  const ProductShape& shape = product.shape;
  const int32_t flip = sign_flip_of(shape.type);
  const int32_t zero_point = signed_zero_point_of(product.limits.in_zero_point, shape.type);
  const bool wide = reads_four_words(shape, group_words);
  if (!shape.scalar_input()) {
    return WordImage{product.input, flip, zero_point, product.input_strides(), wide};
  }
  const uint32_t plane = shape.geometry.in_height * shape.geometry.in_width;
  DotImageParams params{};
  params.words = group_words;
  params.groups = shape.input_groups();
  params.plane = plane;
  params.group_channels = shape.geometry.in_channels / params.groups;
  params.stride_image = shape.matrices ? product.in.group : plane * shape.geometry.in_channels;
  params.stride_pixel = product.in.pixel;
  params.stride_channel = product.in.channel;
  params.stride_group = shape.matrices ? 0 : product.in.group;
  params.sign_flip = flip;
  params.in_zero_point = zero_point;
  const uint64_t bytes = word_image_bytes(shape, group_words);
  params.count = static_cast<uint32_t>(bytes / 4);
  const TensorId copy = context.dispatches.scratch(bytes);
  auto dispatch = make_dispatch(context, kernels::kDotConvolutionImage, {.type = element_type(shape.type)},
                                {.in_x = read_scalars(product.input, shape.type), .out_words = write_words(copy)}, params);
  dispatch.label += " input in words";
  NNVK_TRY(add_flat(context, std::move(dispatch), params.count));
  const Strides strides{params.groups * group_words, product.in.channel, (shape.matrices ? plane : 1) * group_words};
  return WordImage{copy, 0, zero_point, strides, wide};
}

TensorBinding integer_bias(const Product& product) {
  return product.bias.value_or(read_quads(product.input, OperandType::kTensorInt32));
}

}  // namespace nnvk::vulkan
