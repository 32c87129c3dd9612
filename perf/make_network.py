#!/usr/bin/python3
"""Writes a network with made-up weights as a .tflite file: for timing, not for answers. Usage: perf/make_network.py --help

The layers are those of the published networks; the last four networks are common forms, in sizes of phones.
"""

import argparse
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from network_builder import PRECISIONS, Builder  # noqa: E402  (found through the path above)

# Output channels and stride of each pair of a depthwise and a pointwise convolution.
MOBILENET_V1 = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
# Repetitions, output channels, stride of the first block and expansion factor.
MOBILENET_V2 = [(1, 16, 1, 1), (2, 24, 2, 6), (3, 32, 2, 6), (4, 64, 2, 6), (3, 96, 1, 6), (3, 160, 2, 6), (1, 320, 1, 6)]
# The same, and the size of the depthwise filters.
EFFICIENTNET_B0 = [(1, 16, 1, 1, 3), (2, 24, 2, 6, 3), (2, 40, 2, 6, 5), (3, 80, 2, 6, 3), (3, 112, 1, 6, 5), (4, 192, 2, 6, 5),
                   (1, 320, 1, 6, 3)]
# Channels, blocks and stride of the first block.
RESNET18 = [(64, 2, 1), (128, 2, 2), (256, 2, 2), (512, 2, 2)]
RESNET50 = [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]
DENSENET121 = [6, 12, 24, 16]  # layers per block


def mobilenet_v1(net, x):
    x = net.convolve(x, 32, 3, 2, 'RELU6')
    for channels, stride in MOBILENET_V1:
        x = net.convolve(net.depthwise(x, 3, stride), channels, activation='RELU6')
    return net.classify(x, 1001)


def mobilenet_v2(net, x):
    x = net.convolve(x, 32, 3, 2, 'RELU6')
    for repetitions, channels, first_stride, expansion in MOBILENET_V2:
        for stride in [first_stride] + [1] * (repetitions - 1):
            inner = net.convolve(x, x.shape[3] * expansion, activation='RELU6') if expansion > 1 else x
            inner = net.convolve(net.depthwise(inner, 3, stride), channels, activation='NONE')
            x = net.add(x, inner) if inner.shape == x.shape else inner
    return net.classify(net.convolve(x, 1280, activation='RELU6'), 1001)


def efficientnet_b0(net, x):
    x = net.swish(net.convolve(x, 32, 3, 2, 'NONE'))
    for repetitions, channels, first_stride, expansion, size in EFFICIENTNET_B0:
        for stride in [first_stride] + [1] * (repetitions - 1):
            inner = net.swish(net.convolve(x, x.shape[3] * expansion, activation='NONE')) if expansion > 1 else x
            inner = net.swish(net.depthwise(inner, size, stride, 'NONE'))
            weights = net.swish(net.convolve(net.mean(inner, 1, 2), x.shape[3] // 4, activation='NONE'))
            weights = net.unary('LOGISTIC', net.convolve(weights, inner.shape[3], activation='NONE'), 0.5)
            inner = net.convolve(net.binary('MUL', inner, weights, inner.spread / 2), channels, activation='NONE')
            x = net.add(x, inner) if inner.shape == x.shape else inner
    return net.classify(net.swish(net.convolve(x, 1280, activation='NONE')), 1000)


def resnet(net, x, groups, block):
    x = net.pool('MAX_POOL_2D', net.convolve(x, 64, 7, 2), 3, 2, 'SAME')
    for channels, blocks, first_stride in groups:
        for stride in [first_stride] + [1] * (blocks - 1):
            inner = block(net, x, channels, stride)
            kept = x if x.shape == inner.shape else net.convolve(x, inner.shape[3], 1, stride, 'NONE')
            x = net.add(kept, inner, 'RELU')
    return net.classify(x, 1000)


def resnet18(net, x):
    return resnet(net, x, RESNET18, lambda net, x, channels, stride: net.convolve(net.convolve(x, channels, 3, stride), channels, 3, 1,
                                                                                  'NONE'))


def resnet50(net, x):
    def block(net, x, channels, stride):
        inner = net.convolve(net.convolve(x, channels), channels, 3, stride)
        return net.convolve(inner, 4 * channels, activation='NONE')
    return resnet(net, x, RESNET50, block)


def densenet121(net, x):
    x = net.pool('MAX_POOL_2D', net.convolve(x, 64, 7, 2), 3, 2, 'SAME')
    for number, layers in enumerate(DENSENET121):
        if number:
            x = net.pool('AVERAGE_POOL_2D', net.convolve(net.normalize_channels(x), x.shape[3] // 2, activation='NONE'), 2, 2)
        for _ in range(layers):
            x = net.concatenate(x, net.convolve(net.convolve(net.normalize_channels(x), 128), 32, 3, 1, 'NONE'))
    return net.classify(net.normalize_channels(x), 1000)


def unet(net, x):
    kept = []
    for channels in (32, 64, 128, 256):
        x = net.convolve(net.convolve(x, channels, 3), channels, 3)
        kept.append(x)
        x = net.pool('MAX_POOL_2D', x, 2, 2)
    x = net.convolve(net.convolve(x, 512, 3), 512, 3)
    for before in reversed(kept):
        larger = net.enlarge(x, before.shape[3])
        # Rectified, so that in 8 bits both have the same scale.
        x = net.concatenate(before, net.convolve(larger, before.shape[3], 1) if not net.float else larger)
        x = net.convolve(net.convolve(x, before.shape[3], 3), before.shape[3], 3)
    return net.convolve(x, 2, activation='NONE')


def mlp(net, x):
    for units in (1024, 1024, 512):
        x = net.dense(x, units, 'RELU')
    return net.dense(x, 10)


def lstm(net, x):
    for units in (256, 256):
        x = net.lstm(x, units)
    return net.dense(net.reshape(x, x.shape[1], x.shape[2]), 32)


def transformer(net, x, layers=4, heads=4):
    """Encoder layers with ReLU, each of which normalizes after it adds."""
    length, width = x.shape
    for _ in range(layers):
        q, k, v = (net.transpose(net.reshape(net.dense(x, width), length, heads, width // heads), 1, 0, 2) for _ in range(3))
        scores = net.multiply_matrices(q, k, transposed=True)
        scores = net.binary('MUL', scores, net.constant(np.array([(width // heads) ** -0.5], np.float32)), 1.0)
        seen = net.reshape(net.transpose(net.multiply_matrices(net.softmax(scores), v), 1, 0, 2), length, width)
        x = net.normalize_layer(net.add(x, net.dense(seen, width)))
        x = net.normalize_layer(net.add(x, net.dense(net.dense(x, 4 * width, 'RELU'), width)))
    return net.dense(x, 64)


PICTURE, ONLY_FLOAT = (1, 224, 224, 3), PRECISIONS[:1]
# Name -> function, shape of the input, precisions.
NETWORKS = {
    'mobilenet_v1': (mobilenet_v1, PICTURE, PRECISIONS),
    'mobilenet_v2': (mobilenet_v2, PICTURE, PRECISIONS),
    'efficientnet_b0': (efficientnet_b0, PICTURE, ONLY_FLOAT),
    'resnet18': (resnet18, PICTURE, PRECISIONS),
    'resnet50': (resnet50, PICTURE, PRECISIONS),
    'densenet121': (densenet121, PICTURE, ONLY_FLOAT),
    'unet': (unet, (1, 128, 128, 3), PRECISIONS),
    'mlp': (mlp, (1, 784), PRECISIONS),
    'mlp_of_32': (mlp, (32, 784), PRECISIONS),
    'lstm': (lstm, (1, 64, 80), ONLY_FLOAT),
    'transformer': (transformer, (128, 256), ONLY_FLOAT),
}


def write(name, precision, path):
    """Writes a network of NETWORKS. Raises ValueError if it has no such precision."""
    function, shape, precisions = NETWORKS[name]
    if precision not in precisions:
        raise ValueError(f'{name} is written as {", ".join(precisions)} only, not as {precision}')
    net = Builder(precision)
    first = net.result(shape, 0.6)
    net.writer.save(path, f'{name}, {precision}, made-up weights', first.index, function(net, first).index)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', choices=NETWORKS)
    parser.add_argument('file')
    parser.add_argument('--precision', choices=PRECISIONS, default='float', help='default: float')
    arguments = parser.parse_args(words)
    try:
        write(arguments.name, arguments.precision, arguments.file)
    except (OSError, ValueError) as error:
        sys.exit(f'error: {error}')


if __name__ == '__main__':
    main()
