"""Collects the tables of .tflite networks, and writes the trained ones."""

import numpy as np

import tflite_file
from convnet import Dense, DepthwiseConv, MaxPool

TYPES = {np.dtype(np.float32): 'FLOAT32', np.dtype(np.int8): 'INT8', np.dtype(np.int32): 'INT32'}


class Writer:
    """Collects buffers, tensors and operators of one subgraph."""

    def __init__(self):
        self.buffers, self.tensors, self.operators, self.codes = [{}], [], [], []

    def constant(self, name, values, scales=None, axis=0):
        self.buffers.append({'data': np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)})
        tensor = {'name': name, 'shape': list(values.shape), 'type': TYPES[values.dtype], 'buffer': len(self.buffers) - 1}
        if scales is not None:
            tensor['quantization'] = {'scale': [float(s) for s in scales], 'zero_point': [0] * len(scales),
                                      'quantized_dimension': axis}
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def variable(self, name, shape, kind, scale=None, zero=None):
        tensor = {'name': name, 'shape': list(shape), 'type': kind, 'buffer': 0}
        if scale is not None:
            tensor['quantization'] = {'scale': [scale], 'zero_point': [zero]}
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def operator(self, kind, inputs, output, options_type=None, options=None):
        if kind not in self.codes:
            self.codes.append(kind)
        operator = {'opcode_index': self.codes.index(kind), 'inputs': inputs, 'outputs': [output]}
        if options_type:
            operator.update(builtin_options_type=options_type, builtin_options=options)
        self.operators.append(operator)

    def save(self, path, description, first, last):
        model = {
            'version': 3,
            'description': description,
            'operator_codes': [{'version': 1, 'builtin_code': code} for code in self.codes],
            'subgraphs': [{'name': 'main', 'tensors': self.tensors, 'inputs': [first], 'outputs': [last],
                           'operators': self.operators}],
            'buffers': self.buffers,
        }
        tflite_file.write_tables(path, model)


def write_network(writer, layers, kind, input_quantization, parameters, softmax_quantization):
    """parameters(layer) -> (weights tensor, bias tensor, output scale, output zero point); the last two None for float."""
    h = w = 8
    scale, zero = input_quantization
    first = last = writer.variable('picture', (1, h, w, 1), kind, scale, zero)
    for number, layer in enumerate(layers):
        plain = getattr(layer, 'layer', layer)
        name = f'layer{number}'
        if isinstance(plain, MaxPool):
            h, w = h // 2, w // 2
            out = writer.variable(name, (1, h, w, channels), kind, scale, zero)
            writer.operator('MAX_POOL_2D', [last], out, 'Pool2DOptions',
                            {'padding': 'VALID', 'stride_w': 2, 'stride_h': 2, 'filter_width': 2, 'filter_height': 2})
        elif isinstance(plain, Dense):
            flat = writer.variable('flat', (1, h * w * channels), kind, scale, zero)
            shape = writer.constant('flat_shape', np.array([1, h * w * channels], np.int32))
            writer.operator('RESHAPE', [last, shape], flat, 'ReshapeOptions', {'new_shape': [1, h * w * channels]})
            weights, bias, scale, zero = parameters(name, layer)
            out = writer.variable('logits', (1, 10), kind, scale, zero)
            writer.operator('FULLY_CONNECTED', [flat, weights, bias], out, 'FullyConnectedOptions', {'activation': 'NONE'})
        else:
            weights, bias, scale, zero = parameters(name, layer)
            channels = plain.bias[0].size
            out = writer.variable(name, (1, h, w, channels), kind, scale, zero)
            options = {'padding': 'SAME', 'stride_w': 1, 'stride_h': 1, 'activation': 'RELU', 'dilation_w': 1, 'dilation_h': 1}
            if isinstance(plain, DepthwiseConv):
                writer.operator('DEPTHWISE_CONV_2D', [last, weights, bias], out, 'DepthwiseConv2DOptions',
                                {**options, 'depth_multiplier': 1})
            else:
                writer.operator('CONV_2D', [last, weights, bias], out, 'Conv2DOptions', options)
        last = out
    scale, zero = softmax_quantization
    out = writer.variable('probabilities', (1, 10), kind, scale, zero)
    writer.operator('SOFTMAX', [last], out, 'SoftmaxOptions', {'beta': 1.0})
    return first, out


def write_float(path, layers):
    writer = Writer()

    def parameters(name, layer):
        return (writer.constant(name + '/weights', layer.weights[0]), writer.constant(name + '/bias', layer.bias[0]), None, None)

    first, last = write_network(writer, layers, 'FLOAT32', (None, None), parameters, (None, None))
    writer.save(path, 'nnvk digits, float', first, last)


def write_quantized(path, net):
    writer = Writer()

    def parameters(name, layer):
        axis = 3 if isinstance(layer.layer, DepthwiseConv) else 0
        bias_scales = layer.input_scale * layer.scales
        return (writer.constant(name + '/weights', layer.weights, layer.scales, axis),
                writer.constant(name + '/bias', layer.bias, bias_scales), layer.scale, layer.zero)

    first, last = write_network(writer, net.layers, 'INT8', (net.INPUT_SCALE, net.INPUT_ZERO), parameters, (1 / 256, -128))
    writer.save(path, 'nnvk digits, 8-bit', first, last)


def write_upscaler(path, layers, size, picture_quantization=(None, None)):
    """layers: (weights [out, 3, 3, in], bias, scales of the weights, input scale, output scale, output zero point); the last four None
    for float. `size`: height and width of the picture that the file speaks of; nothing in the network depends on it.
    """
    writer = Writer()
    kind = 'FLOAT32' if picture_quantization[0] is None else 'INT8'
    first = last = writer.variable('picture', (1, *size, 3), kind, *picture_quantization)
    for number, (weights, bias, scales, input_scale, scale, zero) in enumerate(layers):
        name = f'layer{number}'
        bias_scales = None if scales is None else input_scale * scales
        inputs = [last, writer.constant(name + '/weights', weights, scales), writer.constant(name + '/bias', bias, bias_scales)]
        last = writer.variable(name, (1, *size, len(bias)), kind, scale, zero)
        activation = 'NONE' if number == len(layers) - 1 else 'RELU'
        writer.operator('CONV_2D', inputs, last, 'Conv2DOptions', {'padding': 'SAME', 'stride_w': 1, 'stride_h': 1,
                                                                   'activation': activation, 'dilation_w': 1, 'dilation_h': 1})
    repeated = writer.variable('repeated', (1, *size, 12), kind, *picture_quantization)
    writer.operator('CONCATENATION', [first] * 4, repeated, 'ConcatenationOptions', {'axis': 3, 'activation': 'NONE'})
    added = writer.variable('added', (1, *size, 12), kind, *picture_quantization)
    # 8-bit values end where the picture's range ends; its rounding differs from that of the activation.
    writer.operator('ADD', [last, repeated], added, 'AddOptions', {'activation': 'RELU_N1_TO_1' if kind == 'FLOAT32' else 'NONE'})
    large = writer.variable('large_picture', (1, 2 * size[0], 2 * size[1], 3), kind, *picture_quantization)
    writer.operator('DEPTH_TO_SPACE', [added], large, 'DepthToSpaceOptions', {'block_size': 2})
    writer.save(path, 'nnvk upscaler, ' + ('float' if kind == 'FLOAT32' else '8-bit'), first, large)
