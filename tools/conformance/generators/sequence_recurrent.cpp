// BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_RNN, UNIDIRECTIONAL_SEQUENCE_LSTM, UNIDIRECTIONAL_SEQUENCE_RNN.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Sequence {
  uint32_t steps = 4;
  uint32_t batch = 3;
  bool time_major = true;
  bool states = false;  // the last states are outputs too
  bool merged = false;  // bidirectional: one output with both directions
  bool auxiliary = false;
  bool auxiliary_weights = false;

  Dims dims(uint32_t size) const { return time_major ? Dims{steps, batch, size} : Dims{batch, steps, size}; }
  std::string name() const {
    return std::to_string(steps) + "x" + std::to_string(batch) + (merged ? "_merged" : "") + (auxiliary ? "_auxiliary" : "") +
           (auxiliary_weights ? "_weights" : "") + (states ? "_states" : "");
  }
};

const char* group_of(const Sequence& s) { return s.time_major ? "time_major" : "batch_major"; }

std::vector<Sequence> sequences() {
  std::vector<Sequence> result;
  for (const bool time_major : {true, false}) {
    for (const bool states : {false, true}) {
      for (const auto& [steps, batch] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {4, 3}, {7, 2}}) {
        result.push_back({.steps = steps, .batch = batch, .time_major = time_major, .states = states});
      }
    }
  }
  return result;
}

void outputs(Draft& c, int32_t type, int count) {
  for (int i = 0; i < count; ++i) c.output(tensor(type, {}));
}

void unidirectional_lstm(Draft& c, int32_t type, const LstmCell& cell, const Sequence& s) {
  c.input(tensor(type, s.dims(cell.input_size)));
  declare_lstm_weights(c, type, cell);
  c.input(tensor(type, {s.batch, cell.output_size}), reals(-1, 1));
  c.input(tensor(type, {s.batch, cell.units}), reals(-1, 1));
  c.int32(4);
  c.real(0, type);
  c.real(0, type);
  c.boolean(s.time_major);
  declare_layer_norm(c, type, cell);
  allow_recurrent_rounding(c, type);
  outputs(c, type, s.states ? 3 : 1);
}

void bidirectional_lstm(Draft& c, int32_t type, const LstmCell& cell, const Sequence& s) {
  // Beside the input (with weights of its own) the auxiliary input must be as wide as it. Without weights, the backward cell
  // reads it instead of the input, at any width; a coupled cell knows only this way.
  const bool beside = s.auxiliary_weights && !cell.coupled;
  const uint32_t auxiliary_size = beside ? cell.input_size : cell.input_size + 1;
  LstmCell backward = cell;
  if (s.auxiliary) backward.input_size = auxiliary_size;
  c.input(tensor(type, s.dims(cell.input_size)));
  declare_lstm_weights(c, type, cell);
  declare_lstm_weights(c, type, backward);
  for (int direction = 0; direction < 2; ++direction) {
    c.input(tensor(type, {s.batch, cell.output_size}), reals(-1, 1));
    c.input(tensor(type, {s.batch, cell.units}), reals(-1, 1));
  }
  const Tensor auxiliary_weights = tensor(type, {cell.units, auxiliary_size});
  if (s.auxiliary) {
    c.input(tensor(type, s.dims(auxiliary_size)));
  } else {
    c.omitted(tensor(type, s.dims(auxiliary_size)));
  }
  for (int i = 0; i < 8; ++i) {
    if (s.auxiliary && beside) {
      c.constant(auxiliary_weights, weight_values());
    } else {
      c.omitted(auxiliary_weights);
    }
  }
  c.int32(4);
  c.real(0, type);
  c.real(0, type);
  c.boolean(s.merged);
  c.boolean(s.time_major);
  declare_layer_norm(c, type, cell);
  declare_layer_norm(c, type, cell);
  allow_recurrent_rounding(c, type);
  outputs(c, type, (s.merged ? 1 : 2) + (s.states ? 4 : 0));
}

void unidirectional_rnn(Draft& c, int32_t type, uint32_t inputs, uint32_t units, const Sequence& s) {
  c.input(tensor(type, s.dims(inputs)));
  c.constant(tensor(type, {units, inputs}), weight_values());
  c.constant(tensor(type, {units, units}), weight_values());
  c.constant(tensor(type, {units}), weight_values());
  c.input(tensor(type, {s.batch, units}));
  c.int32(3);
  c.int32(s.time_major ? 1 : 0);
  allow_recurrent_rounding(c, type);
  outputs(c, type, s.states ? 2 : 1);
}

void bidirectional_rnn(Draft& c, int32_t type, uint32_t inputs, uint32_t units, const Sequence& s) {
  constexpr uint32_t kAuxiliarySize = 2;
  c.input(tensor(type, s.dims(inputs)));
  for (const uint32_t direction_units : {units, units + 1}) {
    c.constant(tensor(type, {direction_units, inputs}), weight_values());
    c.constant(tensor(type, {direction_units, direction_units}), weight_values());
    c.constant(tensor(type, {direction_units}), weight_values());
    c.input(tensor(type, {s.batch, direction_units}));
  }
  if (s.auxiliary) {
    c.input(tensor(type, s.dims(kAuxiliarySize)));
    c.constant(tensor(type, {units, kAuxiliarySize}), weight_values());
    c.constant(tensor(type, {units + 1, kAuxiliarySize}), weight_values());
  } else {
    c.omitted(tensor(type, s.dims(kAuxiliarySize)));
    c.omitted(tensor(type, {units, kAuxiliarySize}));
    c.omitted(tensor(type, {units + 1, kAuxiliarySize}));
  }
  c.int32(1);
  c.boolean(s.time_major);
  c.boolean(s.merged);
  allow_recurrent_rounding(c, type);
  outputs(c, type, (s.merged ? 1 : 2) + (s.states ? 2 : 0));
}

}  // namespace

void add_sequence_recurrent_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const auto& s : sequences()) {
      for (const auto& [inputs, units] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {5, 7}, {16, 8}}) {
        const auto name = s.name() + "_" + std::to_string(inputs) + "_" + std::to_string(units);
        rows.add(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, type, group_of(s), name,
                 [=](Draft& c) { unidirectional_rnn(c, type, inputs, units, s); });
        for (const bool merged : {false, true}) {
          for (const bool auxiliary : {false, true}) {
            Sequence both = s;
            both.merged = merged;
            both.auxiliary = auxiliary;
            rows.add(ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN, type, group_of(both),
                     both.name() + "_" + std::to_string(inputs) + "_" + std::to_string(units),
                     [=](Draft& c) { bidirectional_rnn(c, type, inputs, units, both); });
          }
        }
      }
      for (const auto& cell : lstm_cells()) {
        rows.add(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, type, group_of(s), s.name() + "_" + cell.name(),
                 [=](Draft& c) { unidirectional_lstm(c, type, cell, s); });
        Sequence both = s;
        both.merged = s.steps == 7;
        both.auxiliary = s.steps != 1;
        both.auxiliary_weights = s.steps == 4;
        rows.add(ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, type, group_of(both), both.name() + "_" + cell.name(),
                 [=](Draft& c) { bidirectional_lstm(c, type, cell, both); });
      }
    }
  }
}

}  // namespace nnvk::tools::conformance
