#include "vulkan/kernels/products/split_sums.h"

#include "convolution_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/products/register_tiles.h"

namespace nnvk::vulkan {
namespace {

constexpr uint32_t kFewLanes = 8;
constexpr uint32_t kManyLanes = 32;  // with more, neighbouring lanes would read too few neighbouring weights
constexpr uint32_t kMostPixels = 4;
constexpr uint64_t kLeastSteps = 4;  // per invocation; with fewer, adding up the parts costs more than it saves

// Returns the number of results, each a vector with whole sums.
uint64_t results(const ProductShape& shape) { return shape.pixels * shape.repetitions() * shape.filter.columns; }

}  // namespace

uint32_t split_pixels(const ProductShape& shape, const DeviceTraits& traits) {
  const uint32_t most = traits.has_few_registers() ? kMostPixels / 2 : kMostPixels;
  uint32_t pixels = 1;
  while (pixels < most && pixels < shape.pixels) pixels *= 2;
  return pixels;
}

uint32_t SplitSum::vectors() const { return kSplitInvocations / lanes; }

uint64_t work_groups(const SplitSum& split, const ProductShape& shape) {
  return divide_up(shape.pixels, split.pixels) * shape.repetitions() * divide_up(shape.filter.columns, split.vectors());
}

std::optional<SplitSum> choose_split_sum(const ProductShape& shape, const DeviceTraits& traits) {
  const uint64_t steps = shape.steps_of_sum();
  if (shape.window != kWindowPointwise || steps > uint64_t{kMostElementsPerInvocation} * kFewLanes) return std::nullopt;
  const uint64_t wanted = wanted_invocations(traits.machine);
  const bool worth_it = results(shape) < wanted && steps >= kFewLanes * kLeastSteps;
  if (!worth_it && !traits.forms.contains(KernelForm::kSplit)) return std::nullopt;
  SplitSum split{.pixels = split_pixels(shape, traits), .lanes = kFewLanes};
  const bool idle = work_groups(split, shape) * kSplitInvocations < wanted;
  if (idle && steps >= kManyLanes * kLeastSteps) split.lanes = kManyLanes;
  return split;
}

Status emit_split_sums(const EmitContext& context, const Product& product, const SplitSum& split) {
  const ProductShape& shape = product.shape;
  auto params =
      dense_params<ConvolutionParams>(product, product.input_strides(), divide_up(shape.filter.columns, split.vectors()));
  params.in_steps = shape.filter.in_channels / shape.lanes();
  NNVK_ASSIGN(const TensorBinding weights, float_weights(context, product));
  const TensorBinding x = product.input_binding();
  // Float and integer kernels take the same constants; float kernels take `own` as well.
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const TensorBinding& fourth, auto... own) {
    return make_dispatch(context, kernel,
                         typename Shape::Specialization{element_type(shape.type), split.pixels, shape.scalar_input(),
                                                        shape.scalar_output, product.grouping(), split.lanes, own...},
                         typename Shape::Bindings{x, weights, product.bias.value_or(x), write_words(product.target), fourth},
                         params);
  };
  return add_product(context, product,
                     is_float_tensor(shape.type) ? make(kernels::kConvolutionSplitFloat, product.addend, shape.residual)
                                                 : make(kernels::kConvolutionSplitInteger, product.scales),
                     work_groups(split, shape) * kSplitInvocations);
}

std::string reason_of(const SplitSum& split, const ProductShape& shape, const DeviceTraits& traits) {
  const std::string what = std::to_string(split.lanes) + " invocations share every sum of " + std::to_string(split.pixels) +
                           (split.pixels == 1 ? " pixel: " : " pixels: ");
  if (traits.forms.contains(KernelForm::kSplit)) return what + "asked for";
  return what + grouped_digits(results(shape)) + " with whole sums would leave the device idle (" +
         grouped_digits(wanted_invocations(traits.machine)) + " keep it busy)";
}

}  // namespace nnvk::vulkan
