// QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM with constant weights: the products of all gates, then per row the reference's steps.
#include <algorithm>
#include <cstring>

#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/products/quant8_sums.h"
#include "cpu_fallback/optimized/rows/quantized_cells.h"

namespace nnvk::cpu {
namespace {

// Returns whether the vector code can scale by `m`.
bool is_near(FixedPointMultiplier m) { return m.exponent >= -31 && m.exponent <= 31; }

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

class QuantizedLstmKernel final : public OptimizedKernel {
 public:
  // Returns false if the reference must compute the node.
  static bool is_fast(const OperationView& operation, const QuantizedLstmParameters& p) {
    const auto is_constant = [&](size_t input) { return operation.inputs[input].value.data() != nullptr; };
    for (size_t g = 0; g < kLstmGateCount; ++g) {
      const QuantizedLstmGate& gate = p.gates[g];
      if (!gate.present) continue;
      if (!is_constant(kCell.input_weights(g)) || !is_constant(kCell.recurrent_weights(g))) return false;
      if (!is_near(gate.input) || !is_near(gate.recurrent) || !is_near(gate.peephole) || !is_near(gate.layer_norm)) return false;
    }
    if (p.has_projection) {
      const bool has_bias = operation.has(kCell.projection_bias());
      if (!is_constant(kCell.projection_weights()) || (has_bias && !is_constant(kCell.projection_bias()))) return false;
    }
    return is_near(p.hidden) && is_near(p.projection) && p.cell_integer_bits >= 0 && p.cell_integer_bits <= 6 &&
           (!p.has_layer_norm || p.units <= kMostNormalizedUnits);
  }

  QuantizedLstmKernel(const OperationView& operation, const QuantizedLstmParameters& p)
      : p_(p),
        input_(products_of_gates(operation, p.input_size, operation.input(kInput).zero_point,
                                 [](size_t gate) { return kCell.input_weights(gate); })),
        recurrent_(products_of_gates(operation, p.output_size, p.output_zero_point,
                                     [](size_t gate) { return kCell.recurrent_weights(gate); })) {
    if (!p.has_projection) return;
    Quant8Sums::Matrix matrix{p.output_size, p.units, operands(-p.hidden_zero_point), nullptr, nullptr};
    matrix.weights = operation.inputs[kCell.projection_weights()].value.data();
    std::vector<int32_t> bias(p.output_size);  // constants may lie at odd addresses
    const auto bias_bytes = operation.inputs[kCell.projection_bias()].value;
    if (!bias_bytes.empty()) std::memcpy(bias.data(), bias_bytes.data(), bias.size() * sizeof(int32_t));
    matrix.bias = bias.data();
    projection_ = Quant8Sums(matrix);
  }

  size_t scratch_bytes() const override { return parts(nullptr).end; }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const Parts part = parts(memory.scratch);
    input_.run(memory.inputs[kInput], p_.batches, part.widened, part.input_sums, threads);
    recurrent_.run(memory.inputs[kCell.output_state()], p_.batches, part.widened, part.recurrent_sums, threads);
    auto* const output = memory.output<int8_t>(kOutput);
    int8_t* const hidden = p_.has_projection ? part.hidden : output;
    for (size_t b = 0; b < p_.batches; ++b) step_row(memory, part, b, hidden + b * p_.units);
    if (p_.has_projection) {
      projection_.run(reinterpret_cast<const std::byte*>(hidden), p_.batches, part.widened, part.projection_sums, threads);
      for (size_t b = 0; b < p_.batches; ++b) {
        store_quantized_projection({p_.output_size, part.projection_sums + b * projection_.step(), p_.projection,
                                    p_.output_zero_point, p_.projection_clip, output + b * p_.output_size});
      }
    }
    std::copy_n(output, size_t{p_.batches} * p_.output_size, memory.output<int8_t>(kNewOutputState));
  }
  const char* name() const override { return "8-bit cells"; }

 private:
  using enum quantized_lstm::Input;
  using enum quantized_lstm::Output;
  static constexpr LstmCell kCell = quantized_lstm::kCell;

  static Quant8Operands operands(int32_t zero_point) { return {true, zero_point, true, 0}; }

  // Returns the products of all gates that the cell has, one after the other.
  template <class WeightsOf>
  Quant8Sums products_of_gates(const OperationView& operation, size_t depth, int32_t zero_point,
                               const WeightsOf& weights_of) const {
    std::vector<std::byte> weights;
    size_t outputs = 0;
    for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
      if (!p_.gates[gate].present) continue;
      const auto values = operation.inputs[weights_of(gate)].value;
      weights.insert(weights.end(), values.begin(), values.end());
      outputs += p_.units;
    }
    return Quant8Sums({outputs, depth, operands(zero_point), weights.data(), nullptr});
  }

  // The parts of the scratch memory.
  struct Parts {
    std::byte* widened;
    int32_t* input_sums;
    int32_t* recurrent_sums;
    int32_t* projection_sums;
    int32_t* gates;  // of one row
    int8_t* hidden;
    size_t end;
  };
  Parts parts(std::byte* scratch) const {
    size_t used = 0;
    const auto take = [&]<class T>(T*& part, size_t count) {
      if (scratch != nullptr) part = reinterpret_cast<T*>(scratch + used);
      used += padded_to_vectors(count * sizeof(T));
    };
    const size_t rows = p_.batches;
    Parts part{};
    take(part.widened, std::max({input_.scratch_bytes(rows), recurrent_.scratch_bytes(rows), projection_.scratch_bytes(rows)}));
    take(part.input_sums, rows * input_.step());
    take(part.recurrent_sums, rows * recurrent_.step());
    take(part.projection_sums, rows * projection_.step());
    take(part.gates, kLstmGateCount * p_.units);
    take(part.hidden, rows * p_.units);
    part.end = used;
    return part;
  }

  void step_row(const KernelMemory& memory, const Parts& part, size_t b, int8_t* hidden) const {
    const auto* const before = memory.input<int16_t>(kCell.cell_state()) + b * p_.units;
    auto* const after = memory.output<int16_t>(kNewCellState) + b * p_.units;
    const auto values = [&](size_t gate) { return part.gates + gate * p_.units; };
    for (const size_t gate : {kLstmInputGate, kLstmForgetGate, kLstmCellGate}) finish_gate(memory, part, b, gate, before);
    const bool has_input_gate = p_.gates[kLstmInputGate].present;
    step_quantized_cell({p_.units, has_input_gate ? values(kLstmInputGate) : nullptr, values(kLstmForgetGate),
                         values(kLstmCellGate), p_.cell_integer_bits, p_.cell_clip, before, after});
    finish_gate(memory, part, b, kLstmOutputGate, after);
    store_quantized_hidden(
        {p_.units, values(kLstmOutputGate), after, p_.cell_integer_bits, p_.hidden, p_.hidden_zero_point, hidden});
  }

  void finish_gate(const KernelMemory& memory, const Parts& part, size_t b, size_t g, const int16_t* cell) const {
    const QuantizedLstmGate& parameters = p_.gates[g];
    if (!parameters.present) return;
    const size_t column = (p_.gates[kLstmInputGate].present ? g : g - 1) * p_.units;
    QuantizedGate gate;
    gate.units = p_.units;
    gate.input_sums = part.input_sums + b * input_.step() + column;
    gate.recurrent_sums = part.recurrent_sums + b * recurrent_.step() + column;
    gate.input = parameters.input;
    gate.recurrent = parameters.recurrent;
    if (parameters.has_peephole) gate.peephole = memory.input<int16_t>(kCell.peephole(g));
    gate.cell = cell;
    gate.peephole_scale = parameters.peephole;
    if (p_.has_layer_norm) {
      gate.gain = memory.input<int16_t>(kCell.layer_norm(g));
      gate.bias = memory.input<int32_t>(kCell.bias(g));
    }
    gate.norm_scale = parameters.layer_norm;
    gate.values = part.gates + g * p_.units;
    finish_quantized_gate(gate);
  }

  const QuantizedLstmParameters p_;
  const Quant8Sums input_;
  const Quant8Sums recurrent_;
  Quant8Sums projection_;
};

std::unique_ptr<OptimizedKernel> quantized_lstm(const KernelNode& node) {
  const auto p = quantized_lstm_parameters(node.operation);
  if (!p || node.has_epilogue() || !QuantizedLstmKernel::is_fast(node.operation, *p)) return nullptr;
  return std::make_unique<QuantizedLstmKernel>(node.operation, *p);
}

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

// The kernel of QUANTIZED_16BIT_LSTM. The data row is [input, previous output], but the weight row is [recurrent weights, input
// weights]: the specification defines it so.
class Quantized16bitLstmKernel final : public OptimizedKernel {
 public:
  static bool is_fast(const OperationView& operation, const Quantized16bitLstmParameters& p) {
    for (size_t g = 0; g < kLstmGateCount; ++g) {
      for (const size_t input : {kInputWeights + g, kRecurrentWeights + g, kBiases + g}) {
        if (operation.inputs[input].value.data() == nullptr) return false;
      }
    }
    return is_near(p.multiplier);
  }

  Quantized16bitLstmKernel(const OperationView& operation, const Quantized16bitLstmParameters& p)
      : p_(p), products_(products_of_gates(operation)) {}

  size_t scratch_bytes() const override {
    return rows_bytes() + products_.scratch_bytes(p_.batches) + p_.batches * products_.step() * sizeof(int32_t);
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    std::byte* const rows = memory.scratch;
    for (size_t b = 0; b < p_.batches; ++b) {
      std::byte* const row = rows + b * depth();
      std::copy_n(memory.inputs[kInput] + b * p_.input_size, p_.input_size, row);
      std::copy_n(memory.inputs[kOutputState] + b * p_.units, p_.units, row + p_.input_size);
    }
    std::byte* const widened = rows + rows_bytes();
    auto* const sums = reinterpret_cast<int32_t*>(widened + products_.scratch_bytes(p_.batches));
    products_.run(rows, p_.batches, widened, sums, threads);
    for (size_t b = 0; b < p_.batches; ++b) {
      Cell16bit cell;
      cell.units = p_.units;
      for (size_t g = 0; g < kLstmGateCount; ++g) cell.sums[g] = sums + b * products_.step() + g * p_.units;
      cell.scale = p_.multiplier;
      cell.zero_point = kZeroPoint;
      cell.before = memory.input<int16_t>(kCellState) + b * p_.units;
      cell.after = memory.output<int16_t>(kNewCellState) + b * p_.units;
      cell.out = memory.output<uint8_t>(kOutput) + b * p_.units;
      step_16bit_cell(cell);
    }
  }
  const char* name() const override { return "8-bit cells, 16-bit states"; }

 private:
  using enum quantized_16bit_lstm::Input;
  using enum quantized_16bit_lstm::Output;
  static constexpr int32_t kZeroPoint = quantized_16bit_lstm::kZeroPoint;

  size_t depth() const { return size_t{p_.input_size} + p_.units; }
  size_t rows_bytes() const { return padded_to_vectors(p_.batches * depth()); }

  Quant8Sums products_of_gates(const OperationView& operation) const {
    std::vector<std::byte> weights;
    std::vector<int32_t> bias(kLstmGateCount * p_.units);
    for (size_t g = 0; g < kLstmGateCount; ++g) {
      const auto input = operation.inputs[kInputWeights + g].value;
      const auto recurrent = operation.inputs[kRecurrentWeights + g].value;
      for (size_t u = 0; u < p_.units; ++u) {
        const auto of_state = recurrent.subspan(u * p_.units, p_.units);
        const auto of_input = input.subspan(u * p_.input_size, p_.input_size);
        weights.insert(weights.end(), of_state.begin(), of_state.end());
        weights.insert(weights.end(), of_input.begin(), of_input.end());
      }
      std::memcpy(bias.data() + g * p_.units, operation.inputs[kBiases + g].value.data(), p_.units * sizeof(int32_t));
    }
    return Quant8Sums({bias.size(), depth(), {false, kZeroPoint, false, p_.weight_zero_point}, weights.data(), bias.data()});
  }

  const Quantized16bitLstmParameters p_;
  const Quant8Sums products_;
};

std::unique_ptr<OptimizedKernel> quantized_16bit_lstm(const KernelNode& node) {
  const Quantized16bitLstmParameters p = quantized_16bit_lstm_parameters(node.operation);
  if (node.has_epilogue() || !Quantized16bitLstmKernel::is_fast(node.operation, p)) return nullptr;
  return std::make_unique<Quantized16bitLstmKernel>(node.operation, p);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kQuantizedLstm, quantized_lstm},
    {OperationCode::kQuantized16bitLstm, quantized_16bit_lstm},
};

}  // namespace

std::span<const OptimizedRow> optimized_quantized_lstm_kernels() { return kRows; }

}  // namespace nnvk::cpu
