#!/usr/bin/python3
"""Writes a float network with made-up weights as a .tflite file: for timing, not for answers.

Usage: perf/make_network.py mobilenet_v1|resnet18 FILE
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools', 'training'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_mobilenet_v2  # noqa: E402  (found through the paths above)
import tflite_writer  # noqa: E402

# Output channels and stride of each pair of a depthwise and a pointwise convolution, as in the published network.
MOBILENET_V1 = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
# Channels and stride of the first block of each pair of blocks.
RESNET18 = [(64, 1), (128, 2), (256, 2), (512, 2)]


class Network(make_mobilenet_v2.Network):
    def pool(self, kind, tensor, shape, size, stride, padding):
        height, width = [(s + stride - 1) // stride if padding == 'SAME' else (s - size) // stride + 1 for s in shape[1:3]]
        out_shape = (1, height, width, shape[3])
        out = self.result(out_shape)
        self.writer.operator(kind, [tensor], out, 'Pool2DOptions', {'padding': padding, 'stride_w': stride, 'stride_h': stride,
                                                                    'filter_width': size, 'filter_height': size})
        return out, out_shape

    def classify(self, tensor, shape, classes):
        """Average over the picture, one product, softmax."""
        tensor, shape = self.pool('AVERAGE_POOL_2D', tensor, shape, shape[1], 1, 'VALID')
        tensor, shape = self.layer('CONV_2D', tensor, shape, classes, 1, 1, 'NONE')
        flat = self.result((1, classes))
        target = self.writer.constant('flat_shape', np.array([1, classes], np.int32))
        self.writer.operator('RESHAPE', [tensor, target], flat, 'ReshapeOptions', {'new_shape': [1, classes]})
        last = self.result((1, classes))
        self.writer.operator('SOFTMAX', [flat], last, 'SoftmaxOptions', {'beta': 1.0})
        return last

    def mobilenet_v1(self, tensor, shape):
        tensor, shape = self.layer('CONV_2D', tensor, shape, 32, 3, 2, 'RELU6')
        for channels, stride in MOBILENET_V1:
            tensor, shape = self.layer('DEPTHWISE_CONV_2D', tensor, shape, shape[3], 3, stride, 'RELU6')
            tensor, shape = self.layer('CONV_2D', tensor, shape, channels, 1, 1, 'RELU6')
        return self.classify(tensor, shape, 1001)

    def resnet18(self, tensor, shape):
        tensor, shape = self.layer('CONV_2D', tensor, shape, 64, 7, 2, 'RELU')
        tensor, shape = self.pool('MAX_POOL_2D', tensor, shape, 3, 2, 'SAME')
        for channels, first_stride in RESNET18:
            for stride in (first_stride, 1):
                kept, kept_shape = tensor, shape
                tensor, shape = self.layer('CONV_2D', tensor, shape, channels, 3, stride, 'RELU')
                tensor, shape = self.layer('CONV_2D', tensor, shape, channels, 3, 1, 'NONE')
                if kept_shape != shape:
                    kept, _ = self.layer('CONV_2D', kept, kept_shape, channels, 1, stride, 'NONE')
                total = self.result(shape)
                self.writer.operator('ADD', [kept, tensor], total, 'AddOptions', {'activation': 'RELU'})
                tensor = total
        return self.classify(tensor, shape, 1000)

    def write(self, name, path):
        tflite_writer.CODES.update({'ADD': 0, 'AVERAGE_POOL_2D': 1})
        shape = (1, 224, 224, 3)
        first = self.writer.variable('picture', shape, 'FLOAT32')
        last = getattr(self, name)(first, shape)
        self.writer.save(path, f'{name}, made-up weights', first, last)


if __name__ == '__main__':
    if len(sys.argv) != 3 or sys.argv[1] not in ('mobilenet_v1', 'resnet18') or sys.argv[2].startswith('-'):
        sys.exit(__doc__)
    Network().write(*sys.argv[1:])
