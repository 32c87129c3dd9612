#!/usr/bin/python3
"""Writes own/products.jsonl: vectors of the operations that sum products (convolutions, matrix products, recurrent cells), with
expectations computed in product_arithmetic.py from the definitions of the operations.

Usage: oracle_products.py [--all FOLDER]: with --all every vector, one file per operation; otherwise the selection kept in own/.
"""

import math
import os
import sys

import numpy as np

from product_arithmetic import (BYTES, CONV_KINDS, F32, FLOATS, Omitted, S, Sum, T, Vector, cell_act, choice, clamp, convolve,
                                lifetimes, narrow, nchw, of, padding, quantized, scatter, sequence, transposed_padding, wide,
                                wrap)

HERE = os.path.dirname(os.path.abspath(__file__))


# ---- random configurations; each function yields vectors ----

def windows(operation, count, big=False):
    """CONV_2D, DEPTHWISE_CONV_2D and GROUPED_CONV_2D in random configurations."""
    depthwise, grouped = operation == 'DEPTHWISE_CONV_2D', operation == 'GROUPED_CONV_2D'
    for n in range(count):
        rng = np.random.default_rng([ord(operation[0]), n, int(big)])
        kind = CONV_KINDS[n % 6]
        implicit, flag = choice(rng, [0, 1, 2]), choice(rng, [None, False, True, True])
        dilated = not grouped and flag is not None and rng.integers(2) == 1
        flag = bool(flag) if grouped else flag
        fh, fw = rng.integers(1, 4, 2)
        sw, sh = (rng.integers(1, 4, 2) if rng.integers(2) else (1, 1))
        dw, dh = rng.integers(1, 4, 2) if dilated else (1, 1)
        eh, ew = (fh - 1) * dh + 1, (fw - 1) * dw + 1
        extra = choice(rng, [5, 9, 17]) if big else 5
        h, w = eh + rng.integers(0, extra), ew + rng.integers(0, extra)
        batch = rng.integers(1, 4)
        widest = [3, 8, 16, 17, 33] if big else [1, 2, 3, 4, 5]
        groups, ci = 1, int(choice(rng, widest))
        co = int(choice(rng, widest))
        if grouped:
            groups = int(choice(rng, [1, 2, 3, 4]))
            cg, co = int(choice(rng, [1, 2, 3, 4, 8] if big else [1, 2, 3])), groups * int(choice(rng, [1, 2, 3, 4]))
            ci = cg * groups
        multiplier = int(choice(rng, [1, 1, 2, 3, 4]))
        if depthwise:
            co = groups = ci
            co = ci * multiplier
        w_shape = (1, fh, fw, co) if depthwise else (co, fh, fw, ci // groups)
        act = int(rng.integers(4))
        taps = fh * fw * (1 if depthwise else ci // groups)
        s = Sum(rng, kind, (batch, h, w, ci), w_shape, co, taps, 3 if depthwise else 0, act,
                nudge=choice(rng, [0, 0, 7e-7, -7e-7]))
        aw = np.transpose(s.aw, (3, 1, 2, 0)) if depthwise else s.aw
        if implicit:
            pads = padding(w, fw, sw, dw, implicit) + padding(h, fh, sh, dh, implicit)
            numbers = [implicit]
        else:
            pads = [int(rng.integers(0, e)) for e in (ew, ew, eh, eh)]
            numbers = list(pads)
        out = s.finish(convolve(s.ax, aw, groups, pads, (sw, sh), (dw, dh)))
        if flag:
            nchw(s.x), nchw(out)
        lifetimes(rng, kind, s.x, s.w, s.b)
        numbers += [sw, sh] + ([groups] if grouped else [multiplier] if depthwise else []) + [act]
        how = choice(rng, ['const', 'const', 'const', 'input'])
        tail = [] if flag is None else [S(flag, 'BOOL', how)]
        tail += [S(dw, how=how), S(dh, how=how)] if dilated else []
        dims = choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'{operation.lower()}_{"big_" if big else ""}{n}_{kind}_{["explicit", "same", "valid"][implicit]}'
                   f'{"_nchw" if flag else ""}_{s.x.how}_{s.w.how}_{s.b.how}_{dims}_{how}', relaxed=kind == 'f32' and n % 12 == 6)
        yield v.run(operation, [s.x, s.w, s.b] + [S(int(a), how=how) for a in numbers] + tail, [out], dims)


def transposed(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([91, n, int(big)])
        kind = CONV_KINDS[n % 6]
        implicit, flag = choice(rng, [0, 1, 2]), bool(rng.integers(2))
        fh, fw = (int(v) for v in rng.integers(1, 5, 2))
        sw, sh = (int(v) for v in rng.integers(1, 4, 2))
        h, w = (int(v) for v in rng.integers(1, 9 if big else 5, 2))
        batch, act = int(rng.integers(1, 3)), int(rng.integers(4))
        ci, co = (int(choice(rng, [3, 8, 16, 17] if big else [1, 2, 3, 4])) for _ in range(2))
        if implicit:
            # The wanted size agrees with the input, or (one time in three) does not.
            wanted = [(size - 1) * s + int(rng.integers(1, s + 1)) + (int(rng.integers(-2, 3)) if rng.integers(3) == 0 else 0)
                      for size, s in ((h, sh), (w, sw))]
            wanted = [max(1, v) for v in wanted]
            pads = transposed_padding(wanted[1], fw, sw, implicit) + transposed_padding(wanted[0], fh, sh, implicit)
        else:
            pads = [int(rng.integers(0, fw)), int(rng.integers(-2, fw)), int(rng.integers(0, fh)), int(rng.integers(-2, fh))]
        if h * sh + fh - sh - pads[2] - pads[3] <= 0 or w * sw + fw - sw - pads[0] - pads[1] <= 0:
            continue
        s = Sum(rng, kind, (batch, h, w, ci), (co, fh, fw, ci), co, max(1, fh * fw * ci // (sw * sh)), 0, act)
        out = s.finish(scatter(s.ax, s.aw, pads, (sw, sh)))
        how = choice(rng, ['const', 'const', 'const', 'input'])
        if implicit:
            shape = [batch, co] + wanted if flag else [batch] + wanted + [co]
            if rng.integers(4) == 0:
                shape[0], shape[1 if flag else 3] = 7, 9    # never used
            numbers = [T('TENSOR_INT32', shape, how=choice(rng, ['const', 'const', 'input'])), S(implicit, how=how)]
        else:
            numbers = [S(p, how=how) for p in pads]
        numbers += [S(sw, how=how), S(sh, how=how), S(act, how=how), S(flag, 'BOOL', how)]
        if flag:
            nchw(s.x), nchw(out)
        lifetimes(rng, kind, s.x, s.w, s.b)
        dims = choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'transpose_conv_2d_{"big_" if big else ""}{n}_{kind}_{["explicit", "same", "valid"][implicit]}'
                   f'{"_nchw" if flag else ""}_{s.x.how}_{s.w.how}_{s.b.how}_{dims}_{how}', relaxed=kind == 'f32' and n % 12 == 6)
        yield v.run('TRANSPOSE_CONV_2D', [s.x, s.w, s.b] + numbers, [out], dims)


def fully_connected(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([9, n, int(big)])
        kind = CONV_KINDS[n % 4]
        size, units = (int(v) for v in rng.integers(1, 150 if big else 9, 2))
        shape = choice(rng, [[2, size], [1, size], [5, size], [3, 2, size], [2, 1, 3, size], [2, 3, 1, size],
                             [size, 2], [size, 3, 1, 1], [1, 1, 1, size * 2]])
        act, batch = int(rng.integers(4)), int(np.prod(shape)) // size
        s = Sum(rng, kind, shape, (units, size), units, size, 0, act, nudge=choice(rng, [0, 0, 7e-7, -7e-7]))
        out = s.finish(s.ax.reshape(batch, size) @ s.aw.T)
        lifetimes(rng, kind, s.x, s.w, s.b)
        how = choice(rng, ['const', 'const', 'input'])
        dims = choice(rng, ['full', 'full', 'zero', 'none', [0, units], [batch, 0]])
        label = dims if isinstance(dims, str) else 'partly'
        v = Vector(f'fully_connected_{"big_" if big else ""}{n}_{kind}_rank{len(shape)}_{s.x.how}_{s.w.how}_{s.b.how}'
                   f'_{label}_{how}')
        yield v.run('FULLY_CONNECTED', [s.x, s.w, s.b, S(act, how=how)], [out], dims)


def batch_matmul(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([102, n, int(big)])
        kind, rank = ['f32', 'f16', 's8', 'i32'][n % 4], int(rng.integers(2, 5))
        r, k, c = (int(v) for v in rng.integers(1, 70 if big else 8, 3))
        lead = [int(v) for v in rng.integers(1, 4, rank - 2)]
        ax, ay = (bool(v) for v in rng.integers(0, 2, 2))
        xs, ys = lead + ([k, r] if ax else [r, k]), lead + ([c, k] if ay else [k, c])
        if kind in FLOATS:
            x, y = (T(FLOATS[kind], rng.uniform(-1, 1, sh)) for sh in (xs, ys))
            a, b = (v.values.astype(np.float64) for v in (x, y))
        elif kind == 'i32':
            edge = rng.integers(3) == 0
            top = 2**31 if edge else 1000
            x, y = (T('TENSOR_INT32', rng.integers(-top, top, sh)) for sh in (xs, ys))
            a, b = (v.values.astype(object) for v in (x, y))
        else:
            sx, sy = (float(F32(choice(rng, [0.5, 0.01, 1.0, 0.0235, 2.0]))) for _ in range(2))
            zx, zy, zo = (int(choice(rng, [0, -128, 127, 5, -77])) for _ in range(3))
            x, y = T(BYTES['s8'], rng.integers(-128, 128, xs), sx, zx), T(BYTES['s8'], rng.integers(-128, 128, ys), sy, zy)
            a, b = x.values.astype(np.int64) - zx, y.values.astype(np.int64) - zy
            product = float(F32(F32(sx) * F32(sy)))
            so = float(F32(product * math.sqrt(k) * choice(rng, [40, 100, 300, 1000, 1, 0.3])))
        a, b = (np.swapaxes(a, -1, -2) if ax else a), (np.swapaxes(b, -1, -2) if ay else b)
        acc = a @ b
        if kind in FLOATS:
            out = T(FLOATS[kind], acc.astype(np.float32))
        elif kind == 'i32':
            out = T('TENSOR_INT32', np.vectorize(wrap)(acc).astype(np.int64))
        else:
            out = T(BYTES['s8'], quantized(acc, [product / so], 0, so, zo, 's8'), so, zo)
        pick = ['input', 'const', 'ref', 'inner', 'inner0', 'innerU'] if kind != 'i32' else ['input', 'const', 'ref', 'inner']
        x.how, y.how = choice(rng, pick), choice(rng, pick)
        if x.how in ('const', 'ref') and y.how in ('const', 'ref'):
            x.how = 'input'
        how, dims = choice(rng, ['const', 'const', 'input']), choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'batch_matmul_{"big_" if big else ""}{n}_{kind}_rank{rank}{"_adjx" if ax else ""}{"_adjy" if ay else ""}'
                   f'_{x.how}_{y.how}_{dims}_{how}')
        yield v.run('BATCH_MATMUL', [x, y, S(ax, 'BOOL', how), S(ay, 'BOOL', how)], [out], dims)


def roles(rng, tensors):
    for t in tensors:
        if isinstance(t, T):
            t.how = choice(rng, ['input', 'input', 'const', 'ref', 'inner', 'inner0', 'innerU'])
    if isinstance(tensors[0], T):
        tensors[0].how = choice(rng, ['input', 'inner', 'innerU'])


def svdf(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([27, n, int(big)])
        kind, rank = ['f32', 'f16'][n % 2], int(choice(rng, [1, 1, 2, 3]))
        batch, size, units, memory = (int(v) for v in rng.integers(1, 40 if big else 6, 4))
        filters, act = units * rank, int(rng.integers(4))
        x, wf, wt = of(kind, rng, [batch, size]), of(kind, rng, [filters, size]), of(kind, rng, [filters, memory])
        state, bias = of(kind, rng, [batch, memory * filters]), of(kind, rng, [units])
        s = wide(state).reshape(batch, filters, memory).copy()
        s[:, :, -1] = wide(x) @ wide(wf).T
        p = (s * wide(wt)).sum(-1).reshape(batch, units, rank).sum(-1)
        given = n % 3 != 0
        y = clamp(p + (wide(bias) if given else 0), act, kind)
        after = np.concatenate([s[:, :, 1:], np.zeros((batch, filters, 1))], -1).reshape(batch, -1)
        roles(rng, [x, wf, wt, state, bias])
        if not given:
            bias = Omitted(FLOATS[kind], choice(rng, [[0], [units], []]), choice(rng, ['model', 'execution']))
            if bias.how == 'execution' and bias.dims == []:
                bias.dims = [0]
        how, dims = choice(rng, ['const', 'const', 'input']), choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'svdf_{"big_" if big else ""}{n}_{kind}_rank{rank}_{"bias" if given else "nobias_" + bias.how}_{dims}_{how}')
        yield v.run('SVDF', [x, wf, wt, bias, state, S(rank, how=how), S(act, how=how)],
                    [T(FLOATS[kind], after), T(FLOATS[kind], y)], dims)


def rnn(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([24, n, int(big)])
        kind, act = ['f32', 'f16'][n % 2], int(choice(rng, [0, 1, 2, 3]))
        batch, size, units = (int(v) for v in rng.integers(1, 40 if big else 7, 3))
        x, w, r = of(kind, rng, [batch, size], 2), of(kind, rng, [units, size]), of(kind, rng, [units, units])
        b, h = of(kind, rng, [units], 2), of(kind, rng, [batch, units], 2)
        out = T(FLOATS[kind], narrow(kind, cell_act(wide(b) + wide(x) @ wide(w).T + wide(h) @ wide(r).T, act)))
        roles(rng, [x, w, r, b, h])
        how, dims = choice(rng, ['const', 'const', 'input']), choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'rnn_{"big_" if big else ""}{n}_{kind}_act{act}_{dims}_{how}')
        yield v.run('RNN', [x, w, r, b, h, S(act, how=how)], [out, out], dims)


def unidirectional(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([93, n, int(big)])
        kind, act, major, states = ['f32', 'f16'][n % 2], int(choice(rng, [0, 1, 3, 4, 6])), int(rng.integers(2)), n % 3 != 0
        time, batch, size, units = (int(v) for v in rng.integers(1, 20 if big else 6, 4))
        spread = 1 / math.sqrt(units)
        x, w = of(kind, rng, [time, batch, size]), of(kind, rng, [units, size])
        r, b, h = of(kind, rng, [units, units], spread), of(kind, rng, [units]), of(kind, rng, [batch, units], 2)
        y, last = sequence(kind, act, range(time), [(wide(x), w)], b, r, h)
        if not major:
            x.values, y = (np.ascontiguousarray(np.swapaxes(v, 0, 1)) for v in (x.values, y))
        roles(rng, [x, w, r, b, h])
        how, dims = choice(rng, ['const', 'const', 'input']), choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'unidirectional_sequence_rnn_{"big_" if big else ""}{n}_{kind}_act{act}_major{major}_{dims}_{how}')
        outs = [T(FLOATS[kind], y)] + ([T(FLOATS[kind], last)] if states else [])
        yield v.run('UNIDIRECTIONAL_SEQUENCE_RNN', [x, w, r, b, h, S(act, how=how), S(major, how=how)], outs, dims)


def bidirectional(count, big=False):
    for n in range(count):
        rng = np.random.default_rng([42, n, int(big)])
        kind, act, major = ['f32', 'f16'][n % 2], int(choice(rng, [0, 1, 3, 4, 6])), bool(rng.integers(2))
        link, merged, states = choice(rng, ['none', 'parallel', 'cross']), bool(rng.integers(2)), bool(rng.integers(2))
        time, batch, size, fu, bu, aux = (int(v) for v in rng.integers(1, 20 if big else 6, 6))
        t = FLOATS[kind]
        x, a = of(kind, rng, [time, batch, size]), of(kind, rng, [time, batch, aux])
        bsize = aux if link == 'parallel' else size
        fw, bw = of(kind, rng, [fu, size]), of(kind, rng, [bu, bsize])
        fr, br = of(kind, rng, [fu, fu], 1 / math.sqrt(fu)), of(kind, rng, [bu, bu], 1 / math.sqrt(bu))
        fb, bb, fh, bh = of(kind, rng, [fu]), of(kind, rng, [bu]), of(kind, rng, [batch, fu]), of(kind, rng, [batch, bu])
        fa, ba = of(kind, rng, [fu, aux]), of(kind, rng, [bu, aux])
        cross = link == 'cross'
        fy, fl = sequence(kind, act, range(time), [(wide(x), fw)] + ([(wide(a), fa)] if cross else []), fb, fr, fh)
        by, bl = sequence(kind, act, range(time - 1, -1, -1), [(wide(a if link == 'parallel' else x), bw)] +
                          ([(wide(a), ba)] if cross else []), bb, br, bh)
        if not major:
            x.values, a.values, fy, by = (np.ascontiguousarray(np.swapaxes(v, 0, 1)) for v in (x.values, a.values, fy, by))
        outs = [T(t, np.concatenate([fy, by], -1))] if merged else [T(t, fy), T(t, by)]
        outs += [T(t, fl), T(t, bl)] if states else []
        roles(rng, [x, fw, fr, fb, fh, bw, br, bb, bh, a, fa, ba])
        none = lambda dims: Omitted(t, choice(rng, [[0], dims, []]), 'model') if rng.integers(2) else Omitted(
            t, choice(rng, [[0], dims]), 'execution')
        aux_in = none([time, batch, aux]) if link == 'none' else a
        wa, wb = (fa, ba) if cross else (none([fu, aux]), none([bu, aux]))
        how, dims = choice(rng, ['const', 'const', 'input']), choice(rng, ['full', 'full', 'zero', 'none'])
        v = Vector(f'bidirectional_sequence_rnn_{"big_" if big else ""}{n}_{kind}_{link}_act{act}_major{int(major)}'
                   f'_merged{int(merged)}_states{int(states)}_{dims}_{how}')
        yield v.run('BIDIRECTIONAL_SEQUENCE_RNN', [x, fw, fr, fb, fh, bw, br, bb, bh, aux_in, wa, wb, S(act, how=how),
                                                   S(major, 'BOOL', how), S(merged, 'BOOL', how)], outs, dims)




# ---- cases chosen by hand ----

def plain(operation, kind, act=0, seed=0):
    """A small valid case with explicit padding: the sum, its scalar operands and the accumulator."""
    rng = np.random.default_rng([5, seed])
    if operation == 'FULLY_CONNECTED':
        s = Sum(rng, kind, (2, 4), (3, 4), 3, 4, 0, act)
        return s, [S(act)], s.ax @ s.aw.T
    depthwise, grouped = operation == 'DEPTHWISE_CONV_2D', operation == 'GROUPED_CONV_2D'
    depth = 1 if depthwise else 2 if grouped else 4
    s = Sum(rng, kind, (1, 4, 3, 4), (1, 3, 3, 4) if depthwise else (4, 3, 3, depth), 4, 9 * depth, 3 if depthwise else 0, act)
    if operation == 'TRANSPOSE_CONV_2D':
        return s, [S(v) for v in (1, 0, 1, 0, 2, 2, act)] + [S(False, 'BOOL')], scatter(s.ax, s.aw, (1, 0, 1, 0), (2, 2))
    groups = [4] if depthwise else [2] if grouped else []
    numbers = [1, 1, 1, 1, 1, 1] + ([1] if depthwise else groups) + [act]
    weights = np.transpose(s.aw, (3, 1, 2, 0)) if depthwise else s.aw
    acc = convolve(s.ax, weights, groups[0] if groups else 1, (1, 1, 1, 1), (1, 1), (1, 1))
    return s, [S(v) for v in numbers] + [S(False, 'BOOL')], acc


SUMS = ['CONV_2D', 'DEPTHWISE_CONV_2D', 'GROUPED_CONV_2D', 'TRANSPOSE_CONV_2D', 'FULLY_CONNECTED']


def no_pictures(v, t, depth, scale, zero):
    """Adds a batch of zero pictures [0, 4, 3, depth]: ROI_ALIGN of the boxes that BOX_WITH_NMS_LIMIT did not find."""
    half, float_type = 'FLOAT16' if t == FLOATS['f16'] else 'FLOAT32', t in FLOATS.values()
    shift = 128 if t == BYTES['s8'] else 0
    scores = T(t, [[0.9, 0.025]] if float_type else [[137 - shift, 129 - shift]], 0 if float_type else 0.1,
               0 if float_type else 128 - shift, how='const')
    boxes = np.asarray([[1, 1, 10, 10, 0, 0, 10, 10]])
    rois = T(t, boxes, how='const') if float_type else T('TENSOR_QUANT16_ASYMM', boxes * 8, 0.125, how='const')
    ins = [scores, rois, T('TENSOR_INT32', [0], how='const'), S(0.3, half), S(-1), S(0), S(0.4, half), S(1.0, half), S(0.3, half)]
    outs = [v.add(t, [0], 'SUBGRAPH_OUTPUT', b'', scores.scale, scores.zero, expected_dims=[0]),
            v.add(rois.kind, [0, 4], 'TEMPORARY_VARIABLE', b'', rois.scale),
            v.add('TENSOR_INT32', [0], 'SUBGRAPH_OUTPUT', expected_dims=[0]), v.add('TENSOR_INT32', [0], 'TEMPORARY_VARIABLE')]
    v.operations.append({'type': 'BOX_WITH_NMS_LIMIT', 'inputs': [v.put(i) for i in ins], 'outputs': outs})
    picture = v.put(T(t, np.ones((1, 1, 1, depth)), scale, zero))
    numbers = [S(4), S(3), S(2.0, half), S(2.0, half), S(4), S(4), S(False, 'BOOL')]
    made = v.add(t, [0, 4, 3, depth], 'TEMPORARY_VARIABLE', b'', scale, zero)
    ins = [picture, outs[1], outs[3]] + [v.put(i) for i in numbers]
    v.operations.append({'type': 'ROI_ALIGN', 'inputs': ins, 'outputs': [made]})
    return made


def zero_batches():
    for operation, kind in zip(SUMS, ['f16', 'u8pc', 'f32', 's8', 'u8']):
        s, numbers, acc = plain(operation, kind)
        v = Vector(f'{operation.lower()}_zero_batch_{kind}', fail=operation == 'GROUPED_CONV_2D')
        x = no_pictures(v, s.x.kind, 4, s.x.scale, s.x.zero)
        s.w.how = s.b.how = 'const'
        yield v.run(operation, [x, s.w, s.b] + numbers, [T(s.out[0], np.zeros((0,) + acc.shape[1:]), *s.out[1:])], 'none')


def extremes():
    """Multipliers that vanish, shift to the left or wrap; biases near the ends of int32; float sums beyond the range."""
    edges = [('vanishes', 2.0**-40, 0), ('wraps', 2.0**20 * 1.3, 0),
             ('top', 1 / 3e7, 2**31 - 2**24), ('bottom', 1 / 3e7, 2**24 - 2**31)]
    kinds = {'FULLY_CONNECTED': ['u8', 's8', 'u8', 's8']}
    for n, operation in enumerate(SUMS):
        for (label, ratio, bias), kind in list(zip(edges, kinds.get(operation, ['u8', 's8pc', 's8', 'u8pc'])))[n % 2::2]:
            s, numbers, acc = plain(operation, kind, seed=3)
            products = [r * s.out[1] for r in s.ratios]
            s.out = (s.out[0], float(F32(products[0] / ratio)), s.out[2])
            s.ratios = [p / s.out[1] for p in products]
            if bias:
                s.ab = np.full(s.ab.shape, bias, np.int64)
                s.b = T('TENSOR_INT32', s.ab, s.b.scale)
            yield Vector(f'{operation.lower()}_{kind}_{label}').run(operation, [s.x, s.w, s.b] + numbers, [s.finish(acc)])
        if n % 4:
            continue
        s, numbers, acc = plain(operation, 'f32', act=1)
        s.x.values[:], s.w.values[:] = 2e38, 4
        top = T(s.out[0], np.full(acc.shape, np.finfo(np.float32).max))
        yield Vector(f'{operation.lower()}_overflow').run(operation, [s.x, s.w, s.b] + numbers, [top])


def padded_beforehand():
    """A PAD wider than the filter may not become padding of the convolution, which must stay below the filter's extent."""
    for operation, kind, width in (('CONV_2D', 'f32', 3), ('CONV_2D', 's8pc', 5), ('CONV_2D', 'u8', 1),
                                   ('DEPTHWISE_CONV_2D', 'u8', 3)):
        s, numbers, _ = plain(operation, kind)
        widths = [(0, 0), (width, 1), (0, width), (0, 0)]
        depthwise = operation[0] == 'D'
        weights = np.transpose(s.aw, (3, 1, 2, 0)) if depthwise else s.aw
        acc = convolve(np.pad(s.ax, widths), weights, 4 if depthwise else 1, (1, 1, 1, 1), (1, 1), (1, 1))
        v = Vector(f'{operation.lower()}_{kind}_behind_pad_{width}')
        ins = [v.put(s.x), v.put(T('TENSOR_INT32', widths, how='const'))]
        x = v.add(s.x.kind, [0] * 4, 'TEMPORARY_VARIABLE', b'', s.x.scale, s.x.zero)
        v.operations.append({'type': 'PAD', 'inputs': ins, 'outputs': [x]})
        s.w.how = s.b.how = 'const'
        yield v.run(operation, [x, s.w, s.b] + numbers, [s.finish(acc)])


def odd_operands():
    rng = np.random.default_rng(7)
    x, b = of('f32', rng, (3, 3)), of('f32', rng, [3])
    v = Vector('fully_connected_of_itself')
    i = v.put(x)
    yield v.run('FULLY_CONNECTED', [i, i, b, S(1)], [T(x.kind, clamp(wide(x) @ wide(x).T + wide(b), 1, 'f32'))])
    v = Vector('batch_matmul_of_itself')
    i = v.put(x)
    yield v.run('BATCH_MATMUL', [i, i, S(True, 'BOOL'), S(False, 'BOOL')], [T(x.kind, wide(x).T @ wide(x))])
    for act in (4, 6):
        w, h = of('f32', rng, [3, 3]), of('f32', rng, [3, 3])
        out = T(x.kind, cell_act(wide(b) + wide(x) @ wide(w).T + wide(h) @ wide(w).T, act))
        yield Vector(f'rnn_act{act}').run('RNN', [x, w, w, b, h, S(act)], [out, out])
    # What an execution leaves out may be declared with any shape.
    x, h = of('f32', rng, (2, 1, 3)), of('f32', rng, (1, 3))
    (fy, _), (by, _) = (sequence('f32', 0, steps, [(wide(x), w)], b, w, h) for steps in (range(2), range(1, -1, -1)))
    gone = [Omitted(x.kind, dims, 'execution') for dims in ([7, 7, 7], [4, 2], [3, 1])]
    yield Vector('bidirectional_sequence_rnn_odd_shapes_left_out').run(
        'BIDIRECTIONAL_SEQUENCE_RNN', [x, w, w, b, h, w, w, b, h] + gone + [S(0), S(True, 'BOOL'), S(False, 'BOOL')],
        [T(x.kind, fy), T(x.kind, by)])
    x, w, b = of('f32', rng, (1, 2, 2, 2)), of('f32', rng, (3, 2, 2, 2)), of('f32', rng, [3])
    pads = (5, -6, 4, -9)
    out = T(x.kind, clamp(scatter(wide(x), wide(w), pads, (2, 1)) + wide(b), 0, 'f32'))
    yield Vector('transpose_conv_2d_head_beyond_the_filter').run(
        'TRANSPOSE_CONV_2D', [x, w, b] + [S(p) for p in pads + (2, 1, 0)] + [S(False, 'BOOL')], [out])
    out = T(x.kind, clamp(scatter(wide(x), wide(w), (0,) * 4, (2, 1)) + wide(b), 0, 'f32'))
    shape = T('TENSOR_INT32', [-1, -5, -2**31, 7])
    yield Vector('transpose_conv_2d_valid_ignores_output_shape').run(
        'TRANSPOSE_CONV_2D', [x, w, b, shape, S(2), S(2), S(1), S(0), S(False, 'BOOL')], [out], 'none')


def refused():
    """One vector for most constraints; unknown output sizes, so that nothing else is wrong."""
    def fail(name, operation, ins, count=1, t='TENSOR_FLOAT32', scale=0.0, zero=0):
        outs = [T(t, np.zeros(1), scale, zero) for _ in range(count)]
        return Vector(f'{operation.lower()}_refuses_{name}', fail=True).run(operation, ins, outs, 'none')

    positions = {'CONV_2D': [('pad_as_wide_as_filter', 3, 3), ('stride_0', 7, 0), ('activation_4', 9, 4)],
                 'DEPTHWISE_CONV_2D': [('pad_as_high_as_filter', 5, 3), ('negative_pad', 4, -1), ('multiplier_2', 9, 2)],
                 'GROUPED_CONV_2D': [('groups_0', 9, 0), ('groups_3', 9, 3), ('stride_0', 8, 0)],
                 'TRANSPOSE_CONV_2D': [('nothing_left', 5, 20), ('negative_head', 3, -1), ('stride_0', 8, 0)],
                 'FULLY_CONNECTED': [('activation_-1', 3, -1)]}
    for n, (operation, changes) in enumerate(positions.items()):
        for m, (label, i, value) in enumerate(changes):
            s, numbers, _ = plain(operation, ['f32', 'u8', 's8'][m])
            ins = [s.x, s.w, s.b] + numbers
            ins[i] = S(value, how=['const', 'input'][(n + m) % 2])
            yield fail(label, operation, ins, 1, *s.out)
        for label, factor in [('bias_scale_above', 1 + 2.5e-6), ('bias_scale_0', 0)][n % 2:n % 2 + 1]:
            s, numbers, _ = plain(operation, 's8')
            s.b.scale = float(F32(s.b.scale * factor))
            yield fail(label, operation, [s.x, s.w, s.b] + numbers, 1, *s.out)
    f = lambda *shape: T('TENSOR_FLOAT32', np.full(shape, 0.5))
    no, yes = S(False, 'BOOL'), S(True, 'BOOL')
    for label, x, y in (('broadcast', (2, 2, 2), (1, 2, 2)), ('ranks', (2, 2, 2), (2, 2)), ('inner', (2, 3), (2, 3)),
                        ('rank1', (4,), (4,))):
        yield fail(label, 'BATCH_MATMUL', [f(*x), f(*y), no, no])
    cells = {'SVDF': ([f(2, 3), f(4, 3), f(4, 5), f(2), f(2, 20), S(2), S(0)], 2,
                      [('rank_0', 5, S(0)), ('rank_3', 5, S(3)), ('state', 4, f(2, 16)), ('bias', 3, f(4))]),
             'RNN': ([f(2, 3), f(4, 3), f(4, 4), f(4), f(2, 4), S(0)], 2, [('state', 4, f(1, 4)), ('activation_5', 5, S(5))]),
             'UNIDIRECTIONAL_SEQUENCE_RNN': ([f(3, 2, 3), f(4, 3), f(4, 4), f(4), f(2, 4), S(0), S(1)], 2,
                                             [('relu1', 5, S(2)), ('time_major_2', 6, S(2, how='input')), ('state', 4, f(3, 4))]),
             'BIDIRECTIONAL_SEQUENCE_RNN': (
                 [f(3, 2, 3), f(4, 3), f(4, 4), f(4), f(2, 4), f(5, 3), f(5, 5), f(5), f(2, 5), f(3, 2, 6), f(4, 6), f(5, 6),
                  S(0), yes, no], 2,
                 [('one_weight', 11, Omitted('TENSOR_FLOAT32', [5, 6], 'execution')), ('merged', 14, yes),
                  ('no_auxiliary', 9, Omitted('TENSOR_FLOAT32', [])), ('aux_batch', 9, f(3, 1, 6))])}
    for operation, (ins, count, changes) in cells.items():
        for label, i, operand in changes:
            yield fail(label, operation, ins[:i] + [operand] + ins[i + 1:], count)


RANDOM = {'CONV_2D': lambda c, b: windows('CONV_2D', c, b), 'DEPTHWISE_CONV_2D': lambda c, b: windows('DEPTHWISE_CONV_2D', c, b),
          'GROUPED_CONV_2D': lambda c, b: windows('GROUPED_CONV_2D', c, b), 'TRANSPOSE_CONV_2D': transposed,
          'FULLY_CONNECTED': fully_connected, 'BATCH_MATMUL': batch_matmul, 'SVDF': svdf, 'RNN': rnn,
          'UNIDIRECTIONAL_SEQUENCE_RNN': unidirectional, 'BIDIRECTIONAL_SEQUENCE_RNN': bidirectional}
BY_HAND = (zero_batches, extremes, padded_beforehand, odd_operands, refused)
KEPT = {'CONV_2D': 5, 'DEPTHWISE_CONV_2D': 4, 'GROUPED_CONV_2D': 4, 'TRANSPOSE_CONV_2D': 4, 'FULLY_CONNECTED': 4,
        'BATCH_MATMUL': 4, 'SVDF': 3, 'RNN': 1, 'UNIDIRECTIONAL_SEQUENCE_RNN': 2, 'BIDIRECTIONAL_SEQUENCE_RNN': 3}


def main():
    folder = sys.argv[2] if sys.argv[1:2] == ['--all'] else None
    kept = []
    for name, make in RANDOM.items():
        if folder:
            with open(os.path.join(folder, name.lower() + '.jsonl'), 'w') as f:
                f.writelines(v.json() + '\n' for big, count in ((False, 240), (True, 48)) for v in make(count, big))
        else:  # spread over the random ones: every tenth, so that the kinds differ
            kept += [v for n, v in enumerate(make(11 * KEPT[name], False)) if n % 11 == 0]
    kept += [v for make in BY_HAND for v in make()]
    with open(os.path.join(folder or HERE, 'special.jsonl' if folder else 'own/products.jsonl'), 'w') as f:
        f.writelines(v.json() + '\n' for v in kept)


if __name__ == '__main__':
    main()
