"""Layers of .tflite networks with made-up weights, in float or in 8 bits: for timing, not for answers."""

import os
import sys
from dataclasses import dataclass

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools', 'training'))
import tflite_writer  # noqa: E402  (found through the path above)

# s8: signed activations with zero points as converters choose them, signed weights. s8_zero: the same with all zero points 0.
PRECISIONS = ('float', 's8', 's8_zero')
# What is left of the spread of values around 0.
SPREADS = {'NONE': 1.0, 'RELU': 0.7, 'RELU6': 0.7}


@dataclass
class Value:
    """A tensor: its number in the file, its shape, about the root of its mean square, and scale and zero point if it has them."""
    index: int
    shape: tuple
    spread: float
    quantization: tuple = (None, None)


class Builder:
    """Appends one layer per method. Weights are such that the results of layers spread by about 1."""

    def __init__(self, precision):
        self.precision, self.float = precision, precision == 'float'
        self.writer, self.random, self.count = tflite_writer.Writer(), np.random.default_rng(1), 0

    # ---- tensors
    def name(self, hint):
        self.count += 1
        return f'{hint}{self.count}'

    def quantization(self, spread, positive):
        if self.float:
            return None, None
        if self.precision == 's8_zero':
            return 4 * spread / 127, 0
        return (4 * spread / 255, -128) if positive else (8 * spread / 255, -9)

    def result(self, shape, spread=1.0, positive=False, like=None):
        """A tensor that a layer computes; `like`: one whose scale and zero point it shares."""
        quantization = like.quantization if like else self.quantization(spread, positive)
        index = self.writer.variable(self.name('result'), shape, 'FLOAT32' if self.float else 'INT8', *quantization)
        return Value(index, tuple(shape), spread, quantization)

    def constant(self, values):
        return self.writer.constant(self.name('constant'), np.asarray(values))

    def weights(self, source, shape, fan_in, axis=0):
        """The number of a tensor of weights, and its scales: one per channel of `axis`, or one if there is no axis."""
        values = self.random.normal(0, 1 / (source.spread * np.sqrt(fan_in)), shape).astype(np.float32)
        if self.float:
            return self.constant(values), None
        largest = np.abs(values).max(tuple(i for i in range(len(shape)) if i != axis), keepdims=True)
        steps = np.rint(values / largest * 127).astype(np.int8)
        scales = largest.reshape(-1) / 127
        return self.writer.constant(self.name('weights'), steps, scales, axis or 0), scales

    def bias(self, source, channels, scales=None):
        values = self.random.normal(0, 0.1, channels).astype(np.float32)
        if scales is None:
            return self.constant(values)
        scales = source.quantization[0] * scales
        return self.writer.constant(self.name('bias'), np.rint(values / scales).astype(np.int32), scales)

    def operator(self, kind, inputs, result, options_type=None, **options):
        self.writer.operator(kind, [i.index if isinstance(i, Value) else i for i in inputs], result.index, options_type, options)
        return result

    # ---- convolutions and products
    def convolve(self, x, channels, size=1, stride=1, activation='RELU'):
        return self.convolution('CONV_2D', x, (channels, size, size, x.shape[3]), size * size * x.shape[3], 0, stride, activation)

    def depthwise(self, x, size=3, stride=1, activation='RELU6'):
        return self.convolution('DEPTHWISE_CONV_2D', x, (1, size, size, x.shape[3]), size * size, 3, stride, activation)

    def convolution(self, kind, x, shape, fan_in, axis, stride, activation):
        height, width = ((size + stride - 1) // stride for size in x.shape[1:3])
        weights, scales = self.weights(x, shape, fan_in, axis)
        out = self.result((1, height, width, shape[axis]), SPREADS[activation], activation != 'NONE')
        options = {'padding': 'SAME', 'stride_w': stride, 'stride_h': stride, 'activation': activation}
        if kind == 'DEPTHWISE_CONV_2D':
            options['depth_multiplier'] = 1
        return self.operator(kind, [x, weights, self.bias(x, shape[axis], scales)], out,
                             'DepthwiseConv2DOptions' if kind == 'DEPTHWISE_CONV_2D' else 'Conv2DOptions', **options)

    def enlarge(self, x, channels):
        """A transposed convolution to twice the height and width, whose windows do not overlap."""
        shape = (1, 2 * x.shape[1], 2 * x.shape[2], channels)
        weights, _ = self.weights(x, (channels, 2, 2, x.shape[3]), x.shape[3])
        return self.operator('TRANSPOSE_CONV', [self.constant(np.array(shape, np.int32)), weights, x], self.result(shape),
                             'TransposeConvOptions', padding='SAME', stride_w=2, stride_h=2)

    def dense(self, x, channels, activation='NONE'):
        weights, scales = self.weights(x, (channels, x.shape[-1]), x.shape[-1], None)
        out = self.result((*x.shape[:-1], channels), SPREADS[activation], activation != 'NONE')
        return self.operator('FULLY_CONNECTED', [x, weights, self.bias(x, channels, scales)], out, 'FullyConnectedOptions',
                             activation=activation, keep_num_dims=len(x.shape) != 2)

    def multiply_matrices(self, a, b, transposed=False):
        """Of each pair of matrices; `transposed`: the second ones are."""
        shape = (*a.shape[:-1], b.shape[-2 if transposed else -1])
        return self.operator('BATCH_MATMUL', [a, b], self.result(shape, a.spread * b.spread * np.sqrt(a.shape[-1])),
                             'BatchMatMulOptions', adj_y=transposed)

    def lstm(self, x, units):
        """Over a sequence of [1, steps, features]."""
        gates = [(self.weights(x, (units, x.shape[2]), x.shape[2])[0], self.weights(x, (units, units), units)[0], self.bias(x, units))
                 for _ in range(4)]
        states = [self.result((1, units)) for _ in range(2)]
        for state in states:
            self.writer.tensors[state.index]['is_variable'] = True
        inputs = [x, *(gate[0] for gate in gates), *(gate[1] for gate in gates), -1, -1, -1, *(gate[2] for gate in gates), -1, -1, *states]
        return self.operator('UNIDIRECTIONAL_SEQUENCE_LSTM', [*inputs, -1, -1, -1, -1], self.result((*x.shape[:2], units), 0.4),
                             'UnidirectionalSequenceLSTMOptions', activation='TANH')

    # ---- between them
    def pool(self, kind, x, size, stride=1, padding='VALID'):
        height, width = ((s + stride - 1) // stride if padding == 'SAME' else (s - size) // stride + 1 for s in x.shape[1:3])
        out = self.result((1, height, width, x.shape[3]), x.spread * (0.6 if kind == 'AVERAGE_POOL_2D' else 1), like=x)
        return self.operator(kind, [x], out, 'Pool2DOptions', padding=padding, stride_w=stride, stride_h=stride, filter_width=size,
                             filter_height=size)

    def binary(self, kind, a, b, spread, activation='NONE'):
        """ADD, SUB, MUL or DIV of two values, or of a value and a constant."""
        shape = np.broadcast_shapes(a.shape, b.shape) if isinstance(b, Value) else a.shape
        return self.operator(kind, [a, b], self.result(shape, spread * SPREADS[activation], activation != 'NONE'),
                             kind.capitalize() + 'Options', activation=activation)

    def add(self, a, b, activation='NONE'):
        # ReLU takes less from values that were positive before another was added.
        return self.binary('ADD', a, b, np.hypot(a.spread, b.spread) * (1 if activation == 'NONE' else 1.3), activation)

    def unary(self, kind, x, spread):
        return self.operator(kind, [x], self.result(x.shape, spread))

    def mean(self, x, *axes):
        shape = tuple(1 if i in axes else size for i, size in enumerate(x.shape))
        return self.operator('MEAN', [x, self.constant(np.array(axes, np.int32))], self.result(shape, x.spread), 'ReducerOptions',
                             keep_dims=True)

    def concatenate(self, *values):
        if len({value.quantization for value in values}) > 1:
            raise ValueError('TensorFlow Lite concatenates only values of the same scale and zero point')
        shape = (*values[0].shape[:-1], sum(value.shape[-1] for value in values))
        spread = np.sqrt(sum(value.shape[-1] * value.spread ** 2 for value in values) / shape[-1])
        return self.operator('CONCATENATION', values, self.result(shape, spread, like=values[0]), 'ConcatenationOptions',
                             axis=len(shape) - 1, activation='NONE')

    def reshape(self, x, *shape):
        return self.operator('RESHAPE', [x, self.constant(np.array(shape, np.int32))], self.result(shape, x.spread, like=x),
                             'ReshapeOptions', new_shape=shape)

    def transpose(self, x, *order):
        shape = [x.shape[i] for i in order]
        return self.operator('TRANSPOSE', [x, self.constant(np.array(order, np.int32))], self.result(shape, x.spread, like=x))

    def softmax(self, x):
        return self.operator('SOFTMAX', [x], self.result(x.shape, 1 / np.sqrt(x.shape[-1])), 'SoftmaxOptions', beta=1.0)

    # ---- groups of layers
    def swish(self, x):
        return self.binary('MUL', x, self.unary('LOGISTIC', x, 0.5), 0.6)

    def normalize_channels(self, x):
        """A batch normalization with ReLU that follows no convolution."""
        scaled = self.binary('MUL', x, self.constant(self.random.uniform(0.9, 1.1, x.shape[-1]).astype(np.float32)), x.spread)
        return self.binary('ADD', scaled, self.bias(x, x.shape[-1]), x.spread, 'RELU')

    def normalize_layer(self, x):
        """A layer normalization over the last dimension."""
        last = len(x.shape) - 1
        centred = self.binary('SUB', x, self.mean(x, last), x.spread)
        variance = self.mean(self.unary('SQUARE', centred, x.spread ** 2), last)
        deviation = self.unary('SQRT', self.binary('ADD', variance, self.constant(np.array([1e-5], np.float32)), x.spread ** 2), x.spread)
        scales = self.constant(self.random.uniform(0.9, 1.1, x.shape[-1]).astype(np.float32))
        return self.binary('ADD', self.binary('MUL', self.binary('DIV', centred, deviation, 1.0), scales, 1.0), self.bias(x, x.shape[-1]),
                           1.0)

    def classify(self, x, classes):
        """Average over the picture and one product. No softmax, which would hide differences between runtimes."""
        x = self.pool('AVERAGE_POOL_2D', x, x.shape[1])
        return self.reshape(self.convolve(x, classes, activation='NONE'), 1, classes)
