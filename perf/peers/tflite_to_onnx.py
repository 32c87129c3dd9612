"""Writes a .tflite network as ONNX for other runtimes: the same operators, weights and quantizations, pictures as NCHW.

8-bit networks become QLinear operators. Where TensorFlow Lite has unsigned weights they become signed ones with another zero point,
and signed activations unsigned ones: the same numbers, in the types that ONNX Runtime multiplies fastest. Operators without a
quantized form go through float.
"""

import struct

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = 'com.microsoft'  # ONNX Runtime's own operators
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)
ONNX_TYPES = {np.float32: TensorProto.FLOAT, np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8, np.int32: TensorProto.INT32,
              np.int64: TensorProto.INT64, np.bool_: TensorProto.BOOL}
QLINEAR = {'ADD': 'QLinearAdd', 'MUL': 'QLinearMul'}
BINARY = {'ADD': 'Add', 'SUB': 'Sub', 'MUL': 'Mul', 'DIV': 'Div'}
UNARY = {'LOGISTIC': 'Sigmoid', 'TANH': 'Tanh', 'SQRT': 'Sqrt', 'HARD_SWISH': 'HardSwish', 'RELU': 'Relu', 'EXP': 'Exp', 'NEG': 'Neg',
         'ABS': 'Abs', 'SQUARE': 'Pow'}
BOUNDS = {'RELU': (0.0, None), 'RELU6': (0.0, 6.0), 'RELU_N1_TO_1': (-1.0, 1.0)}


class NotConverted(Exception):
    """An operator or a form of it that this converter does not know."""


def storage(tensor):
    """The type that a tensor has in the ONNX file."""
    if tensor.quantized:
        return np.uint8
    return np.float32 if tensor.type == np.float16 else tensor.type


def stored(tensor):
    """The zero point of an activation as it is stored: signed numbers move up by 128."""
    zero = int(tensor.zero_points[0])
    return zero + 128 if tensor.type == np.int8 else zero


def as_stored(tensor, value):
    """Values of a tensor as the ONNX file has them."""
    if tensor.quantized and tensor.type == np.int8:
        return (value.astype(np.int16) + 128).astype(np.uint8)
    return value.astype(storage(tensor))


class Converter:
    def __init__(self, model):
        self.model = model
        self.nodes, self.initializers = [], []
        self.names = {}   # (tensor, layout) -> name; layouts: 'nchw' and 'plain', which is NHWC for pictures
        self.folded = {}  # values of tensors that DEQUANTIZE makes of constants
        self.count = 0

    # ---- names, constants and layouts
    def fresh(self, hint):
        self.count += 1
        return f'{hint}_{self.count}'

    def constant(self, value, hint='constant'):
        name = self.fresh(hint)
        self.initializers.append(numpy_helper.from_array(np.array(value, order='C'), name))
        return name

    def node(self, kind, inputs, hint=None, domain='', **attributes):
        out = self.fresh(hint or kind.lower())
        self.nodes.append(helper.make_node(kind, inputs, [out], domain=domain, **attributes))
        return out

    def value(self, index):
        return self.folded.get(index, self.model.tensors[index].value)

    def get(self, index, layout, rank=None):
        """The name of a tensor in a layout; constants are widened to `rank` dimensions first."""
        tensor, value = self.model.tensors[index], self.value(index)
        if value is not None:
            value = as_stored(tensor, value)
            if rank is not None and value.ndim < rank:
                value = value.reshape((1,) * (rank - value.ndim) + value.shape)
            if layout == 'nchw' and value.ndim == 4:
                value = value.transpose(TO_NCHW)
            return self.constant(value)
        if len(tensor.shape) != 4:
            layout = 'plain'
        if (index, layout) not in self.names:
            other = 'plain' if layout == 'nchw' else 'nchw'
            order = TO_NCHW if layout == 'nchw' else TO_NHWC
            self.names[index, layout] = self.node('Transpose', [self.names[index, other]], perm=order)
        return self.names[index, layout]

    def layout_of(self, indices):
        """NCHW if any of these tensors is at hand that way."""
        return 'nchw' if any((index, 'nchw') in self.names for index in indices) else 'plain'

    def put(self, index, layout, name):
        self.names[index, layout if len(self.model.tensors[index].shape) == 4 else 'plain'] = name

    # ---- quantization
    def scale_and_zero(self, tensor):
        return [self.constant(tensor.scales[:1].reshape(()), 'scale'),
                self.constant(np.uint8(stored(tensor)).reshape(()), 'zero')]

    def to_float(self, index, layout, rank=None):
        tensor, name = self.model.tensors[index], self.get(index, layout, rank)
        return self.node('DequantizeLinear', [name, *self.scale_and_zero(tensor)]) if tensor.quantized else name

    def from_float(self, index, name):
        tensor = self.model.tensors[index]
        return self.node('QuantizeLinear', [name, *self.scale_and_zero(tensor)]) if tensor.quantized else name

    def activated(self, name, index, activation):
        """A fused activation; for quantized tensors only where saturation does not do it already."""
        if activation in (None, 'NONE'):
            return name
        if activation not in BOUNDS:
            raise NotConverted(activation)
        tensor = self.model.tensors[index]
        low, high = BOUNDS[activation]
        if not tensor.quantized:
            if activation == 'RELU':
                return self.node('Relu', [name])
            return self.node('Clip', [name, self.constant(np.float32(low)), self.constant(np.float32(high))])
        scale, zero = float(tensor.scales[0]), stored(tensor)
        first = max(0, zero + round(low / scale))
        last = 255 if high is None else min(255, zero + round(high / scale))
        if (first, last) == (0, 255):
            return name
        return self.node('Clip', [name, self.constant(np.uint8(first)), self.constant(np.uint8(last))])

    # ---- operators
    def pads(self, size, kernel, stride, dilation, padding):
        """Before and after, of one dimension."""
        if padding == 'VALID':
            return 0, 0
        reach = (kernel - 1) * dilation + 1
        total = max(0, ((size + stride - 1) // stride - 1) * stride + reach - size)
        return total // 2, total - total // 2

    def window(self, shape, kernel, options):
        strides = [options['stride_h'], options['stride_w']]
        dilations = [options.get('dilation_h', 1), options.get('dilation_w', 1)]
        sides = [self.pads(shape[1 + i], kernel[i], strides[i], dilations[i], options['padding']) for i in range(2)]
        return {'strides': strides, 'pads': [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]}, dilations

    def signed_weights(self, tensor, order):
        """Weights as 8-bit signed numbers in ONNX's order, their scales and zero points."""
        zeros = tensor.zero_points
        value = tensor.value
        if tensor.type == np.uint8:
            value, zeros = (value.astype(np.int16) - 128).astype(np.int8), zeros - 128
        if len(tensor.scales) == 1:
            return value.transpose(order), tensor.scales.reshape(()), np.int8(zeros[0]).reshape(())
        return value.transpose(order), tensor.scales, np.broadcast_to(zeros, tensor.scales.shape).astype(np.int8)

    def convolution(self, operator, depthwise):
        x, w = operator.inputs[:2]
        bias = operator.inputs[2] if len(operator.inputs) > 2 and operator.inputs[2] >= 0 else None
        y, options = operator.outputs[0], operator.options
        source, weights = self.model.tensors[x], self.model.tensors[w]
        order = (3, 0, 1, 2) if depthwise else (0, 3, 1, 2)
        window, dilations = self.window(source.shape, weights.shape[1:3], options)
        group = source.shape[3] if depthwise else source.shape[3] // weights.shape[3]
        attributes = {**window, 'dilations': dilations, 'group': group, 'kernel_shape': list(weights.shape[1:3])}
        if source.quantized:
            value, scales, zeros = self.signed_weights(weights, order)
            inputs = [self.get(x, 'nchw'), *self.scale_and_zero(source), self.constant(value, 'weights'),
                      self.constant(scales, 'scales'), self.constant(zeros, 'zeros'), *self.scale_and_zero(self.model.tensors[y])]
            if bias is not None:
                inputs.append(self.constant(self.value(bias), 'bias'))
            name = self.node('QLinearConv', inputs, **attributes)
        else:
            inputs = [self.get(x, 'nchw'), self.constant(self.value(w).astype(np.float32).transpose(order), 'weights')]
            if bias is not None:
                inputs.append(self.constant(self.value(bias).astype(np.float32), 'bias'))
            name = self.node('Conv', inputs, **attributes)
        self.put(y, 'nchw', self.activated(name, y, options['activation']))

    def transposed_convolution(self, x, w, bias, padding, strides, y):
        """Quantized ones go through float: ONNX Runtime has no other."""
        source, weights = self.model.tensors[x], self.model.tensors[w]
        if padding != 'SAME' or weights.shape[1:3] != strides:
            raise NotConverted('a transposed convolution whose windows overlap')
        value = self.value(w).astype(np.float32)
        if weights.quantized:
            channels = (-1,) + (1,) * 3
            value = (value - weights.zero_points.reshape(channels)) * weights.scales.reshape(channels)
        inputs = [self.to_float(x, 'nchw'), self.constant(value.astype(np.float32).transpose(3, 0, 1, 2), 'weights')]
        if bias is not None:
            if source.quantized:
                raise NotConverted('a quantized transposed convolution with a bias')
            inputs.append(self.constant(self.value(bias).astype(np.float32), 'bias'))
        self.put(y, 'nchw', self.from_float(y, self.node('ConvTranspose', inputs, strides=list(strides))))

    def builtin_transposed_convolution(self, operator):
        options = operator.options
        if options['activation'] != 'NONE':
            raise NotConverted('a transposed convolution with an activation')
        bias = operator.inputs[3] if len(operator.inputs) > 3 and operator.inputs[3] >= 0 else None
        self.transposed_convolution(operator.inputs[2], operator.inputs[1], bias, options['padding'],
                                    (options['stride_h'], options['stride_w']), operator.outputs[0])

    def mediapipe_transposed_convolution(self, operator):
        padding, stride_w, stride_h = struct.unpack('<3i', operator.custom[:12])
        self.transposed_convolution(*operator.inputs, {1: 'SAME'}.get(padding), (stride_h, stride_w), operator.outputs[0])

    def pool(self, operator, kind):
        x, y, options = operator.inputs[0], operator.outputs[0], operator.options
        source = self.model.tensors[x]
        kernel = [options['filter_height'], options['filter_width']]
        window, _ = self.window(source.shape, kernel, options)
        name = self.get(x, 'nchw')
        if kind == 'MaxPool':
            name = self.node(kind, [name], kernel_shape=kernel, **window)
        elif source.quantized:
            name = self.node('QLinearAveragePool', [name, *self.scale_and_zero(source), *self.scale_and_zero(self.model.tensors[y])],
                             domain=MICROSOFT, kernel_shape=kernel, **window)
        elif tuple(kernel) == source.shape[1:3]:
            name = self.node('GlobalAveragePool', [name])
        else:
            name = self.node(kind, [name], kernel_shape=kernel, **window)
        self.put(y, 'nchw', self.activated(name, y, options['activation']))

    def fully_connected(self, operator):
        x, w = operator.inputs[:2]
        bias = operator.inputs[2] if len(operator.inputs) > 2 and operator.inputs[2] >= 0 else None
        y = operator.outputs[0]
        source, weights = self.model.tensors[x], self.model.tensors[w]
        flat = self.get(x, 'plain')
        if len(source.shape) != 2 or source.shape[1] != weights.shape[1]:
            flat = self.node('Reshape', [flat, self.constant(np.array([-1, weights.shape[1]], np.int64))])
        if source.quantized:
            value, scales, zeros = self.signed_weights(weights, (0, 1))
            sums = [self.constant(self.value(bias), 'bias')] if bias is not None else ['']
            name = self.node('QGemm', [flat, *self.scale_and_zero(source), self.constant(value, 'weights'), self.constant(scales),
                                       self.constant(zeros), *sums, *self.scale_and_zero(self.model.tensors[y])],
                             domain=MICROSOFT, transB=1)
        else:
            inputs = [flat, self.constant(self.value(w).astype(np.float32), 'weights')]
            if bias is not None:
                inputs.append(self.constant(self.value(bias).astype(np.float32), 'bias'))
            name = self.node('Gemm', inputs, transB=1)
        name = self.activated(name, y, operator.options['activation'])
        shape = self.model.tensors[y].shape
        if len(shape) != 2:
            name = self.node('Reshape', [name, self.constant(np.array(shape, np.int64))])
        self.put(y, 'plain', name)

    def binary(self, operator):
        kind, y = operator.kind, operator.outputs[0]
        rank, tensors = len(self.model.tensors[y].shape), [self.model.tensors[i] for i in operator.inputs]
        # Tensors of lower rank are matched from the last dimension of NHWC.
        lower = any(self.value(i) is None and len(self.model.tensors[i].shape) < rank for i in operator.inputs)
        layout = 'plain' if lower else self.layout_of(operator.inputs)
        activation = operator.options.get('activation')
        if self.model.tensors[y].quantized and kind in QLINEAR:
            inputs = []
            for index, tensor in zip(operator.inputs, tensors):
                inputs += [self.get(index, layout, rank), *self.scale_and_zero(tensor)]
            name = self.node(QLINEAR[kind], inputs + self.scale_and_zero(self.model.tensors[y]), domain=MICROSOFT)
        else:
            name = self.node(BINARY[kind], [self.to_float(index, layout, rank) for index in operator.inputs])
            name = self.from_float(y, name)
        self.put(y, layout, self.activated(name, y, activation))

    def unary(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        layout, source = self.layout_of([x]), self.model.tensors[x]
        if operator.kind == 'LOGISTIC' and source.quantized:
            name = self.node('QLinearSigmoid', [self.get(x, layout), *self.scale_and_zero(source),
                                                *self.scale_and_zero(self.model.tensors[y])], domain=MICROSOFT)
        else:
            exponent = [self.constant(np.float32(2))] if operator.kind == 'SQUARE' else []
            name = self.from_float(y, self.node(UNARY[operator.kind], [self.to_float(x, layout), *exponent]))
        self.put(y, layout, name)

    def mean(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        source, axes = self.model.tensors[x], sorted(int(a) % len(self.model.tensors[x].shape) for a in self.value(operator.inputs[1]).reshape(-1))
        if axes != [1, 2] or len(source.shape) != 4:
            name = self.node('ReduceMean', [self.to_float(x, 'plain')], axes=axes, keepdims=operator.options['keep_dims'])
            self.put(y, 'plain', self.from_float(y, name))
            return
        name = self.get(x, 'nchw')
        if source.quantized:
            name = self.node('QLinearGlobalAveragePool', [name, *self.scale_and_zero(source),
                                                          *self.scale_and_zero(self.model.tensors[y])], domain=MICROSOFT)
        else:
            name = self.node('GlobalAveragePool', [name])
        shape = self.model.tensors[y].shape
        if len(shape) == 4:
            self.put(y, 'nchw', name)
        else:
            self.put(y, 'plain', self.node('Reshape', [name, self.constant(np.array(shape, np.int64))]))

    def softmax(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        if operator.options['beta'] != 1:
            raise NotConverted('a softmax with beta')
        self.put(y, 'plain', self.from_float(y, self.node('Softmax', [self.to_float(x, 'plain')], axis=-1)))

    def concatenation(self, operator):
        y = operator.outputs[0]
        shape = self.model.tensors[y].shape
        layout, axis = self.layout_of(operator.inputs), operator.options['axis'] % len(shape)
        if layout == 'nchw' and len(shape) == 4:
            axis = TO_NCHW.index(axis)
        same = all(self.same_quantization(i, y) for i in operator.inputs)
        names = [self.get(i, layout) if same else self.to_float(i, layout) for i in operator.inputs]
        name = self.node('Concat', names, axis=axis)
        self.put(y, layout, name if same else self.from_float(y, name))

    def same_quantization(self, one, other):
        a, b = self.model.tensors[one], self.model.tensors[other]
        if not a.quantized and not b.quantized:
            return True
        return a.quantized and b.quantized and a.scales[0] == b.scales[0] and stored(a) == stored(b)

    def resize(self, operator, mode):
        x, y, options = operator.inputs[0], operator.outputs[0], operator.options
        shape = self.model.tensors[y].shape
        how = 'align_corners' if options['align_corners'] else 'pytorch_half_pixel' if options['half_pixel_centers'] else 'asymmetric'
        sizes = self.constant(np.array([shape[0], shape[3], shape[1], shape[2]], np.int64))
        name = self.node('Resize', [self.get(x, 'nchw'), '', '', sizes], mode=mode, coordinate_transformation_mode=how,
                         **({'nearest_mode': 'floor'} if mode == 'nearest' else {}))
        self.put(y, 'nchw', name)

    def pad(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        layout, sides = self.layout_of([x]), self.value(operator.inputs[1])
        if layout == 'nchw' and len(sides) == 4:
            sides = sides[list(TO_NCHW)]
        source = self.model.tensors[x]
        inputs = [self.get(x, layout), self.constant(sides.T.reshape(-1).astype(np.int64))]
        if source.quantized:
            inputs.append(self.constant(np.uint8(stored(source))))
        self.put(y, layout, self.node('Pad', inputs))

    def reshape(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        source, shape = self.model.tensors[x].shape, self.model.tensors[y].shape
        pointlike = len(source) == 4 and source[1] == source[2] == 1  # the order does not change
        name = self.get(x, self.layout_of([x]) if pointlike else 'plain')
        self.put(y, 'plain', self.node('Reshape', [name, self.constant(np.array(shape, np.int64))]))

    def transpose(self, operator):
        order = [int(i) for i in self.value(operator.inputs[1])]
        self.put(operator.outputs[0], 'plain', self.node('Transpose', [self.get(operator.inputs[0], 'plain')], perm=order))

    def batch_matmul(self, operator):
        names, y = [], operator.outputs[0]
        for index, transposed in zip(operator.inputs, (operator.options['adj_x'], operator.options['adj_y'])):
            rank = len(self.model.tensors[index].shape)
            name = self.to_float(index, 'plain')
            names.append(self.node('Transpose', [name], perm=[*range(rank - 2), rank - 1, rank - 2]) if transposed else name)
        self.put(y, 'plain', self.from_float(y, self.node('MatMul', names)))

    def lstm(self, operator):
        """Of one sequence and plain cells, from states of zeros."""
        inputs, options, x, y = operator.inputs, operator.options, operator.inputs[0], operator.outputs[0]
        steps, features = self.model.tensors[x].shape[1:]
        units = self.model.tensors[y].shape[2]
        if any(i >= 0 for i in inputs[9:12] + inputs[16:18] + inputs[20:24]) or inputs[1] < 0 or options['time_major'] or \
                options['activation'] != 'TANH' or options['cell_clip'] or self.model.tensors[x].type != np.float32 or \
                self.model.tensors[x].shape[0] != 1:
            raise NotConverted('an LSTM that is quantized, has a batch, or more than its weights and biases')
        gates = (0, 3, 1, 2)  # ONNX has the output gate second
        weights, recurrent, bias = (np.concatenate([self.value(inputs[first + gate]).astype(np.float32) for gate in gates])
                                    for first in (1, 5, 12))
        sequence = self.node('Reshape', [self.get(x, 'plain'), self.constant(np.array([steps, 1, features], np.int64))])
        name = self.node('LSTM', [sequence, self.constant(weights[None]), self.constant(recurrent[None]),
                                  self.constant(np.concatenate([bias, np.zeros_like(bias)])[None])], hidden_size=units)
        self.put(y, 'plain', self.node('Reshape', [name, self.constant(np.array([1, steps, units], np.int64))]))

    def quantize(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        layout = self.layout_of([x])
        name = self.get(x, layout) if self.same_quantization(x, y) and self.model.tensors[x].quantized \
            else self.from_float(y, self.to_float(x, layout))
        self.put(y, layout, name)

    def dequantize(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        if self.value(x) is not None and not self.model.tensors[x].quantized:
            self.folded[y] = self.value(x).astype(np.float32)
            return
        layout = self.layout_of([x])
        self.put(y, layout, self.to_float(x, layout))

    def cast(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        layout, target = self.layout_of([x]), ONNX_TYPES[storage(self.model.tensors[y])]
        if self.model.tensors[x].quantized or self.model.tensors[y].quantized:
            raise NotConverted('a cast of quantized values')
        self.put(y, layout, self.node('Cast', [self.get(x, layout)], to=target))

    def arg_max(self, operator):
        x, y = operator.inputs[0], operator.outputs[0]
        axis = int(self.value(operator.inputs[1]).reshape(-1)[0]) % len(self.model.tensors[x].shape)
        name = self.node('ArgMax', [self.get(x, 'plain')], axis=axis, keepdims=0)
        if self.model.tensors[y].type != np.int64:
            name = self.node('Cast', [name], to=ONNX_TYPES[storage(self.model.tensors[y])])
        self.put(y, 'plain', name)

    def pack(self, operator):
        y, axis = operator.outputs[0], operator.options['axis']
        axes = self.constant(np.array([axis], np.int64))
        self.put(y, 'plain', self.node('Concat', [self.node('Unsqueeze', [self.get(i, 'plain'), axes]) for i in operator.inputs], axis=axis))

    def unpack(self, operator):
        axis = operator.options['axis']
        for i, y in enumerate(operator.outputs):
            index = self.constant(np.array(i, np.int64))
            self.put(y, 'plain', self.node('Gather', [self.get(operator.inputs[0], 'plain'), index], axis=axis))

    def gather_nd(self, operator):
        indices = self.node('Cast', [self.get(operator.inputs[1], 'plain')], to=TensorProto.INT64)
        self.put(operator.outputs[0], 'plain', self.node('GatherND', [self.get(operator.inputs[0], 'plain'), indices]))

    def floor_div(self, operator):
        if self.model.tensors[operator.outputs[0]].type != np.int32:
            raise NotConverted('a floor division of other than 32-bit integers')
        # Indices: never negative, so that rounding towards zero is the floor.
        self.put(operator.outputs[0], 'plain', self.node('Div', [self.get(i, 'plain') for i in operator.inputs]))

    def convert_operator(self, operator):
        kind = operator.kind
        if kind in ('CONV_2D', 'DEPTHWISE_CONV_2D'):
            return self.convolution(operator, kind == 'DEPTHWISE_CONV_2D')
        if kind in BINARY:
            return self.binary(operator)
        if kind in UNARY:
            return self.unary(operator)
        simple = {'AVERAGE_POOL_2D': lambda o: self.pool(o, 'AveragePool'), 'MAX_POOL_2D': lambda o: self.pool(o, 'MaxPool'),
                  'FULLY_CONNECTED': self.fully_connected, 'MEAN': self.mean, 'SOFTMAX': self.softmax, 'PAD': self.pad,
                  'CONCATENATION': self.concatenation, 'RESHAPE': self.reshape, 'SQUEEZE': self.reshape,
                  'RESIZE_BILINEAR': lambda o: self.resize(o, 'linear'), 'QUANTIZE': self.quantize,
                  'RESIZE_NEAREST_NEIGHBOR': lambda o: self.resize(o, 'nearest'), 'DEQUANTIZE': self.dequantize, 'CAST': self.cast,
                  'ARG_MAX': self.arg_max, 'PACK': self.pack, 'UNPACK': self.unpack, 'GATHER_ND': self.gather_nd,
                  'FLOOR_DIV': self.floor_div, 'TRANSPOSE': self.transpose, 'BATCH_MATMUL': self.batch_matmul,
                  'UNIDIRECTIONAL_SEQUENCE_LSTM': self.lstm, 'TRANSPOSE_CONV': self.builtin_transposed_convolution,
                  'Convolution2DTransposeBias': self.mediapipe_transposed_convolution}
        if kind not in simple:
            raise NotConverted(kind)
        return simple[kind](operator)

    def port(self, index, layout):
        tensor = self.model.tensors[index]
        shape = [tensor.shape[i] for i in TO_NCHW] if layout == 'nchw' else tensor.shape
        return ONNX_TYPES[storage(tensor)], shape

    def convert(self):
        inputs, outputs = [], []
        for i, index in enumerate(self.model.inputs):
            layout = 'nchw' if len(self.model.tensors[index].shape) == 4 else 'plain'
            self.names[index, layout] = f'input{i}'
            inputs.append(helper.make_tensor_value_info(f'input{i}', *self.port(index, layout)))
        for operator in self.model.operators:
            self.convert_operator(operator)
        for i, index in enumerate(self.model.outputs):
            layout = self.layout_of([index])
            self.nodes.append(helper.make_node('Identity', [self.get(index, layout)], [f'output{i}']))
            outputs.append(helper.make_tensor_value_info(f'output{i}', *self.port(index, layout)))
        graph = helper.make_graph(self.nodes, 'network', inputs, outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid('', 14), helper.make_opsetid(MICROSOFT, 1)],
                                 ir_version=8)


def convert(model):
    """The ONNX model of a tflite_file.Model, and whether each output is NCHW."""
    converter = Converter(model)
    onnx_model = converter.convert()
    return onnx_model, [converter.layout_of([i]) == 'nchw' for i in model.outputs]
