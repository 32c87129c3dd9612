// Pools over windows and over whole images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/weighted_channels.h"
#include "importers/onnx/window.h"

namespace nnvk::importers::onnx {
namespace {

struct Pool {
  Window window;
  Pair beyond{0, 0};  // padding behind `window.after`, for ceil_mode: never counted
};

Result<Pool> read_pool(OperatorCall& call, const Tensor& image, size_t spatial) {
  if (!call.attribute("kernel_shape")) return fail("its attribute 'kernel_shape' is missing");
  TOOLS_ASSIGN(const Pair kernel, pair_attribute(call, "kernel_shape", spatial, 1));
  Pool pool;
  TOOLS_ASSIGN(pool.window, read_window(call, image, spatial, kernel));
  if (pool.window.dilated()) return fail("NNAPI has no pool with dilations");
  TOOLS_ASSIGN(const int64_t ceil_mode, call.integer("ceil_mode", 0));
  if (ceil_mode == 0 || pool.window.same) return pool;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = image.dimensions[2 + d];
    if (size < 0) return fail("ceil_mode needs a known image size");
    const int64_t padded = size + pool.window.before[d] + pool.window.after[d];
    const int64_t steps = (padded - pool.window.kernel[d] + pool.window.strides[d] - 1) / pool.window.strides[d];
    pool.beyond[d] = std::max<int64_t>(steps * pool.window.strides[d] + pool.window.kernel[d] - padded, 0);
    if (steps * pool.window.strides[d] >= size + pool.window.before[d])
      return fail("each window must hold a part of the image, but one lies wholly in the padding");
  }
  return pool;
}

Result<Tensor> emit_pool(Emitter& emitter, int32_t code, const Pool& pool, const Tensor& image) {
  Window window = pool.window;
  for (size_t d = 0; d < 2; ++d) window.after[d] += pool.beyond[d];
  std::vector<Argument> arguments{image};
  for (auto& argument : window.arguments()) arguments.push_back(std::move(argument));
  arguments.emplace_back(static_cast<int32_t>(window.kernel[1]));
  arguments.emplace_back(static_cast<int32_t>(window.kernel[0]));
  arguments.emplace_back(int32_t{ANEURALNETWORKS_FUSED_NONE});
  arguments.emplace_back(true);  // NCHW
  const Dimensions shape{image.dimensions[0], image.dimensions[1], window_result(window, image.dimensions[2], 0),
                         window_result(window, image.dimensions[3], 1)};
  return emitter.operation(code, arguments, image.shaped(shape));
}

// Makes the window's padding explicit zeros, which then count.
Result<Tensor> padded_with_zeros(Emitter& emitter, Pool& pool, const Tensor& image) {
  if (pool.window.same) return fail("the importer cannot put zeros around an image of open size");
  const std::array<int64_t, 4> before{0, 0, pool.window.before[0], pool.window.before[1]};
  const std::array<int64_t, 4> after{0, 0, pool.window.after[0], pool.window.after[1]};
  pool.window.before = pool.window.after = {0, 0};
  return pad(emitter, image, before, after, image.is_8bit() ? image.zero_point : 0);
}

Result<Tensors> add_max_pool(OperatorCall& call) {
  if (call.wants(1)) return fail("NNAPI's pools do not return indices");
  Emitter& emitter = call.emitter();
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(const Tensor image, as_image(emitter, input));
    TOOLS_ASSIGN(const Pool pool, read_pool(call, image, input.rank() - 2));
    TOOLS_ASSIGN(const Tensor result, emit_pool(emitter, ANEURALNETWORKS_MAX_POOL_2D, pool, image));
    return from_image(emitter, result, input.rank());
  });
}

Result<Tensor> average(OperatorCall& call, const Tensor& input) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(Tensor image, as_image(emitter, input));
  TOOLS_ASSIGN(Pool pool, read_pool(call, image, input.rank() - 2));
  TOOLS_ASSIGN(const int64_t counts_padding, call.integer("count_include_pad", 0));
  if (counts_padding != 0) {
    TOOLS_ASSIGN(image, padded_with_zeros(emitter, pool, image));
  }
  TOOLS_ASSIGN(const Tensor result, emit_pool(emitter, ANEURALNETWORKS_AVERAGE_POOL_2D, pool, image));
  return from_image(emitter, result, input.rank());
}

// Adds an average of integers between DequantizeLinear and QuantizeLinear. Returns false if NNAPI does not have it.
Result<bool> absorbed_pool(OperatorCall& call) {
  const auto quantized = call.quantized(0);
  if (!quantized || quantized->tensor.rank() != 4) return false;
  TOOLS_ASSIGN(const Pool pool, read_pool(call, quantized->tensor, 2));
  TOOLS_ASSIGN(const int64_t counts_padding, call.integer("count_include_pad", 0));
  if (pool.beyond != Pair{0, 0} || (pool.window.padded() && counts_padding == 0)) return false;
  return absorbed_average(call, pool.window, true);
}

Result<Tensors> add_average_pool(OperatorCall& call) {
  TOOLS_ASSIGN(const bool done, absorbed_pool(call));
  if (done) return Tensors{};
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (!input.is_float()) return fail("NNAPI averages only real numbers here, but the input is " + describe(input));
  return one(average(call, input));
}

// Adds (sum of |x|^p)^(1/p): an average of powers times their number.
Result<Tensors> add_lp_pool(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t p, call.integer("p", 2));
  if (p != 1 && p != 2) return fail(fmt::format("NNAPI has no pool with norm {}", p));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor powers,
               p == 1 ? unary(emitter, ANEURALNETWORKS_ABS, input) : binary(emitter, ANEURALNETWORKS_MUL, input, input));
  TOOLS_ASSIGN(const Tensor image, as_image(emitter, powers));
  TOOLS_ASSIGN(Pool pool, read_pool(call, image, input.rank() - 2));
  for (size_t d = 0; d < 2; ++d) pool.window.after[d] += pool.beyond[d];
  pool.beyond = {0, 0};
  TOOLS_ASSIGN(const Tensor padded, padded_with_zeros(emitter, pool, image));
  TOOLS_ASSIGN(const Tensor means, emit_pool(emitter, ANEURALNETWORKS_AVERAGE_POOL_2D, pool, padded));
  const double count = static_cast<double>(pool.window.kernel[0] * pool.window.kernel[1]);
  TOOLS_ASSIGN(const Tensor sums, binary(emitter, ANEURALNETWORKS_MUL, means, count));
  TOOLS_ASSIGN(const Tensor norms, p == 1 ? Result<Tensor>(sums) : unary(emitter, ANEURALNETWORKS_SQRT, sums));
  return one(from_image(emitter, norms, input.rank()));
}

// Returns the axes behind batch and channels.
Result<std::vector<int64_t>> image_axes(const Tensor& input) {
  if (input.rank() < 3) return fail("an image must have at least 3 dimensions, but the tensor is " + describe(input));
  std::vector<int64_t> axes(input.rank() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

Result<Tensors> add_global_average_pool(OperatorCall& call) {
  TOOLS_ASSIGN(const bool done, absorbed_global_average(call, true));
  if (done) return Tensors{};
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const auto axes, image_axes(input));
  return one(reduce(call.emitter(), ANEURALNETWORKS_MEAN, input, axes, true));
}

Result<Tensors> add_global_max_pool(OperatorCall& call) {
  return moved(call, [&](const Tensor& input) -> Result<Tensor> {
    TOOLS_ASSIGN(const auto axes, image_axes(input));
    return reduce(call.emitter(), ANEURALNETWORKS_REDUCE_MAX, input, axes, true);
  });
}

Result<Tensors> add_global_lp_pool(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t p, call.integer("p", 2));
  if (p != 1 && p != 2) return fail(fmt::format("NNAPI has no pool with norm {}", p));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const auto axes, image_axes(input));
  TOOLS_ASSIGN(const Tensor powers,
               p == 1 ? unary(emitter, ANEURALNETWORKS_ABS, input) : binary(emitter, ANEURALNETWORKS_MUL, input, input));
  TOOLS_ASSIGN(const Tensor sums, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, powers, axes, true));
  return p == 1 ? one(sums) : one(unary(emitter, ANEURALNETWORKS_SQRT, sums));
}

constexpr OperatorRow kRows[] = {
    {"", "AveragePool", add_average_pool},
    {"", "GlobalAveragePool", add_global_average_pool},
    {"", "GlobalLpPool", add_global_lp_pool},
    {"", "GlobalMaxPool", add_global_max_pool},
    {"", "LpPool", add_lp_pool},
    {"", "MaxPool", add_max_pool},
};

}  // namespace

std::span<const OperatorRow> pooling_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
