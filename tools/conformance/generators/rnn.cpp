// RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN.
#include <cmath>

#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

constexpr int32_t kStep = ANEURALNETWORKS_RNN;
constexpr int32_t kForward = ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN;
constexpr int32_t kBoth = ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN;

struct Rnn {
  uint32_t inputs = 1;
  uint32_t units = 1;
  uint32_t backward_units = 1;
  uint32_t auxiliary_size = 0;  // 0: none
  bool auxiliary_weights = false;
  int32_t activation = 4;
  bool given_weights = false;
};

// Declares any of the three operations. Sums stay near one, so that neither tanh nor a clamp hides differences.
void declare(Draft& c, int32_t operation, int32_t type, const Rnn& p, const Sequence& s) {
  const bool bidirectional = operation == kBoth;
  const auto sequence = [&](uint32_t size) { return tensor(type, operation == kStep ? Dims{s.batch, size} : s.dims(size)); };
  const auto weights = [&](const Dims& dims) {
    const double range = 1.5 / std::sqrt(dims.back());
    c.weight(tensor(type, dims), reals(-range, range), p.given_weights);
  };
  const auto cell = [&](uint32_t units, uint32_t inputs) {
    weights({units, inputs});
    weights({units, units});
    c.constant(tensor(type, {units}), weight_values());
    c.input(tensor(type, {s.batch, units}), reals(-1, 1));
  };
  c.input(sequence(p.inputs), reals(-1, 1));
  cell(p.units, p.inputs);
  if (bidirectional) {
    cell(p.backward_units, p.auxiliary_size != 0 && !p.auxiliary_weights ? p.auxiliary_size : p.inputs);
    const bool auxiliary = p.auxiliary_size != 0;
    declare_optional(c, auxiliary, sequence(auxiliary ? p.auxiliary_size : 1), {reals(-1, 1), true});
    for (const uint32_t units : {p.units, p.backward_units}) {
      if (p.auxiliary_weights) {
        weights({units, p.auxiliary_size});
      } else {
        c.omitted(tensor(type, {units, 1}));
      }
    }
  }
  c.int32(p.activation);
  if (bidirectional) c.boolean(s.time_major);
  if (bidirectional) c.boolean(s.merged);
  if (operation == kForward) c.int32(s.time_major ? 1 : 0);
  if (type == kFloat32) c.tolerance(2e-5, 1e-5);  // results feed back, which lets differences grow a little
  const int states = s.states || operation == kStep ? (bidirectional ? 2 : 1) : 0;
  outputs(c, type, (bidirectional && !s.merged ? 2 : 1) + states);
}

void add_edges(Rows& rows) {
  for (const int32_t type : kFloats) {
    const auto add = [&](int32_t operation, const std::string& name, const Rnn& p, const Sequence& s) {
      return &rows.edge(operation, type, name, [=](Draft& c) { declare(c, operation, type, p, s); });
    };
    for (const uint32_t batch : {1, 2, 5}) {
      for (const auto& [inputs, units] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {8, 16}, {7, 13}}) {
        add(kStep, std::to_string(batch) + "_" + std::to_string(inputs) + "_" + std::to_string(units),
            {.inputs = inputs, .units = units}, {.batch = batch});
      }
    }
    for (const int32_t activation : {0, 1, 2, 3, 4, 6}) {
      add(kStep, "activation_" + std::to_string(activation), {.inputs = 6, .units = 10, .activation = activation}, {});
    }
    for (const bool time_major : {false, true}) {
      for (const bool states : {false, true}) {
        const Sequence s{.steps = 5, .time_major = time_major, .states = states};
        add(kForward, std::string(group_of(s)) + (states ? "_states" : ""), {.inputs = 6, .units = 5}, s);
        add(kForward, std::string("quads_") + group_of(s) + (states ? "_states" : ""), {.inputs = 8, .units = 12}, s);
        const Sequence both{.steps = 3, .batch = 2, .time_major = time_major, .states = states == time_major, .merged = states};
        Rnn p{.inputs = 5, .units = 6, .backward_units = 3};
        add(kBoth, both.name() + group_of(s), p, both);
        p.auxiliary_size = 7;
        add(kBoth, both.name() + group_of(s) + "_parallel", p, both);
        p.auxiliary_weights = true;
        add(kBoth, both.name() + group_of(s) + "_cross", p, both);
      }
    }
    add(kForward, "given_weights", {.inputs = 4, .units = 40, .activation = 6, .given_weights = true}, {.steps = 3, .batch = 2});
    // Sums that take several dispatches.
    add(kForward, "long_inputs", {.inputs = 70001, .units = 3}, {.steps = 2, .batch = 2});
    add(kStep, "longer_inputs", {.inputs = 280000, .units = 2}, {.batch = 5});
    add(kStep, "refused_activation", {.activation = 5}, {})->refused();
  }
}

}  // namespace

void add_rnn_rows(Rows& rows) {
  for (const int32_t type : kFloats) {
    const auto add = [&](int32_t operation, const std::string& group, const std::string& name, const Rnn& p, const Sequence& s) {
      rows.add(operation, type, group, name, [=](Draft& c) { declare(c, operation, type, p, s); });
    };
    for (const uint32_t batch : {1, 3}) {
      for (const uint32_t inputs : {1, 5, 16}) {
        for (const uint32_t units : {1, 4, 7, 31}) {
          const Rnn p{.inputs = inputs, .units = units, .activation = 0};
          add(kStep, "sizes", dims_label({batch, inputs, units}), p, {.batch = batch});
        }
      }
    }
    for (const auto& s : sequences()) {
      for (const auto& [inputs, units] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {5, 7}, {16, 8}}) {
        const auto sizes = "_" + dims_label({inputs, units});
        add(kForward, group_of(s), s.name() + sizes, {.inputs = inputs, .units = units, .activation = 3}, s);
        for (const bool merged : {false, true}) {
          for (const bool auxiliary : {false, true}) {
            Sequence both = s;
            both.merged = merged;
            both.auxiliary = auxiliary;
            Rnn p{.inputs = inputs, .units = units, .backward_units = units + 1, .auxiliary_weights = auxiliary, .activation = 1};
            if (auxiliary) p.auxiliary_size = 2;
            add(kBoth, group_of(both), both.name() + sizes, p, both);
          }
        }
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
