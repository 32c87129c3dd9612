// Decodes the operands of convolutions and poolings. Works on partly known values, so that one decoder serves the shape functions
// (which return unknown parts) and the kernels (for which all values are known).
#include "core/operations/parameters/window_parameters.h"

#include <algorithm>
#include <utility>

#include "core/operations/operation_enumerators.h"
#include "core/operations/rules/filter_rules.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// Sizes fit int32, so that kernels may compute coordinates in 32 bits.
constexpr int64_t kLargestExtent = INT32_MAX;

using Number = std::optional<int64_t>;  // nullopt: not known to the host yet

bool is_pooling(OperationCode code) {
  return code == OperationCode::kAveragePool2d || code == OperationCode::kMaxPool2d || code == OperationCode::kL2Pool2d;
}

// Returns the scalar at `position`, or `absent` if the signature does not have it.
Number number(const OperationView& operation, size_t position, Number absent) {
  if (position >= operation.inputs.size()) return absent;
  if (const auto value = operation.scalar<int32_t>(position)) return *value;
  return std::nullopt;
}

Number dimension(const Shape& shape, size_t i) {
  if (!shape.rank_known || shape[i] == kUnknownDimension) return std::nullopt;
  return shape[i];
}

tl::unexpected<Error> bad(std::string message) { return fail(Code::kOpFailed, std::move(message)); }

Status check_at_least(const char* name, Number value, int64_t least) {
  if (!value || *value >= least) return {};
  return bad(std::string(name) + " must be at least " + std::to_string(least) + ", but is " + std::to_string(*value));
}

// Checks that two numbers agree if both are known.
Status check_equal(const char* name, Number a, const char* other, Number b) {
  if (!a || !b || *a == *b) return {};
  return bad(std::string(name) + " is " + std::to_string(*a) + " but " + other + " is " + std::to_string(*b));
}

// One axis of the image: height or width.
struct Axis {
  const char* name;
  Number in;
  Number filter;
  Number stride;
  Number dilation;
  Number head;  // pad_top or pad_left
  Number tail;  // pad_bottom or pad_right
  Number out;
};

// The parts of the parameters that are known so far.
struct Window {
  Axis height{"height", {}, {}, {}, {}, {}, {}, {}};
  Axis width{"width", {}, {}, {}, {}, {}, {}, {}};
  Number batches;
  Number in_channels;
  Number out_channels;
  Number multiplier;
  Number groups;
  Number activation;
  std::optional<bool> nchw;
};

// Computes pads and output size of a convolution or pooling along one axis.
Status resolve_axis(Axis& axis, bool implicit, Number padding) {
  if (!axis.in || !axis.filter || !axis.stride || !axis.dilation) return {};
  if (*axis.filter - 1 > (kLargestExtent - 1) / *axis.dilation) {
    return bad(std::string("the dilated window ") + axis.name + " exceeds 2^31-1");
  }
  const int64_t extent = (*axis.filter - 1) * *axis.dilation + 1;
  if (implicit) {
    if (!padding) return {};
    const int64_t steps = (*axis.in + *axis.stride - 1) / *axis.stride;
    const int64_t total = *padding == kPaddingSame ? std::max<int64_t>(0, (steps - 1) * *axis.stride + extent - *axis.in) : 0;
    axis.head = total / 2;
    axis.tail = total - total / 2;
  }
  if (!axis.head || !axis.tail) return {};
  if (extent <= *axis.head || extent <= *axis.tail) {
    Error error(Code::kOpFailed, std::string("the window ") + axis.name + " (" + std::to_string(extent) +
                                     ") must exceed its padding (" + std::to_string(*axis.head) + ", " +
                                     std::to_string(*axis.tail) + ")");
    error.is_refused_early = true;
    return fail(std::move(error));
  }
  const int64_t out = (*axis.in - extent + *axis.stride + *axis.head + *axis.tail) / *axis.stride;
  if (out < 0) {
    return bad(std::string("the window ") + axis.name + " (" + std::to_string(extent) + ") is larger than the padded image (" +
               std::to_string(*axis.in + *axis.head + *axis.tail) + ")");
  }
  axis.out = out;
  return {};
}

// Does the same as resolve_axis(), for a transposed convolution, whose SAME padding follows from the wanted output size.
Status resolve_transposed_axis(Axis& axis, bool implicit, Number padding, Number wanted) {
  if (!axis.filter || !axis.stride) return {};
  if (implicit && padding == kPaddingValid) {
    axis.head = axis.tail = 0;
  } else if (implicit && padding && wanted) {
    if (*wanted <= 0) return bad(std::string("output_shape asks for ") + axis.name + " " + std::to_string(*wanted));
    const int64_t need = ((*wanted + *axis.stride - 1) / *axis.stride - 1) * *axis.stride + *axis.filter;
    axis.head = need > *wanted ? (need - *wanted) / 2 : 0;
    axis.tail = need - *wanted - *axis.head;
  }
  if (!axis.head || !axis.tail || !axis.in) return {};
  // `in` and `stride` are below 2^32 and 2^31, so the product fits 63 bits, and so does the sum with the small terms.
  const int64_t out = *axis.in * *axis.stride + *axis.filter - *axis.stride - *axis.head - *axis.tail;
  if (out <= 0 || out >= kLargestExtent) {
    return bad(std::string("the output ") + axis.name + " would be " + std::to_string(out));
  }
  axis.out = out;
  return {};
}

void read_image(const OperationView& operation, Window& window) {
  const Shape& shape = operation.shape(kFirstInput);
  window.batches = dimension(shape, 0);
  if (!window.nchw) return;
  const LayoutAxes axes = layout_axes(*window.nchw);
  window.height.in = dimension(shape, axes.height);
  window.width.in = dimension(shape, axes.width);
  window.in_channels = dimension(shape, axes.channels);
}

Status read_scalars(const OperationView& operation, const WindowOperands& at, Window& window) {
  window.nchw = optional_flag(operation, at.nchw);
  window.width.stride = number(operation, at.strides, {});
  window.height.stride = number(operation, at.strides + 1, {});
  window.width.dilation = number(operation, at.dilations, 1);
  window.height.dilation = number(operation, at.dilations + 1, 1);
  window.multiplier = number(operation, at.multiplier, 1);
  window.groups = number(operation, at.groups, 1);
  window.activation = number(operation, at.activation, {});
  window.width.head = number(operation, at.pads, {});
  window.width.tail = number(operation, at.pads + 1, {});
  window.height.head = number(operation, at.pads + 2, {});
  window.height.tail = number(operation, at.pads + 3, {});
  NNVK_TRY(check_activation(window.activation ? std::optional(static_cast<int32_t>(*window.activation)) : std::nullopt));
  const bool transposed = operation.code == OperationCode::kTransposeConv2d;
  for (const Axis* axis : {&window.height, &window.width}) {
    NNVK_TRY(check_at_least("stride", axis->stride, 1));
    NNVK_TRY(check_at_least("dilation", axis->dilation, 1));
    NNVK_TRY(check_at_least("padding", axis->head, 0));
    if (!transposed) NNVK_TRY(check_at_least("padding", axis->tail, 0));
  }
  NNVK_TRY(check_at_least("the depth multiplier", window.multiplier, 1));
  return check_at_least("the number of groups", window.groups, 1);
}

// Reads filter and bias, and checks that they agree with the image.
Status read_filter(const OperationView& operation, Window& window) {
  NNVK_TRY(check_rank(operation, convolution::kFilter, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, convolution::kBias, 1, 1, Code::kOpFailed));
  const Shape& filter = operation.shape(convolution::kFilter);
  window.height.filter = dimension(filter, 1);
  window.width.filter = dimension(filter, 2);
  NNVK_TRY(check_at_least("the filter height", window.height.filter, 1));
  NNVK_TRY(check_at_least("the filter width", window.width.filter, 1));
  if (operation.code == OperationCode::kDepthwiseConv2d) {
    window.out_channels = dimension(filter, 3);
    NNVK_TRY(check_equal("filter dimension 0", dimension(filter, 0), "the only value allowed", 1));
    if (window.in_channels && window.multiplier) {
      NNVK_TRY(check_equal("channels * depth multiplier", *window.in_channels * *window.multiplier, "filter dimension 3",
                           window.out_channels));
    }
  } else {
    window.out_channels = dimension(filter, 0);
    const Number depth = dimension(filter, 3);
    NNVK_TRY(check_at_least("the number of output channels", window.out_channels, 1));
    NNVK_TRY(check_at_least("filter dimension 3", depth, 1));
    if (depth && window.groups) {
      NNVK_TRY(check_equal("filter dimension 3 * groups", *depth * *window.groups, "the number of input channels",
                           window.in_channels));
    }
    if (window.groups && window.out_channels && *window.out_channels % *window.groups != 0) {
      return bad("the number of output channels (" + std::to_string(*window.out_channels) +
                 ") is not a multiple of the groups (" + std::to_string(*window.groups) + ")");
    }
  }
  NNVK_TRY(check_equal("the bias length", dimension(operation.shape(convolution::kBias), 0), "the number of output channels",
                       window.out_channels));
  if (const auto& scales = operation.input(convolution::kFilter).channel_quant) {
    NNVK_TRY(
        check_equal("the number of filter scales", scales->scales.size(), "the number of output channels", window.out_channels));
  }
  return check_bias_scale(operation);
}

// Reads the wanted output height and width of TRANSPOSE_CONV_2D with implicit padding.
Status read_wanted_size(const OperationView& operation, const WindowOperands& at, const Window& window, Number& height,
                        Number& width) {
  const size_t index = at.output_shape;
  if (index == WindowOperands::kAbsent) return {};
  NNVK_TRY(check_rank(operation, index, 1, 1, Code::kOpFailed));
  NNVK_TRY(check_equal("the length of output_shape", dimension(operation.shape(index), 0), "the rank", 4));
  const auto values = operation.values<int32_t>(index);
  if (!values || !window.nchw) return {};
  if (values->size() != 4) return bad("output_shape must have 4 values, but has " + std::to_string(values->size()));
  const LayoutAxes axes = layout_axes(*window.nchw);
  height = (*values)[axes.height];
  width = (*values)[axes.width];
  return {};
}

Result<Window> read_window(const OperationView& operation) {
  const WindowOperands at = window_operands(operation);
  Window window;
  NNVK_TRY(check_rank(operation, kFirstInput, 4, 4, Code::kOpFailed));
  NNVK_TRY(read_scalars(operation, at, window));
  read_image(operation, window);
  // Only the batch may be empty, except in DEPTHWISE_CONV_2D: its specification does not forbid it, and the arithmetic decides.
  if (operation.code != OperationCode::kDepthwiseConv2d) {
    NNVK_TRY(check_at_least("the image height", window.height.in, 1));
    NNVK_TRY(check_at_least("the image width", window.width.in, 1));
    NNVK_TRY(check_at_least("the number of input channels", window.in_channels, 1));
  }
  if (is_pooling(operation.code)) {
    window.width.filter = number(operation, at.window, {});
    window.height.filter = number(operation, at.window + 1, {});
    NNVK_TRY(check_at_least("the window width", window.width.filter, 1));
    NNVK_TRY(check_at_least("the window height", window.height.filter, 1));
    window.out_channels = window.in_channels;
  } else {
    NNVK_TRY(read_filter(operation, window));
  }

  const bool implicit = at.is_implicit();
  const Number padding = number(operation, at.padding, {});
  if (padding && *padding != kPaddingSame && *padding != kPaddingValid) {
    return bad("the padding scheme must be 1 (SAME) or 2 (VALID), but is " + std::to_string(*padding));
  }
  if (operation.code == OperationCode::kTransposeConv2d) {
    Number height;
    Number width;
    NNVK_TRY(read_wanted_size(operation, at, window, height, width));
    NNVK_TRY(resolve_transposed_axis(window.height, implicit, padding, height));
    NNVK_TRY(resolve_transposed_axis(window.width, implicit, padding, width));
  } else {
    NNVK_TRY(resolve_axis(window.height, implicit, padding));
    NNVK_TRY(resolve_axis(window.width, implicit, padding));
  }
  return window;
}

uint32_t as_dimension(Number value) {
  // A size that does not fit becomes the largest dimension: the caller then reports that the tensor is too large.
  return value ? static_cast<uint32_t>(std::min<int64_t>(*value, kUnknownDimension - 1)) : kUnknownDimension;
}

}  // namespace

WindowOperands window_operands(const OperationView& operation) {
  const bool depthwise = operation.code == OperationCode::kDepthwiseConv2d;
  const bool dilated = depthwise || operation.code == OperationCode::kConv2d;
  // Signatures with implicit padding have fewer inputs. With dilations, they have as many as explicit ones without dilations;
  // then a BOOL (layout) at position `flag` identifies them.
  size_t next = is_pooling(operation.code) ? pooling::kImage + 1 : convolution::kBias + 1;
  const size_t most_implicit = depthwise ? 11 : 10;
  const size_t flag = next + (depthwise ? 5 : 4);
  const size_t count = operation.inputs.size();
  const bool implicit =
      count < most_implicit || (dilated && count == most_implicit && operation.input(flag).type == OperandType::kBool);
  const auto take = [&next](size_t inputs) { return std::exchange(next, next + inputs); };

  WindowOperands at;
  if (implicit && operation.code == OperationCode::kTransposeConv2d) at.output_shape = take(1);
  (implicit ? at.padding : at.pads) = take(implicit ? 1 : 4);
  at.strides = take(2);
  if (is_pooling(operation.code)) at.window = take(2);
  if (depthwise) at.multiplier = take(1);
  if (operation.code == OperationCode::kGroupedConv2d) at.groups = take(1);
  at.activation = take(1);
  at.nchw = take(1);
  if (dilated) at.dilations = take(2);
  return at;
}

Result<WindowParameters> window_parameters(const OperationView& operation) {
  NNVK_ASSIGN(const Window window, read_window(operation));
  bool known = window.nchw.has_value();
  const auto take = [&known](Number value, auto& into) {
    known = known && value.has_value();
    if (value) into = static_cast<std::decay_t<decltype(into)>>(*value);
  };
  WindowParameters p;
  p.nchw = window.nchw.value_or(false);
  take(window.batches, p.batches);
  take(window.in_channels, p.in_channels);
  take(window.out_channels, p.out_channels);
  take(window.height.in, p.in_height);
  take(window.width.in, p.in_width);
  take(window.height.out, p.out_height);
  take(window.width.out, p.out_width);
  take(window.height.filter, p.filter_height);
  take(window.width.filter, p.filter_width);
  take(window.height.head, p.pad_top);
  take(window.height.tail, p.pad_bottom);
  take(window.width.head, p.pad_left);
  take(window.width.tail, p.pad_right);
  take(window.height.stride, p.stride_height);
  take(window.width.stride, p.stride_width);
  take(window.height.dilation, p.dilation_height);
  take(window.width.dilation, p.dilation_width);
  take(window.multiplier, p.depth_multiplier);
  take(window.groups, p.groups);
  take(window.activation, p.activation);
  if (!known)
    return bad("shapes and scalars must be known before the window can be resolved; input 0 is " +
               operation.shape(kFirstInput).to_string());
  return p;
}

Result<std::vector<Shape>> infer_window(const OperationView& operation) {
  NNVK_ASSIGN(const Window window, read_window(operation));
  const uint32_t n = as_dimension(window.batches);
  if (!window.nchw) return std::vector{Shape{n, kUnknownDimension, kUnknownDimension, kUnknownDimension}};
  const uint32_t h = as_dimension(window.height.out);
  const uint32_t w = as_dimension(window.width.out);
  const uint32_t c = as_dimension(window.out_channels);
  return std::vector{*window.nchw ? Shape{n, c, h, w} : Shape{n, h, w, c}};
}

}  // namespace nnvk
