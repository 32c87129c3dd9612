"""Reads .tflite files into plain data, and writes them. importers/tflite/tflite_subset.fbs, the schema of this project, says what a
table holds. Writing needs Debian's python3-flatbuffers.
"""

import os
import re
import struct
from dataclasses import dataclass, field

import numpy as np

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'importers', 'tflite', 'tflite_subset.fbs')
SCALARS = {'byte': 'b', 'ubyte': 'B', 'ushort': 'H', 'int': 'i', 'uint': 'I', 'long': 'q', 'float': 'f', 'bool': '?'}
TYPES = {'FLOAT32': np.float32, 'FLOAT16': np.float16, 'INT32': np.int32, 'UINT8': np.uint8, 'INT64': np.int64, 'BOOL': np.bool_,
         'INT16': np.int16, 'INT8': np.int8}


class Schema:
    """The enums, unions and tables of the schema, by name."""

    def __init__(self, path=SCHEMA):
        with open(path) as file:
            text = re.sub(r':\s*\w+\s*\(deprecated\)', ': deprecated', file.read())
            text = re.sub(r'//.*|\([^)]*\)', '', text)  # comments and other attributes
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
                result[member + '_type'] = table
                result[member] = self.table(self.pointed(where), table) if table and where else {}
                continue
            where = place()
            if kind == 'deprecated':  # of another type than the schema says
                continue
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


class TableWriter:
    """Writes dicts of the form that Reader makes; members may be missing."""

    def __init__(self, schema):
        import flatbuffers  # here, as readers need no package
        self.types = flatbuffers.number_types
        self.schema, self.builder = schema, flatbuffers.Builder(1 << 20)

    def scalar(self, kind, value):
        """Whose number it is in the file, and the number."""
        code = self.schema.enums[kind][0] if kind in self.schema.enums else kind
        if isinstance(value, str):
            value = next(number for number, name in self.schema.enums[kind][1].items() if name == value)
        flags = {'byte': self.types.Int8Flags, 'ubyte': self.types.Uint8Flags, 'ushort': self.types.Uint16Flags,
                 'int': self.types.Int32Flags, 'uint': self.types.Uint32Flags, 'long': self.types.Int64Flags,
                 'float': self.types.Float32Flags, 'bool': self.types.BoolFlags}
        return flags[code], flags[code].py_type(value)

    def vector(self, kind, values):
        if kind in self.schema.tables:
            offsets = [self.table(kind, value) for value in values]
            self.builder.StartVector(4, len(offsets), 4)
            for offset in reversed(offsets):
                self.builder.PrependUOffsetTRelative(offset)
            return self.builder.EndVector()
        data = np.asarray(values).astype('<' + SCALARS[kind])
        if kind == 'ubyte':  # values of constants, which readers use in place
            self.builder.Prep(16, data.size)
        return self.builder.CreateNumpyVector(data.reshape(-1))

    def child(self, kind, value):
        """Where a member that is no number was written."""
        if kind.startswith('['):
            return self.vector(kind[1:-1], value)
        return self.builder.CreateString(value) if kind == 'string' else self.table(kind, value)

    def table(self, name, values):
        slots, numbers, offsets = 0, [], []
        for member, kind, _ in self.schema.tables[name]:
            value = values.get(member)
            if kind in self.schema.unions:
                table = values.get(member + '_type')
                if table:
                    number = next(number for number, known in self.schema.unions[kind].items() if known == table)
                    numbers.append((slots, self.types.Uint8Flags, number))
                    offsets.append((slots + 1, self.table(table, value)))
                slots += 2
                continue
            if kind in SCALARS or kind in self.schema.enums:
                if value is not None:
                    numbers.append((slots, *self.scalar(kind, value)))
            elif value is not None and kind != 'deprecated' and (isinstance(value, dict) or len(value)):
                offsets.append((slots, self.child(kind, value)))
            slots += 1
        self.builder.StartObject(slots)
        for slot, flags, number in numbers:
            self.builder.PrependSlot(flags, slot, number, None)
        for slot, offset in offsets:
            self.builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
        return self.builder.EndObject()


def write_tables(path, model):
    """Writes a file of these tables, which have the form that read_tables returns."""
    writer = TableWriter(Schema())
    writer.builder.Finish(writer.table('Model', model), b'TFL3')
    with open(path, 'wb') as file:
        file.write(writer.builder.Output())


def read_tables(path):
    """All tables of a file as dicts, vectors of numbers as arrays."""
    with open(path, 'rb') as file:
        data = file.read()
    reader = Reader(data, Schema())
    return reader.table(reader.pointed(0), 'Model')


def read(path):
    """The main graph of a file."""
    whole = read_tables(path)
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
    names = Schema().enums['BuiltinOperator'][1]
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
