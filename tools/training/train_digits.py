#!/usr/bin/python3
"""Trains the handwritten-digit classifier in models/ and writes it as a float and as an 8-bit .tflite file.

Data: the 8x8 digits of python3-sklearn (1,797 pictures, values 0..16), 80 % for training, 20 % held out. The held-out accuracy of
both files is printed and must be at least 98 %. The seed is fixed: running this again writes the same files on the same machine.

Needs Debian's python3-sklearn and python3-flatbuffers. Usage: tools/training/train_digits.py [output folder, default models/]
"""

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # sums in one order, hence the same file every time

import struct
import sys
import zlib

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from convnet import Adam, Conv, Dense, DepthwiseConv, MaxPool, softmax
from quantize import QuantizedNet
from tflite_writer import write_float, write_quantized

SEED = 20261120
EPOCHS = 60
BATCH = 48
REQUIRED_ACCURACY = 0.98


def shifted(rng, x):
    """Each picture moved by up to one pixel in both directions."""
    out = np.empty_like(x)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-1)
    for k, (dy, dx) in enumerate(rng.integers(0, 3, (len(x), 2))):
        out[k] = padded[k, dy:dy + 8, dx:dx + 8]
    return out


def train(rng, layers, x, labels):
    optimiser = Adam([p for layer in layers for p in layer.params], decay=1e-4)
    steps = EPOCHS * ((len(x) + BATCH - 1) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(x))
        total = 0.0
        for start in range(0, len(x), BATCH):
            pick = order[start:start + BATCH]
            activations = shifted(rng, x[pick])
            for layer in layers:
                activations = layer.forward(activations)
            probabilities = softmax(activations)
            truth = np.eye(10, dtype=np.float32)[labels[pick]]
            total -= np.log(probabilities[np.arange(len(pick)), labels[pick]] + 1e-9).sum()
            gradient = ((probabilities - truth) / len(pick)).astype(np.float32)
            for layer in reversed(layers):
                gradient = layer.backward(gradient)
            step += 1
            optimiser.update(0.002 * 0.5 * (1 + np.cos(np.pi * step / steps)))
        print(f'epoch {epoch + 1:2d}/{EPOCHS}  loss {total / len(x):.4f}', flush=True)


def write_png(path, pixels):
    """An 8-bit greyscale PNG; pixels is uint8 [h, w]."""

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    h, w = pixels.shape
    rows = b''.join(b'\0' + row.tobytes() for row in pixels)
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) +
                chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))


def write_held_out(folder, pictures, labels):
    """digits_held_out.txt: one line per picture: the digit, a space, 64 characters 0..g for the values 0..16, row by row."""
    characters = '0123456789abcdefg'
    with open(os.path.join(folder, 'digits_held_out.txt'), 'w') as f:
        for picture, label in zip(pictures, labels):
            f.write(f'{label} ' + ''.join(characters[int(v)] for v in picture) + '\n')
    for digit in range(10):
        pixels = np.round(pictures[np.flatnonzero(labels == digit)[0]].reshape(8, 8) * (255 / 16)).astype(np.uint8)
        write_png(os.path.join(folder, f'digit_{digit}.png'), pixels)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), '..', '..', 'models')
    os.makedirs(folder, exist_ok=True)
    digits = load_digits()
    train_pictures, test_pictures, train_labels, test_labels = train_test_split(
        digits.data, digits.target, test_size=0.2, random_state=SEED % 1000, stratify=digits.target)

    def as_input(pictures):  # 0..16 -> -1..1, the range that `nnvk run` gives to pictures
        return (pictures.reshape(-1, 8, 8, 1) / 8 - 1).astype(np.float32)

    rng = np.random.default_rng(SEED)
    layers = [Conv(rng, 3, 1, 16), Conv(rng, 3, 16, 32), MaxPool(), DepthwiseConv(rng, 3, 32), Conv(rng, 3, 32, 48),
              Dense(rng, 768, 10)]
    train(rng, layers, as_input(train_pictures), train_labels)

    activations = as_input(test_pictures)
    for layer in layers:
        activations = layer.forward(activations)
    accuracy = (activations.argmax(axis=1) == test_labels).mean()
    quantized = QuantizedNet(layers, as_input(train_pictures))
    quantized_accuracy = (quantized.classify(as_input(test_pictures)) == test_labels).mean()
    print(f'held-out accuracy on {len(test_labels)} pictures: float {accuracy:.4f}, 8-bit {quantized_accuracy:.4f}')
    if min(accuracy, quantized_accuracy) < REQUIRED_ACCURACY:
        sys.exit(f'error: below the required {REQUIRED_ACCURACY}; nothing written')

    write_float(os.path.join(folder, 'digits_float.tflite'), layers)
    write_quantized(os.path.join(folder, 'digits_quant.tflite'), quantized)
    write_held_out(folder, test_pictures, test_labels)
    with open(os.path.join(folder, 'digits_labels.txt'), 'w') as f:
        f.write('\n'.join('zero one two three four five six seven eight nine'.split()) + '\n')
    print(f'written to {os.path.normpath(folder)}')


if __name__ == '__main__':
    main()
