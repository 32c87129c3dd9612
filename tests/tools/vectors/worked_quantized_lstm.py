"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM with numbers worked out by hand."""

import math

from vector_case import INFINITY, NAN, gives, ints, omitted, quant8, refused, signed8, symmetric8, symmetric16


def with_16_bits():
    """Two inputs, one unit; all weights are zero but those of the cell gate, whose row is (recurrent, input 0, input 1)."""
    def operands(x, h, recurrent, weights, cell, cell_scale=1 / 2048):
        def weight(dims, *values):
            return quant8(dims, 1 / 16, 100, *values)
        return ([quant8([1, 2], 1 / 128, 128, *x)] + [weight([1, 2],
                                                             *(weights if gate == 2 else (100, 100))) for gate in range(4)] +
                [weight([1, 1], recurrent if gate == 2 else 100) for gate in range(4)] +
                [ints([1], 0, scale=1 / 2048) for _ in range(4)] +
                [symmetric16([1, 1], cell_scale, cell), quant8([1, 1], 1 / 128, 128, h)])

    def outputs(cell, h, cell_scale=1 / 2048):
        return symmetric16([1, 1], cell_scale, cell), quant8([1, 1], 1 / 128, 128, h)
    # 1.0 / 2 and tanh(0.5) / 2 = 0.2311 = 29.6 steps.
    yield gives('quantized 16bit lstm without signal has every gate half open', 'QUANTIZED_16BIT_LSTM',
                operands((128, 128), 128, 100, (100, 100), 2048), *outputs(1024, 158))
    # (x0, x1, h) against (recurrent, w0, w1): x0 = 1/2 with a weight of 2 gives c = tanh(1) * 0.5 = 0.381 = 780 steps, and
    # h = tanh(c) / 2 = 0.1817 = 23.3 steps.
    for name, x, h, recurrent, weights in (('x0 meets the recurrent weight', (192, 128), 128, 132, (100, 100)),
                                           ('x1 meets the first weight', (128, 192), 128, 100, (132, 100)),
                                           ('h meets the second weight', (128, 128), 192, 100, (100, 132))):
        yield gives(f'quantized 16bit lstm row {name}', 'QUANTIZED_16BIT_LSTM', operands(x, h, recurrent, weights, 0),
                    *outputs(780, 151), exact=False)
    yield gives('quantized 16bit lstm weights of other columns do not meet', 'QUANTIZED_16BIT_LSTM',
                operands((128, 128), 192, 132, (132, 100), 0), *outputs(0, 128))
    yield refused('quantized 16bit lstm refuses other scales', 'QUANTIZED_16BIT_LSTM',
                  operands((128, 128), 128, 100, (100, 100), 0, 1 / 1024), *outputs(0, 128, 1 / 1024))


def cell_operands(coupled=False, forget_bias=(0, 0), forget_norm=None, forget_weights=(0, 0), old_cell=(4096, -4096),
                  projected=False,
                  projection_bias=None, cell_clip=0.0, projection_clip=0.0, hidden_zero=0, cell_scale=1 / 2048):
    """One input of 1.0, two units, no signal: gates are set through layer normalization. Cell states 4096, -4096 are 2, -2."""
    def gates(make, kind, values=None):
        return [omitted(kind) if coupled and gate == 0 else make(*(values if values and gate == 1 else ())) for gate in range(4)]

    def norms(*values):
        return symmetric16([2], 1 / 1024, *(values or (0, 0)))
    out = 1 if projected else 2
    operands = [signed8([1, 1], 1 / 64, 0, 64)]
    operands += gates(lambda *v: symmetric8([2, 1], 1 / 64, *(v or (0, 0))), 'TENSOR_QUANT8_SYMM', forget_weights)
    operands += gates(lambda *v: symmetric8([2, out], 1 / 64, *[0] * (2 * out)), 'TENSOR_QUANT8_SYMM')
    operands += [omitted('TENSOR_QUANT16_SYMM')] * 3
    operands += gates(lambda *v: ints([2], *(v or (0, 0))), 'TENSOR_INT32', forget_bias)
    operands += [symmetric8([1, 2], 1 / 64, 64, 64) if projected else omitted('TENSOR_QUANT8_SYMM'),
                 omitted('TENSOR_INT32') if projection_bias is None else ints([1], projection_bias),
                 signed8([1, out], 1 / 128, 0, *[0] * out), symmetric16([1, 2], cell_scale, *old_cell)]
    operands += gates(norms, 'TENSOR_QUANT16_SYMM', forget_norm) if forget_norm else [omitted('TENSOR_QUANT16_SYMM')] * 4
    return operands + [cell_clip, projection_clip] + [1 / 4096] * 4 + [hidden_zero, 1 / 128]


def step(name, cell, output, exact=True, **options):
    """The state is the output."""
    h = signed8([1, len(output)], 1 / 128, 0, *output)
    return gives('quantized lstm ' + name, 'QUANTIZED_LSTM', cell_operands(**options), h, symmetric16([1, 2], 1 / 2048, *cell), h,
                 exact=exact)


def with_8_bits():
    # tanh(1) / 2 = 0.3808 = 48.7 steps.
    for name, coupled in (('of four gates', False), ('of three gates', True)):
        yield step(f'{name} without signal has every gate half open', (2048, -2048), (49, -49), coupled=coupled)
    yield step('subtracts the hidden zero point', (2048, -2048), (46, -52), hidden_zero=3)
    yield step('takes only the low byte of the hidden zero point', (2048, -2048), (46, -52), hidden_zero=256 + 3)
    # tanh(0.5) / 2 = 0.2311 = 29.6 steps.
    yield step('clips the cell state', (1024, -1024), (30, -30), cell_clip=0.5)
    for name, clip in (('negative', -0.5), ('nan', NAN), ('infinite', INFINITY)):
        yield step(f'takes a {name} cell clip as none', (2048, -2048), (49, -49), cell_clip=clip)
    log3 = round(math.log(3) * (1 << 20))  # a bias counts in steps of 2^-10 * norm scale
    yield step('without layer normalization ignores biases', (2048, -2048), (49, -49), forget_bias=(log3, -log3))
    # 3/4 of 2 and 1/4 of -2; tanh(1.5) / 2 = 57.9 and tanh(-0.5) / 2 = -29.6 steps.
    yield step('with layer normalization adds biases', (3072, -1024), (58, -30), forget_norm=(0, 0), forget_bias=(log3, -log3),
               exact=False)
    # The forget gates are 1 and 0 before; normalized they are 1 and -1, times norm weights of 1: 2 * 0.7311 and -2 * 0.2689.
    yield step('layer normalization gives mean zero and variance one', (2995, -1101), (57, -31), forget_norm=(1024, 1024),
               forget_weights=(64, 0), exact=False)
    # Hidden 49 and 49, weights 1 and 1; a clip of 1.0 is 64 steps of the weights.
    projection = {'old_cell': (4096, 4096), 'projected': True}
    yield step('projects', (2048, 2048), (98,), **projection)
    yield step('adds the bias of the projection', (2048, 2048), (90,), projection_bias=-64 * 8, **projection)
    yield step('clips the projection by the scale of its weights', (2048, 2048), (64,), projection_bias=-64 * 8,
               projection_clip=1.0,
               **projection)
    h = signed8([1, 2], 1 / 128, 0)
    for name, scale in (('too small', 1 / 256 / 256), ('too large', 1 / 256), ('no power of two', 0.0005), ('zero', 0.0)):
        yield refused(f'quantized lstm refuses a cell scale that is {name}', 'QUANTIZED_LSTM', cell_operands(cell_scale=scale),
                      h, symmetric16([1, 2], scale), h)


def cases():
    yield from with_16_bits()
    yield from with_8_bits()
