#!/usr/bin/python3
"""Writes MobileNetV2 1.0 at 224x224 in float, with made-up weights, as a .tflite file: for timing, not for answers.

Usage: perf/make_mobilenet_v2.py mobilenet_v2_float.tflite
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools', 'training'))
import tflite_writer  # noqa: E402  (found through the path above)

# Repetitions, output channels, stride of the first block and expansion factor, as in the published network.
BLOCKS = [(1, 16, 1, 1), (2, 24, 2, 6), (3, 32, 2, 6), (4, 64, 2, 6), (3, 96, 1, 6), (3, 160, 2, 6), (1, 320, 1, 6)]
CLASSES = 1001


class Network:
    def __init__(self):
        self.writer = tflite_writer.Writer()
        self.random = np.random.default_rng(1)
        self.count = 0

    def weights(self, shape, fan_in):
        self.count += 1
        values = self.random.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)
        return self.writer.constant(f'weights{self.count}', values)

    def result(self, shape):
        self.count += 1
        return self.writer.variable(f'result{self.count}', shape, 'FLOAT32')

    def layer(self, kind, tensor, shape, channels, size, stride, activation):
        height, width = (shape[1] + stride - 1) // stride, (shape[2] + stride - 1) // stride
        options = {'padding': 'SAME', 'stride_w': stride, 'stride_h': stride, 'activation': activation, 'dilation_w': 1,
                   'dilation_h': 1}
        out_shape = (1, height, width, channels)
        out = self.result(out_shape)
        bias = self.writer.constant(f'bias{self.count}', np.zeros(channels, np.float32))
        if kind == 'DEPTHWISE_CONV_2D':
            weights = self.weights((1, size, size, channels), size * size)
            self.writer.operator(kind, [tensor, weights, bias], out, 'DepthwiseConv2DOptions', {**options, 'depth_multiplier': 1})
        else:
            weights = self.weights((channels, size, size, shape[3]), size * size * shape[3])
            self.writer.operator(kind, [tensor, weights, bias], out, 'Conv2DOptions', options)
        return out, out_shape

    def block(self, tensor, shape, channels, stride, expansion):
        out, out_shape = tensor, shape
        if expansion != 1:
            out, out_shape = self.layer('CONV_2D', out, out_shape, shape[3] * expansion, 1, 1, 'RELU6')
        out, out_shape = self.layer('DEPTHWISE_CONV_2D', out, out_shape, out_shape[3], 3, stride, 'RELU6')
        out, out_shape = self.layer('CONV_2D', out, out_shape, channels, 1, 1, 'NONE')
        if stride == 1 and shape[3] == channels:
            total = self.result(out_shape)
            self.writer.operator('ADD', [tensor, out], total, 'AddOptions', {'activation': 'NONE'})
            out = total
        return out, out_shape

    def build(self, path):
        tflite_writer.CODES.update({'ADD': 0, 'AVERAGE_POOL_2D': 1})
        shape = (1, 224, 224, 3)
        first = tensor = self.writer.variable('picture', shape, 'FLOAT32')
        tensor, shape = self.layer('CONV_2D', tensor, shape, 32, 3, 2, 'RELU6')
        for repetitions, channels, stride, expansion in BLOCKS:
            for i in range(repetitions):
                tensor, shape = self.block(tensor, shape, channels, stride if i == 0 else 1, expansion)
        tensor, shape = self.layer('CONV_2D', tensor, shape, 1280, 1, 1, 'RELU6')
        pooled = self.result((1, 1, 1, 1280))
        self.writer.operator('AVERAGE_POOL_2D', [tensor], pooled, 'Pool2DOptions',
                             {'padding': 'VALID', 'stride_w': 1, 'stride_h': 1, 'filter_width': 7, 'filter_height': 7})
        tensor, shape = self.layer('CONV_2D', pooled, (1, 1, 1, 1280), CLASSES, 1, 1, 'NONE')
        flat = self.result((1, CLASSES))
        target = self.writer.constant('flat_shape', np.array([1, CLASSES], np.int32))
        self.writer.operator('RESHAPE', [tensor, target], flat, 'ReshapeOptions', {'new_shape': [1, CLASSES]})
        last = self.result((1, CLASSES))
        self.writer.operator('SOFTMAX', [flat], last, 'SoftmaxOptions', {'beta': 1.0})
        self.writer.save(path, 'MobileNetV2 1.0 224, made-up weights', first, last)


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    Network().build(sys.argv[1])
