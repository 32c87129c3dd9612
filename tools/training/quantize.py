"""Post-training 8-bit quantization: ranges measured on the training pictures, int8 values, int32 bias.

Convolution weights are symmetric per output channel, dense weights symmetric per tensor, activations asymmetric per tensor:
real = scale * (q - zero_point). QuantizedNet also computes the network with integers, to state its accuracy.
"""

import numpy as np

from convnet import Conv, Dense, DepthwiseConv, MaxPool, patches


def round_half_away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def f32(x):
    return float(np.float32(x))


class QuantizedLayer:
    """weights int8, scales (one per output channel, or one), bias int32, and the output's scale and zero point."""

    def __init__(self, layer, input_scale, input_zero, scale, zero):
        weights = layer.weights[0]
        if isinstance(layer, Dense):
            self.scales = np.array([f32(np.abs(weights).max() / 127)])
            spread = self.scales[0]
        elif isinstance(layer, DepthwiseConv):
            self.scales = np.array([f32(s) for s in np.abs(weights).max(axis=(0, 1, 2)) / 127])
            spread = self.scales
        else:
            self.scales = np.array([f32(s) for s in np.abs(weights).max(axis=(1, 2, 3)) / 127])
            spread = self.scales.reshape(-1, 1, 1, 1)
        self.layer = layer
        self.weights = round_half_away(weights / spread).clip(-127, 127).astype(np.int8)
        self.bias = round_half_away(layer.bias[0] / (input_scale * self.scales)).astype(np.int32)
        self.input_scale, self.input_zero, self.scale, self.zero = input_scale, input_zero, scale, zero

    def forward(self, q):
        """int8 activations (as int64) -> int8 activations (as int64)."""
        centred = q - self.input_zero
        weights = self.weights.astype(np.int64)
        if isinstance(self.layer, Dense):
            sums = centred.reshape(len(q), -1) @ weights.T
        elif isinstance(self.layer, DepthwiseConv):
            sums = np.einsum('nhwijc,ijc->nhwc', patches(centred, self.layer.size), weights[0])
        else:
            columns = patches(centred, self.layer.size).reshape(*q.shape[:3], -1)
            sums = columns @ weights.reshape(len(weights), -1).T
        real = (sums + self.bias) * (self.input_scale * self.scales / self.scale)
        low = -128 if isinstance(self.layer, Dense) else self.zero  # a fused ReLU clamps at real 0
        return (round_half_away(real).astype(np.int64) + self.zero).clip(low, 127)


class QuantizedNet:
    INPUT_SCALE = f32(2 / 255)
    INPUT_ZERO = 0

    def __init__(self, layers, calibration):
        self.layers = []
        scale, zero, activations = self.INPUT_SCALE, self.INPUT_ZERO, calibration
        for layer in layers:
            activations = layer.forward(activations)
            if isinstance(layer, MaxPool):
                self.layers.append(layer)
                continue
            low, high = min(float(activations.min()), 0.0), max(float(activations.max()), 0.0)
            out_scale = f32((high - low) / 255)
            out_zero = int(np.clip(round(-128 - low / out_scale), -128, 127))
            self.layers.append(QuantizedLayer(layer, scale, zero, out_scale, out_zero))
            scale, zero = out_scale, out_zero

    def classify(self, pictures):
        q = round_half_away(pictures / self.INPUT_SCALE).astype(np.int64).clip(-128, 127) + self.INPUT_ZERO
        for layer in self.layers:
            q = layer.forward(q).astype(np.int64)
        return q.argmax(axis=1)
