// QUANTIZED_16BIT_LSTM, QUANTIZED_LSTM: one time step.
#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

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

}  // namespace

void add_quantized_lstm_rows(Rows& rows) {
  add_quantized_16bit_lstm(rows);
  for (const auto& cell : lstm_cells()) {
    rows.add(ANEURALNETWORKS_QUANTIZED_LSTM, kQuant8Signed, "cell", cell.name(), [=](Draft& c) { quantized_lstm(c, cell); });
  }
}

}  // namespace nnvk::tools::conformance
