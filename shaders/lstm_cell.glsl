// The cell of an LSTM: it computes a unit's next state and result from the unit's pre-activations. A kernel that includes this
// file first defines LSTM_CELL_ID, the number of the cell's first specialization constant.
#include "recurrent_activation.glsl"

layout(constant_id = LSTM_CELL_ID) const uint STATE_TYPE = kElementFloat32;  // of in_c
layout(constant_id = LSTM_CELL_ID + 1) const uint ACTIVATION = 4;
layout(constant_id = LSTM_CELL_ID + 2) const bool COUPLED = false;  // CIFG
layout(constant_id = LSTM_CELL_ID + 3) const bool PEEPHOLE = false;

// Returns min(max(x, -bound), bound), or x if `bound` is not positive.
float lstm_clip(float x, float bound) { return bound > 0.0 ? recurrent_clamp(x, -bound, bound) : x; }

// Returns the next cell state of a unit, limited by lstm_clip(). `gates.xyz` are the pre-activations of the input gate, of the
// forget gate and of the candidate; `c` is the unit's previous state.
float lstm_next_state(vec4 gates, float c, float clip) {
  const float forget = recurrent_sigmoid(gates.y);
  const float remember = COUPLED ? 1.0 - forget : recurrent_sigmoid(gates.x);
  return lstm_clip(forget * c + remember * recurrent_activation(ACTIVATION, gates.z), clip);
}

// Returns the result of a unit with its new cell state `c`; `gate` is the output gate's pre-activation.
float lstm_result(float gate, float c) { return recurrent_sigmoid(gate) * recurrent_activation(ACTIVATION, c); }
