// What RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN compute, decoded once for all devices: one cell per
// direction that walks a sequence (RNN: of one step). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/recurrent_activation.h"

namespace nnvk {

// One cell and where its operands are.
struct RnnDirection {
  bool backward = false;  // steps run from the last to the first
  size_t input = 0;       // operand read by the weights: the sequence, or the auxiliary one (parallel linking)
  size_t weights = 1;     // recurrent weights, bias and state follow
  uint32_t input_size = 0;
  uint32_t units = 0;
  std::optional<size_t> auxiliary;          // cross linking: a second sequence with weights of its own
  std::optional<size_t> auxiliary_weights;  // set together with `auxiliary`
  uint32_t auxiliary_size = 0;
  size_t output = 0;                   // the units of all steps go here ...
  uint32_t output_first = 0;           // ... from this channel on
  std::optional<size_t> state_output;  // units of the step computed last

  size_t recurrent_weights() const { return weights + 1; }
  size_t bias() const { return weights + 2; }
  size_t state() const { return weights + 3; }
};

struct RnnParameters {
  uint32_t time = 1;
  uint32_t batches = 0;
  bool time_major = true;  // sequences are [time, batch, size], else [batch, time, size]
  RecurrentActivation activation = RecurrentActivation::kNone;
  std::vector<RnnDirection> directions;

  // Row of a sequence, in [0, time * batches).
  size_t row(uint32_t step, uint32_t batch) const {
    return time_major ? size_t{step} * batches + batch : size_t{batch} * time + step;
  }
};

// Decodes an operation whose shapes are known and passed inference. OP_FAILED when a scalar is unknown.
Result<RnnParameters> rnn_parameters(const OperationView& operation);

}  // namespace nnvk
