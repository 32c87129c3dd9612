// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_LSTM.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Options {
  int32_t activation = 4;
  double cell_clip = 0;
  double projection_clip = 0;
  uint32_t backward_units = 0;  // 0: like the forward cell
  bool given_weights = false;
  bool short_form = false;  // LSTM without operands for layer normalization
  double range = 0.7;       // of inputs and weights
};

struct Lstm {
  int32_t operation;
  int32_t type;
  LstmCell cell{};
  Sequence sequence{};
  Options options{};
};

// Declares any of the three operations with all options. Results must meet the format's tolerance.
void declare(Draft& c, const Lstm& lstm) {
  const bool bidirectional = lstm.operation == ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM;
  const bool step = lstm.operation == ANEURALNETWORKS_LSTM;
  const int32_t type = lstm.type;
  const Sequence& s = lstm.sequence;
  const Options& o = lstm.options;
  LstmCell cell = lstm.cell;
  if (!cell.projection) cell.output_size = cell.units;
  LstmCell backward = cell;
  if (o.backward_units != 0) backward.units = o.backward_units;
  if (o.backward_units != 0 && !cell.projection) backward.output_size = o.backward_units;
  const uint32_t auxiliary_size = s.auxiliary_weights ? cell.input_size : cell.input_size + 3;
  if (s.auxiliary && !s.auxiliary_weights) backward.input_size = auxiliary_size;
  const LstmWeights weights{reals(-o.range, o.range), o.given_weights};
  const auto sequence = [&](uint32_t size) { return tensor(type, step ? Dims{s.batch, size} : s.dims(size)); };
  c.input(sequence(cell.input_size), weights.values);
  declare_lstm_weights(c, type, cell, weights);
  if (bidirectional) declare_lstm_weights(c, type, backward, weights);
  for (const auto& direction : bidirectional ? std::vector{cell, backward} : std::vector{cell}) {
    c.input(tensor(type, {s.batch, direction.output_size}), weights.values);
    c.input(tensor(type, {s.batch, direction.units}), weights.values);
  }
  if (bidirectional) {
    declare_optional(c, s.auxiliary, sequence(auxiliary_size), {weights.values, true});
    for (const auto& direction : {cell, backward}) {
      for (int gate = 0; gate < 4; ++gate) {
        declare_optional(c, s.auxiliary && s.auxiliary_weights && (gate != 0 || !cell.coupled),
                         tensor(type, {direction.units, auxiliary_size}), weights);
      }
    }
  }
  c.int32(o.activation);
  c.real(o.cell_clip, type);
  c.real(o.projection_clip, type);
  if (bidirectional) c.boolean(s.merged);
  if (!step) c.boolean(s.time_major);
  if (!o.short_form) declare_layer_norm(c, type, cell, weights);
  if (bidirectional) declare_layer_norm(c, type, backward, weights);
  if (step) c.ignored_output(tensor(type, {}));
  outputs(c, type, step ? 3 : (bidirectional && !s.merged ? 2 : 1) + (s.states ? (bidirectional ? 4 : 2) : 0));
}

constexpr int32_t kStep = ANEURALNETWORKS_LSTM;
constexpr int32_t kForward = ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM;
constexpr int32_t kBoth = ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM;

LstmCell projected(uint32_t inputs, uint32_t units, uint32_t outputs) {
  return {.input_size = inputs, .units = units, .output_size = outputs, .projection = true};
}

// Adds sums longer than a loop may run, and sequences that take several dispatches.
void add_long_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const LstmCell& cell, const Sequence& s) {
    rows.edge(kForward, kFloat32, name, [=](Draft& c) { declare(c, {kForward, kFloat32, cell, s, {.range = 0.02}}); });
  };
  constexpr uint32_t kLong = 2 * 32768 + 5;
  add("long_inputs", {.input_size = kLong, .units = 2}, {.steps = 2, .batch = 2, .states = true});
  for (const bool norm : {false, true}) {
    LstmCell recurrent = projected(1, 2, kLong);
    recurrent.layer_norm = norm;
    add(norm ? "long_recurrent_sums_normalized" : "long_recurrent_sums", recurrent, {.steps = 2, .batch = 1, .states = true});
    LstmCell projection = projected(1, kLong, 2);
    projection.layer_norm = projection.projection_bias = norm;
    add(norm ? "long_projections_normalized" : "long_projections", projection, {.steps = 2, .batch = 1, .states = true});
  }
  // The gates of a step take 1.25 MiB, so 16 MiB hold 12 steps.
  rows.edge(kBoth, kFloat32, "chunks", [](Draft& c) {
    declare(c, {kBoth, kFloat32, projected(1, 80, 1), {.steps = 29, .batch = 1024, .states = true}});
  });
  // More steps than one dispatch of a small cell takes.
  for (const int32_t type : kFloats) {
    rows.edge(kBoth, type, "many_steps", [=](Draft& c) {
      declare(c,
              {kBoth, type, {.input_size = 3, .units = 33, .peephole = true}, {.steps = 1500, .states = true}, {.range = 0.3}});
    });
  }
}

// Gives the bias of one gate extreme values, so that the gate saturates.
void saturated(Draft& c, int gate) {
  const std::vector<double> extremes{0, 1e-4, -0.2, 0.26, 5, -20, 88, -88, 1e30, -1e30, kInfinity, -kInfinity, kNan};
  constexpr uint32_t kUnits = 13;
  c.input(tensor(kFloat32, {1, 1}), listed({0}));
  for (int i = 0; i < 4; ++i) c.constant(tensor(kFloat32, {kUnits, 1}), listed({0}));
  for (int i = 0; i < 4; ++i) c.constant(tensor(kFloat32, {kUnits, kUnits}), listed({0}));
  for (int i = 0; i < 3; ++i) c.omitted(tensor(kFloat32, {kUnits}));
  for (int i = 0; i < 4; ++i) c.input(tensor(kFloat32, {kUnits}), i == gate ? listed(extremes) : listed({0}));
  for (int i = 0; i < 2; ++i) c.omitted(tensor(kFloat32, {kUnits}));
  for (int i = 0; i < 2; ++i) c.input(tensor(kFloat32, {1, kUnits}), listed({0}));
  c.int32(4);
  for (int i = 0; i < 2; ++i) c.real(0);
  c.ignored_output(tensor(kFloat32, {}));
  outputs(c, kFloat32, 3);
}

void add_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const Lstm& lstm) {
    rows.edge(lstm.operation, lstm.type, name, [=](Draft& c) { declare(c, lstm); });
  };
  for (const int32_t operation : {kStep, kForward, kBoth}) {
    for (uint32_t options = 0; options < 16; ++options) {
      LstmCell cell = projected(5, 6, 3);
      cell.coupled = (options & 1) != 0;
      cell.peephole = (options & 2) != 0;
      cell.layer_norm = (options & 4) != 0;
      cell.projection = (options & 8) != 0;
      cell.projection_bias = options == 8 || options == 15;
      add("options_" + std::to_string(options), {operation, kFloat32, cell, {.steps = 3, .batch = 2, .states = true}});
      // With several steps: between steps, states must keep more precision than FLOAT16 has.
      if ((options & 3) == 0)
        add("options_" + std::to_string(options), {operation, kFloat16, cell, {.steps = 5, .states = true}});
    }
  }
  for (const uint32_t size : {1, 3, 4, 7, 33, 65, 88}) {
    for (const uint32_t batch : {1, 2, 5}) {
      const Sequence s{.steps = 2, .batch = batch, .states = true};
      const auto suffix = std::to_string(size) + "_batch_" + std::to_string(batch);
      add("size_" + suffix, {kForward, kFloat32, {.input_size = size, .units = size}, s});
      add("projected_to_" + suffix, {kForward, kFloat32, projected(4, 8, size), s});
    }
  }
  for (const uint32_t units : {300, 330}) {
    for (const int32_t operation : {kStep, kBoth}) {
      add(std::to_string(units) + "_units",
          {operation, kFloat32, {.input_size = 3, .units = units}, {.steps = 3, .states = true}});
    }
  }
  add("130_units",
      {kForward, kFloat32, {.input_size = 3, .units = 130, .layer_norm = true}, {.steps = 2, .batch = 2, .states = true}});
  for (const int32_t type : kFloats) {
    for (const bool time_major : {false, true}) {
      const Sequence s{.time_major = time_major};
      for (const int32_t operation : {kForward, kBoth}) add(group_of(s), {operation, type, {.input_size = 3, .units = 5}, s});
      add(std::string("projected_") + group_of(s), {kForward, type, projected(3, 5, 2), s});
      const Sequence merged{.steps = 3, .batch = 2, .time_major = time_major, .states = time_major, .merged = true};
      add(time_major ? "merged_states" : "merged", {kBoth, type, {.input_size = 4, .units = 5}, merged, {.backward_units = 3}});
    }
    LstmCell everything = projected(3, 4, 3);
    everything.peephole = everything.layer_norm = everything.projection_bias = true;
    const Sequence crossed{.steps = 2, .batch = 2, .states = true, .auxiliary = true, .auxiliary_weights = true};
    add("given_weights", {kBoth, type, everything, crossed, {.given_weights = true}});
    add("given_weights", {kStep, type, {.input_size = 3, .units = 4, .coupled = true}, {.batch = 2}, {.given_weights = true}});
  }
  for (const bool coupled : {false, true}) {
    for (const bool time_major : {false, true}) {
      for (const bool cross : {false, true}) {
        const Sequence s{
            .steps = 3, .batch = 2, .time_major = time_major, .states = true, .auxiliary = true, .auxiliary_weights = cross};
        add(std::string(cross ? "cross_" : "parallel_") + group_of(s) + (coupled ? "_coupled" : ""),
            {kBoth, kFloat32, {.input_size = 4, .units = 5, .coupled = coupled}, s});
      }
    }
  }
  for (const int32_t activation : {0, 1, 2, 3, 4, 6}) {
    for (const bool norm : {false, true}) {
      LstmCell cell{.input_size = 5, .units = 6, .layer_norm = norm};
      const Sequence s{.steps = 3, .batch = 2, .states = true};
      const auto name = "activation_" + std::to_string(activation) + (norm ? "_normalized" : "");
      add(name, {kForward, kFloat32, cell, s, {.activation = activation}});
      cell.projection = true;
      cell.output_size = 5;
      add(name + "_clipped", {kForward, kFloat32, cell, s, {.activation = activation, .cell_clip = 0.3, .projection_clip = 0.2}});
    }
  }
  for (int gate = 0; gate < 4; ++gate) {
    rows.edge(kStep, kFloat32, "saturated_gate_" + std::to_string(gate), [=](Draft& c) { saturated(c, gate); });
  }
  add_long_edges(rows);
}

}  // namespace

void add_lstm_rows(Rows& rows) {
  for (const int32_t type : kFloats) {
    const auto add = [&](const std::string& group, const std::string& name, const Lstm& lstm) {
      return &rows.add(lstm.operation, type, group, name, [=](Draft& c) { declare(c, lstm); });
    };
    for (const auto& cell : lstm_cells()) add("cell", cell.name(), {kStep, type, cell, {}, {.short_form = !cell.layer_norm}});
    for (const int32_t activation : {0, 1, 3, 4, 6}) {
      add("activation", std::to_string(activation), {kStep, type, {}, {}, {.activation = activation, .short_form = true}});
    }
    add("clip", "cell_and_projection", {kStep, type, projected(5, 7, 3), {}, {.cell_clip = 0.25, .projection_clip = 0.125}});
    add("refused", "negative_clip", {kStep, type, {}, {}, {.cell_clip = -1}})->refused();
    for (const auto& s : sequences()) {
      for (const auto& cell : lstm_cells()) {
        add(group_of(s), s.name() + "_" + cell.name(), {kForward, type, cell, s});
        Sequence both = s;
        both.merged = s.steps == 7;
        both.auxiliary = s.steps != 1;
        both.auxiliary_weights = s.steps == 4;
        add(group_of(both), both.name() + "_" + cell.name(), {kBoth, type, cell, both});
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
