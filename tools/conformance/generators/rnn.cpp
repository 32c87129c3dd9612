// RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void add_steps(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const uint32_t batch : {1, 3}) {
      for (const uint32_t inputs : {1, 5, 16}) {
        for (const uint32_t units : {1, 4, 7, 31}) {
          const auto name = std::to_string(batch) + "_" + std::to_string(inputs) + "_" + std::to_string(units);
          rows.add(ANEURALNETWORKS_RNN, type, "sizes", name, [=](Draft& c) {
            c.input(tensor(type, {batch, inputs}));
            c.constant(tensor(type, {units, inputs}), weight_values());
            c.constant(tensor(type, {units, units}), weight_values());
            c.constant(tensor(type, {units}), weight_values());
            c.input(tensor(type, {batch, units}));
            c.int32(0);
            allow_recurrent_rounding(c, type);
            c.output(tensor(type, {}));
            c.output(tensor(type, {}));
          });
        }
      }
    }
  }
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

void add_rnn_rows(Rows& rows) {
  add_steps(rows);
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
    }
  }
}

}  // namespace nnvk::tools::conformance
