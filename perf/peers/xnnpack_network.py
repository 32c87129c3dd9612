"""Writes a float network as the list of numbers that xnnpack_worker.cpp builds it from."""

import struct

import numpy as np

ACTIVATIONS = {None: (-np.inf, np.inf), 'NONE': (-np.inf, np.inf), 'RELU': (0, np.inf), 'RELU6': (0, 6), 'RELU_N1_TO_1': (-1, 1)}
CONVOLUTION, ADDITION, AVERAGE, MAXIMUM, SOFTMAX, SAME_DATA = range(6)


class NotEncoded(Exception):
    """The network has something that the worker has no XNNPACK operator for."""


class Encoder:
    def __init__(self, model):
        self.model, self.data = model, bytearray()

    def numbers(self, *values):
        self.data += struct.pack(f'<{len(values)}i', *values)

    def floats(self, values):
        values = np.ascontiguousarray(values, np.float32).reshape(-1)
        self.numbers(values.size)
        self.data += values.tobytes()

    def shape(self, index):
        """Height, width and channels; rows of vectors are a picture of one row."""
        shape = self.model.tensors[index].shape
        return (1, int(np.prod(shape[:-1])), shape[-1]) if len(shape) != 4 else shape[1:]

    def begin(self, kind, operator, activation=None):
        if activation not in ACTIVATIONS:
            raise NotEncoded(activation)
        self.numbers(kind, *operator.inputs[:1], operator.outputs[0], *self.shape(operator.inputs[0]), *self.shape(operator.outputs[0]))
        self.data += struct.pack('<2f', *ACTIVATIONS[activation])

    def convolution(self, operator, depthwise):
        options, weights = operator.options, self.model.tensors[operator.inputs[1]]
        bias = self.model.tensors[operator.inputs[2]].value if len(operator.inputs) > 2 else None
        if weights.value is None or weights.type != np.float32:
            raise NotEncoded('weights that are not 32-bit floats')
        kernel = weights.value if weights.value.ndim == 4 else weights.value[:, None, None, :]
        self.begin(CONVOLUTION, operator, options.get('activation'))
        groups = self.shape(operator.inputs[0])[2] if depthwise else 1
        self.numbers(kernel.shape[1], kernel.shape[2], options.get('stride_h', 1), options.get('stride_w', 1),
                     options.get('dilation_h', 1), options.get('dilation_w', 1), groups, int(depthwise),
                     int(options.get('padding') == 'SAME'))
        self.floats(kernel)
        self.floats(bias if bias is not None else np.zeros(self.shape(operator.outputs[0])[2]))

    def pooling(self, operator):
        options, source = operator.options, self.shape(operator.inputs[0])
        window = (options['filter_height'], options['filter_width'])
        if operator.kind == 'AVERAGE_POOL_2D':
            if window != tuple(source[:2]):
                raise NotEncoded('an average over less than the picture')
            return self.begin(AVERAGE, operator, options['activation'])
        self.begin(MAXIMUM, operator, options['activation'])
        self.numbers(*window, options['stride_h'], options['stride_w'], int(options['padding'] == 'SAME'))
        return None

    def operator(self, operator):
        kind = operator.kind
        if kind in ('CONV_2D', 'DEPTHWISE_CONV_2D', 'FULLY_CONNECTED'):
            self.convolution(operator, kind == 'DEPTHWISE_CONV_2D')
        elif kind == 'ADD' and all(self.model.tensors[i].value is None for i in operator.inputs):
            self.begin(ADDITION, operator, operator.options['activation'])
            self.numbers(operator.inputs[1])
        elif kind in ('AVERAGE_POOL_2D', 'MAX_POOL_2D'):
            self.pooling(operator)
        elif kind == 'SOFTMAX':
            self.begin(SOFTMAX, operator)
        elif kind in ('RESHAPE', 'SQUEEZE'):
            self.begin(SAME_DATA, operator)
        else:
            raise NotEncoded(kind)

    def encode(self):
        tensors = self.model.tensors
        if any(tensors[i].type != np.float32 for i in self.model.inputs + self.model.outputs):
            raise NotEncoded('8-bit networks')
        if len(self.model.inputs) != 1 or len(self.model.outputs) != 1:
            raise NotEncoded('several inputs or outputs')
        self.numbers(len(tensors), self.model.inputs[0], self.model.outputs[0], len(self.model.operators))
        for tensor in tensors:
            self.numbers(int(np.prod(tensor.shape)) if tensor.value is None else 0)
        for operator in self.model.operators:
            self.operator(operator)
        return bytes(self.data)


def encode(model):
    return Encoder(model).encode()
