// Both operations compute one step of a cell in integers. QUANTIZED_LSTM computes products with the dense kernel, then per gate a
// sum and normalization, the cell state, the hidden state and the projection.
#include <algorithm>
#include <array>
#include <string>

#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "quantized_lstm_kernels.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kInt = OperandType::kTensorInt32;
constexpr OperandType kInt16 = OperandType::kTensorQuant16Symm;
constexpr std::array<const char*, kLstmGateCount> kGateNames = {"input gate", "forget gate", "cell gate", "output gate"};

// Adds a dispatch named `what` with this many invocations.
Status add(const EmitContext& context, Dispatch dispatch, const std::string& what, uint64_t invocations) {
  dispatch.label = operation_name(context.node.code) + " " + what;
  return add_flat(context, std::move(dispatch), invocations);
}

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

Status emit_quantized_16bit_lstm(const EmitContext& context) {
  using namespace quantized_16bit_lstm;
  constexpr OperandType kUint8 = OperandType::kTensorQuant8Asymm;
  const Quantized16bitLstmParameters p = context.decode(quantized_16bit_lstm_parameters);
  const uint64_t count = uint64_t{p.batches} * p.units;
  const bool scalar = p.input_size % 4 != 0 || p.units % 4 != 0;
  const uint32_t vector = scalar ? 1 : 4;
  const FixedPointMultiplier scale = shader_multiplier(p.multiplier);
  Quantized16bitLstmGateParams params{};
  params.count = static_cast<uint32_t>(count);
  params.units = p.units;
  params.input_loads = p.input_size / vector;
  params.state_loads = p.units / vector;
  params.weight_zero_point = p.weight_zero_point;
  params.mantissa = scale.mantissa;
  params.exponent = scale.exponent;
  const auto rows = [&](size_t i) { return read_elements(context.input_id(i), kUint8, !scalar); };
  const std::vector<SliceStep> steps = slice_steps(params.input_loads + params.state_loads);
  std::array<TensorId, kLstmGateCount> gates{};
  for (size_t g = 0; g < kLstmGateCount; ++g) {
    gates[g] = context.dispatches.scratch(4 * count);
    auto dispatch = make_dispatch(context, kernels::kQuantized16bitLstmGate, {.scalar_rows = scalar},
                                  {.in_x = rows(kInput),
                                   .in_h = rows(kOutputState),
                                   .in_input_weights = rows(kInputWeights + g),
                                   .in_recurrent_weights = rows(kRecurrentWeights + g),
                                   .in_bias = read_scalars(context.input_id(kBiases + g), kInt),
                                   .out_gate = read_write(gates[g])});
    dispatch.multiply_adds = count * (p.input_size + p.units) / steps.size();
    dispatch.label = operation_name(context.node.code) + " " + kGateNames[g];
    NNVK_TRY(add_steps(context, std::move(dispatch), params, count, steps));
  }
  Quantized16bitLstmCellParams cell{};
  cell.count = static_cast<uint32_t>(divide_up(count, 4));
  auto dispatch = make_dispatch(context, kernels::kQuantized16bitLstmCell, {},
                                {.in_input_gate = read_quads(gates[kLstmInputGate], kInt),
                                 .in_forget_gate = read_quads(gates[kLstmForgetGate], kInt),
                                 .in_cell_gate = read_quads(gates[kLstmCellGate], kInt),
                                 .in_output_gate = read_quads(gates[kLstmOutputGate], kInt),
                                 .in_cell = read_quads(context.input_id(kCellState), kInt16),
                                 .out_cell = write_words(context.output_id(kNewCellState)),
                                 .out_y = write_words(context.output_id(kOutput))},
                                cell);
  return add(context, std::move(dispatch), "cell state", cell.count);
}

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

using namespace quantized_lstm;

// With more units, the sums of layer normalization could exceed 32 bits.
constexpr uint32_t kMostNormalizedUnits = 65535;
// The invocations that share a batch row loop over its units; see bounded_work.h.
constexpr uint32_t kMostUnits = 2 * kMostElementsPerInvocation * kQuantizedLstmRowLanes;
Status check_units(uint32_t units, bool normalized) {
  const uint32_t most = normalized ? kMostNormalizedUnits : kMostUnits;
  if (units <= most) return {};
  return beyond_device(std::to_string(units) + (normalized ? " units with layer normalization" : " units") +
                       "; this device goes through " + std::to_string(most));
}

// A limit for 32-bit results. It is far beyond 16-bit values, and limit + 1 does not overflow.
constexpr float kWideLimit = 1 << 30;

class QuantizedLstmEmitter {
 public:
  QuantizedLstmEmitter(const EmitContext& context, const QuantizedLstmParameters& p)
      : context_(context), p_(p), count_(uint64_t{p.batches} * p.units) {}
  Status emit() {
    NNVK_TRY(check_units(p_.units, p_.has_layer_norm));
    const TensorId cell_in = context_.input_id(kCell.cell_state());
    std::array<TensorId, kLstmGateCount> gates{};
    for (const size_t g : {kLstmInputGate, kLstmForgetGate, kLstmCellGate}) {
      if (!p_.gates[g].present) continue;
      NNVK_ASSIGN(gates[g], gate(g, cell_in));
    }
    NNVK_TRY(emit_cell(gates));
    NNVK_ASSIGN(const TensorId output_gate, gate(kLstmOutputGate, context_.output_id(kNewCellState)));
    if (!p_.has_projection) {
      return emit_hidden(output_gate, context_.output_id(kNewOutputState), context_.output_id(kOutput));
    }
    const TensorId hidden = context_.dispatches.scratch(4 * divide_up(count_, 4));
    NNVK_TRY(emit_hidden(output_gate, hidden, hidden));
    return emit_projection(hidden);
  }

 private:
  TensorId words(uint64_t count) { return context_.dispatches.scratch(4 * count); }
  // Adds the scaled products of input `rows` with input `weights`, as INT32.
  Result<TensorId> product(size_t rows, size_t weights, FixedPointMultiplier multiplier, float limit, const std::string& name) {
    const OperandInfo& data = context_.input(rows);
    ProductRows left{.tensor = context_.input_id(rows), .type = data.type, .zero_point = data.zero_point, .rows = p_.batches};
    left.depth = left.row_stride = data.shape[1];
    const ProductResult result{.target = words(count_),
                               .wide = true,
                               .columns = p_.units,
                               .multiplier = multiplier,
                               .lo = -limit,
                               .hi = limit == kWideLimit ? limit : limit - 1};
    const ProductWeights right{weight_source(context_, weights), dense_filter(1, p_.units, 1, left.depth), name};
    NNVK_TRY(emit_product(context_, left, right, result));
    return result.target;
  }

  // Adds a gate before its activation function. `cell`: the cell state for a peephole.
  Result<TensorId> gate(size_t g, TensorId cell) {
    const QuantizedLstmGate& gate = p_.gates[g];
    const std::string name = kGateNames[g];
    NNVK_ASSIGN(const TensorId input, product(kInput, kCell.input_weights(g), gate.input, 32768.0F, name + " input weights"));
    NNVK_ASSIGN(const TensorId recurrent, product(kCell.output_state(), kCell.recurrent_weights(g), gate.recurrent, kWideLimit,
                                                  name + " recurrent weights"));
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
    // Bindings that the specialization does not read get the cell state or the products.
    const auto operand = [&](bool read, size_t i, TensorId instead, OperandType type) {
      return read_scalars(read ? context_.input_id(i) : instead, type);
    };
    auto dispatch =
        make_dispatch(context_, kernels::kQuantizedLstmGate, {.peephole = gate.has_peephole, .normalize = p_.has_layer_norm},
                      {.in_input = read_scalars(input, kInt),
                       .in_recurrent = read_scalars(recurrent, kInt),
                       .in_peephole = operand(gate.has_peephole, kCell.peephole(g), cell, kInt16),
                       .in_cell = read_scalars(cell, kInt16),
                       .in_norm = operand(p_.has_layer_norm, kCell.layer_norm(g), cell, kInt16),
                       .in_bias = operand(p_.has_layer_norm, kCell.bias(g), input, kInt),
                       .out_gate = write_words(target)},
                      params);
    NNVK_TRY(add(context_, std::move(dispatch), name, uint64_t{p_.batches} * kQuantizedLstmRowLanes));
    return target;
  }

  Status emit_cell(const std::array<TensorId, kLstmGateCount>& gates) {
    const bool coupled = !p_.gates[kLstmInputGate].present;
    QuantizedLstmCellParams params{};
    params.count = static_cast<uint32_t>(divide_up(count_, 4));
    params.integer_bits = p_.cell_integer_bits;
    params.clip = p_.cell_clip;
    auto dispatch = make_dispatch(context_, kernels::kQuantizedLstmCell, {.coupled = coupled},
                                  {.in_input_gate = read_quads(gates[coupled ? kLstmForgetGate : kLstmInputGate], kInt),
                                   .in_forget_gate = read_quads(gates[kLstmForgetGate], kInt),
                                   .in_cell_gate = read_quads(gates[kLstmCellGate], kInt),
                                   .in_cell = read_quads(context_.input_id(kCell.cell_state()), kInt16),
                                   .out_cell = write_words(context_.output_id(kNewCellState))},
                                  params);
    return add(context_, std::move(dispatch), "cell state", params.count);
  }

  Status emit_hidden(TensorId output_gate, TensorId state, TensorId output) {
    const FixedPointMultiplier scale = shader_multiplier(p_.hidden);
    QuantizedLstmHiddenParams params{};
    params.count = static_cast<uint32_t>(divide_up(count_, 4));
    params.integer_bits = p_.cell_integer_bits;
    params.mantissa = scale.mantissa;
    params.exponent = scale.exponent;
    params.zero_point = p_.hidden_zero_point;
    auto dispatch = make_dispatch(context_, kernels::kQuantizedLstmHidden, {},
                                  {.in_output_gate = read_quads(output_gate, kInt),
                                   .in_cell = read_quads(context_.output_id(kNewCellState), kInt16),
                                   .out_state = write_words(state),
                                   .out_y = write_words(output)},
                                  params);
    return add(context_, std::move(dispatch), "hidden state", params.count);
  }

  Status emit_projection(TensorId hidden) {
    const OperandType type = context_.input(kCell.output_state()).type;
    ProductRows left{.tensor = hidden, .type = type, .zero_point = -p_.hidden_zero_point, .rows = p_.batches};
    left.depth = left.row_stride = p_.units;
    ProductResult result{.target = words(uint64_t{p_.batches} * p_.output_size),
                         .wide = true,
                         .columns = p_.output_size,
                         .multiplier = p_.projection,
                         .zero_point = p_.output_zero_point,
                         .lo = static_cast<float>(std::max(-128, -p_.projection_clip)),
                         .hi = static_cast<float>(std::min(127, p_.projection_clip))};
    const size_t bias = kCell.projection_bias();
    if (context_.has(bias)) result.bias = read_quads(context_.input_id(bias), kInt);
    const ProductWeights right{weight_source(context_, kCell.projection_weights()), dense_filter(1, p_.output_size, 1, p_.units),
                               "projection weights"};
    NNVK_TRY(emit_product(context_, left, right, result));
    NNVK_TRY(emit_narrowing(context_, result.target, kNewOutputState));
    return emit_narrowing(context_, result.target, kOutput);
  }

  const EmitContext& context_;
  const QuantizedLstmParameters& p_;
  uint64_t count_;  // batches * units
};

Status emit_quantized_lstm(const EmitContext& context) {
  NNVK_ASSIGN(const QuantizedLstmParameters p, context.decode(quantized_lstm_parameters));
  return QuantizedLstmEmitter(context, p).emit();
}

// Checks that packed weights fit one buffer binding, and that sums of layer normalization fit 32 bits.
Status support_quantized_lstm(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  NNVK_TRY(check_matrices_fit(plan, node, traits, kCell.input_weights(kLstmInputGate), kCell.recurrent_weights(kLstmOutputGate)));
  NNVK_TRY(check_matrices_fit(plan, node, traits, kCell.projection_weights(), kCell.projection_weights()));
  const PlanTensor& norm = plan.tensors[node.inputs[kCell.layer_norm(kLstmOutputGate)]];
  const Shape& shape = norm.info.shape;
  if (norm.role == TensorRole::kOmitted || shape.rank() != 1 || !shape.fully_known()) return {};
  return check_units(shape[0], true);
}

}  // namespace

constinit const EmitterRows quantized_lstm_emitters = {
    {OperationCode::kQuantizedLstm, support_quantized_lstm, emit_quantized_lstm},
    {OperationCode::kQuantized16bitLstm, nullptr, emit_quantized_16bit_lstm},
};

}  // namespace nnvk::vulkan
