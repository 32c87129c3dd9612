// Normalisations: over the batch (with known statistics), over instances, layers and groups, over neighbouring channels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/weighted_channels.h"

namespace nnvk::importers::onnx {
namespace {

// Emits a vector over the channels, dimension 1 of a tensor, in a shape that broadcasts to it.
Result<Tensor> per_channel(Emitter& emitter, const Tensor& vector, size_t rank) {
  if (vector.rank() != 1) return fail("a parameter must be a vector with an element per channel, but is " + describe(vector));
  if (rank < 2) return vector;
  Dimensions shape(rank - 1, 1);
  shape[0] = vector.dimensions[0];
  return reshape(emitter, vector, std::move(shape));
}

// Emits input * scale + bias, either or both of which may be missing.
Result<Tensor> scaled(Emitter& emitter, const Tensor& input, const std::optional<Tensor>& scale,
                      const std::optional<Tensor>& bias) {
  Tensor result = input;
  if (scale) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_MUL, result, *scale));
  }
  if (bias) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_ADD, result, *bias));
  }
  return result;
}

struct Moments {
  Tensor mean;
  Tensor inverse_deviation;
  Tensor normal;  // (input - mean) * inverse_deviation
};

Result<Moments> normalized(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes, float epsilon, bool centered) {
  Moments result;
  Tensor difference = input;
  if (centered) {
    TOOLS_ASSIGN(result.mean, reduce(emitter, ANEURALNETWORKS_MEAN, input, axes, true));
    TOOLS_ASSIGN(difference, binary(emitter, ANEURALNETWORKS_SUB, input, result.mean));
  }
  TOOLS_ASSIGN(const Tensor squares, binary(emitter, ANEURALNETWORKS_MUL, difference, difference));
  TOOLS_ASSIGN(const Tensor variance, reduce(emitter, ANEURALNETWORKS_MEAN, squares, axes, true));
  TOOLS_ASSIGN(const Tensor shifted, binary(emitter, ANEURALNETWORKS_ADD, variance, double{epsilon}));
  TOOLS_ASSIGN(result.inverse_deviation, unary(emitter, ANEURALNETWORKS_RSQRT, shifted));
  TOOLS_ASSIGN(result.normal, binary(emitter, ANEURALNETWORKS_MUL, difference, result.inverse_deviation));
  return result;
}

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  std::vector<int64_t> axes(rank - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Adds the normalisation of integers between DequantizeLinear and QuantizeLinear. Returns false if NNAPI does not have it.
Result<bool> absorbed_normalization(OperatorCall& call, float epsilon) {
  if (!call.quantized(0)) return false;
  std::vector<std::vector<double>> parameters;  // scale, bias, mean, variance
  for (size_t i = 1; i <= 4; ++i) {
    TOOLS_ASSIGN(const Tensor vector, call.input(i));
    if (!vector.constant) return false;
    TOOLS_ASSIGN(parameters.emplace_back(), reals_of(*vector.constant));
    if (parameters.back().size() != parameters[0].size()) return false;
  }
  std::vector<double> factors;
  std::vector<double> addends;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    factors.push_back(parameters[0][c] / std::sqrt(parameters[3][c] + double{epsilon}));
    addends.push_back(parameters[1][c] - parameters[2][c] * factors.back());
  }
  return absorbed_scaling(call, factors, addends);
}

Result<Tensors> add_batch_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t training, call.integer("training_mode", 0));
  if (training != 0) return fail("it computes statistics of the batch, as training does, which NNAPI cannot do");
  TOOLS_ASSIGN(const int64_t spatial, call.integer("spatial", 1));
  if (spatial != 1) return fail("the importer does not support statistics per element");
  for (size_t i = 1; i < call.output_count(); ++i) {
    if (call.wants(i)) return fail("it returns statistics, as training does, which NNAPI cannot do");
  }
  TOOLS_ASSIGN(const float epsilon, call.real("epsilon", 1e-5f));
  TOOLS_ASSIGN(const bool done, absorbed_normalization(call, epsilon));
  if (done) return Tensors{};
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (!input.is_float()) return fail("it can normalize only real numbers, but its input is " + describe(input));
  Tensors parameters;
  for (size_t i = 1; i <= 4; ++i) {
    TOOLS_ASSIGN(const Tensor vector, call.input(i));
    TOOLS_ASSIGN(Tensor placed, per_channel(emitter, vector, input.rank()));
    parameters.push_back(std::move(placed));
  }
  const auto& [scale, bias, mean, variance] = std::tie(parameters[0], parameters[1], parameters[2], parameters[3]);
  TOOLS_ASSIGN(const Tensor shifted, binary(emitter, ANEURALNETWORKS_ADD, variance, double{epsilon}));
  TOOLS_ASSIGN(const Tensor deviation, unary(emitter, ANEURALNETWORKS_SQRT, shifted));
  TOOLS_ASSIGN(const Tensor factor, binary(emitter, ANEURALNETWORKS_DIV, scale, deviation));
  TOOLS_ASSIGN(const Tensor offset, binary(emitter, ANEURALNETWORKS_MUL, mean, factor));
  TOOLS_ASSIGN(const Tensor addend, binary(emitter, ANEURALNETWORKS_SUB, bias, offset));
  return one(scaled(emitter, input, factor, addend));
}

Result<Tensors> add_instance_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float epsilon, call.real("epsilon", 1e-5f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor scale, call.input(1));
  TOOLS_ASSIGN(const Tensor bias, call.input(2));
  TOOLS_ASSIGN(const Tensor placed_scale, per_channel(emitter, scale, input.rank()));
  TOOLS_ASSIGN(const Tensor placed_bias, per_channel(emitter, bias, input.rank()));
  if (input.rank() < 3) return fail("its input must have at least 3 dimensions, but is " + describe(input));
  if (input.rank() == 4) {
    TOOLS_ASSIGN(const Tensor normal,
                 emitter.operation(ANEURALNETWORKS_INSTANCE_NORMALIZATION,
                                   {input, Real{1, input.type}, Real{0, input.type}, Real{epsilon, input.type}, true},
                                   input.shaped(input.dimensions)));
    return one(scaled(emitter, normal, placed_scale, placed_bias));
  }
  TOOLS_ASSIGN(const Moments moments, normalized(emitter, input, axes_from(2, input.rank()), epsilon, true));
  return one(scaled(emitter, moments.normal, placed_scale, placed_bias));
}

Result<Tensors> add_layer_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float epsilon, call.real("epsilon", 1e-5f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(-1, input.rank()));
  TOOLS_ASSIGN(const Tensor scale, call.input(1));
  std::optional<Tensor> bias;
  if (call.has(2)) {
    TOOLS_ASSIGN(bias, call.input(2));
  }
  TOOLS_ASSIGN(const Moments moments, normalized(emitter, input, axes_from(axis, input.rank()), epsilon, true));
  TOOLS_ASSIGN(Tensor result, scaled(emitter, moments.normal, scale, bias));
  return Tensors{std::move(result), moments.mean, moments.inverse_deviation};
}

Result<Tensors> add_rms_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float epsilon, call.real("epsilon", 1e-5f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(-1, input.rank()));
  TOOLS_ASSIGN(const Tensor scale, call.input(1));
  TOOLS_ASSIGN(const Moments moments, normalized(emitter, input, axes_from(axis, input.rank()), epsilon, false));
  return one(scaled(emitter, moments.normal, scale, std::nullopt));
}

Result<Tensors> add_group_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float epsilon, call.real("epsilon", 1e-5f));
  TOOLS_ASSIGN(const int64_t groups, call.integer("num_groups", 0));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (input.rank() < 3) return fail("its input must have at least 3 dimensions, but is " + describe(input));
  TOOLS_TRY(OperatorCall::expect_fixed(input.shaped({input.dimensions.begin() + 1, input.dimensions.end()}), "it"));
  const int64_t channels = input.dimensions[1];
  if (groups < 1 || channels % groups != 0)
    return fail(fmt::format("its {} groups must divide the {} channels", groups, channels));
  const int64_t inner = static_cast<int64_t>(element_count({input.dimensions.begin() + 1, input.dimensions.end()}));
  TOOLS_ASSIGN(const Tensor grouped, reshape(emitter, input, {input.dimensions[0], groups, inner / groups}));
  TOOLS_ASSIGN(const Moments moments, normalized(emitter, grouped, std::array<int64_t, 1>{2}, epsilon, true));
  TOOLS_ASSIGN(Tensor scale, call.input(1));
  TOOLS_ASSIGN(Tensor bias, call.input(2));
  if (call.opset() < 21) {  // the parameters belong to groups
    for (Tensor* parameter : {&scale, &bias}) {
      TOOLS_ASSIGN(const Tensor column, reshape(emitter, *parameter, {groups, 1}));
      TOOLS_ASSIGN(const Tensor repeated, tile(emitter, column, std::array<int64_t, 2>{1, channels / groups}));
      TOOLS_ASSIGN(*parameter, reshape(emitter, repeated, {channels}));
    }
  }
  TOOLS_ASSIGN(const Tensor normal, reshape(emitter, moments.normal, input.dimensions));
  TOOLS_ASSIGN(const Tensor placed_scale, per_channel(emitter, scale, input.rank()));
  TOOLS_ASSIGN(const Tensor placed_bias, per_channel(emitter, bias, input.rank()));
  return one(scaled(emitter, normal, placed_scale, placed_bias));
}

Result<Tensors> add_lrn(OperatorCall& call) {
  TOOLS_ASSIGN(const int64_t size, call.integer("size", 0));
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1e-4f));
  TOOLS_ASSIGN(const float beta, call.real("beta", 0.75f));
  TOOLS_ASSIGN(const float bias, call.real("bias", 1.0f));
  if (size < 1 || size > (1 << 20) || size % 2 == 0)
    return fail(
        fmt::format("the size of its window must be odd, as NNAPI's windows have a centre, and 2^20 at most, but is {}", size));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (input.rank() < 2) return fail("its input must have at least 2 dimensions, but is " + describe(input));
  const auto real = [&](float value) { return Real{value, input.type}; };
  return one(call.emitter().operation(
      ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION,
      {input, static_cast<int32_t>(size / 2), real(bias), real(alpha / static_cast<float>(size)), real(beta), int32_t{1}},
      input.shaped(input.dimensions)));
}

Result<Tensors> add_lp_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t p, call.integer("p", 2));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const int64_t axis, call.axis(-1, input.rank()));
  if (p != 1 && p != 2) return fail(fmt::format("the importer knows the norms 1 and 2, but not {}", p));
  TOOLS_ASSIGN(const Tensor powers,
               p == 1 ? unary(emitter, ANEURALNETWORKS_ABS, input) : binary(emitter, ANEURALNETWORKS_MUL, input, input));
  TOOLS_ASSIGN(const Tensor sums, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, powers, std::array{axis}, true));
  TOOLS_ASSIGN(const Tensor norms, p == 1 ? Result<Tensor>(sums) : unary(emitter, ANEURALNETWORKS_SQRT, sums));
  return one(binary(emitter, ANEURALNETWORKS_DIV, input, norms));
}

// Adds (input - mean) / (deviation + 1e-9), as the operator's definition has it.
Result<Tensors> add_mean_variance_normalization(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(auto axes, call.integer_list("axes"));
  if (axes.empty()) axes = {0, 2, 3};
  for (int64_t& axis : axes) {
    TOOLS_ASSIGN(axis, checked_axis(axis, input.rank()));
  }
  std::ranges::sort(axes);
  TOOLS_ASSIGN(const Tensor mean, reduce(emitter, ANEURALNETWORKS_MEAN, input, axes, true));
  TOOLS_ASSIGN(const Tensor difference, binary(emitter, ANEURALNETWORKS_SUB, input, mean));
  TOOLS_ASSIGN(const Tensor squares, binary(emitter, ANEURALNETWORKS_MUL, difference, difference));
  TOOLS_ASSIGN(const Tensor variance, reduce(emitter, ANEURALNETWORKS_MEAN, squares, axes, true));
  TOOLS_ASSIGN(const Tensor deviation, unary(emitter, ANEURALNETWORKS_SQRT, variance));
  TOOLS_ASSIGN(const Tensor divisor, binary(emitter, ANEURALNETWORKS_ADD, deviation, 1e-9));
  return one(binary(emitter, ANEURALNETWORKS_DIV, difference, divisor));
}

constexpr OperatorRow kRows[] = {
    {"", "BatchNormalization", add_batch_normalization},
    {"", "GroupNormalization", add_group_normalization, 18},
    {"", "InstanceNormalization", add_instance_normalization},
    {"", "LayerNormalization", add_layer_normalization, 1},  // ONNX Runtime writes it for older opsets as well
    {"", "LpNormalization", add_lp_normalization},
    {"", "LRN", add_lrn},
    {"", "MeanVarianceNormalization", add_mean_variance_normalization},
    {"", "RMSNormalization", add_rms_normalization, 23},
};

}  // namespace

std::span<const OperatorRow> normalization_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
