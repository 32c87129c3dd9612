// Declares the operands that recurrent operations share: those of LSTM cells, with omitted parts, and of plain cells.
#pragma once

#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// The optional parts and the sizes of an LSTM cell.
struct LstmCell {
  uint32_t input_size = 5;
  uint32_t units = 7;
  uint32_t output_size = 7;  // other than units only with a projection
  bool coupled = false;      // CIFG: the input gate follows from the forget gate
  bool peephole = false;
  bool projection = false;
  bool projection_bias = false;
  bool layer_norm = false;

  std::string name() const;
};

// Returns LSTM cells with each optional part, and with combinations of them.
std::vector<LstmCell> lstm_cells();

// Returns values so small that gates do not saturate.
Values weight_values();

// The values of weights, and whether weights are inputs of the execution.
struct LstmWeights {
  Values values = weight_values();
  bool given = false;
};

// Declares an operand that is present or omitted.
void declare_optional(Draft& c, bool present, const Tensor& tensor, const LstmWeights& weights);
// Declares the 17 operands of a float cell: weights, peepholes, biases and projection.
void declare_lstm_weights(Draft& c, int32_t type, const LstmCell& cell, const LstmWeights& weights = {});
// Declares the four layer normalization weights, which are omitted if the cell has none.
void declare_layer_norm(Draft& c, int32_t type, const LstmCell& cell, const LstmWeights& weights = {});

// The length and layout of a sequence that a layer processes.
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

// Returns "time_major" or "batch_major".
const char* group_of(const Sequence& s);

// Returns the layouts, lengths and state outputs with which all sequence layers are tested.
std::vector<Sequence> sequences();

// Declares `count` outputs of open shape.
void outputs(Draft& c, int32_t type, int count);

}  // namespace nnvk::tools::conformance
