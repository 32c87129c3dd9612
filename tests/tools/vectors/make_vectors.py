#!/usr/bin/python3
"""Writes files of own/: vectors of this project in the published format, with expectations computed here and in worked_*.py.

They keep tests and tools/test meaningful where the published vectors are not at hand. Usage: tests/tools/vectors/make_vectors.py
"""

import math
import os
import sys

import worked_arithmetic
import worked_detection
import worked_movement
import worked_quantized_lstm
import worked_recurrent
import worked_windows
from vector_case import Case, f32

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'own')
def ramp(count, start, step):
    return [f32(start + step * i) for i in range(count)]


def elementwise():
    a, b = ramp(6, -2.5, 1.25), ramp(3, 0.5, -0.75)
    c = Case('own_add_broadcast_relu')
    ins = [c.operand('TENSOR_FLOAT32', [2, 3], 'SUBGRAPH_INPUT', a), c.operand('TENSOR_FLOAT32', [3], 'SUBGRAPH_INPUT', b),
           c.scalar(1)]
    c.operation('ADD', ins, [c.operand('TENSOR_FLOAT32', [2, 3], 'SUBGRAPH_OUTPUT',
                                       [max(0.0, a[i] + b[i % 3]) for i in range(6)])])
    yield c

    c = Case('own_mul_unknown_output_shape', level=3)
    ins = [c.operand('TENSOR_FLOAT32', [2, 3], 'SUBGRAPH_INPUT', a), c.operand('TENSOR_FLOAT32', [3], 'SUBGRAPH_INPUT', b),
           c.scalar(0)]
    c.operation('MUL', ins, [c.operand('TENSOR_FLOAT32', [0, 0], 'SUBGRAPH_OUTPUT', [a[i] * b[i % 3] for i in range(6)],
                                       expected_dims=[2, 3])])
    yield c

    qa, qb = [0, 17, 128, 255], [3, 200, 128, 77]
    c = Case('own_add_quant8')
    ins = [c.operand('TENSOR_QUANT8_ASYMM', [4], 'SUBGRAPH_INPUT', qa, 0.5, 128),
           c.operand('TENSOR_QUANT8_ASYMM', [4], 'SUBGRAPH_INPUT', qb, 0.25, 100), c.scalar(0)]
    real = [(x - 128) * 0.5 + (y - 100) * 0.25 for x, y in zip(qa, qb)]
    c.operation('ADD', ins, [c.operand('TENSOR_QUANT8_ASYMM', [4], 'SUBGRAPH_OUTPUT',
                                       [min(255, max(0, round(r / 1.0) + 120)) for r in real], 1.0, 120)])
    yield c

    c = Case('own_add_of_different_types_is_refused', expect_failure=True)
    ins = [c.operand('TENSOR_FLOAT32', [2], 'SUBGRAPH_INPUT', [1, 2]), c.operand('TENSOR_INT32', [2], 'SUBGRAPH_INPUT', [1, 2]),
           c.scalar(0)]
    c.operation('ADD', ins, [c.operand('TENSOR_FLOAT32', [2], 'SUBGRAPH_OUTPUT', [2, 4])])
    yield c

    values = ramp(8, -4, 1)
    for kind, name, function in (('RELU', 'relu', lambda x: max(0, x)), ('RELU6', 'relu6', lambda x: min(6, max(0, x))),
                                 ('LOGISTIC', 'logistic', lambda x: 1 / (1 + math.exp(-x))), ('TANH', 'tanh', math.tanh)):
        c = Case('own_' + name)
        ins = [c.operand('TENSOR_FLOAT32', [2, 4], 'SUBGRAPH_INPUT', values)]
        c.operation(kind, ins, [c.operand('TENSOR_FLOAT32', [2, 4], 'SUBGRAPH_OUTPUT', [function(v) for v in values])])
        yield c


def convolution(picture, h, w, ci, weights, co, kh, kw, bias):
    """VALID, stride 1; weights [co, kh, kw, ci]; returns [oh, ow, co]."""
    out = []
    for y in range(h - kh + 1):
        for x in range(w - kw + 1):
            for o in range(co):
                total = bias[o]
                for i in range(kh):
                    for j in range(kw):
                        for k in range(ci):
                            total += picture[((y + i) * w + x + j) * ci + k] * weights[((o * kh + i) * kw + j) * ci + k]
                out.append(total)
    return out


def windows():
    picture, weights, bias = ramp(4 * 5 * 2, -1, 0.125), ramp(3 * 2 * 2 * 2, 0.75, -0.0625), [0.5, -0.25, 0]
    for lifetime in ('CONSTANT_COPY', 'CONSTANT_REFERENCE', 'SUBGRAPH_INPUT'):
        c = Case('own_conv_weights_' + lifetime.lower())
        ins = [c.operand('TENSOR_FLOAT32', [1, 4, 5, 2], 'SUBGRAPH_INPUT', picture),
               c.operand('TENSOR_FLOAT32', [3, 2, 2, 2], lifetime, weights), c.operand('TENSOR_FLOAT32', [3], lifetime, bias),
               c.scalar(2), c.scalar(1), c.scalar(1), c.scalar(0)]
        expected = convolution(picture, 4, 5, 2, weights, 3, 2, 2, bias)
        c.operation('CONV_2D', ins, [c.operand('TENSOR_FLOAT32', [1, 3, 4, 3], 'SUBGRAPH_OUTPUT', expected)])
        yield c

    qp, qw, qb = [(37 * i + 11) % 256 for i in range(40)], [(53 * i + 7) % 256 for i in range(24)], [1000, -2000, 0]
    sums = convolution([v - 128 for v in qp], 4, 5, 2, [v - 120 for v in qw], 3, 2, 2, qb)
    c = Case('own_conv_quant8')
    ins = [c.operand('TENSOR_QUANT8_ASYMM', [1, 4, 5, 2], 'SUBGRAPH_INPUT', qp, 0.5, 128),
           c.operand('TENSOR_QUANT8_ASYMM', [3, 2, 2, 2], 'CONSTANT_COPY', qw, 0.25, 120),
           c.operand('TENSOR_INT32', [3], 'CONSTANT_COPY', qb, 0.125), c.scalar(2), c.scalar(1), c.scalar(1), c.scalar(0)]
    c.operation('CONV_2D', ins, [c.operand('TENSOR_QUANT8_ASYMM', [1, 3, 4, 3], 'SUBGRAPH_OUTPUT',
                                           [min(255, max(0, round(s * 0.125 / 64) + 128)) for s in sums], 64, 128)])
    yield c

    for kind, function in (('MAX_POOL_2D', max), ('AVERAGE_POOL_2D', lambda v: sum(v) / len(v))):
        c = Case('own_' + kind.lower())
        ins = [c.operand('TENSOR_FLOAT32', [1, 4, 4, 1], 'SUBGRAPH_INPUT', [f32((7 * i) % 16) for i in range(16)])]
        ins += [c.scalar(v) for v in (2, 2, 2, 2, 2, 0)]
        cells = [[f32((7 * ((2 * y + i) * 4 + 2 * x + j)) % 16) for i in range(2) for j in range(2)]
                 for y in range(2) for x in range(2)]
        c.operation(kind, ins, [c.operand('TENSOR_FLOAT32', [1, 2, 2, 1], 'SUBGRAPH_OUTPUT', [function(v) for v in cells])])
        yield c


def shapes():
    values = ramp(6, 1, 1)
    c = Case('own_reshape')
    ins = [c.operand('TENSOR_FLOAT32', [2, 3], 'SUBGRAPH_INPUT', values),
           c.operand('TENSOR_INT32', [2], 'CONSTANT_COPY', [3, -1])]
    c.operation('RESHAPE', ins, [c.operand('TENSOR_FLOAT32', [3, 2], 'SUBGRAPH_OUTPUT', values)])
    yield c

    c = Case('own_transpose_float16', level=3)
    ins = [c.operand('TENSOR_FLOAT16', [2, 3], 'SUBGRAPH_INPUT', values), c.operand('TENSOR_INT32', [2], 'CONSTANT_COPY', [1, 0])]
    c.operation('TRANSPOSE', ins, [c.operand('TENSOR_FLOAT16', [3, 2], 'SUBGRAPH_OUTPUT', [1, 4, 2, 5, 3, 6])])
    yield c

    c = Case('own_concatenation_then_softmax')
    ins = [c.operand('TENSOR_FLOAT32', [1, 2], 'SUBGRAPH_INPUT', values[:2]),
           c.operand('TENSOR_FLOAT32', [1, 3], 'SUBGRAPH_INPUT', values[2:5]), c.scalar(1)]
    joined = c.operand('TENSOR_FLOAT32', [1, 5], 'TEMPORARY_VARIABLE')
    c.operation('CONCATENATION', ins, [joined])
    total = sum(math.exp(v) for v in values[:5])
    c.operation('SOFTMAX', [joined, c.scalar(1.0, 'FLOAT32')],
                [c.operand('TENSOR_FLOAT32', [1, 5], 'SUBGRAPH_OUTPUT', [math.exp(v) / total for v in values[:5]])])
    yield c


def main():
    """Writes the files; with --check says which of them are not what this would write."""
    check = sys.argv[1:] == ['--check']
    os.makedirs(FOLDER, exist_ok=True)
    files = [('elementwise', elementwise), ('windows', windows), ('shapes', shapes)]
    files += [(module.__name__, module.cases) for module in (worked_arithmetic, worked_detection, worked_movement,
                                                             worked_quantized_lstm, worked_recurrent, worked_windows)]
    stale = []
    for name, cases in files:
        path = os.path.join(FOLDER, name + '.jsonl')
        lines = ''.join(case.json('own/' + name) + '\n' for case in cases())
        if not check:
            with open(path, 'w') as f:
                f.write(lines)
        elif not os.path.exists(path) or open(path).read() != lines:
            stale.append(path)
    if stale:
        sys.exit('not as make_vectors.py writes them, run it: ' + ', '.join(stale))


if __name__ == '__main__':
    main()
