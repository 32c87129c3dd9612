"""Writes small .onnx files without the package onnx: the few fields of the protocol buffers that the tests need."""

import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16 = 1, 2, 3, 6, 7, 9, 10


def _number(value):
    """A base-128 number; negative ones have ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _field(number, content):
    if isinstance(content, int):
        return _number(number << 3) + _number(content)
    if isinstance(content, str):
        content = content.encode()
    return _number(number << 3 | 2) + _number(len(content)) + content


def value(name, kind, shape):
    """A ValueInfo. A size that is a text is open; None for the shape leaves even the rank open."""
    sizes = b"".join(_field(1, _field(1, size) if isinstance(size, int) else _field(2, size)) for size in shape or ())
    dimensions = b"" if shape is None else _field(2, sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + dimensions))


def constant(name, kind, shape, data):
    """A TensorProto with raw bytes."""
    return b"".join(_field(1, size) for size in shape) + _field(2, kind) + _field(8, name) + _field(9, data)


def integer(name, number):
    """An attribute with an integer."""
    return _field(1, name) + _field(3, number) + _field(20, 2)


def node(kind, inputs, outputs, attributes=()):
    """A NodeProto."""
    return (b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in outputs) + _field(4, kind)
            + b"".join(_field(5, attribute) for attribute in attributes))


def model(nodes, inputs, outputs, constants=()):
    """A ModelProto of opset 17."""
    graph = (b"".join(_field(1, entry) for entry in nodes) + _field(2, "graph") + b"".join(_field(5, entry) for entry in constants)
             + b"".join(_field(11, entry) for entry in inputs) + b"".join(_field(12, entry) for entry in outputs))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 17))


def one_operator(kind, element, shape, count=1):
    """A model `y = kind(a)` or `y = kind(a, b)` of one type and shape."""
    names = ["a", "b"][:count]
    return model([node(kind, names, ["y"])], [value(name, element, shape) for name in names], [value("y", element, shape)])


def add_one(shape):
    """A model `y = x + 1` of float32."""
    return model([node("Add", ["x", "one"], ["y"])], [value("x", FLOAT, shape)], [value("y", FLOAT, shape)],
                 [constant("one", FLOAT, [1], struct.pack("<f", 1.0))])
