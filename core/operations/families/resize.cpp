// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include <cmath>

#include "core/base/shortest_text.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/resize_parameters.h"
#include "core/operations/rules/image_dimensions.h"

namespace nnvk {
namespace {
using namespace row;

// Returns the size of one output axis from scalar `i`, an INT32 size or a float factor of the input's `size`, if both are known.
Result<uint32_t> resized(const OperationView& operation, size_t i, uint32_t size) {
  int64_t result = 0;
  if (operation.input(i).type == kInt32) {
    const auto value = operation.scalar<int32_t>(i);
    if (!value) return kUnknownDimension;
    result = *value;
  } else {
    const auto factor = float_scalar(operation, i);
    if (!factor || !is_known(size)) return kUnknownDimension;
    const float scaled = std::floor(static_cast<float>(size) * *factor);
    // Written so that NaN fails; the upper bound keeps the conversion to an integer defined.
    if (!(scaled >= 1.0F && scaled < 2147483648.0F)) {
      return fail(Code::kOpFailed, input_name(i) + " must scale " + std::to_string(size) + " to a size from 1 to 2^31 - 1, but " +
                                       shortest_text(*factor) + " scales it to " + shortest_text(scaled));
    }
    result = static_cast<int64_t>(scaled);
  }
  if (result <= 0) return fail(Code::kOpFailed, input_name(i) + " must be positive, but is " + std::to_string(result));
  return static_cast<uint32_t>(result);
}

Shapes infer_resize(const OperationView& operation) {
  using namespace resize;
  NNVK_TRY(check_rank(operation, kImage, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  if (optional_flag(operation, kAlignCorners) == true && optional_flag(operation, kHalfPixelCenters) == true) {
    return fail(Code::kOpFailed, "align_corners and half_pixel_centers exclude each other");
  }
  const auto nchw = optional_flag(operation, kLayout);
  const ImageDimensions image = image_of(operation, kImage, kLayout);
  if (image.height == 0 || image.width == 0 || image.channels == 0) {
    return fail(Code::kOpFailed, "only the batch may be empty, the input is " + operation.shape(kImage).to_string());
  }
  NNVK_ASSIGN(const uint32_t width, resized(operation, kWidth, image.width));
  NNVK_ASSIGN(const uint32_t height, resized(operation, kHeight, image.height));
  if (!nchw) return one({image.batches, kUnknownDimension, kUnknownDimension, kUnknownDimension});
  return one(*nchw ? Shape{image.batches, image.channels, height, width} : Shape{image.batches, height, width, image.channels});
}

// Inputs: image, width, height, layout, align_corners, half_pixel_centers.
constexpr auto kBilinearByShape = rules<In<kT, kInt32, kInt32, kBool, kBool, kBool>, Out<kT>, Since<1, kTensorFloat32>, Reals<3>>;
constexpr auto kNearestByShape = rules<In<kT, kInt32, kInt32, kBool, kBool, kBool>, Out<kT>, Reals<3>>;
constexpr auto kByScale = rules<In<kT, kTScalar, kTScalar, kBool, kBool, kBool>, Out<kT>, Reals<3>>;
constexpr Signature kBilinear[] = {
    {1, counts<3, 4>, 1, kBilinearByShape},
    {4, counts<5, 6>, 1, kBilinearByShape},
    {3, counts<3, 4>, 1, kByScale},
    {4, counts<5, 6>, 1, kByScale},
};
constexpr Signature kNearest[] = {
    {3, counts<4>, 1, kNearestByShape},
    {4, counts<5, 6>, 1, kNearestByShape},
    {3, counts<4>, 1, kByScale},
    {4, counts<5, 6>, 1, kByScale},
};

constexpr auto kRows = rows<Cost::kResize, layout::flagged<resize::kLayout>>({
    {.code = Op::kResizeBilinear, .signatures = kBilinear, .accepts_empty_inputs = true, .infer = infer_resize},
    {.code = Op::kResizeNearestNeighbor, .signatures = kNearest, .accepts_empty_inputs = true, .infer = infer_resize},
});

}  // namespace

std::span<const OperationDefinition> resize_operations() { return kRows; }

}  // namespace nnvk
