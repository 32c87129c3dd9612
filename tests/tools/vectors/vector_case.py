"""Cases of a vector file: the lines of the published format, and a short way to write one operation with its results.

    yield gives('add broadcasts over every dimension', 'ADD', [floats([2, 1], 1, 2), floats([2], 10, 20), 0],
                floats([2, 2], 11, 21, 12, 22))
    yield refused('add takes no activation 4', 'ADD', [floats([1], 0), floats([1], 0), 4], floats([1], 0))

Python's int, float and bool stand for the scalars INT32, FLOAT32 and BOOL. Tensors are inputs of the model, and constants when
made by constant(), listed() or pairs().
"""

import base64
import json
import re
import struct

FORMATS = {'FLOAT32': 'f', 'FLOAT16': 'e', 'INT32': 'i', 'BOOL': '?', 'TENSOR_FLOAT32': 'f', 'TENSOR_INT32': 'i',
           'TENSOR_FLOAT16': 'e', 'TENSOR_BOOL8': 'B', 'TENSOR_QUANT8_ASYMM': 'B', 'TENSOR_QUANT8_ASYMM_SIGNED': 'b',
           'TENSOR_QUANT8_SYMM': 'b', 'TENSOR_QUANT8_SYMM_PER_CHANNEL': 'b', 'TENSOR_QUANT16_SYMM': 'h',
           'TENSOR_QUANT16_ASYMM': 'H'}

INT_MIN, INT_MAX = -2**31, 2**31 - 1
INFINITY, NAN = float('inf'), float('nan')
FLOAT_MAX = struct.unpack('f', b'\xff\xff\x7f\x7f')[0]


def f32(x):
    return struct.unpack('f', struct.pack('f', x))[0]


class Case:
    """One line; operands are added in order and referred to by index."""

    def __init__(self, name, level=1, expect_failure=False, **members):
        self.line = {'name': name, 'feature_level': level, 'expect_failure': expect_failure, **members}
        self.operands, self.operations, self.inputs, self.outputs = [], [], [], []

    def operand(self, kind, dims, lifetime, values=None, scale=0, zero=0, **extra):
        entry = {'type': kind, 'dims': dims, 'scale': f32(scale), 'zero_point': zero, 'lifetime': lifetime}
        if values is not None:
            data = struct.pack(f'<{len(values)}{FORMATS[kind]}', *values)
            entry['data'] = base64.b64encode(data).decode()
        entry.update(extra)
        self.operands.append(entry)
        index = len(self.operands) - 1
        if lifetime == 'SUBGRAPH_INPUT':
            self.inputs.append(index)
        if lifetime == 'SUBGRAPH_OUTPUT':
            self.outputs.append(index)
        return index

    def scalar(self, value, kind='INT32'):
        return self.operand(kind, [], 'CONSTANT_COPY', [value])

    def operation(self, kind, inputs, outputs):
        self.operations.append({'type': kind, 'inputs': inputs, 'outputs': outputs})

    def json(self, spec):
        return json.dumps({**self.line, 'spec': spec, 'variation': '', 'relaxed': False, 'multinomial_tolerance': 0,
                           'main': {'operands': self.operands, 'operations': self.operations, 'inputs': self.inputs,
                                    'outputs': self.outputs}, 'referenced': []}, separators=(',', ':'))


class Tensor:
    """A tensor or a scalar of a worked case; `lifetime` where it is read."""

    def __init__(self, kind, dims, values, scale=0, zero=0, lifetime='SUBGRAPH_INPUT', **extra):
        self.kind, self.dims, self.values, self.scale, self.zero = kind, list(dims), list(values), scale, zero
        self.lifetime, self.extra = lifetime, extra

    def add_to(self, case, lifetime=None):
        extra = dict(self.extra)
        if lifetime == 'SUBGRAPH_OUTPUT' and 0 in self.dims:
            extra.setdefault('expected_dims', self.dims)  # in dims, 0 means not specified
        values = None if self.lifetime == 'NO_VALUE' else self.values
        return case.operand(self.kind, self.dims, lifetime or self.lifetime, values, self.scale, self.zero, **extra)


def floats(dims, *values):
    return Tensor('TENSOR_FLOAT32', dims, values)


def halves(dims, *values):
    return Tensor('TENSOR_FLOAT16', dims, values)


def ints(dims, *values, scale=0):
    return Tensor('TENSOR_INT32', dims, values, scale)


def bools(dims, *values):
    return Tensor('TENSOR_BOOL8', dims, values)


def quant8(dims, scale, zero, *values):
    return Tensor('TENSOR_QUANT8_ASYMM', dims, values, scale, zero)


def signed8(dims, scale, zero, *values):
    return Tensor('TENSOR_QUANT8_ASYMM_SIGNED', dims, values, scale, zero)


def symmetric8(dims, scale, *values):
    return Tensor('TENSOR_QUANT8_SYMM', dims, values, scale)


def symmetric16(dims, scale, *values):
    return Tensor('TENSOR_QUANT16_SYMM', dims, values, scale)


def eighths(dims, *values):
    """Corners of boxes: TENSOR_QUANT16_ASYMM in eighths of a pixel."""
    return Tensor('TENSOR_QUANT16_ASYMM', dims, values, 0.125)


def per_channel(dims, axis, scales, *values):
    return Tensor('TENSOR_QUANT8_SYMM_PER_CHANNEL', dims, values, channel_quant={'axis': axis, 'scales': scales})


def half(value):
    return Tensor('FLOAT16', [], [value], lifetime='CONSTANT_COPY')


def constant(tensor):
    return Tensor(tensor.kind, tensor.dims, tensor.values, tensor.scale, tensor.zero, 'CONSTANT_COPY', **tensor.extra)


def listed(*values):
    """A constant list of whole numbers: axes, sizes, a permutation."""
    return constant(ints([len(values)], *values))


def pairs(*values):
    """Constant paddings: two whole numbers for each dimension."""
    return constant(ints([len(values), 2], *(v for pair in values for v in pair)))


def omitted(kind='TENSOR_FLOAT32'):
    return Tensor(kind, [0], [], scale=1 if 'QUANT' in kind else 0, lifetime='NO_VALUE')


def found(tensor):
    """An output whose sizes come out when the operation runs."""
    return Tensor(tensor.kind, [0] * len(tensor.dims), tensor.values, tensor.scale, tensor.zero, expected_dims=tensor.dims)


def counting(*dims):
    """1, 2, 3 ... in a tensor of this shape."""
    count = 1
    for size in dims:
        count *= size
    return floats(dims, *range(1, count + 1))


def _operand(case, value):
    if isinstance(value, Tensor):
        return value.add_to(case)
    kind = 'BOOL' if isinstance(value, bool) else 'INT32' if isinstance(value, int) else 'FLOAT32'
    return case.scalar(value, kind)


def _case(name, operation, inputs, outputs, **members):
    case = Case(re.sub('[^a-z0-9]+', '_', name.lower()), level=7, **members)
    case.operation(operation, [_operand(case, value) for value in inputs],
                   [output.add_to(case, 'SUBGRAPH_OUTPUT') for output in outputs])
    return case


def gives(name, operation, inputs, *outputs, tolerance=None, exact=True):
    """The operation gives these outputs. Whole numbers are exact, or within one step; floats have the tolerance of the format, or
    tolerance + tolerance * |expected|."""
    members = {'exact': exact} if tolerance is None else {'exact': exact, 'float_tolerance': [tolerance, tolerance]}
    return _case(name, operation, inputs, outputs, **members)


def refused(name, operation, inputs, *outputs):
    """The operation must fail, at the latest when it runs; of the outputs only types and ranks matter."""
    open_outputs = [Tensor(output.kind, [0] * len(output.dims), [], output.scale, output.zero) for output in outputs]
    return _case(name, operation, inputs, open_outputs, expect_failure=True, exact=True)
