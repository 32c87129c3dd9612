"""Vectors and the arithmetic of the operations that sum products, for oracle_products.py.

The arithmetic is written down a second time from the definitions, independent of the reference kernels: convolutions as gathers
over taps, fixed-point rescaling as the definition words it. Float sums are taken in double precision: their order is left open.
"""

import base64
import json
import math

import numpy as np

FLOATS = {'f32': 'TENSOR_FLOAT32', 'f16': 'TENSOR_FLOAT16'}
BYTES = {'u8': 'TENSOR_QUANT8_ASYMM', 's8': 'TENSOR_QUANT8_ASYMM_SIGNED'}
PER_CHANNEL = 'TENSOR_QUANT8_SYMM_PER_CHANNEL'
STORED = {'TENSOR_FLOAT32': '<f4', 'TENSOR_FLOAT16': '<f2', 'TENSOR_INT32': '<i4', 'TENSOR_QUANT8_ASYMM': 'u1', 'BOOL': 'u1',
          'TENSOR_QUANT8_ASYMM_SIGNED': 'i1', PER_CHANNEL: 'i1', 'INT32': '<i4', 'FLOAT16': '<f2', 'FLOAT32': '<f4',
          'TENSOR_QUANT16_ASYMM': '<u2'}
CONV_KINDS = ['f32', 'f16', 'u8', 's8', 'u8pc', 's8pc']
F32 = np.float32


class T:
    """A tensor operand. `how`: input, const, ref, inner (made by a RESHAPE), inner0 (sizes open), innerU (rank open)."""

    def __init__(self, kind, values, scale=0.0, zero=0, channel=None, how='input', dims=None):
        self.kind, self.values = kind, np.asarray(values).astype(STORED[kind])
        self.scale, self.zero = float(F32(scale)), int(zero)
        self.channel, self.how, self.dims = channel, how, dims


class S:
    """A scalar operand; `how` is const or input."""

    def __init__(self, value, kind='INT32', how='const'):
        self.value, self.kind, self.how = value, kind, how


class Omitted:
    """An operand left out: in the model (NO_VALUE) or by the execution (an input without data)."""

    def __init__(self, kind, dims, how='model'):
        self.kind, self.dims, self.how = kind, dims, how


class Vector:
    """One line of a vector file."""

    def __init__(self, name, fail=False, relaxed=False):
        self.name, self.fail, self.relaxed = name, fail, relaxed
        self.operands, self.operations, self.inputs, self.outputs, self.scalars = [], [], [], [], {}

    def add(self, kind, dims, lifetime, data=b'', scale=0.0, zero=0, **extra):
        entry = {'type': kind, 'dims': [int(d) for d in dims], 'lifetime': lifetime, **extra}
        if scale or zero:
            entry.update(scale=scale, zero_point=zero)
        if data:
            entry['data'] = base64.b64encode(data).decode()
        self.operands.append(entry)
        index = len(self.operands) - 1
        if lifetime == 'SUBGRAPH_INPUT':
            self.inputs.append(index)
        if lifetime == 'SUBGRAPH_OUTPUT':
            self.outputs.append(index)
        return index

    def put(self, o):
        if isinstance(o, int):
            return o
        if isinstance(o, S):
            data = np.asarray([o.value]).astype(STORED[o.kind]).tobytes()
            if o.how == 'input':
                return self.add(o.kind, [], 'SUBGRAPH_INPUT', data)
            key = (o.kind, data)
            if key not in self.scalars:
                self.scalars[key] = self.add(o.kind, [], 'CONSTANT_COPY', data)
            return self.scalars[key]
        if isinstance(o, Omitted):
            return self.add(o.kind, o.dims, 'NO_VALUE' if o.how == 'model' else 'SUBGRAPH_INPUT')
        shape, data = o.values.shape, o.values.tobytes()
        extra = {'channel_quant': {'axis': o.channel[0], 'scales': [float(F32(s)) for s in o.channel[1]]}} if o.channel else {}
        if o.how in ('const', 'ref', 'input'):
            lifetime = {'const': 'CONSTANT_COPY', 'ref': 'CONSTANT_REFERENCE', 'input': 'SUBGRAPH_INPUT'}[o.how]
            return self.add(o.kind, o.dims or shape, lifetime, data, o.scale, o.zero, **extra)
        flat = self.add(o.kind, [o.values.size], 'SUBGRAPH_INPUT', data, o.scale, o.zero)
        sizes = self.add('TENSOR_INT32', [len(shape)], 'CONSTANT_COPY', np.asarray(shape, '<i4').tobytes())
        dims = {'inner': shape, 'inner0': [0] * len(shape), 'innerU': []}[o.how]
        made = self.add(o.kind, dims, 'TEMPORARY_VARIABLE', b'', o.scale, o.zero)
        self.operations.append({'type': 'RESHAPE', 'inputs': [flat, sizes], 'outputs': [made]})
        return made

    def run(self, operation, inputs, outputs, dims='full'):
        """`outputs`: T with the expected values; `dims`: full, zero (sizes unknown), none (rank unknown) or a list of dims."""
        ins, outs = [self.put(i) for i in inputs], []
        for o in outputs:
            shape = o.values.shape
            declared = {'full': shape, 'zero': [0] * len(shape), 'none': []}[dims] if isinstance(dims, str) else dims
            extra = {} if list(declared) == list(shape) and 0 not in shape else {'expected_dims': [int(d) for d in shape]}
            outs.append(self.add(o.kind, declared, 'SUBGRAPH_OUTPUT', o.values.tobytes(), o.scale, o.zero, **extra))
        self.operations.append({'type': operation, 'inputs': ins, 'outputs': outs})
        return self

    def json(self):
        flags = {'relaxed': True} if self.relaxed else {'expect_failure': True} if self.fail else {}
        main = {'operands': self.operands, 'operations': self.operations, 'inputs': self.inputs, 'outputs': self.outputs}
        line = {'name': 'products_' + self.name, 'spec': 'own/products', 'feature_level': 7, **flags, 'main': main}
        return json.dumps(line, separators=(',', ':'))


# ---- the arithmetic of the definitions ----

def wrap(x):
    return (int(x) + 2**31) % 2**32 - 2**31


def decompose(r):
    """DEC: r as a 31-bit mantissa and an exponent."""
    if r == 0:
        return 0, 0
    f, e = math.frexp(r)
    m = math.floor(f * 2**31 + 0.5)
    if m == 2**31:
        m, e = 2**30, e + 1
    return (0, 0) if e < -31 else (m, e)


def rescale(x, m, e):
    """SCALE: two roundings, the left shift wraps."""
    p = wrap(x << max(e, 0)) * m
    n = p + (2**30 if p >= 0 else 1 - 2**30)
    y = n // 2**31 if n >= 0 else -(-n // 2**31)
    k = max(-e, 0)
    half = (1 << k) >> 1
    return (abs(y) + half >> k) * (1 if y >= 0 else -1)


def half_away(x):
    return int(math.floor(abs(float(x)) + 0.5)) * (1 if x >= 0 else -1)


def limits(act, scale, zero, lo, hi):
    """Fused-activation limits of a quantized output."""
    at = lambda f: zero + half_away(F32(f) / F32(scale))
    return {0: (lo, hi), 1: (max(lo, zero), hi), 2: (max(lo, at(-1)), min(hi, at(1))), 3: (max(lo, zero), min(hi, at(6)))}[act]


def quantized(acc, ratios, act, scale, zero, kind):
    """acc [..., channels] to stored bytes; one ratio for all channels or one each."""
    lo, hi = (0, 255) if kind == 'u8' else (-128, 127)
    lo, hi = limits(act, scale, zero, lo, hi)
    parts = [decompose(r) for r in ratios]
    flat = acc.reshape(-1, acc.shape[-1]) if acc.size else acc.reshape(0, 1)
    rows = [[min(hi, max(lo, rescale(wrap(v), *parts[c % len(parts)]) + zero)) for c, v in enumerate(row)] for row in flat]
    return np.asarray(rows, np.int64).reshape(acc.shape)


def clamp(x, act, kind):
    top = float(np.finfo(np.float32).max)
    lo, hi = {0: (-top, top), 1: (0, top), 2: (-1, 1), 3: (0, 6)}[act]
    y = np.minimum(np.maximum(x, lo), hi).astype(np.float32)
    return y.astype(np.float16) if kind == 'f16' else y


def padding(size, f, stride, dilation, scheme):
    """Head and tail of an implicit scheme."""
    if scheme == 2:
        return 0, 0
    total = max(0, (-(-size // stride) - 1) * stride + (f - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def convolve(x, w, groups, pads, strides, dilations):
    """x [n,h,w,ci], w [co,fh,fw,ci/groups]; pads (left, right, top, bottom); strides, dilations (horizontal, vertical)."""
    (n, h, wd, ci), (co, fh, fw, cg) = x.shape, w.shape
    out = lambda size, f, s, d, a, b: int((size - ((f - 1) * d + 1) + s + a + b) / s)
    oh, ow = out(h, fh, strides[1], dilations[1], pads[2], pads[3]), out(wd, fw, strides[0], dilations[0], pads[0], pads[1])
    acc, og = np.zeros((n, oh, ow, co), x.dtype), co // groups
    for y in range(oh):
        for z in range(ow):
            for i in range(fh):
                for j in range(fw):
                    a, b = y * strides[1] - pads[2] + i * dilations[1], z * strides[0] - pads[0] + j * dilations[0]
                    if 0 <= a < h and 0 <= b < wd:
                        for g in range(groups):
                            acc[:, y, z, g * og:(g + 1) * og] += x[:, a, b, g * cg:(g + 1) * cg] @ w[g * og:(g + 1) * og, i, j].T
    return acc


def scatter(x, w, pads, strides):
    """Transposed convolution; tails may be negative."""
    (n, h, wd, ci), (co, fh, fw, _) = x.shape, w.shape
    oh = h * strides[1] + fh - strides[1] - pads[2] - pads[3]
    ow = wd * strides[0] + fw - strides[0] - pads[0] - pads[1]
    acc = np.zeros((n, max(oh, 0), max(ow, 0), co), x.dtype)
    for a in range(h):
        for b in range(wd):
            for i in range(fh):
                for j in range(fw):
                    y, z = a * strides[1] - pads[2] + i, b * strides[0] - pads[0] + j
                    if 0 <= y < oh and 0 <= z < ow:
                        acc[:, y, z] += x[:, a, b] @ w[:, i, j].T
    return acc


def transposed_padding(wanted, f, stride, scheme):
    if scheme == 2:
        return 0, 0
    need = (-(-wanted // stride) - 1) * stride + f
    head = (need - wanted) // 2 if need > wanted else 0
    return head, need - wanted - head


# ---- operands of a weighted sum, for every combination of types ----

class Sum:
    """Input, weights and bias of random values of one kind, and the finishing of their accumulator."""

    def __init__(self, rng, kind, x_shape, w_shape, units, taps, axis=0, act=0, ratio=None, nudge=0):
        self.kind, self.act = kind, act
        base, per_channel = kind[:2] if kind[0] != 'f' else kind, kind.endswith('pc')
        self.base = base
        if kind in FLOATS:
            t = FLOATS[kind]
            spread = 1 if taps < 64 else 8 / math.sqrt(taps)
            x, w = rng.uniform(-2, 2, x_shape), rng.uniform(-1, 1, w_shape) * spread
            b = rng.uniform(-1, 1, units)
            self.x, self.w, self.b = T(t, x), T(t, w), T(t, b)
            self.ax, self.aw, self.ab = (v.values.astype(np.float64) for v in (self.x, self.w, self.b))
            self.out = (t, 0.0, 0)
            return
        shift, t = (128, BYTES['s8']) if base == 's8' else (0, BYTES['u8'])
        pick = lambda values: values[rng.integers(len(values))]
        zx, zw, zo = pick([0, 128, 255, 77, 3]), pick([0, 128, 255, 120, 200]), pick([0, 128, 255, 100, 13])
        sx, sw = pick([0.5, 0.25, 0.0078125, 0.1, 1.0, 0.0235, 3.0]), pick([0.5, 0.125, 0.003, 0.07, 1.0, 0.9])
        x = rng.integers(0, 256, x_shape) - shift
        if rng.integers(8) == 0:
            x = rng.choice([0, 255], x_shape) - shift
        self.x = T(t, x, sx, zx - shift)
        if per_channel:
            scales = [float(F32(sw * pick([0.3, 1.0, 0.01, 2.7, 0.5]))) for _ in range(w_shape[axis])]
            w, zw = rng.integers(-128 if rng.integers(2) else -127, 128, w_shape), 0
            self.w = T(PER_CHANNEL, w, 0, 0, (axis, scales))
        else:
            scales, w, zw = [float(F32(sw))], rng.integers(0, 256, w_shape) - shift, zw - shift
            self.w = T(t, w, sw, zw)
        products = [float(F32(F32(sx) * F32(s))) for s in scales]
        if ratio is None:
            ratio = pick([1 / 40, 1 / 100, 1 / 100, 1 / 300, 1 / 1000, 0.9999, 1.7, 1 / 7e4])
        so = float(F32(products[0] / (ratio / math.sqrt(max(taps, 1))) if ratio < 1 else products[0] / ratio))
        b = (rng.normal(0, 4000 * math.sqrt(taps), units)).astype(np.int64)
        bias_scale = 0.0 if per_channel else float(F32(products[0] * (1 + nudge)))
        self.b = T('TENSOR_INT32', b, bias_scale)
        self.ax, self.aw, self.ab = x.astype(np.int64) - (zx - shift), w.astype(np.int64) - zw, b
        self.out, self.ratios = (t, so, zo - shift), [p / so for p in products]

    def finish(self, acc):
        """The expected output tensor of an accumulator [..., units] without bias."""
        acc = acc + self.ab
        t, so, zo = self.out
        if self.kind in FLOATS:
            return T(t, clamp(acc, self.act, self.kind))
        return T(t, quantized(acc, self.ratios, self.act, so, zo, self.base), so, zo)


def nchw(t):
    t.values = np.ascontiguousarray(np.moveaxis(t.values, -1, 1))
    return t


def lifetimes(rng, kind, x, w, b):
    """Every tensor in a random role; per-channel weights and biases cannot come from RESHAPE."""
    pick = lambda values: values[rng.integers(len(values))]
    x.how = pick(['input', 'input', 'inner', 'inner0', 'innerU', 'const'])
    w.how = pick(['const', 'ref', 'input'] + ([] if w.kind == PER_CHANNEL else ['inner', 'inner0', 'innerU']))
    b.how = pick(['const', 'ref', 'input'] + ([] if kind not in FLOATS else ['inner', 'innerU']))
    if x.how == 'const' and w.how in ('const', 'ref') and b.how in ('const', 'ref'):
        x.how = 'input'


def choice(rng, values):
    return values[rng.integers(len(values))]


def cell_act(x, act):
    """Activation of a recurrent cell."""
    x = np.asarray(x, np.float64)
    return {0: lambda: x, 1: lambda: np.maximum(x, 0), 2: lambda: np.clip(x, -1, 1), 3: lambda: np.clip(x, 0, 6),
            4: lambda: np.tanh(x), 6: lambda: 1 / (1 + np.exp(-x))}[act]()


def of(kind, rng, shape, spread=1.0):
    return T(FLOATS[kind], rng.uniform(-spread, spread, shape))


def wide(t):
    return t.values.astype(np.float64)


def narrow(kind, x):
    """What a cell hands on: the state of a float16 sequence is itself float16."""
    return np.asarray(x).astype(np.float32).astype(np.float16 if kind == 'f16' else np.float32)


def sequence(kind, act, steps, terms, bias, recurrent, state):
    """Runs one direction; `terms`: pairs of a sequence [time, batch, k] and weights [units, k]. Returns outputs and last h."""
    h, out = wide(state), {}
    for t in steps:
        s = wide(bias) + sum(seq[t] @ wide(w).T for seq, w in terms) + h @ wide(recurrent).T
        h = narrow(kind, cell_act(s, act)).astype(np.float64)
        out[t] = h
    return np.stack([out[t] for t in range(len(steps))]), h
