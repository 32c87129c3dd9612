// LSTM, QUANTIZED_16BIT_LSTM, QUANTIZED_LSTM, RNN, SVDF: one time step.
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

void add_lstm(Rows& rows) {
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

void add_quantized_16bit_lstm(Rows& rows) {
  for (const uint32_t batch : {1, 3}) {
    for (const uint32_t inputs : {1, 4, 7}) {
      for (const uint32_t outputs : {1, 4, 5, 16}) {
        const auto name = std::to_string(batch) + "_" + std::to_string(inputs) + "_" + std::to_string(outputs);
        rows.add(ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, kQuant8, "sizes", name, [=](Draft& c) {
          constexpr float kWeightScale = 1.0f / 128;
          c.input(tensor(kQuant8, {batch, inputs}).quantized(1.0f / 128, 128));
          for (int gate = 0; gate < 4; ++gate) c.constant(tensor(kQuant8, {outputs, inputs}).quantized(kWeightScale, 120));
          for (int gate = 0; gate < 4; ++gate) c.constant(tensor(kQuant8, {outputs, outputs}).quantized(kWeightScale, 120));
          for (int gate = 0; gate < 4; ++gate) {
            c.constant(tensor(kInt32, {outputs}).quantized(kWeightScale / 128, 0), stored(-3000, 3000));
          }
          const Tensor cell = tensor(kQuant16, {batch, outputs}).quantized(1.0f / 2048, 0);
          const Tensor output = tensor(kQuant8, {batch, outputs}).quantized(1.0f / 128, 128);
          c.input(cell);
          c.input(output);
          c.output(cell);
          c.output(output);
        });
      }
    }
  }
}

void quantized_lstm(Draft& c, const LstmCell& cell) {
  constexpr uint32_t kBatch = 3;
  constexpr float kInputScale = 1.0f / 128;
  constexpr float kWeightScale = 1.0f / 128;
  const auto optional = [&](bool present, const Tensor& tensor, const Values& values) {
    if (present) {
      c.constant(tensor, values);
    } else {
      c.omitted(tensor);
    }
  };
  const Values any_small = stored(-16000, 16000);
  const auto has = [&](int gate) { return gate != 0 || !cell.coupled; };
  const Tensor state = tensor(kQuant8Signed, {kBatch, cell.output_size}).quantized(1.0f / 128, 0);
  const Tensor cell_state = tensor(kQuant16, {kBatch, cell.units}).quantized(1.0f / 2048, 0);
  const Tensor bias = tensor(kInt32, {cell.units}).quantized(kInputScale * kWeightScale, 0);
  c.input(tensor(kQuant8Signed, {kBatch, cell.input_size}).quantized(kInputScale, 0));
  for (int gate = 0; gate < 4; ++gate) {
    optional(has(gate), tensor(kQuant8Symm, {cell.units, cell.input_size}).quantized(kWeightScale, 0), {});
  }
  for (int gate = 0; gate < 4; ++gate) {
    optional(has(gate), tensor(kQuant8Symm, {cell.units, cell.output_size}).quantized(kWeightScale, 0), {});
  }
  for (int gate = 0; gate < 3; ++gate) {
    optional(cell.peephole && has(gate), tensor(kQuant16, {cell.units}).quantized(1.0f / 32768, 0), any_small);
  }
  for (int gate = 0; gate < 4; ++gate) optional(has(gate), bias, stored(-2000, 2000));
  optional(cell.projection, tensor(kQuant8Symm, {cell.output_size, cell.units}).quantized(kWeightScale, 0), {});
  optional(cell.projection_bias, tensor(kInt32, {cell.output_size}).quantized(kWeightScale / 128, 0), stored(-2000, 2000));
  c.input(state);
  c.input(cell_state, any_small);
  for (int gate = 0; gate < 4; ++gate) {
    optional(cell.layer_norm && has(gate), tensor(kQuant16, {cell.units}).quantized(1.0f / 32768, 0), any_small);
  }
  c.real(0);
  c.real(0);
  for (int gate = 0; gate < 4; ++gate) c.real(1.0 / 128);
  c.int32(0);
  c.real(1.0 / 128);
  c.output(state);
  c.output(cell_state);
  c.output(state);
}

void add_quantized_lstm(Rows& rows) {
  for (const auto& cell : lstm_cells()) {
    rows.add(ANEURALNETWORKS_QUANTIZED_LSTM, kQuant8Signed, "cell", cell.name(), [=](Draft& c) { quantized_lstm(c, cell); });
  }
}

void add_rnn_and_svdf(Rows& rows) {
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
          for (const uint32_t rank : {1, 2}) {
            for (const bool bias : {false, true}) {
              rows.add(ANEURALNETWORKS_SVDF, type, bias ? "with_bias" : "without_bias", name + "_rank_" + std::to_string(rank),
                       [=](Draft& c) {
                         const uint32_t filters = units * rank;
                         constexpr uint32_t kMemory = 3;
                         c.input(tensor(type, {batch, inputs}));
                         c.constant(tensor(type, {filters, inputs}), weight_values());
                         c.constant(tensor(type, {filters, kMemory}), weight_values());
                         if (bias) {
                           c.constant(tensor(type, {units}), weight_values());
                         } else {
                           c.omitted(tensor(type, {units}));
                         }
                         c.input(tensor(type, {batch, kMemory * filters}));
                         c.int32(static_cast<int32_t>(rank));
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
  }
}

}  // namespace

void add_recurrent_rows(Rows& rows) {
  add_lstm(rows);
  add_quantized_16bit_lstm(rows);
  add_quantized_lstm(rows);
  add_rnn_and_svdf(rows);
}

}  // namespace nnvk::tools::conformance
