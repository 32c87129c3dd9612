"""Arithmetic, functions of one tensor, comparisons, choices, reductions and normalisations with numbers worked out by hand."""

import math

from vector_case import (FLOAT_MAX, INFINITY, INT_MAX, INT_MIN, NAN, bools, f32, floats, gives, half, halves, ints, listed,
                         quant8, refused, signed8)


def add():
    yield gives('add broadcasts over every dimension', 'ADD', [floats([2, 1, 2], 1, 2, 3, 4), floats([3, 1], 10, 20, 30), 0],
                floats([2, 3, 2], 11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34))
    yield gives('add clamps to the finite range and lets nan through', 'ADD',
                [floats([3], INFINITY, -INFINITY, NAN), floats([1], 1), 0], floats([3], FLOAT_MAX, -FLOAT_MAX, NAN))
    for activation, values in ((1, (0, 0.5, 9)), (2, (-1, 0.5, 1)), (3, (0, 0.5, 6))):
        yield gives(f'add applies activation {activation}', 'ADD', [floats([3], -9, 0.5, 9), floats([1], 0), activation],
                    floats([3], *values))
    for name, activation in (('minus 1', -1), ('4', 4), ('1000', 1000)):
        yield refused(f'add refuses the unknown activation {name}', 'ADD', [floats([1], 0), floats([1], 0), activation],
                      floats([1]))
    # 2048 + 1.5 = 2049.5, between 2048 and 2050 in half precision.
    yield gives('add rounds half sums once', 'ADD', [halves([1], 2048), halves([1], 1.5), 0], halves([1], 2050), tolerance=0)
    yield gives('add lets integers wrap', 'ADD', [ints([2], INT_MAX, 5), ints([2], 1, -7), 0], ints([2], INT_MIN, -2))
    yield refused('add has no activation for integers', 'ADD', [ints([1], 1), ints([1], 1), 1], ints([1]))
    # a = (q - 128) / 2, b = (q - 0) / 4, out = (q - 10) / 2: 3.0 + 1.25 = 4.25 -> 8.5 steps -> 9 (ties away) + 10;
    # 63.5 + 63.75 = 127.25 -> 254.5 + 10 saturates.
    yield gives('add brings quantized operands to one scale', 'ADD',
                [quant8([2], 0.5, 128, 134, 255), quant8([2], 0.25, 0, 5, 255), 0], quant8([2], 0.5, 10, 19, 255))
    yield refused('add refuses an output scale that is too small', 'ADD', [quant8([1], 1, 0, 1), quant8([1], 1, 0, 1), 0],
                  quant8([1], 1e-6, 0))


def other_arithmetic():
    yield gives('sub of floats', 'SUB', [floats([2], 5, 1), floats([1], 3), 1], floats([2], 2, 0))
    yield gives('sub lets integers wrap', 'SUB', [ints([1], INT_MIN), ints([1], 1), 0], ints([1], INT_MAX))
    # (100 - 40) * 1 = 60 -> 60 / 2 - 128.
    yield gives('sub of signed bytes', 'SUB', [signed8([1], 1, 0, 100), signed8([1], 1, 0, 40), 0], signed8([1], 2, -128, -98))

    yield gives('mul of floats', 'MUL', [floats([2], 5, -1), floats([1], 3), 3], floats([2], 6, 0))
    yield gives('mul lets integers wrap', 'MUL', [ints([1], 1 << 20), ints([1], (1 << 12) + 1), 0], ints([1], 1 << 20))
    # Two roundings: 3 * 3 = 9 -> 4.5 -> 5 (HI) -> 2.5 -> 3 (RSH), although 9 / 4 is nearer to 2; -10 * 3 = -30 -> -15
    # -> -7.5 -> -8.
    yield gives('mul rounds products of bytes twice', 'MUL', [quant8([2], 0.5, 10, 13, 0), quant8([1], 0.5, 4, 7), 0],
                quant8([2], 1, 100, 103, 92))
    yield refused('mul refuses an output scale not above the product', 'MUL', [quant8([1], 1, 0, 1), quant8([1], 1, 0, 1), 0],
                  quant8([1], 1, 0))

    yield gives('div of integers goes toward minus infinity', 'DIV',
                [ints([7], 7, -7, 7, -7, 6, INT_MIN, 9), ints([7], 2, 2, -2, -2, -3, -1, 0), 0],
                ints([7], 3, -4, -4, 3, -2, INT_MIN, 0))
    yield gives('div of floats by zero is clamped', 'DIV', [floats([3], 1, -1, 0), floats([1], 0), 0],
                floats([3], FLOAT_MAX, -FLOAT_MAX, NAN))

    yield gives('prelu scales negative values by the slope', 'PRELU', [floats([2, 2], 1, -1, -2, 4), floats([2], 0.5, 3)],
                floats([2, 2], 1, -3, -1, 4))
    # x = (q - 100) / 2, slope = (q - 0) / 4, out = (q - 50) / 2: x = -4, slope 0.5 -> -2 -> 46; x = 3 -> 56.
    yield gives('prelu scales negative bytes by the slope', 'PRELU', [quant8([2], 0.5, 100, 92, 106), quant8([1], 0.25, 0, 2)],
                quant8([2], 0.5, 50, 46, 56))
    yield gives('pow follows the C library', 'POW', [floats([5], 0, 2, -2, -2, 4), floats([5], 0, 10, 3, 0.5, -0.5)],
                floats([5], 1, 1024, -8, NAN, 0.5))


def activations():
    bytes_in = quant8([4], 0.5, 100, 0, 99, 103, 255)  # -1 is 98, 1 is 102, 6 is 112
    for kind, reals, raw in (('RELU', (0, 0.5, 9, 0, FLOAT_MAX), (100, 100, 103, 255)),
                             ('RELU1', (-1, 0.5, 1, -1, 1), (98, 99, 102, 102)),
                             ('RELU6', (0, 0.5, 6, 0, 6), (100, 100, 103, 112))):
        yield gives(f'{kind} of nan is the lower bound', kind, [floats([5], -2, 0.5, 9, NAN, INFINITY)], floats([5], *reals))
        yield gives(f'{kind} clamps bytes raw', kind, [bytes_in], quant8([4], 0.5, 100, *raw))
    yield gives('hard swish follows the definition', 'HARD_SWISH', [floats([5], -4, -3, 0, 1, 5)], floats([5], 0, 0, 0, 4 / 6, 5))
    yield refused('hard swish refuses an output scale far below the input scale', 'HARD_SWISH', [quant8([1], 128, 0, 1)],
                  quant8([1], 1, 0))
    yield gives('logistic follows the definition', 'LOGISTIC', [floats([3], 0, -200, 200)], floats([3], 0.5, 0, 1))


def function_of_bytes(kind, function, make, scale, zero, out_scale, out_zero):
    """A function of all 256 bytes, within one step of the exact result."""
    least, most = (0, 255) if make is quant8 else (-128, 127)
    raw = range(least, most + 1)
    exact = [function((q - zero) * f32(scale)) / f32(out_scale) + out_zero for q in raw]
    wanted = [min(most, max(least, math.floor(abs(e - out_zero) + 0.5) * (1 if e >= out_zero else -1) + out_zero)) for e in exact]
    return gives(f'{kind} of {make.__name__} stays within one step at scale {scale}', kind, [make([256], scale, zero, *raw)],
                 make([256], out_scale, out_zero, *wanted), exact=False)


def functions_of_bytes():
    def hard_swish(x):
        return x * min(6.0, max(0.0, x + 3)) / 6
    for scale in (0.01, 0.05, 0.3, 2.0):
        for kind, function, unsigned, signed in (
                ('LOGISTIC', lambda x: 1 / (1 + math.exp(-x)), (1 / 256, 0), (1 / 256, -128)),
                ('TANH', math.tanh, (1 / 128, 128), (1 / 128, 0)),
                ('HARD_SWISH', hard_swish, (scale, 30), (f32(scale) * f32(0.7), -40))):
            yield function_of_bytes(kind, function, quant8, scale, 120, *unsigned)
            yield function_of_bytes(kind, function, signed8, scale, 3, *signed)


def functions_of_one_tensor():
    yield gives('abs clears the sign', 'ABS', [floats([4], -2.5, 3, -INFINITY, -NAN)], floats([4], 2.5, 3, INFINITY, NAN))
    for kind, most in (('ABS', INT_MAX), ('NEG', -INT_MAX)):
        yield gives(f'{kind} lets the least integer wrap', kind, [ints([4], INT_MIN, -7, 0, INT_MAX)],
                    ints([4], INT_MIN, 7, 0, most))
    yield gives('neg flips the sign', 'NEG', [floats([2], -2.5, 3)], floats([2], 2.5, -3))
    yield gives('floor rounds toward minus infinity', 'FLOOR', [floats([5], -1.5, -0.1, 0.9, 2, INFINITY)],
                floats([5], -2, -1, 0, 2, INFINITY))
    for kind, values, results in (('EXP', (0, 1, -INFINITY), (1, math.e, 0)), ('SIN', (0, math.pi / 2, INFINITY), (0, 1, NAN)),
                                  ('SQRT', (0, 4, -1), (0, 2, NAN)), ('RSQRT', (4, 0, INFINITY, -1), (0.5, INFINITY, 0, NAN)),
                                  ('LOG', (1, 0, f32(math.e), -1), (0, -INFINITY, 1, NAN))):
        yield gives(f'{kind} follows its definition and is nan outside its domain', kind, [floats([len(values)], *values)],
                    floats([len(values)], *results))
    # exp(1) = 2.71828 lies between the halves 2.71680 and 2.71875.
    yield gives('exp of a half is rounded once', 'EXP', [halves([1], 1)], halves([1], 2.71875), tolerance=0)
    # Inputs stand for 4, 0 and -2.5; the root of 4 is 0.5, half a step.
    yield gives('rsqrt of bytes rounds half away from zero and ends at the upper limit', 'RSQRT',
                [quant8([3], 0.25, 10, 26, 10, 0)],
                quant8([3], 1, 3, 4, 255, 255))
    yield gives('rsqrt of signed bytes ends at the upper limit', 'RSQRT', [signed8([2], 0.25, 0, 16, -100)],
                signed8([2], 0.125, -20, -16, 127))
    yield gives('elu bends only the negative part', 'ELU', [floats([3], 2, -1, 0), 1.0], floats([3], 2, math.exp(-1) - 1, 0))
    yield gives('elu with a negative slope bends the other way round', 'ELU', [floats([2], 1, -1), -1.0],
                floats([2], 2 - math.e, 0))
    yield gives('elu of nan is zero', 'ELU', [floats([1], NAN), 1.0], floats([1], 0))  # as max(0, x) + min(0, y) of the reference
    yield gives('elu takes a half slope', 'ELU', [halves([1], -INFINITY), half(2)], halves([1], -2), tolerance=0)


def comparisons():
    a, b = ints([3], 1, 2, 3), ints([1], 2)
    for kind, truth, with_nan in (('EQUAL', (0, 1, 0), (0, 1)), ('NOT_EQUAL', (1, 0, 1), (1, 0)), ('GREATER', (0, 0, 1), (0, 0)),
                                  ('GREATER_EQUAL', (0, 1, 1), (0, 1)), ('LESS', (1, 0, 0), (0, 0)),
                                  ('LESS_EQUAL', (1, 1, 0), (0, 1))):
        yield gives(f'{kind} decides below equal and above', kind, [a, b], bools([3], *truth))
        yield gives(f'{kind} with nan and zeros of both signs', kind, [floats([2], NAN, 0), floats([2], NAN, -0.0)],
                    bools([2], *with_nan))
    # 2 and 2; 3 and 4; -1 and -2.
    a, b = quant8([3], 1, 128, 130, 131, 127), quant8([3], 2, 129, 130, 131, 128)
    for kind, truth in (('EQUAL', (1, 0, 0)), ('LESS', (0, 1, 0)), ('GREATER', (0, 0, 1))):
        yield gives(f'{kind} of bytes compares what they stand for', kind, [a, b], bools([3], *truth))
    # 3 * 0.1f and 1 * 0.3f differ, but round to the same float.
    yield gives('equal rounds products to float before it compares them', 'EQUAL',
                [signed8([1], 0.1, 0, 3), signed8([1], 0.3, 0, 1)],
                bools([1], 1))
    yield gives('less broadcasts', 'LESS', [ints([2, 1], 1, 2), ints([3], 1, 2, 3)], bools([2, 3], 0, 1, 1, 0, 0, 1))
    a, b = bools([4], 0, 2, 128, 0), bools([4], 0, 1, 0, 4)
    yield gives('logical and takes every byte but zero as true', 'LOGICAL_AND', [a, b], bools([4], 0, 1, 0, 0))
    yield gives('logical or takes every byte but zero as true', 'LOGICAL_OR', [a, b], bools([4], 0, 1, 1, 1))
    yield gives('logical not takes every byte but zero as true', 'LOGICAL_NOT', [bools([4], 0, 1, 2, 255)],
                bools([4], 1, 0, 0, 0))


def choices():
    yield gives('select takes the first where the mask is not zero', 'SELECT',
                [bools([2, 2], 0, 1, 255, 0), ints([2, 2], 1, 2, 3, 4), ints([2, 2], 5, 6, 7, 8)], ints([2, 2], 5, 2, 3, 8))
    # Output steps of 2: 1 and -1 are half steps beside the zero point 10 and round away from zero as 10.5 and 9.5; 600 saturates.
    yield gives('select requantizes the chosen byte', 'SELECT',
                [bools([4], 1, 1, 0, 0), quant8([4], 1, 100, 101, 99, 0, 0), quant8([4], 3, 0, 0, 0, 200, 0)],
                quant8([4], 2, 10, 11, 10, 255, 10))
    yield refused('select wants equal shapes', 'SELECT', [bools([1], 1), ints([2], 1, 2), ints([2], 3, 4)], ints([2]))
    # a: 1, -1, 100. b: 0.5, -2, 60. Output steps of 2 without zero point: halves away from zero.
    a, b = signed8([3], 1, 0, 1, -1, 100), signed8([3], 0.5, 0, 1, -4, 120)
    for kind, third, raw in (('MAXIMUM', 3, (1, -1, 50)), ('MINIMUM', 2, (0, -1, 30))):
        yield gives(f'{kind} keeps nan of the first operand only', kind, [floats([3], NAN, 1, 2), floats([3], 1, NAN, 3)],
                    floats([3], NAN, 1, third))
        yield gives(f'{kind} compares bytes in the quantization of the output', kind, [a, b], signed8([3], 2, 0, *raw))


def reductions():
    cube = floats([2, 2, 2], 1, 2, 3, 4, 5, 6, 7, 8)
    yield gives('mean reduces axes that are negative or repeat', 'MEAN', [cube, listed(0, -3, 2), 1], floats([1, 2, 1], 3.5, 5.5))
    yield gives('mean of all axes has one element', 'MEAN', [cube, listed(0, 1, 2), 0], floats([1], 4.5))
    yield gives('mean of bytes rounds down', 'MEAN', [quant8([2], 1, 9, 3, 4), listed(0), 0], quant8([1], 1, 9, 3))
    yield gives('mean of signed bytes rounds down', 'MEAN', [signed8([2], 1, 9, -3, -4), listed(0), 0], signed8([1], 1, 9, -4))
    yield gives('reduce sum takes axes that are negative or repeat', 'REDUCE_SUM', [cube, listed(0, -1, 2), True],
                floats([1, 2, 1], 14, 22))
    yield gives('reduce sum of all axes has one element', 'REDUCE_SUM', [cube, listed(0, 1, 2), False], floats([1], 36))
    for name, axis in (('1', 1), ('minus 2', -2), ('the largest', INT_MAX), ('the least', INT_MIN)):
        yield refused(f'reduce sum refuses axis {name}', 'REDUCE_SUM', [floats([2], 1, 2), listed(axis), False], floats([1]))
    yield gives('reduce prod lets zero absorb', 'REDUCE_PROD', [floats([3, 2], 0, INFINITY, NAN, 0, 2, -3), listed(1), False],
                floats([3], 0, 0, -6))
    rows = floats([3, 2], NAN, 1, NAN, NAN, -INFINITY, INFINITY)
    yield gives('reduce max ignores nan and starts finite', 'REDUCE_MAX', [rows, listed(1), False],
                floats([3], 1, -FLOAT_MAX, INFINITY))
    yield gives('reduce min ignores nan and starts finite', 'REDUCE_MIN', [rows, listed(1), False],
                floats([3], 1, FLOAT_MAX, -INFINITY))
    yield gives('reduce max of halves starts at the half range', 'REDUCE_MAX', [halves([1, 1], -INFINITY), listed(0), False],
                halves([1], -65504), tolerance=0)
    yield gives('reduce min compares bytes raw', 'REDUCE_MIN', [signed8([2, 2], 0.5, 9, -128, 127, 5, 3), listed(0), False],
                signed8([2], 0.5, 9, -128, 3))
    truths = bools([3, 2], 2, 255, 0, 7, 0, 0)
    yield gives('reduce all gives zero or one', 'REDUCE_ALL', [truths, listed(1), False], bools([3], 1, 0, 0))
    yield gives('reduce any gives zero or one', 'REDUCE_ANY', [truths, listed(1), False], bools([3], 1, 1, 0))
    yield gives('argmin keeps the lowest index and nan wins only at the start', 'ARGMIN',
                [floats([3, 3], 2, 1, 1, NAN, 0, -5, 4, NAN, 3), -1], ints([3], 1, 0, 2))
    yield gives('argmin of bytes', 'ARGMIN', [signed8([3], 1, 0, 5, -128, -128), 0], ints([1], 1))
    yield gives('argmax keeps the lowest index and nan never wins later', 'ARGMAX',
                [floats([2, 3], 1, 5, 5, NAN, 9, 2), -1], ints([2], 1, 0))
    yield gives('argmax along the outer axis', 'ARGMAX', [floats([2, 2], 1, NAN, 0, 5), 0], ints([2], 0, 0))
    yield gives('argmax of bytes', 'ARGMAX', [signed8([3], 1, 0, -5, -1, -9), 0], ints([1], 1))
    yield refused('argmax refuses an axis outside the rank', 'ARGMAX', [floats([2], 1, 2), 1], ints([1]))


def softmax():
    tensor = floats([2, 2], 0, math.log(3), 1000, 1000)
    yield gives('softmax sums to one along rows', 'SOFTMAX', [tensor, 1.0], floats([2, 2], 0.25, 0.75, 0.5, 0.5))
    yield gives('softmax sums to one along columns', 'SOFTMAX', [tensor, 1.0, 0], floats([2, 2], 0, 0, 1, 1))
    yield refused('softmax refuses a beta of zero', 'SOFTMAX', [tensor, 0.0], floats([2, 2]))
    for scale in (0.01, 0.1, 1.0):
        for count in (1, 3, 100, 9000):
            raw = [i * 7919 % 251 for i in range(count)]
            powers = [math.exp(q * f32(scale)) for q in raw]
            total = sum(powers)
            yield gives(f'softmax of {count} bytes at scale {scale} stays within one step', 'SOFTMAX',
                        [quant8([1, count], scale, 128, *raw), 1.0],
                        quant8([1, count], 1 / 256, 0, *(min(255, round(256 * p / total)) for p in powers)), exact=False)
    yield gives('log softmax gives logarithms of shares', 'LOG_SOFTMAX', [floats([1, 2], 5, 5), 1.0, -1],
                floats([1, 2], -math.log(2), -math.log(2)))
    yield gives('log softmax with a beta along the outer axis', 'LOG_SOFTMAX', [floats([2, 1], 1, 0), 2.0, 0],
                floats([2, 1], -0.126928, -2.126928))
    yield refused('log softmax refuses an axis outside the rank', 'LOG_SOFTMAX', [floats([2], 1, 0), 2.0, 1], floats([2]))


def normalisations():
    yield gives('l2 normalization divides rows by the norm', 'L2_NORMALIZATION', [floats([2, 2], 3, 4, 0, 0)],
                floats([2, 2], 0.6, 0.8, 0, 0))
    yield gives('l2 normalization divides columns by the norm', 'L2_NORMALIZATION', [floats([2, 2], 3, 1, 4, 0), 0],
                floats([2, 2], 0.6, 1, 0.8, 0))
    # (30, 40) / 50 * 128 = 76.8 and 102.4.
    yield gives('l2 normalization of bytes comes in steps', 'L2_NORMALIZATION', [quant8([2, 2], 0.3, 100, 130, 140, 100, 100)],
                quant8([2, 2], 1 / 128, 128, 205, 230, 128, 128))
    for axis, dims in ((0, [2, 1]), (-1, [1, 2])):
        yield gives(f'l2 normalization of signed bytes along {"columns" if axis == 0 else "rows"}', 'L2_NORMALIZATION',
                    [signed8(dims, 0.3, 5, -25, 45), axis], signed8(dims, 1 / 128, 0, -77, 102))
    yield refused('l2 normalization of bytes has one output scale', 'L2_NORMALIZATION', [quant8([2], 0.3, 0, 1, 2)],
                  quant8([2], 0.01, 128))
    row = floats([1, 3], 1, 2, 3)
    yield gives('local response normalization looks at neighbours', 'LOCAL_RESPONSE_NORMALIZATION', [row, 1, 1.0, 1.0, 0.5],
                floats([1, 3], 1 / math.sqrt(6), 2 / math.sqrt(15), 3 / math.sqrt(14)))
    yield gives('local response normalization across rows', 'LOCAL_RESPONSE_NORMALIZATION', [row, 1, 1.0, 1.0, 0.5, 0],
                floats([1, 3], 1 / math.sqrt(2), 2 / math.sqrt(5), 3 / math.sqrt(10)))
    pair = floats([1, 2], 1, 2)
    yield gives('local response normalization clips any radius', 'LOCAL_RESPONSE_NORMALIZATION', [pair, INT_MAX, 0.0, 1.0, 1.0],
                floats([1, 2], 0.2, 0.4))
    yield gives('local response normalization of radius zero', 'LOCAL_RESPONSE_NORMALIZATION', [pair, 0, 0.0, 1.0, 1.0],
                floats([1, 2], 1, 0.5))
    yield refused('local response normalization refuses a negative radius', 'LOCAL_RESPONSE_NORMALIZATION',
                  [pair, -1, 0.0, 1.0, 1.0], floats([1, 2]))
    # Channel 0: 0 2 4 6, mean 3, variance 5. Channel 1: all 7.
    yield gives('instance normalization treats channels by themselves in nhwc', 'INSTANCE_NORMALIZATION',
                [floats([1, 2, 2, 2], 0, 7, 2, 7, 4, 7, 6, 7), 2.0, 1.0, 4.0, False],
                floats([1, 2, 2, 2], -1, 1, 1 / 3, 1, 5 / 3, 1, 3, 1))
    yield gives('instance normalization treats channels by themselves in nchw', 'INSTANCE_NORMALIZATION',
                [floats([1, 2, 2, 2], 0, 2, 4, 6, 7, 7, 7, 7), 2.0, 1.0, 4.0, True],
                floats([1, 2, 2, 2], -1, 1 / 3, 5 / 3, 3, 1, 1, 1, 1))
    yield gives('instance normalization treats batches by themselves', 'INSTANCE_NORMALIZATION',
                [floats([2, 1, 1, 1], 5, -5), 2.0, 1.0, 4.0, True], floats([2, 1, 1, 1], 1, 1))


def cases():
    for family in (add, other_arithmetic, activations, functions_of_bytes, functions_of_one_tensor, comparisons, choices,
                   reductions,
                   softmax, normalisations):
        yield from family()
