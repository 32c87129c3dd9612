"""Reads .tflite files into plain data. What a table holds is taken from importers/tflite/tflite_subset.fbs, the schema of this project."""

import os
import re
import struct
from dataclasses import dataclass, field

import numpy as np

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'importers', 'tflite', 'tflite_subset.fbs')
SCALARS = {'byte': 'b', 'ubyte': 'B', 'int': 'i', 'uint': 'I', 'long': 'q', 'float': 'f', 'bool': '?'}
TYPES = {'FLOAT32': np.float32, 'FLOAT16': np.float16, 'INT32': np.int32, 'UINT8': np.uint8, 'INT64': np.int64, 'BOOL': np.bool_,
         'INT16': np.int16, 'INT8': np.int8}


class Schema:
    """The enums, unions and tables of the schema, by name."""

    def __init__(self, path=SCHEMA):
        with open(path) as file:
            text = re.sub(r'//.*', '', file.read())
        self.enums, self.unions, self.tables = {}, {}, {}
        for name, kind, body in re.findall(r'enum (\w+)\s*:\s*(\w+)\s*\{([^}]*)\}', text):
            self.enums[name] = (kind, {int(number): value for value, number in re.findall(r'(\w+)\s*=\s*(\d+)', body)})
        for name, body in re.findall(r'union (\w+)\s*\{([^}]*)\}', text):
            self.unions[name] = {int(number): table for table, number in re.findall(r'(\w+)\s*=\s*(\d+)', body)}
        for name, body in re.findall(r'table (\w+)\s*\{([^}]*)\}', text):
            self.tables[name] = re.findall(r'(\w+)\s*:\s*(\[?\w+\]?)\s*(?:=\s*([\w.]+))?', body)


class Reader:
    """Turns the tables of a file into dicts, vectors of numbers into arrays."""

    def __init__(self, data, schema):
        self.data, self.schema = data, schema

    def number(self, at, code):
        return struct.unpack_from('<' + code, self.data, at)[0]

    def scalar_code(self, kind):
        return SCALARS[self.schema.enums[kind][0] if kind in self.schema.enums else kind]

    def value(self, at, kind):
        number = self.number(at, self.scalar_code(kind))
        return self.schema.enums[kind][1].get(number, number) if kind in self.schema.enums else number

    def pointed(self, at):
        return at + self.number(at, 'I')

    def vector(self, at, kind):
        count = self.number(at, 'I')
        if kind in self.schema.tables:
            return [self.table(self.pointed(at + 4 + 4 * i), kind) for i in range(count)]
        return np.frombuffer(self.data, np.dtype('<' + self.scalar_code(kind)), count, at + 4)

    def table(self, at, name):
        layout = at - self.number(at, 'i')
        size = self.number(layout, 'H')
        result, slot = {}, 4

        def place():
            nonlocal slot
            offset = self.number(layout + slot, 'H') if slot < size else 0
            slot += 2
            return at + offset if offset else None

        for member, kind, default in self.schema.tables[name]:
            if kind in self.schema.unions:  # two members: which table, and the table
                which, where = place(), place()
                table = self.schema.unions[kind].get(self.number(which, 'B')) if which else None
                result[member] = self.table(self.pointed(where), table) if table and where else {}
                continue
            where = place()
            if kind.startswith('['):
                result[member] = self.vector(self.pointed(where), kind[1:-1]) if where else []
            elif kind == 'string':
                start = self.pointed(where) if where else None
                result[member] = self.data[start + 4:start + 4 + self.number(start, 'I')].decode(errors='replace') if where else ''
            elif kind in self.schema.tables:
                result[member] = self.table(self.pointed(where), kind) if where else None
            elif where:
                result[member] = self.value(where, kind)
            elif kind in self.schema.enums:
                result[member] = self.schema.enums[kind][1][0]
            else:
                result[member] = float(default or 0) if kind == 'float' else int(default or 0)
        return result


@dataclass
class Tensor:
    name: str
    shape: tuple
    type: np.dtype
    value: np.ndarray = None       # of constants
    scales: np.ndarray = None      # of quantized tensors; several: one per channel of `axis`
    zero_points: np.ndarray = None
    axis: int = 0

    @property
    def quantized(self):
        return self.scales is not None and self.type in (np.uint8, np.int8)


@dataclass
class Operator:
    kind: str
    inputs: list
    outputs: list
    options: dict = field(default_factory=dict)
    custom: bytes = b''


@dataclass
class Model:
    tensors: list
    operators: list
    inputs: list
    outputs: list


def read(path):
    """The main graph of a file."""
    with open(path, 'rb') as file:
        data = file.read()
    schema = Schema()
    reader = Reader(data, schema)
    whole = reader.table(reader.pointed(0), 'Model')
    graph = whole['subgraphs'][0]
    tensors = []
    for table in graph['tensors']:
        bytes_ = whole['buffers'][table['buffer']]['data']
        kind = TYPES[table['type']]
        tensor = Tensor(table['name'], tuple(int(size) for size in table['shape']), kind)
        if len(bytes_):
            tensor.value = np.frombuffer(np.ascontiguousarray(bytes_), kind).reshape(tensor.shape)
        quantization = table['quantization']
        if quantization and len(quantization['scale']):
            tensor.scales = np.array(quantization['scale'], np.float32)
            zeros = np.array(quantization['zero_point'], np.int64)
            tensor.zero_points = zeros if len(zeros) else np.zeros(len(tensor.scales), np.int64)
            tensor.axis = quantization['quantized_dimension']
        tensors.append(tensor)
    names = schema.enums['BuiltinOperator'][1]
    kinds = []
    for code in whole['operator_codes']:
        number = code['builtin_code'] if not isinstance(code['builtin_code'], str) else None
        name = code['builtin_code'] if number is None else number
        old = code['deprecated_builtin_code']
        if name in (0, 'ADD') and old:  # files from before there were more than 127 operators
            name = names.get(old, old)
        kinds.append(code['custom_code'] if name == 'CUSTOM' else str(name))
    operators = [Operator(kinds[o['opcode_index']], [int(i) for i in o['inputs']], [int(i) for i in o['outputs']],
                          o['builtin_options'], bytes(o['custom_options'])) for o in graph['operators']]
    return Model(tensors, operators, [int(i) for i in graph['inputs']], [int(i) for i in graph['outputs']])
