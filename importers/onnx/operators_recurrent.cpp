// LSTM and RNN as NNAPI's sequence operations, GRU composed step by step. Each direction runs alone; its results are joined.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/products.h"

namespace nnvk::importers::onnx {
namespace {

constexpr int64_t kMostSteps = 256;  // of a composed sequence

// The inputs of one direction: [T, B, I] in its own order of time, and its part of the parameters.
struct Direction {
  Tensor input;
  Tensor weights;                  // [gates * H, I]
  Tensor recurrent;                // [gates * H, H]
  std::optional<Tensor> bias;      // [2 * gates * H]: of the input, then of the recurrence
  std::optional<Tensor> peephole;  // [3 * H]
  Tensor state;                    // [B, H]
  Tensor cell_state;               // [B, H]
  std::vector<std::string> activations;
  int64_t hidden = 0;
  bool linear_before_reset = false;
};

// The results of one direction: all outputs [T, B, H], the last one and the last cell state [B, H].
struct Sequence {
  Tensor outputs;
  Tensor last;
  Tensor cell;
};

using Cell = Result<Sequence> (*)(Emitter&, const Direction&);

Result<Tensor> part(Emitter& emitter, const Tensor& tensor, int64_t number, int64_t size) {
  return split(emitter, tensor, 0, number * size, size);
}

// Emits row d of a tensor [directions, ...].
Result<Tensor> of_direction(Emitter& emitter, const Tensor& tensor, int64_t d) {
  TOOLS_ASSIGN(const Tensor row, split(emitter, tensor, 0, d, 1));
  return squeeze(emitter, row, std::array<int64_t, 1>{0});
}

Status check_lengths(OperatorCall& call, const Tensor& input) {
  if (!call.has(4)) return {};
  TOOLS_ASSIGN(const auto lengths, call.integers(4, "the lengths of its sequences"));
  if (std::ranges::all_of(lengths, [&](int64_t length) { return length == input.dimensions[0]; })) return {};
  return fail("NNAPI has no sequences of different lengths");
}

// Reads the inputs common to all three operators, runs `cell` in each direction and joins the results.
Result<Tensors> add_sequence(OperatorCall& call, Cell cell, int64_t gates, std::vector<std::string> defaults) {
  Emitter& emitter = call.emitter();
  constexpr std::array<int64_t, 3> kSwap{1, 0, 2};
  TOOLS_ASSIGN(const int64_t hidden, call.integer("hidden_size", 0));
  TOOLS_ASSIGN(const auto direction, call.text("direction", "forward"));
  TOOLS_ASSIGN(const int64_t layout, call.integer("layout", 0));
  TOOLS_ASSIGN(auto activations, call.text_list("activations"));
  TOOLS_ASSIGN(const int64_t linear, call.integer("linear_before_reset", 0));
  TOOLS_ASSIGN(const int64_t coupled, call.integer("input_forget", 0));
  if (coupled != 0) return fail("NNAPI cannot couple the input and forget gates in this way");
  if (call.attribute("clip")) return fail("NNAPI does not clip the gates");
  if (call.attribute("activation_alpha") || call.attribute("activation_beta"))
    return fail("NNAPI has no activations with parameters (attributes 'activation_alpha' and 'activation_beta')");
  TOOLS_ASSIGN(Tensor input, call.input(0));
  if (input.rank() != 3) return fail("its sequence must have 3 dimensions, but is " + describe(input));
  if (layout != 0) {
    TOOLS_ASSIGN(input, transpose(emitter, input, kSwap));
  }
  TOOLS_TRY(OperatorCall::expect_fixed(input, "it"));
  TOOLS_TRY(check_lengths(call, input));
  TOOLS_ASSIGN(const Tensor weights, call.input(1));
  TOOLS_ASSIGN(const Tensor recurrent, call.input(2));
  const int64_t count = direction == "bidirectional" ? 2 : 1;
  if (hidden < 1 || weights.dimensions != Dimensions{count, gates * hidden, input.dimensions[2]} ||
      recurrent.dimensions != Dimensions{count, gates * hidden, hidden}) {
    return fail(fmt::format("its weights {} and {} do not fit hidden_size {}, {} directions and the sequence {}",
                            describe(weights), describe(recurrent), hidden, count, describe(input)));
  }
  if (activations.empty()) {
    for (int64_t d = 0; d < count; ++d) activations.insert(activations.end(), defaults.begin(), defaults.end());
  }
  if (activations.size() != defaults.size() * static_cast<size_t>(count))
    return fail(fmt::format("it needs {} activations for its {} directions, but has {}",
                            defaults.size() * static_cast<size_t>(count), count, activations.size()));
  // Input `position` [directions, rows], if it is there.
  const auto optional_rows = [&](size_t position, int64_t rows, int64_t d) -> Result<std::optional<Tensor>> {
    if (!call.has(position)) return std::nullopt;
    TOOLS_ASSIGN(const Tensor all, call.input(position));
    if (all.dimensions != Dimensions{count, rows}) {
      return fail(fmt::format("its input {} must have the shape [{},{}], but is {}", position, count, rows, describe(all)));
    }
    TOOLS_ASSIGN(const Tensor row, of_direction(emitter, all, d));
    return row;
  };
  const Dimensions state_shape{input.dimensions[1], hidden};
  const auto state = [&](size_t position, int64_t d) -> Result<Tensor> {
    if (!call.has(position)) return emitter.zeros(state_shape, input);
    TOOLS_ASSIGN(Tensor all, call.input(position));
    if (all.rank() != 3) return fail(fmt::format("its input {} must have 3 dimensions, but is {}", position, describe(all)));
    if (layout != 0) {
      TOOLS_ASSIGN(all, transpose(emitter, all, kSwap));
    }
    if (all.dimensions != Dimensions{count, state_shape[0], hidden})
      return fail(fmt::format("its input {} must have the shape [{},{},{}], but is {}", position, count, state_shape[0], hidden,
                              describe(all)));
    return of_direction(emitter, all, d);
  };
  Tensors outputs, last, cells;
  for (int64_t d = 0; d < count; ++d) {
    const bool backward = d == 1 || direction == "reverse";
    Direction one_way;
    TOOLS_ASSIGN(one_way.input, backward ? reverse(emitter, input, 0) : Result<Tensor>(input));
    TOOLS_ASSIGN(one_way.weights, of_direction(emitter, weights, d));
    TOOLS_ASSIGN(one_way.recurrent, of_direction(emitter, recurrent, d));
    TOOLS_ASSIGN(one_way.bias, optional_rows(3, 2 * gates * hidden, d));
    TOOLS_ASSIGN(one_way.peephole, optional_rows(7, 3 * hidden, d));
    TOOLS_ASSIGN(one_way.state, state(5, d));
    TOOLS_ASSIGN(one_way.cell_state, state(6, d));
    const auto first = activations.begin() + d * static_cast<int64_t>(defaults.size());
    one_way.activations.assign(first, first + static_cast<int64_t>(defaults.size()));
    one_way.hidden = hidden;
    one_way.linear_before_reset = linear != 0;
    TOOLS_ASSIGN(Sequence sequence, cell(emitter, one_way));
    if (backward) {
      TOOLS_ASSIGN(sequence.outputs, reverse(emitter, sequence.outputs, 0));
    }
    const std::array<int64_t, 1> second{1};
    const std::array<int64_t, 1> front{0};
    if (call.wants(0)) {
      TOOLS_ASSIGN(Tensor shaped, unsqueeze(emitter, sequence.outputs, second));
      outputs.push_back(std::move(shaped));
    }
    if (call.wants(1)) {
      TOOLS_ASSIGN(Tensor shaped, unsqueeze(emitter, sequence.last, front));
      last.push_back(std::move(shaped));
    }
    if (call.wants(2)) {
      TOOLS_ASSIGN(Tensor shaped, unsqueeze(emitter, sequence.cell, front));
      cells.push_back(std::move(shaped));
    }
  }
  Tensors results(3);
  if (call.wants(0)) {
    TOOLS_ASSIGN(results[0], concatenate(emitter, outputs, 1));
    if (layout != 0) {
      TOOLS_ASSIGN(results[0], transpose(emitter, results[0], std::array<int64_t, 4>{2, 0, 1, 3}));
    }
  }
  for (const auto& [position, states] : {std::pair{size_t{1}, &last}, {size_t{2}, &cells}}) {
    if (!call.wants(position)) continue;
    TOOLS_ASSIGN(results[position], concatenate(emitter, *states, 0));
    if (layout != 0) {
      TOOLS_ASSIGN(results[position], transpose(emitter, results[position], kSwap));
    }
  }
  return results;
}

// Emits the bias of the input plus that of the recurrence, [gates * H]; returns nothing if there is none.
Result<std::optional<Tensor>> summed_bias(Emitter& emitter, const Direction& direction, int64_t rows) {
  if (!direction.bias) return std::nullopt;
  TOOLS_ASSIGN(const Tensor first, part(emitter, *direction.bias, 0, rows));
  TOOLS_ASSIGN(const Tensor second, part(emitter, *direction.bias, 1, rows));
  TOOLS_ASSIGN(Tensor sum, binary(emitter, ANEURALNETWORKS_ADD, first, second));
  return sum;
}

// Emits the last of the outputs [T, B, H], as [B, H].
Result<Tensor> last_output(Emitter& emitter, const Tensor& outputs) {
  TOOLS_ASSIGN(const Tensor row, split(emitter, outputs, 0, outputs.dimensions[0] - 1, 1));
  return squeeze(emitter, row, std::array<int64_t, 1>{0});
}

// Emits an LSTM. ONNX's gates stand in the order input, output, forget, cell; NNAPI's in the order input, forget, cell, output.
Result<Sequence> lstm_cell(Emitter& emitter, const Direction& direction) {
  constexpr std::array<int64_t, 4> kGates{0, 2, 3, 1};
  constexpr std::array<int64_t, 3> kPeepholes{0, 2, 1};
  const int64_t hidden = direction.hidden;
  const auto& names = direction.activations;
  if (names[0] != "Sigmoid" || names[1] != "Tanh" || names[2] != "Tanh") return fail("NNAPI has no LSTM with these activations");
  TOOLS_ASSIGN(const auto bias, summed_bias(emitter, direction, 4 * hidden));
  std::vector<Argument> arguments{direction.input};
  for (const Tensor* matrix : {&direction.weights, &direction.recurrent}) {
    for (const int64_t gate : kGates) {
      TOOLS_ASSIGN(Tensor rows, part(emitter, *matrix, gate, hidden));
      arguments.emplace_back(std::move(rows));
    }
  }
  for (const int64_t gate : kPeepholes) {
    if (!direction.peephole) {
      arguments.emplace_back(Omitted{});
      continue;
    }
    TOOLS_ASSIGN(Tensor row, part(emitter, *direction.peephole, gate, hidden));
    arguments.emplace_back(std::move(row));
  }
  for (const int64_t gate : kGates) {
    TOOLS_ASSIGN(Tensor row, bias ? part(emitter, *bias, gate, hidden) : emitter.zeros({hidden}, direction.input));
    arguments.emplace_back(std::move(row));
  }
  const int32_t tanh = 4;  // NNAPI's number of the activation
  const Real none{0, direction.input.type};
  arguments.insert(arguments.end(), {Omitted{}, Omitted{}, direction.state, direction.cell_state, tanh, none, none, true});
  arguments.insert(arguments.end(), {Omitted{}, Omitted{}, Omitted{}, Omitted{}});
  const Tensor outputs = direction.input.shaped({direction.input.dimensions[0], direction.input.dimensions[1], hidden});
  const Tensor state = direction.input.shaped({direction.input.dimensions[1], hidden});
  TOOLS_ASSIGN(Tensors results,
               emitter.operations(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, arguments, {outputs, state, state}));
  return Sequence{.outputs = results[0], .last = results[1], .cell = results[2]};
}

Result<Sequence> rnn_cell(Emitter& emitter, const Direction& direction) {
  const std::string& name = direction.activations[0];
  int32_t activation = 0;  // NNAPI's numbers
  if (name == "Relu") {
    activation = 1;
  } else if (name == "Tanh") {
    activation = 4;
  } else if (name == "Sigmoid") {
    activation = 6;
  } else {
    return fail("NNAPI has no RNN with the activation " + name);
  }
  TOOLS_ASSIGN(const auto bias, summed_bias(emitter, direction, direction.hidden));
  TOOLS_ASSIGN(const Tensor added, bias ? Result<Tensor>(*bias) : emitter.zeros({direction.hidden}, direction.input));
  const Tensor outputs = direction.input.shaped({direction.input.dimensions[0], direction.input.dimensions[1], direction.hidden});
  TOOLS_ASSIGN(const Tensor result, emitter.operation(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN,
                                                      {direction.input, direction.weights, direction.recurrent, added,
                                                       direction.state, activation, int32_t{1}},
                                                      outputs));
  TOOLS_ASSIGN(const Tensor last, last_output(emitter, result));
  return Sequence{.outputs = result, .last = last, .cell = {}};
}

Result<Tensor> activated(Emitter& emitter, const std::string& name, const Tensor& input) {
  if (name == "Sigmoid") return unary(emitter, ANEURALNETWORKS_LOGISTIC, input);
  if (name == "Tanh") return unary(emitter, ANEURALNETWORKS_TANH, input);
  if (name == "Relu") return unary(emitter, ANEURALNETWORKS_RELU, input);
  return fail("NNAPI has no GRU with the activation " + name);
}

// Emits a GRU. The gates are update (z), reset (r) and hidden (h): H = (1 - z) * h + z * H'.
Result<Sequence> gru_cell(Emitter& emitter, const Direction& direction) {
  const int64_t steps = direction.input.dimensions[0];
  const int64_t hidden = direction.hidden;
  if (steps > kMostSteps)
    return fail(fmt::format("its sequence of {} steps is too long: the importer composes at most {}", steps, kMostSteps));
  std::optional<Tensor> input_bias, recurrent_bias;
  if (direction.bias) {
    TOOLS_ASSIGN(input_bias, part(emitter, *direction.bias, 0, 3 * hidden));
    TOOLS_ASSIGN(recurrent_bias, part(emitter, *direction.bias, 1, 3 * hidden));
  }
  const auto columns = [&](const Tensor& tensor, int64_t gate, int64_t count) {
    return split(emitter, tensor, 1, gate * hidden, count * hidden);
  };
  TOOLS_ASSIGN(const Tensor all_inputs, dense(emitter, direction.input, direction.weights, input_bias));
  const int64_t first_gates = direction.linear_before_reset ? 3 : 2;
  TOOLS_ASSIGN(const Tensor gate_weights, split(emitter, direction.recurrent, 0, 0, first_gates * hidden));
  TOOLS_ASSIGN(const Tensor hidden_weights, part(emitter, direction.recurrent, 2, hidden));
  std::optional<Tensor> gate_bias, hidden_bias;
  if (recurrent_bias) {
    TOOLS_ASSIGN(gate_bias, split(emitter, *recurrent_bias, 0, 0, first_gates * hidden));
    TOOLS_ASSIGN(hidden_bias, part(emitter, *recurrent_bias, 2, hidden));
  }
  Tensor state = direction.state;
  Tensors outputs;
  for (int64_t t = 0; t < steps; ++t) {
    TOOLS_ASSIGN(const Tensor row, split(emitter, all_inputs, 0, t, 1));
    TOOLS_ASSIGN(const Tensor now, squeeze(emitter, row, std::array<int64_t, 1>{0}));
    TOOLS_ASSIGN(const Tensor before, dense(emitter, state, gate_weights, gate_bias));
    TOOLS_ASSIGN(const Tensor now_gates, columns(now, 0, 2));
    TOOLS_ASSIGN(const Tensor before_gates, columns(before, 0, 2));
    TOOLS_ASSIGN(const Tensor sums, binary(emitter, ANEURALNETWORKS_ADD, now_gates, before_gates));
    TOOLS_ASSIGN(const Tensor gates, activated(emitter, direction.activations[0], sums));
    TOOLS_ASSIGN(const Tensor update, columns(gates, 0, 1));
    TOOLS_ASSIGN(const Tensor reset, columns(gates, 1, 1));
    Tensor carried;
    if (direction.linear_before_reset) {
      TOOLS_ASSIGN(const Tensor linear, columns(before, 2, 1));
      TOOLS_ASSIGN(carried, binary(emitter, ANEURALNETWORKS_MUL, reset, linear));
    } else {
      TOOLS_ASSIGN(const Tensor kept, binary(emitter, ANEURALNETWORKS_MUL, reset, state));
      TOOLS_ASSIGN(carried, dense(emitter, kept, hidden_weights, hidden_bias));
    }
    TOOLS_ASSIGN(const Tensor now_hidden, columns(now, 2, 1));
    TOOLS_ASSIGN(const Tensor sum, binary(emitter, ANEURALNETWORKS_ADD, now_hidden, carried));
    TOOLS_ASSIGN(const Tensor candidate, activated(emitter, direction.activations[1], sum));
    TOOLS_ASSIGN(const Tensor difference, binary(emitter, ANEURALNETWORKS_SUB, state, candidate));
    TOOLS_ASSIGN(const Tensor kept_part, binary(emitter, ANEURALNETWORKS_MUL, update, difference));
    TOOLS_ASSIGN(state, binary(emitter, ANEURALNETWORKS_ADD, candidate, kept_part));
    TOOLS_ASSIGN(Tensor output, unsqueeze(emitter, state, std::array<int64_t, 1>{0}));
    outputs.push_back(std::move(output));
  }
  TOOLS_ASSIGN(const Tensor joined, concatenate(emitter, outputs, 0));
  return Sequence{.outputs = joined, .last = state, .cell = {}};
}

Result<Tensors> add_lstm(OperatorCall& call) { return add_sequence(call, lstm_cell, 4, {"Sigmoid", "Tanh", "Tanh"}); }
Result<Tensors> add_gru(OperatorCall& call) { return add_sequence(call, gru_cell, 3, {"Sigmoid", "Tanh"}); }
Result<Tensors> add_rnn(OperatorCall& call) { return add_sequence(call, rnn_cell, 1, {"Tanh"}); }

constexpr OperatorRow kRows[] = {{"", "GRU", add_gru}, {"", "LSTM", add_lstm}, {"", "RNN", add_rnn}};

}  // namespace

std::span<const OperatorRow> recurrent_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
