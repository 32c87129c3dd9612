// Cells and their operands.
#include "tools/conformance/generators/recurrent_cells.h"

namespace nnvk::tools::conformance {
namespace {

void present_or_not(Draft& c, bool present, const Tensor& tensor) {
  if (present) {
    c.constant(tensor, weight_values());
  } else {
    c.omitted(tensor);
  }
}

}  // namespace

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

void declare_lstm_weights(Draft& c, int32_t type, const LstmCell& cell) {
  const Tensor from_input = tensor(type, {cell.units, cell.input_size});
  const Tensor recurrent = tensor(type, {cell.units, cell.output_size});
  const Tensor vector = tensor(type, {cell.units});
  for (int gate = 0; gate < 4; ++gate) present_or_not(c, gate != 0 || !cell.coupled, from_input);
  for (int gate = 0; gate < 4; ++gate) present_or_not(c, gate != 0 || !cell.coupled, recurrent);
  for (int gate = 0; gate < 3; ++gate) present_or_not(c, cell.peephole && (gate != 0 || !cell.coupled), vector);
  for (int gate = 0; gate < 4; ++gate) present_or_not(c, gate != 0 || !cell.coupled, vector);
  present_or_not(c, cell.projection, tensor(type, {cell.output_size, cell.units}));
  present_or_not(c, cell.projection_bias, tensor(type, {cell.output_size}));
}

void declare_layer_norm(Draft& c, int32_t type, const LstmCell& cell) {
  for (int gate = 0; gate < 4; ++gate)
    present_or_not(c, cell.layer_norm && (gate != 0 || !cell.coupled), tensor(type, {cell.units}));
}

void allow_recurrent_rounding(Draft& c, int32_t type) {
  if (type == kFloat32) c.tolerance(1e-4, 1e-5);
  if (type == kFloat16) c.tolerance(0.01, 0.005);
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
