// Cells and their operands.
#include "tools/conformance/generators/recurrent_cells.h"

namespace nnvk::tools::conformance {

void declare_optional(Draft& c, bool present, const Tensor& tensor, const LstmWeights& weights) {
  if (!present) {
    c.omitted(tensor);
  } else {
    c.weight(tensor, weights.values, weights.given);
  }
}

Values weight_values() { return reals(-0.5, 0.5); }

std::string LstmCell::name() const {
  std::string text = std::to_string(input_size) + "_" + std::to_string(units) + "_" + std::to_string(output_size);
  if (coupled) text += "_coupled";
  if (peephole) text += "_peephole";
  if (projection) text += projection_bias ? "_projection_with_bias" : "_projection";
  if (layer_norm) text += "_layer_norm";
  return text;
}

std::vector<LstmCell> lstm_cells() {
  return {{},
          {.input_size = 1, .units = 1, .output_size = 1},
          {.input_size = 4, .units = 8, .output_size = 8},
          {.input_size = 17, .units = 31, .output_size = 31},
          {.coupled = true},
          {.peephole = true},
          {.coupled = true, .peephole = true},
          {.output_size = 3, .projection = true},
          {.output_size = 4, .projection = true, .projection_bias = true},
          {.layer_norm = true},
          {.coupled = true, .layer_norm = true},
          {.output_size = 3, .peephole = true, .projection = true, .projection_bias = true, .layer_norm = true},
          {.output_size = 5, .coupled = true, .peephole = true, .projection = true, .layer_norm = true}};
}

void declare_lstm_weights(Draft& c, int32_t type, const LstmCell& cell, const LstmWeights& weights) {
  const Tensor from_input = tensor(type, {cell.units, cell.input_size});
  const Tensor recurrent = tensor(type, {cell.units, cell.output_size});
  const Tensor vector = tensor(type, {cell.units});
  for (int gate = 0; gate < 4; ++gate) declare_optional(c, gate != 0 || !cell.coupled, from_input, weights);
  for (int gate = 0; gate < 4; ++gate) declare_optional(c, gate != 0 || !cell.coupled, recurrent, weights);
  for (int gate = 0; gate < 3; ++gate) declare_optional(c, cell.peephole && (gate != 0 || !cell.coupled), vector, weights);
  for (int gate = 0; gate < 4; ++gate) declare_optional(c, gate != 0 || !cell.coupled, vector, weights);
  declare_optional(c, cell.projection, tensor(type, {cell.output_size, cell.units}), weights);
  declare_optional(c, cell.projection_bias, tensor(type, {cell.output_size}), weights);
}

void declare_layer_norm(Draft& c, int32_t type, const LstmCell& cell, const LstmWeights& weights) {
  for (int gate = 0; gate < 4; ++gate)
    declare_optional(c, cell.layer_norm && (gate != 0 || !cell.coupled), tensor(type, {cell.units}), weights);
}

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

}  // namespace nnvk::tools::conformance
