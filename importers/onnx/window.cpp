// Reads the attributes of windows.
#include "importers/onnx/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

constexpr int64_t kLargest = 1 << 20;  // of a stride, pad or kernel; beyond it sums could overflow NNAPI's numbers

Status check_range(const char* what, int64_t value, int64_t lowest) {
  if (value >= lowest && value <= kLargest) return {};
  return fail(fmt::format("{} must be from {} to {}, but is {}", what, lowest, kLargest, value));
}

// Sets the padding so that the result has ceil(size / stride) elements.
Status pad_same(Window& window, const Tensor& image, bool upper) {
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = image.dimensions[2 + d];
    if (size < 0) {
      if (!upper) return fail("auto_pad SAME_LOWER needs a known image size");
      window.same = true;
      continue;
    }
    const int64_t result = (size + window.strides[d] - 1) / window.strides[d];
    const int64_t total = std::max<int64_t>((result - 1) * window.strides[d] + window.extent(d) - size, 0);
    window.before[d] = upper ? total / 2 : total - total / 2;
    window.after[d] = total - window.before[d];
  }
  if (!window.same) return {};
  for (size_t d = 0; d < 2; ++d) window.before[d] = window.after[d] = 0;
  return {};
}

}  // namespace

std::vector<Argument> Window::arguments() const {
  const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
  if (same) return {int32_t{ANEURALNETWORKS_PADDING_SAME}, narrow(strides[1]), narrow(strides[0])};
  return {narrow(before[1]), narrow(after[1]), narrow(before[0]), narrow(after[0]), narrow(strides[1]), narrow(strides[0])};
}

Result<Tensor> as_image(Emitter& emitter, const Tensor& input) {
  if (input.rank() == 4) return input;
  if (input.rank() == 3) return unsqueeze(emitter, input, std::array<int64_t, 1>{2});
  return fail(fmt::format("NNAPI has windows over one and two dimensions only, but the tensor {} has rank {}", describe(input),
                          input.rank()));
}

Result<Tensor> from_image(Emitter& emitter, const Tensor& result, size_t rank) {
  if (rank == 4) return result;
  return squeeze(emitter, result, std::array<int64_t, 1>{2});
}

Result<Pair> pair_attribute(const OperatorCall& call, const char* name, size_t spatial, int64_t missing) {
  TOOLS_ASSIGN(const auto list, call.integer_list(name));
  if (list.empty()) return spatial == 1 ? Pair{1, missing} : Pair{missing, missing};
  if (list.size() != spatial)
    return fail(fmt::format("its attribute '{}' has {} elements instead of {}", name, list.size(), spatial));
  return spatial == 1 ? Pair{1, list[0]} : Pair{list[0], list[1]};
}

Status check_window(const Window& window) {
  for (size_t d = 0; d < 2; ++d) {
    TOOLS_TRY(check_range("a kernel size", window.kernel[d], 1));
    TOOLS_TRY(check_range("a stride", window.strides[d], 1));
    TOOLS_TRY(check_range("a dilation", window.dilations[d], 1));
    TOOLS_TRY(check_range("a padding", window.before[d], 0));
    TOOLS_TRY(check_range("a padding", window.after[d], 0));
  }
  return {};
}

Result<Window> read_window(const OperatorCall& call, const Tensor& image, size_t spatial, Pair kernel) {
  Window window;
  window.kernel = kernel;
  TOOLS_ASSIGN(window.strides, pair_attribute(call, "strides", spatial, 1));
  TOOLS_ASSIGN(window.dilations, pair_attribute(call, "dilations", spatial, 1));
  TOOLS_TRY(check_window(window));
  TOOLS_ASSIGN(const auto auto_pad, call.text("auto_pad", "NOTSET"));
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    TOOLS_TRY(pad_same(window, image, auto_pad == "SAME_UPPER"));
  } else if (auto_pad == "NOTSET" || auto_pad.empty()) {
    TOOLS_ASSIGN(const auto pads, call.integer_list("pads"));
    if (!pads.empty() && pads.size() != 2 * spatial) {
      return fail(fmt::format("its attribute 'pads' has {} elements instead of {}", pads.size(), 2 * spatial));
    }
    for (size_t i = 0; i < pads.size() / 2; ++i) {
      window.before[2 - spatial + i] = pads[i];
      window.after[2 - spatial + i] = pads[spatial + i];
    }
  } else if (auto_pad != "VALID") {
    return fail("auto_pad '" + auto_pad + "' is unknown");
  }
  TOOLS_TRY(check_window(window));
  return window;
}

int64_t window_result(const Window& window, int64_t size, size_t d) {
  if (size < 0) return -1;
  if (window.same) return (size + window.strides[d] - 1) / window.strides[d];
  const int64_t room = size + window.before[d] + window.after[d] - window.extent(d);
  return room < 0 ? 0 : room / window.strides[d] + 1;
}

}  // namespace nnvk::importers::onnx
