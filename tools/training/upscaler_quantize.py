"""The upscaler in 8 bits: weights with a scale per output channel, activations with the ranges they have on training pieces.

real = scale * (q - zero_point). Pictures are pixels as they are, less 128: real values 1/255 lower than in float, which the first bias
takes back and the repeated picture carries to the result.
"""

import numpy as np
import torch
from torch.nn import functional

from quantize import f32, round_half_away

PICTURE_SCALE, PICTURE_ZERO = f32(2 / 255), 0
RARE = 1e-5  # the part of the values that may lie beyond the range


class QuantizedLayer:
    """weights int8 [out, kh, kw, in] with `scales` per out, bias int32, input and output scale and zero point."""

    def __init__(self, weights, bias, input_scale, input_zero, scale, zero):
        self.scales = np.array([f32(s) for s in np.abs(weights).max(axis=(1, 2, 3)) / 127])
        self.weights = round_half_away(weights / self.scales.reshape(-1, 1, 1, 1)).clip(-127, 127).astype(np.int8)
        self.bias = round_half_away(bias / (input_scale * self.scales)).astype(np.int32)
        self.input_scale, self.input_zero, self.scale, self.zero = input_scale, input_zero, scale, zero

    def forward(self, q, relu):
        """q: float64 tensor of whole numbers [n, in, h, w]."""
        weights = torch.from_numpy(self.weights.astype(np.float64)).permute(0, 3, 1, 2)
        sums = functional.conv2d(q - self.input_zero, weights, torch.from_numpy(self.bias.astype(np.float64)), padding=1)
        real = sums.numpy() * (self.input_scale * self.scales / self.scale).reshape(-1, 1, 1)
        return torch.from_numpy((round_half_away(real) + self.zero).clip(self.zero if relu else -128, 127))


class QuantizedUpscaler:
    def __init__(self, network, pieces):
        """pieces: float [n, 3, h, w] from -1 to 1, from which the ranges are taken."""
        self.layers = []
        scale, zero, values = PICTURE_SCALE, PICTURE_ZERO, pieces
        for layer in network.convolutions:
            last = layer is network.convolutions[-1]
            with torch.no_grad():
                values = layer(values) if last else torch.relu(layer(values))
            low, high = np.quantile(values.numpy(), (RARE, 1 - RARE))
            low, high = min(low, 0.0), max(high, 1e-6)
            out_scale = f32((high - low) / 255)
            out_zero = int(np.clip(round(-128 - low / out_scale), -128, 127))
            weights = layer.weight.detach().permute(0, 2, 3, 1).numpy()
            bias = layer.bias.detach().numpy()
            if not self.layers:
                bias = bias + weights.sum(axis=(1, 2, 3)) / 255
            self.layers.append(QuantizedLayer(weights, bias, scale, zero, out_scale, out_zero))
            scale, zero = out_scale, out_zero

    def upscale(self, small):
        """uint8 [h, w, 3] -> uint8 [2h, 2w, 3]."""
        picture = torch.from_numpy(small.astype(np.float64) - 128).permute(2, 0, 1)[None]
        q = picture
        for layer in self.layers:
            q = layer.forward(q, layer is not self.layers[-1])
        last = self.layers[-1]
        added = (q - last.zero) * (last.scale / PICTURE_SCALE) + picture.repeat(1, 4, 1, 1)
        pixels = (round_half_away(added.numpy()) + 128).clip(0, 255).astype(np.uint8)
        h, w, _ = small.shape
        return pixels[0].reshape(2, 2, 3, h, w).transpose(3, 0, 4, 1, 2).reshape(2 * h, 2 * w, 3)
