// QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM, one step of a cell in integers. QUANTIZED_LSTM: products with the dense kernel, then
// per gate a sum and normalization, the cell state, the hidden state and the projection.
#include <algorithm>
#include <array>
#include <string>

#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "quantized_lstm_kernels.h"
#include "shaders/quantized_lstm_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kInt = OperandType::kTensorInt32;
constexpr OperandType kInt16 = OperandType::kTensorQuant16Symm;
constexpr std::array<const char*, kLstmGateCount> kGateNames = {"input gate", "forget gate", "cell gate", "output gate"};

Dispatch begin(const EmitContext& context, KernelId kernel, const std::string& what) {
  Dispatch dispatch;
  dispatch.kernel = kernel;
  dispatch.node = context.node_index;
  dispatch.label = operation_name(context.node.code) + " " + what;
  return dispatch;
}

// Adds a dispatch with its parameters and so many invocations.
template <class Params>
Status finish(const EmitContext& context, Dispatch dispatch, const Params& params, uint64_t invocations,
              DispatchList& dispatches) {
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

using namespace quantized_lstm;

// Sums of layer normalization are kept in 32 bits.
constexpr uint32_t kMostNormalizedUnits = 65535;
// The invocations that share a batch row loop over its units; see bounded_work.h.
constexpr uint32_t kMostUnits = 2 * kMostElementsPerInvocation * kQuantizedLstmRowLanes;
Status check_units(uint32_t units, bool normalized) {
  const uint32_t most = normalized ? kMostNormalizedUnits : kMostUnits;
  if (units <= most) return {};
  return fail(Code::kOpFailed, std::to_string(units) + (normalized ? " units with layer normalization" : " units") +
                                   "; this device goes through " + std::to_string(most));
}

// Far beyond 16 bits, and far enough from the limits of 32 bits that a 16-bit value can be added.
constexpr float kWideLimit = 1 << 30;

class QuantizedLstmEmitter {
 public:
  QuantizedLstmEmitter(const EmitContext& context, DispatchList& dispatches, const QuantizedLstmParameters& p)
      : context_(context), dispatches_(dispatches), p_(p), count_(uint64_t{p.batches} * p.units) {}
  Status emit();

 private:
  TensorId words(uint64_t count) { return dispatches_.scratch(4 * count); }
  Result<TensorId> product(size_t rows, size_t weights, FixedPointMultiplier multiplier, float limit, const std::string& name);
  Result<TensorId> gate(size_t g, TensorId cell);
  Status emit_cell(const std::array<TensorId, kLstmGateCount>& gates);
  Status emit_hidden(TensorId output_gate, TensorId state, TensorId output);
  Status emit_projection(TensorId hidden);

  const EmitContext& context_;
  DispatchList& dispatches_;
  const QuantizedLstmParameters& p_;
  uint64_t count_;  // batches * units
};

// Scaled products of input `rows` with input `weights`, INT32.
Result<TensorId> QuantizedLstmEmitter::product(size_t rows, size_t weights, FixedPointMultiplier multiplier, float limit,
                                               const std::string& name) {
  const OperandInfo& data = context_.input(rows);
  ProductRows left;
  left.tensor = context_.input_id(rows);
  left.type = data.type;
  left.zero_point = data.zero_point;
  left.rows = p_.batches;
  left.depth = left.row_stride = data.shape[1];
  ProductResult result;
  result.target = words(count_);
  result.wide = true;
  result.columns = p_.units;
  result.multiplier = multiplier;
  result.lo = -limit;
  result.hi = limit == kWideLimit ? limit : limit - 1;
  const ProductWeights right{weight_source(context_, weights), dense_filter(1, p_.units, 1, left.depth), name};
  NNVK_TRY(emit_product(context_, left, right, result, dispatches_));
  return result.target;
}

// A gate before its activation function. `cell`: the cell state that a peephole looks at.
Result<TensorId> QuantizedLstmEmitter::gate(size_t g, TensorId cell) {
  const QuantizedLstmGate& gate = p_.gates[g];
  const std::string name = kGateNames[g];
  NNVK_ASSIGN(const TensorId input, product(kInput, kInputWeights + g, gate.input, 32768.0F, name + " input weights"));
  NNVK_ASSIGN(const TensorId recurrent,
              product(kOutputState, kRecurrentWeights + g, gate.recurrent, kWideLimit, name + " recurrent weights"));
  const TensorId target = words(count_);
  QuantizedLstmGateParams params{};
  params.rows = p_.batches;
  params.units = p_.units;
  const FixedPointMultiplier peephole_scale = shader_multiplier(gate.peephole);
  params.peephole_mantissa = peephole_scale.mantissa;
  params.peephole_exponent = peephole_scale.exponent;
  const FixedPointMultiplier norm_scale = shader_multiplier(gate.layer_norm);
  params.norm_mantissa = norm_scale.mantissa;
  params.norm_exponent = norm_scale.exponent;
  Dispatch dispatch = begin(context_, kernels::kQuantizedLstmGate, name);
  dispatch.specialization = {{0, gate.has_peephole ? 1U : 0U}, {1, p_.has_layer_norm ? 1U : 0U}};
  // What the specialization leaves unread gets the cell state or the products in its place.
  const auto operand = [&](bool read, size_t i, TensorId instead, OperandType type) {
    return read_scalars(read ? context_.input_id(i) : instead, type);
  };
  dispatch.bindings = {read_scalars(input, kInt),
                       read_scalars(recurrent, kInt),
                       operand(gate.has_peephole, gate.has_peephole ? peephole(g) : 0, cell, kInt16),
                       read_scalars(cell, kInt16),
                       operand(p_.has_layer_norm, kLayerNorm + g, cell, kInt16),
                       operand(p_.has_layer_norm, kBias + g, input, kInt),
                       write_words(target)};
  NNVK_TRY(finish(context_, std::move(dispatch), params, uint64_t{p_.batches} * kQuantizedLstmRowLanes, dispatches_));
  return target;
}

Status QuantizedLstmEmitter::emit_cell(const std::array<TensorId, kLstmGateCount>& gates) {
  const bool coupled = !p_.gates[kLstmInputGate].present;
  QuantizedLstmCellParams params{};
  params.count = static_cast<uint32_t>(divide_up(count_, 4));
  params.integer_bits = p_.cell_integer_bits;
  params.clip = p_.cell_clip;
  Dispatch dispatch = begin(context_, kernels::kQuantizedLstmCell, "cell state");
  dispatch.specialization = {{0, coupled ? 1U : 0U}};
  dispatch.bindings = {read_quads(gates[coupled ? kLstmForgetGate : kLstmInputGate], kInt),
                       read_quads(gates[kLstmForgetGate], kInt), read_quads(gates[kLstmCellGate], kInt),
                       read_quads(context_.input_id(kCellState), kInt16), write_words(context_.output_id(1))};
  return finish(context_, std::move(dispatch), params, params.count, dispatches_);
}

Status QuantizedLstmEmitter::emit_hidden(TensorId output_gate, TensorId state, TensorId output) {
  const FixedPointMultiplier scale = shader_multiplier(p_.hidden);
  QuantizedLstmHiddenParams params{};
  params.count = static_cast<uint32_t>(divide_up(count_, 4));
  params.integer_bits = p_.cell_integer_bits;
  params.mantissa = scale.mantissa;
  params.exponent = scale.exponent;
  params.zero_point = p_.hidden_zero_point;
  Dispatch dispatch = begin(context_, kernels::kQuantizedLstmHidden, "hidden state");
  dispatch.bindings = {read_quads(output_gate, kInt), read_quads(context_.output_id(1), kInt16), write_words(state),
                       write_words(output)};
  return finish(context_, std::move(dispatch), params, params.count, dispatches_);
}

Status QuantizedLstmEmitter::emit_projection(TensorId hidden) {
  ProductRows left;
  left.tensor = hidden;
  left.type = context_.input(kOutputState).type;
  left.zero_point = -p_.hidden_zero_point;
  left.rows = p_.batches;
  left.depth = left.row_stride = p_.units;
  ProductResult result;
  result.target = words(uint64_t{p_.batches} * p_.output_size);
  result.wide = true;
  result.columns = p_.output_size;
  if (context_.has(kProjectionBias)) result.bias = read_quads(context_.input_id(kProjectionBias), kInt);
  result.multiplier = p_.projection;
  result.zero_point = p_.output_zero_point;
  result.lo = static_cast<float>(std::max(-128, -p_.projection_clip));
  result.hi = static_cast<float>(std::min(127, p_.projection_clip));
  const ProductWeights right{weight_source(context_, kProjectionWeights), dense_filter(1, p_.output_size, 1, p_.units),
                             "projection weights"};
  NNVK_TRY(emit_product(context_, left, right, result, dispatches_));
  NNVK_TRY(emit_narrowing(context_, result.target, dispatches_, 0));
  return emit_narrowing(context_, result.target, dispatches_, 2);
}

Status QuantizedLstmEmitter::emit() {
  NNVK_TRY(check_units(p_.units, p_.has_layer_norm));
  const TensorId cell_in = context_.input_id(kCellState);
  std::array<TensorId, kLstmGateCount> gates{};
  for (const size_t g : {kLstmInputGate, kLstmForgetGate, kLstmCellGate}) {
    if (!p_.gates[g].present) continue;
    NNVK_ASSIGN(gates[g], gate(g, cell_in));
  }
  NNVK_TRY(emit_cell(gates));
  NNVK_ASSIGN(const TensorId output_gate, gate(kLstmOutputGate, context_.output_id(1)));
  if (!p_.has_projection) return emit_hidden(output_gate, context_.output_id(0), context_.output_id(2));
  const TensorId hidden = dispatches_.scratch(4 * divide_up(count_, 4));
  NNVK_TRY(emit_hidden(output_gate, hidden, hidden));
  return emit_projection(hidden);
}

Status emit_quantized_lstm(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const QuantizedLstmParameters p, quantized_lstm_parameters(view.view()));
  return QuantizedLstmEmitter(context, dispatches, p).emit();
}

// Packed weights must fit one buffer binding, and layer normalization its sums.
Status support_quantized_lstm(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  NNVK_TRY(check_matrices_fit(plan, node, traits, kInputWeights, kRecurrentWeights + kLstmOutputGate));
  NNVK_TRY(check_matrices_fit(plan, node, traits, kProjectionWeights, kProjectionWeights));
  const PlanTensor& norm = plan.tensors[node.inputs[kLayerNorm + kLstmOutputGate]];
  const Shape& shape = norm.info.shape;
  if (norm.role == TensorRole::kOmitted || shape.rank() != 1 || !shape.fully_known()) return {};
  return check_units(shape[0], true);
}

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

Status emit_quantized_16bit_lstm(const EmitContext& context, DispatchList& dispatches) {
  constexpr size_t kBiases = 9;
  constexpr size_t kCell = 13;
  constexpr size_t kState = 14;
  constexpr OperandType kUint8 = OperandType::kTensorQuant8Asymm;
  const uint32_t input_size = context.input(0).shape[1];
  const uint32_t units = context.input(1).shape[0];
  const uint64_t count = element_count(context.output(0));
  const bool scalar = input_size % 4 != 0 || units % 4 != 0;
  const uint32_t vector = scalar ? 1 : 4;
  const FixedPointMultiplier scale = shader_multiplier(quantized_16bit_lstm_multiplier(context.input(kBiases).scale));
  Quantized16bitLstmGateParams params{};
  params.count = static_cast<uint32_t>(count);
  params.units = units;
  params.input_loads = input_size / vector;
  params.state_loads = units / vector;
  params.weight_zero_point = context.input(1).zero_point;
  params.mantissa = scale.mantissa;
  params.exponent = scale.exponent;
  const auto rows = [&](size_t i) {
    return scalar ? read_scalars(context.input_id(i), kUint8) : read_quads(context.input_id(i), kUint8);
  };
  Dispatch cell = begin(context, kernels::kQuantized16bitLstmCell, "cell state");
  for (size_t g = 0; g < kLstmGateCount; ++g) {
    const TensorId target = dispatches.scratch(4 * count);
    Dispatch dispatch = begin(context, kernels::kQuantized16bitLstmGate, kGateNames[g]);
    dispatch.specialization = {{0, scalar ? 1U : 0U}};
    dispatch.bindings = {
        rows(0), rows(kState), rows(1 + g), rows(5 + g), read_scalars(context.input_id(kBiases + g), kInt), read_write(target)};
    const std::vector<SliceStep> steps =
        slice_steps(params.input_loads + params.state_loads, kMostElementsPerInvocation, kStepFoldFirst);
    dispatch.multiply_adds = count * (input_size + units) / steps.size();
    for (const SliceStep& step : steps) {
      params.begin = step.begin;
      params.end = step.end;
      NNVK_TRY(finish(context, dispatch, params, count, dispatches));
    }
    cell.bindings.push_back(read_quads(target, kInt));
  }
  cell.bindings.push_back(read_quads(context.input_id(kCell), kInt16));
  cell.bindings.push_back(write_words(context.output_id(0)));
  cell.bindings.push_back(write_words(context.output_id(1)));
  Quantized16bitLstmCellParams cell_params{};
  cell_params.count = static_cast<uint32_t>(divide_up(count, 4));
  return finish(context, std::move(cell), cell_params, cell_params.count, dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kQuantizedLstm, support_quantized_lstm, emit_quantized_lstm},
    {OperationCode::kQuantized16bitLstm, nullptr, emit_quantized_16bit_lstm},
};

}  // namespace

std::span<const KernelEmitter> quantized_lstm_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
