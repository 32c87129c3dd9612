// Resize and Upsample: by NNAPI's operations where they compute the same positions, else by gathers (nearest) or by one product
// with a matrix of weights per axis (linear, cubic).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/products.h"

namespace nnvk::importers::onnx {
namespace {

struct ResizeAxis {
  int64_t axis = 0;
  int64_t from = 0;
  int64_t to = 0;
  double scale = 1;
  double roi_start = 0;
  double roi_end = 1;
};

struct ResizeModes {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic = -0.75;
  bool exclude_outside = false;
  double extrapolation = 0;
};

// Returns the position in the input that element i of the result shows.
Result<double> source_position(const ResizeModes& modes, const ResizeAxis& axis, int64_t i) {
  const auto x = static_cast<double>(i);
  const auto from = static_cast<double>(axis.from);
  if (modes.coordinates == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (modes.coordinates == "pytorch_half_pixel") return axis.to > 1 ? (x + 0.5) / axis.scale - 0.5 : 0.0;
  if (modes.coordinates == "asymmetric") return x / axis.scale;
  if (modes.coordinates == "align_corners") return axis.to > 1 ? x * (from - 1) / static_cast<double>(axis.to - 1) : 0.0;
  if (modes.coordinates == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(axis.to) / (axis.scale * from);
    return from / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  if (modes.coordinates == "tf_crop_and_resize") {
    if (axis.to == 1) return 0.5 * (axis.roi_start + axis.roi_end) * (from - 1);
    return axis.roi_start * (from - 1) + x * (axis.roi_end - axis.roi_start) * (from - 1) / static_cast<double>(axis.to - 1);
  }
  return fail("the coordinates '" + modes.coordinates + "' are unknown");
}

Result<int64_t> nearest_element(const ResizeModes& modes, const ResizeAxis& axis, double x) {
  double element = 0;
  if (modes.nearest == "round_prefer_floor") {
    element = std::ceil(x - 0.5);
  } else if (modes.nearest == "round_prefer_ceil") {
    element = std::floor(x + 0.5);
  } else if (modes.nearest == "floor") {
    element = std::floor(x);
  } else if (modes.nearest == "ceil") {
    element = std::ceil(x);
  } else {
    return fail("the rounding '" + modes.nearest + "' is unknown");
  }
  return static_cast<int64_t>(std::clamp(element, 0.0, static_cast<double>(axis.from - 1)));
}

bool is_outside(const ResizeModes& modes, const ResizeAxis& axis, double x) {
  return modes.coordinates == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(axis.from - 1));
}

// Returns the weights of the elements around position x: from the element floor(x) - taps / 2 + 1 on.
std::vector<double> tap_weights(const ResizeModes& modes, double x) {
  const double t = x - std::floor(x);
  if (modes.mode == "linear") return {1 - t, t};
  const double a = modes.cubic;
  const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// The matrix [to, from] of an axis's weights, and the sums that a result outside the image has in their place.
struct AxisWeights {
  std::vector<double> matrix;
  std::vector<double> outside;
};

Result<AxisWeights> axis_weights(const ResizeModes& modes, const ResizeAxis& axis) {
  AxisWeights result{.matrix = std::vector<double>(static_cast<size_t>(axis.to * axis.from)),
                     .outside = std::vector<double>(static_cast<size_t>(axis.to))};
  for (int64_t i = 0; i < axis.to; ++i) {
    TOOLS_ASSIGN(const double x, source_position(modes, axis, i));
    if (is_outside(modes, axis, x)) {
      result.outside[static_cast<size_t>(i)] = modes.extrapolation;
      continue;
    }
    auto weights = tap_weights(modes, x);
    const auto first = static_cast<int64_t>(std::floor(x)) - static_cast<int64_t>(weights.size()) / 2 + 1;
    double sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      const int64_t element = first + static_cast<int64_t>(k);
      if (modes.exclude_outside && (element < 0 || element >= axis.from)) weights[k] = 0;
      sum += weights[k];
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      const int64_t element = std::clamp<int64_t>(first + static_cast<int64_t>(k), 0, axis.from - 1);
      result.matrix[static_cast<size_t>(i * axis.from + element)] += modes.exclude_outside ? weights[k] / sum : weights[k];
    }
  }
  return result;
}

// Returns the flags of NNAPI's operation for these coordinates: align_corners, half_pixel_centers. Returns nothing if NNAPI has
// no such operation.
std::optional<std::pair<bool, bool>> native_flags(const ResizeModes& modes, std::span<const ResizeAxis> axes) {
  for (const ResizeAxis& axis : axes) {
    if (axis.axis < 2) return std::nullopt;
    // NNAPI's scale is that of the sizes.
    if (modes.coordinates != "align_corners" && axis.scale * static_cast<double>(axis.from) != static_cast<double>(axis.to))
      return std::nullopt;
    if (axis.to == 1 && modes.coordinates != "asymmetric") return std::nullopt;
  }
  const bool half = modes.coordinates == "half_pixel" || modes.coordinates == "pytorch_half_pixel" ||
                    modes.coordinates == "half_pixel_symmetric";
  if (modes.coordinates == "align_corners") return std::pair{true, false};
  if (half) return std::pair{false, true};
  if (modes.coordinates == "asymmetric") return std::pair{false, false};
  return std::nullopt;
}

// Returns the element that NNAPI's nearest neighbour takes, as the specification computes it in float32.
int64_t native_nearest(const ResizeAxis& axis, bool align_corners, bool half_pixel, int64_t i) {
  const bool corners = align_corners && axis.to > 1;
  const float scale = corners ? static_cast<float>(axis.from - 1) / static_cast<float>(axis.to - 1)
                              : static_cast<float>(axis.from) / static_cast<float>(axis.to);
  const float position = (static_cast<float>(i) + (half_pixel ? 0.5f : 0.0f)) * scale;
  const float element = align_corners ? std::round(position) : std::floor(position);
  return std::clamp<int64_t>(static_cast<int64_t>(element), 0, axis.from - 1);
}

Result<Tensor> native_resize(Emitter& emitter, int32_t code, const Tensor& input, std::span<const ResizeAxis> axes,
                             std::pair<bool, bool> flags) {
  Dimensions shape = input.dimensions;
  for (const ResizeAxis& axis : axes) shape[static_cast<size_t>(axis.axis)] = axis.to;
  return emitter.operation(
      code, {input, static_cast<int32_t>(shape[3]), static_cast<int32_t>(shape[2]), true, flags.first, flags.second},
      input.shaped(shape));
}

Result<Tensor> resize_nearest(Emitter& emitter, const Tensor& input, const ResizeModes& modes, std::span<const ResizeAxis> axes) {
  std::vector<std::vector<int64_t>> positions;
  auto flags = input.rank() == 4 && !input.is_int() && !input.is_bool() ? native_flags(modes, axes) : std::nullopt;
  bool native = flags.has_value();
  for (const ResizeAxis& axis : axes) {
    TOOLS_TRY(emitter.take_bytes(static_cast<uint64_t>(axis.to) * sizeof(int64_t), "the positions of a resize"));
    auto& elements = positions.emplace_back();
    for (int64_t i = 0; i < axis.to; ++i) {
      TOOLS_ASSIGN(const double x, source_position(modes, axis, i));
      if (is_outside(modes, axis, x)) return fail("NNAPI has no nearest neighbour outside the image");
      TOOLS_ASSIGN(const int64_t element, nearest_element(modes, axis, x));
      elements.push_back(element);
      native = native && element == native_nearest(axis, flags->first, flags->second, i);
    }
  }
  if (native) return native_resize(emitter, ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, input, axes, *flags);
  Tensor result = input;
  for (size_t i = 0; i < axes.size(); ++i) {
    TOOLS_ASSIGN(result, gather(emitter, result, axes[i].axis, positions[i]));
  }
  return result;
}

Result<Tensor> resize_weighted(Emitter& emitter, const Tensor& input, const ResizeModes& modes,
                               std::span<const ResizeAxis> axes) {
  if (!input.is_float()) return fail("NNAPI interpolates real numbers only, but the tensor is " + describe(input));
  if (modes.mode == "linear" && input.rank() == 4 && !modes.exclude_outside) {
    if (const auto flags = native_flags(modes, axes))
      return native_resize(emitter, ANEURALNETWORKS_RESIZE_BILINEAR, input, axes, *flags);
  }
  Tensor result = input;
  for (const ResizeAxis& axis : axes) {
    TOOLS_TRY(emitter.take_bytes(static_cast<uint64_t>(axis.to) * static_cast<uint64_t>(axis.from) * 3 * sizeof(double),
                                 "the weights of a resize"));
    TOOLS_ASSIGN(const auto weights, axis_weights(modes, axis));
    const Tensor matrix = Emitter::constant(real_constant(element_type(input.type), {axis.to, axis.from}, weights.matrix));
    TOOLS_ASSIGN(result, along_axis(emitter, result, axis.axis, matrix, Emitter::numbers(weights.outside, input)));
  }
  return result;
}

// Returns the size that follows from a scale: rounded down, as ONNX does.
Result<int64_t> scaled_size(int64_t size, double scale) {
  if (!std::isfinite(scale) || scale <= 0)
    return fail(fmt::format("its scales must be finite and above 0, but one is {}", scale));
  const double scaled = std::floor(static_cast<double>(size) * scale);
  if (scaled < 1 || scaled > (1 << 24))
    return fail(
        fmt::format("a side of its result must have 1 to 2^24 elements, but the scale {} makes {} of {}", scale, scaled, size));
  return static_cast<int64_t>(scaled);
}

struct Sizes {
  std::vector<double> scales;  // either
  std::vector<int64_t> sizes;  // or
  std::vector<double> roi;
  std::vector<int64_t> axes;  // that the lists are about
  std::string policy = "stretch";
};

// Returns the axes that change.
Result<std::vector<ResizeAxis>> changed_axes(const Tensor& input, const Sizes& sizes, const ResizeModes& modes) {
  const size_t count = sizes.axes.size();
  if ((sizes.scales.empty() ? sizes.sizes.size() : sizes.scales.size()) != count)
    return fail("it needs a size or a scale for each axis of " + describe(input));
  double common = 0;
  if (sizes.policy != "stretch" && !sizes.sizes.empty()) {
    for (size_t i = 0; i < count; ++i) {
      const double ratio =
          static_cast<double>(sizes.sizes[i]) / static_cast<double>(input.dimensions[static_cast<size_t>(sizes.axes[i])]);
      const bool smaller = sizes.policy == "not_larger" ? ratio < common : ratio > common;
      if (i == 0 || smaller) common = ratio;
    }
  }
  std::vector<ResizeAxis> result;
  for (size_t i = 0; i < count; ++i) {
    ResizeAxis axis;
    axis.axis = sizes.axes[i];
    axis.from = input.dimensions[static_cast<size_t>(axis.axis)];
    const bool crops = modes.coordinates == "tf_crop_and_resize";
    if (!sizes.scales.empty() && sizes.scales[i] == 1 && !crops) continue;
    if (axis.from < 0) {
      if (!sizes.sizes.empty() || sizes.scales[i] != 1) return fail("it cannot resize an open dimension of " + describe(input));
      continue;
    }
    if (!sizes.scales.empty()) {
      axis.scale = sizes.scales[i];
      TOOLS_ASSIGN(axis.to, scaled_size(axis.from, axis.scale));
      // ONNX's own tests divide by the size before rounding here, frameworks by the rounded one.
      if (modes.coordinates == "align_corners" && static_cast<double>(axis.from) * axis.scale != static_cast<double>(axis.to)) {
        return fail("implementations disagree about align_corners with scales that give no whole size");
      }
    } else {
      axis.to = common != 0 ? static_cast<int64_t>(std::floor(common * static_cast<double>(axis.from) + 0.5)) : sizes.sizes[i];
      if (axis.to < 1 || axis.to > (1 << 24))
        return fail(fmt::format("a side of its result must have 1 to 2^24 elements, but has {}", axis.to));
      axis.scale = common != 0 ? common : static_cast<double>(axis.to) / static_cast<double>(axis.from);
      if (axis.to == axis.from && axis.scale == 1 && !crops) continue;
    }
    if (crops) {
      if (sizes.roi.size() != 2 * count) return fail("its region of interest must have two numbers for each axis");
      axis.roi_start = sizes.roi[i];
      axis.roi_end = sizes.roi[count + i];
      if (axis.to == axis.from && axis.roi_start == 0 && axis.roi_end == 1) continue;
    }
    result.push_back(axis);
  }
  return result;
}

Result<Tensors> resized(OperatorCall& call, const ResizeModes& modes, const Sizes& sizes) {
  Emitter& emitter = call.emitter();
  if (modes.mode == "nearest") {
    return moved(call, [&](const Tensor& input) -> Result<Tensor> {
      TOOLS_ASSIGN(const auto axes, changed_axes(input, sizes, modes));
      if (axes.empty()) return input;
      return resize_nearest(emitter, input, modes, axes);
    });
  }
  if (modes.mode != "linear" && modes.mode != "cubic") return fail("the mode '" + modes.mode + "' is unknown");
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const auto axes, changed_axes(input, sizes, modes));
  if (axes.empty()) return Tensors{input};
  return one(resize_weighted(emitter, input, modes, axes));
}

Result<std::vector<int64_t>> all_axes(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  std::vector<int64_t> axes(input.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Result<Tensors> add_upsample(OperatorCall& call) {
  ResizeModes modes;
  TOOLS_ASSIGN(modes.mode, call.text("mode", "nearest"));
  if (modes.mode == "bilinear") modes.mode = "linear";
  modes.coordinates = "asymmetric";
  modes.nearest = "floor";
  Sizes sizes;
  TOOLS_ASSIGN(sizes.axes, all_axes(call));
  if (call.attribute("scales")) {
    TOOLS_ASSIGN(const auto scales, call.real_list("scales"));
    sizes.scales.assign(scales.begin(), scales.end());
  } else {
    TOOLS_ASSIGN(sizes.scales, call.reals(1, "the scales"));
  }
  return resized(call, modes, sizes);
}

// Reads the attributes of opset 11 on.
Result<ResizeModes> read_modes(OperatorCall& call) {
  ResizeModes modes;
  TOOLS_ASSIGN(modes.mode, call.text("mode", "nearest"));
  TOOLS_ASSIGN(modes.coordinates, call.text("coordinate_transformation_mode", "half_pixel"));
  TOOLS_ASSIGN(modes.nearest, call.text("nearest_mode", "round_prefer_floor"));
  TOOLS_ASSIGN(const float cubic, call.real("cubic_coeff_a", -0.75f));
  TOOLS_ASSIGN(const int64_t exclude, call.integer("exclude_outside", 0));
  TOOLS_ASSIGN(const float extrapolation, call.real("extrapolation_value", 0));
  TOOLS_ASSIGN(const int64_t antialias, call.integer("antialias", 0));
  if (antialias != 0) return fail("NNAPI has no antialiasing");
  modes.cubic = double{cubic};
  modes.exclude_outside = exclude != 0;
  modes.extrapolation = double{extrapolation};
  return modes;
}

Result<Tensors> add_resize(OperatorCall& call) {
  if (call.opset() < 11) return add_upsample(call);
  TOOLS_ASSIGN(const ResizeModes modes, read_modes(call));
  Sizes sizes;
  TOOLS_ASSIGN(sizes.axes, all_axes(call));
  const auto rank = sizes.axes.size();
  TOOLS_ASSIGN(const auto axes, call.integer_list("axes"));
  if (!axes.empty()) sizes.axes = axes;
  for (int64_t& axis : sizes.axes) {
    TOOLS_ASSIGN(axis, checked_axis(axis, rank));
  }
  TOOLS_ASSIGN(sizes.policy, call.text("keep_aspect_ratio_policy", "stretch"));
  if (call.has(1) && modes.coordinates == "tf_crop_and_resize") {
    TOOLS_ASSIGN(sizes.roi, call.reals(1, "the region of interest"));
  }
  if (call.has(2)) {
    TOOLS_ASSIGN(sizes.scales, call.reals(2, "the scales"));
  }
  if (call.has(3)) {
    TOOLS_ASSIGN(const auto given, call.integers(3, "the sizes"));
    if (!given.empty()) {
      if (!sizes.scales.empty()) return fail("it may not have both scales and sizes");
      sizes.sizes = given;
    }
  }
  return resized(call, modes, sizes);
}

constexpr OperatorRow kRows[] = {
    {"", "Resize", add_resize, 10},
    {"", "Upsample", add_upsample},
};

}  // namespace

std::span<const OperatorRow> resize_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
