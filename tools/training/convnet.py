"""A small convolutional network in numpy: layers with hand-written gradients, Adam, and nothing else.

Tensors are NHWC float32. Each layer has forward(x), backward(gradient) and params: a list of [value, gradient] pairs.
"""

import numpy as np


def patches(x, size):
    """All size x size windows with SAME zero padding: [n, h, w, size, size, c]."""
    pad = size // 2
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3)


def fold(gradient, size):
    """The transpose of patches(): sums window gradients [n, h, w, size, size, c] back onto the image."""
    n, h, w, _, _, c = gradient.shape
    pad = size // 2
    out = np.zeros((n, h + 2 * pad, w + 2 * pad, c), gradient.dtype)
    for i in range(size):
        for j in range(size):
            out[:, i:i + h, j:j + w] += gradient[:, :, :, i, j]
    return out[:, pad:pad + h, pad:pad + w]


class Conv:
    """Stride 1, SAME, fused ReLU. Weights [out, kh, kw, in], as TFLite stores them."""

    def __init__(self, rng, size, inputs, outputs):
        scale = np.sqrt(2.0 / (size * size * inputs))
        self.size = size
        self.weights = [rng.normal(0, scale, (outputs, size, size, inputs)).astype(np.float32), None]
        self.bias = [np.zeros(outputs, np.float32), None]
        self.params = [self.weights, self.bias]

    def forward(self, x):
        outputs = self.weights[0].shape[0]
        self.columns = np.ascontiguousarray(patches(x, self.size)).reshape(*x.shape[:3], -1)
        self.out = np.maximum(self.columns @ self.weights[0].reshape(outputs, -1).T + self.bias[0], 0)
        return self.out

    def backward(self, gradient):
        gradient = gradient * (self.out > 0)
        n, h, w, outputs = gradient.shape
        flat = gradient.reshape(-1, outputs)
        self.weights[1] = (flat.T @ self.columns.reshape(len(flat), -1)).reshape(self.weights[0].shape)
        self.bias[1] = flat.sum(axis=0)
        columns = flat @ self.weights[0].reshape(outputs, -1)
        return fold(columns.reshape(n, h, w, self.size, self.size, -1), self.size)


class DepthwiseConv:
    """Stride 1, SAME, multiplier 1, fused ReLU. Weights [1, kh, kw, channels]."""

    def __init__(self, rng, size, channels):
        self.size = size
        self.weights = [rng.normal(0, np.sqrt(2.0) / size, (1, size, size, channels)).astype(np.float32), None]
        self.bias = [np.zeros(channels, np.float32), None]
        self.params = [self.weights, self.bias]

    def forward(self, x):
        self.windows = patches(x, self.size)
        self.out = np.maximum(np.einsum('nhwijc,ijc->nhwc', self.windows, self.weights[0][0]) + self.bias[0], 0)
        return self.out

    def backward(self, gradient):
        gradient = gradient * (self.out > 0)
        self.weights[1] = np.einsum('nhwijc,nhwc->ijc', self.windows, gradient)[None]
        self.bias[1] = gradient.sum(axis=(0, 1, 2))
        return fold(gradient[:, :, :, None, None, :] * self.weights[0][0], self.size)


class MaxPool:
    """2x2, stride 2."""

    params = []

    def forward(self, x):
        n, h, w, c = x.shape
        cells = x.reshape(n, h // 2, 2, w // 2, 2, c)
        out = cells.max(axis=(2, 4))
        winners = cells == out[:, :, None, :, None, :]
        self.winners = winners / winners.sum(axis=(2, 4), keepdims=True)
        return out

    def backward(self, gradient):
        n, h, w, c = gradient.shape
        return (self.winners * gradient[:, :, None, :, None, :]).reshape(n, 2 * h, 2 * w, c).astype(np.float32)


class Dense:
    """Flattens its input; weights [out, in]; no activation."""

    def __init__(self, rng, inputs, outputs):
        self.weights = [rng.normal(0, np.sqrt(1.0 / inputs), (outputs, inputs)).astype(np.float32), None]
        self.bias = [np.zeros(outputs, np.float32), None]
        self.params = [self.weights, self.bias]

    def forward(self, x):
        self.shape = x.shape
        self.flat = x.reshape(len(x), -1)
        return self.flat @ self.weights[0].T + self.bias[0]

    def backward(self, gradient):
        self.weights[1] = gradient.T @ self.flat
        self.bias[1] = gradient.sum(axis=0)
        return (gradient @ self.weights[0]).reshape(self.shape)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Adam:
    def __init__(self, params, decay):
        self.params, self.decay, self.step = params, decay, 0
        self.moments = [[np.zeros_like(p[0]), np.zeros_like(p[0])] for p in params]

    def update(self, rate):
        self.step += 1
        for (value_gradient, (m, v)) in zip(self.params, self.moments):
            value, gradient = value_gradient
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient * gradient - v)
            step = (m / (1 - 0.9 ** self.step)) / (np.sqrt(v / (1 - 0.999 ** self.step)) + 1e-8)
            value -= rate * (step + (self.decay * value if value.ndim > 1 else 0))
