// Sigmoid, tanh, and the activations of recurrent cells by their number (RecurrentActivation of core/operations). They are
// accurate even if exp is a driver's only good transcendental function, and avoid denormals, which are slow on software Vulkan.
#ifndef NNVK_SHADERS_RECURRENT_ACTIVATION_GLSL
#define NNVK_SHADERS_RECURRENT_ACTIVATION_GLSL

// Returns min(max(x, lo), hi), but NaN for NaN.
float recurrent_clamp(float x, float lo, float hi) { return x < lo ? lo : (x > hi ? hi : x); }

float recurrent_sigmoid(float x) {
  const float bounded = x > 87.0 ? 87.0 : x;  // exp(-x) would become denormal
  return isnan(x) ? x : 1.0 / (1.0 + exp(-bounded));  // the built-in exp may lose NaN
}

// Returns tanh(x). Near zero 1 - 2 / (e^2x + 1) would lose digits by cancellation, so the function uses a series there.
float recurrent_tanh(float x) {
  const float a = min(abs(x), 10.0);
  const float large = sign(x) * (1.0 - 2.0 / (exp(2.0 * a) + 1.0));
  const float near = clamp(x, -0.25, 0.25);
  const float square = near * near;
  const float series =
      near + near * square * (-1.0 / 3.0 + square * (2.0 / 15.0 + square * (-17.0 / 315.0 + square * (62.0 / 2835.0))));
  return isnan(x) ? x : (a < 0.25 ? series : large);
}

// Returns the result of an activation function. `activation` is a specialization constant.
float recurrent_activation(uint activation, float x) {
  switch (activation) {
    case 1: return x < 0.0 ? 0.0 : x;
    case 2: return recurrent_clamp(x, -1.0, 1.0);
    case 3: return recurrent_clamp(x, 0.0, 6.0);
    case 4: return recurrent_tanh(x);
    case 6: return recurrent_sigmoid(x);
    default: return x;
  }
}

#endif
