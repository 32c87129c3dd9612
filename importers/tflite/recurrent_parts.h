// Parts that recurrent operators share: inputs and results as real numbers, and states.
#pragma once

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {

// Returns an input as real numbers; omitted if the operator omits it.
Result<uint32_t> optional_real_input(Emitter& emitter, const Operator& op, size_t position);
// Appends the inputs from `first` to before `last`.
Status append_real_inputs(Emitter& emitter, const Operator& op, std::vector<uint32_t>& inputs, std::array<size_t, 2> range);
// Appends the operand of a new state to an operation's results.
Status append_new_state(Emitter& emitter, std::vector<uint32_t>& results, const State& state);

// Results of an operation that are no outputs of the operator, before and after those that are.
struct StateResults {
  std::vector<uint32_t> before;
  std::vector<uint32_t> after;
};
// Adds the operation, and quantizes its results to the operator's outputs where these are 8-bit.
Status emit_real_results(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs,
                         const StateResults& states);

}  // namespace nnvk::importers::tflite
