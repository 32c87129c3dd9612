// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_LSTM.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void lstm(Draft& c, int32_t type, const LstmCell& cell, int32_t activation, double cell_clip, double projection_clip) {
  constexpr uint32_t kBatch = 3;
  c.input(tensor(type, {kBatch, cell.input_size}));
  declare_lstm_weights(c, type, cell);
  c.input(tensor(type, {kBatch, cell.output_size}), reals(-1, 1));
  c.input(tensor(type, {kBatch, cell.units}), reals(-1, 1));
  c.int32(activation);
  c.real(cell_clip, type);
  c.real(projection_clip, type);
  if (cell.layer_norm) declare_layer_norm(c, type, cell);
  allow_recurrent_rounding(c, type);
  c.ignored_output(tensor(type, {}));  // scratch
  for (int i = 0; i < 3; ++i) c.output(tensor(type, {}));
}

void add_steps(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const auto& cell : lstm_cells()) {
      rows.add(ANEURALNETWORKS_LSTM, type, "cell", cell.name(), [=](Draft& c) { lstm(c, type, cell, 4, 0, 0); });
    }
    for (const int32_t activation : {0, 1, 3, 4, 6}) {
      rows.add(ANEURALNETWORKS_LSTM, type, "activation", std::to_string(activation),
               [=](Draft& c) { lstm(c, type, {}, activation, 0, 0); });
    }
    const LstmCell projected{.output_size = 3, .projection = true};
    rows.add(ANEURALNETWORKS_LSTM, type, "clip", "cell_and_projection",
             [=](Draft& c) { lstm(c, type, projected, 4, 0.25, 0.125); });
    rows.add(ANEURALNETWORKS_LSTM, type, "refused", "negative_clip", [=](Draft& c) { lstm(c, type, {}, 4, -1, 0); }).refused();
  }
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

}  // namespace

void add_lstm_rows(Rows& rows) {
  add_steps(rows);
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const auto& s : sequences()) {
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
