// QUANTIZED_16BIT_LSTM, QUANTIZED_LSTM: one time step.
#include <cmath>

#include "tools/conformance/generators/recurrent_cells.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Scales {
  float cell = 1.0f / 2048;
  double cell_clip = 0;
  double projection_clip = 0;
  int32_t hidden_zero_point = 3;
  std::vector<double> gates{1.0 / 4096, 1.0 / 3000, 1.0 / 5000, 1.0 / 4096};
  double hidden = 0.007;
  float norm = 3e-5f;
  bool given_weights = false;
};

void declare(Draft& c, LstmCell cell, uint32_t batch, const Scales& s) {
  if (!cell.projection) cell.output_size = cell.units;
  const auto add = [&](bool given, const Tensor& weights, const Values& values) {
    declare_optional(c, given, weights, {values, s.given_weights});
  };
  const auto has = [&](int gate) { return gate != 0 || !cell.coupled; };
  const Tensor state = tensor(kQuant8Signed, {batch, cell.output_size}).quantized(0.0078f, -4);
  const Tensor cell_state = tensor(kQuant16, {batch, cell.units}).quantized(s.cell, 0);
  const Values small = stored(-3000000, 3000000);
  c.input(tensor(kQuant8Signed, {batch, cell.input_size}).quantized(0.0078f, 7));
  for (int gate = 0; gate < 4; ++gate)
    add(has(gate), tensor(kQuant8Symm, {cell.units, cell.input_size}).quantized(0.004f, 0), {});
  for (int gate = 0; gate < 4; ++gate)
    add(has(gate), tensor(kQuant8Symm, {cell.units, cell.output_size}).quantized(0.005f, 0), {});
  for (int gate = 0; gate < 3; ++gate)
    add(cell.peephole && has(gate), tensor(kQuant16, {cell.units}).quantized(1.0f / 32768, 0), {});
  for (int gate = 0; gate < 4; ++gate) add(has(gate), tensor(kInt32, {cell.units}), small);
  add(cell.projection, tensor(kQuant8Symm, {cell.output_size, cell.units}).quantized(0.006f, 0), {});
  add(cell.projection && cell.projection_bias, tensor(kInt32, {cell.output_size}), stored(-3000, 3000));
  c.input(state);
  c.input(cell_state);
  for (int gate = 0; gate < 4; ++gate) add(cell.layer_norm && has(gate), tensor(kQuant16, {cell.units}).quantized(s.norm, 0), {});
  c.real(s.cell_clip);
  c.real(s.projection_clip);
  for (const double scale : s.gates) c.real(scale);
  c.int32(s.hidden_zero_point);
  c.real(s.hidden);
  c.output(state);
  c.output(cell_state);
  c.output(state);
}

void add_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const LstmCell& cell, uint32_t batch, const Scales& scales) {
    return &rows.edge(ANEURALNETWORKS_QUANTIZED_LSTM, kQuant8Signed, name, [=](Draft& c) { declare(c, cell, batch, scales); });
  };
  for (uint32_t options = 0; options < 16; ++options) {
    LstmCell cell{.output_size = 3, .projection_bias = true};
    cell.coupled = (options & 1) != 0;
    cell.peephole = (options & 2) != 0;
    cell.layer_norm = (options & 4) != 0;
    cell.projection = (options & 8) != 0;
    add("options_" + std::to_string(options), cell, 2, {});
  }
  for (const uint32_t units : {1, 4, 64, 65, 130}) {
    const auto name = std::to_string(units) + "_units";
    add(name, {.input_size = 8, .units = units, .layer_norm = true}, 3, {});
    add(name + "_of_300",
        {.input_size = 300,
         .units = units,
         .output_size = 6,
         .peephole = true,
         .projection = true,
         .projection_bias = true,
         .layer_norm = true},
        1, {});
  }
  add("given_weights", {.input_size = 6, .units = 9, .output_size = 4, .projection = true}, 2, {.given_weights = true});
  for (int exponent = -15; exponent <= -9; ++exponent) {
    add("cell_scale_" + std::to_string(exponent), {.input_size = 4, .units = 50, .peephole = true}, 2,
        {.cell = std::ldexp(1.0f, exponent)});
  }
  const LstmCell projected{.input_size = 4, .units = 9, .output_size = 5, .projection = true, .projection_bias = true};
  const std::vector<double> clips{0.1, 1, 1e-9, 1e30, -1, kInfinity, kNan};
  for (size_t i = 0; i < clips.size(); ++i) {
    auto* const row = add("clip_" + std::to_string(i), projected, 2, {.cell_clip = clips[i], .projection_clip = clips[i]});
    if (clips[i] == 1e-9) row->same_for_all_seeds("nothing is left of the results");
  }
  // Devices must give the same integers even for nonsensical scales.
  LstmCell full = projected;
  full.units = 10;
  full.peephole = true;
  const std::vector<double> odd{0, -1, 1e-30, 1e30, kNan, kInfinity};
  for (size_t i = 0; i < odd.size(); ++i) {
    full.layer_norm = i % 2 == 0;
    add("gate_scale_" + std::to_string(i), full, 2, {.gates = {odd[i], odd[i], odd[i], odd[i]}, .hidden = odd[i]});
  }
  full.layer_norm = true;
  for (const float scale : {1e-30f, 1e30f, 1.0f})
    add("norm_scale_" + std::to_string(static_cast<int>(std::log10(scale))), full, 2, {.norm = scale});
  add("hidden_zero_point", full, 2, {.hidden_zero_point = -2147483647 - 1 + 128});
  // Rows that are too long for one invocation in one dispatch.
  add("long_inputs", {.input_size = 70001, .units = 3, .layer_norm = true}, 2, {.gates = {0.01, 0.01, 0.01, 0.01}});
  add("many_units",
      {.input_size = 3, .units = 70001, .output_size = 2, .peephole = true, .projection = true, .projection_bias = true}, 1, {});
}

void declare_16bit(Draft& c, const Dims& sizes, float weight_scale, bool given) {
  const uint32_t batch = sizes[0];
  const uint32_t inputs = sizes[1];
  const uint32_t outputs = sizes[2];
  const Tensor cell = tensor(kQuant16, {batch, outputs}).quantized(1.0f / 2048, 0);
  const Tensor output = tensor(kQuant8, {batch, outputs}).quantized(1.0f / 128, 128);
  c.input(tensor(kQuant8, {batch, inputs}).quantized(1.0f / 128, 128));
  for (const uint32_t width : {inputs, outputs}) {
    const Tensor weights = tensor(kQuant8, {outputs, width}).quantized(weight_scale, 117);
    for (int gate = 0; gate < 4; ++gate) declare_optional(c, true, weights, {{}, given});
  }
  const Tensor bias = tensor(kInt32, {outputs}).quantized(weight_scale / 128, 0);
  for (int gate = 0; gate < 4; ++gate) declare_optional(c, true, bias, {stored(-20000, 20000), given});
  c.input(cell);
  c.input(output);
  c.output(cell);
  c.output(output);
}

void add_16bit_edges(Rows& rows) {
  const auto add = [&](const std::string& name, const Dims& sizes, float weight_scale, bool given) {
    rows.edge(ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, kQuant8, name,
              [=](Draft& c) { declare_16bit(c, sizes, weight_scale, given); });
  };
  for (const bool given : {true, false}) {
    const std::string suffix = given ? "_given" : "";
    for (const Dims& sizes : {Dims{1, 1, 1}, {3, 5, 7}, {2, 8, 12}}) add(dims_label(sizes) + suffix, sizes, 0.01f, given);
    add("2x64x100" + suffix, {2, 64, 100}, 0.002f, given);
  }
  for (const float scale : {1e-20f, 1.0f, 1e6f, 1e30f}) {
    add("weight_scale_" + std::to_string(static_cast<int>(std::log10(scale))), {2, 4, 20}, scale, false);
  }
  add("long_inputs", {2, 70001, 3}, 1e-4f, false);
  add("longer_inputs", {1, 280000, 4}, 1e-4f, false);
}

}  // namespace

void add_quantized_lstm_rows(Rows& rows) {
  for (const uint32_t batch : {1, 3}) {
    for (const uint32_t inputs : {1, 4, 7}) {
      for (const uint32_t outputs : {1, 4, 5, 16}) {
        const Dims sizes{batch, inputs, outputs};
        rows.add(ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, kQuant8, "sizes", dims_label(sizes),
                 [=](Draft& c) { declare_16bit(c, sizes, 1.0f / 128, false); });
      }
    }
  }
  for (const auto& cell : lstm_cells()) {
    rows.add(ANEURALNETWORKS_QUANTIZED_LSTM, kQuant8Signed, "cell", cell.name(), [=](Draft& c) { declare(c, cell, 3, {}); });
  }
  add_edges(rows);
  add_16bit_edges(rows);
}

}  // namespace nnvk::tools::conformance
