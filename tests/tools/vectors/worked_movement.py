"""Operations that move, convert, repeat or look up elements, with numbers worked out by hand or by other implementations."""

from vector_case import (INFINITY, INT_MAX, INT_MIN, NAN, Tensor, bools, counting, floats, gives, half, halves, ints, listed,
                         omitted,
                         pairs, per_channel, quant8, refused, signed8)


def views():
    yield gives('reshape infers one dimension and keeps the order', 'RESHAPE', [counting(2, 3), listed(-1, 2)], counting(3, 2))
    yield gives('squeeze of everything gives one element', 'SQUEEZE', [floats([1, 1], 7), listed(0, -1)], floats([1], 7))
    yield gives('expand dims keeps the elements', 'EXPAND_DIMS', [counting(2, 2), -1], counting(2, 2, 1))
    yield gives('rank counts dimensions', 'RANK', [counting(1, 2, 1)], Tensor('INT32', [], [3]))


def blocks():
    yield gives('transpose permutes words', 'TRANSPOSE', [counting(2, 1, 3), listed(2, 0, 1)],
                floats([3, 2, 1], 1, 4, 2, 5, 3, 6))
    yield gives('transpose permutes bytes', 'TRANSPOSE', [quant8([2, 2], 1, 0, 1, 2, 3, 4), listed(1, 0)],
                quant8([2, 2], 1, 0, 1, 3, 2, 4))
    yield gives('transpose without a permutation swaps two dimensions', 'TRANSPOSE', [counting(2, 3), omitted('TENSOR_INT32')],
                floats([3, 2], 1, 4, 2, 5, 3, 6))
    yield gives('slice takes a block', 'SLICE', [ints([3, 3], 1, 2, 3, 4, 5, 6, 7, 8, 9), listed(1, 1), listed(1, -1)],
                ints([1, 2], 5, 6))

    def strided_slice(begin, end, strides, begin_mask=0, end_mask=0, shrink=0):
        return [counting(2, 4), listed(*begin), listed(*end), listed(*strides), begin_mask, end_mask, shrink]
    yield gives('strided slice takes every second element', 'STRIDED_SLICE', strided_slice((0, 0), (2, 4), (1, 2)),
                floats([2, 2], 1, 3, 5, 7))
    yield gives('strided slice with masks steps backwards', 'STRIDED_SLICE', strided_slice((0, 0), (0, 0), (-1, -1), 3, 3),
                floats([2, 4], 8, 7, 6, 5, 4, 3, 2, 1))
    yield gives('strided slice steps backwards', 'STRIDED_SLICE', strided_slice((0, 3), (2, -9), (1, -2)),
                floats([2, 2], 4, 2, 8, 6))
    yield gives('strided slice drops shrunk dimensions', 'STRIDED_SLICE', strided_slice((1, 0), (2, 4), (1, 1), shrink=1),
                floats([4], 5, 6, 7, 8))
    yield refused('strided slice refuses a shrunk dimension of length 2', 'STRIDED_SLICE',
                  strided_slice((0, 0), (2, 4), (1, 1), shrink=1), floats([4]))

    yield gives('pad fills with the zero point', 'PAD', [signed8([1, 2], 1, -3, 5, 6), pairs((0, 1), (1, 0))],
                signed8([2, 3], 1, -3, -3, 5, 6, -3, -3, -3))
    yield gives('pad v2 fills with the given float', 'PAD_V2', [floats([1], 5), pairs((1, 2)), 9.0], floats([4], 9, 5, 9, 9))
    yield gives('pad v2 fills with the given byte', 'PAD_V2', [quant8([1], 1, 3, 5), pairs((1, 0)), 200],
                quant8([2], 1, 3, 200, 5))
    for name, padding, mode, values in (('reflects without the border behind', (0, 2), 0, (1, 2, 3, 2, 1)),
                                        ('mirrors with the border behind', (0, 2), 1, (1, 2, 3, 3, 2)),
                                        ('reflects on both sides', (2, 1), 0, (3, 2, 1, 2, 3, 2)),
                                        ('mirrors on both sides', (3, 3), 1, (3, 2, 1, 1, 2, 3, 3, 2, 1))):
        yield gives(f'mirror pad {name}', 'MIRROR_PAD', [counting(3), pairs(padding), mode], floats([len(values)], *values))
    for name, padding, mode in (('as much as there is without the border', (3, 0), 0), ('more than there is', (0, 4), 1),
                                ('a negative width', (0, -1), 1), ('another mode', (0, 1), 2)):
        yield refused(f'mirror pad refuses {name}', 'MIRROR_PAD', [counting(3), pairs(padding), mode], floats([1]))
    yield gives('mirror pad reflects every dimension', 'MIRROR_PAD', [counting(2, 2), pairs((1, 0), (0, 1)), 0],
                floats([3, 3], 3, 4, 3, 1, 2, 1, 3, 4, 3))


def joints():
    a, b = floats([2, 1], 1, 2), floats([2, 2], 3, 4, 5, 6)
    yield gives('concatenation joins along the inner axis', 'CONCATENATION', [a, b, 1], floats([2, 3], 1, 3, 4, 2, 5, 6))
    yield gives('concatenation joins along the outer axis', 'CONCATENATION', [a, a, 0], floats([4, 1], 1, 2, 1, 2))
    yield refused('concatenation refuses a negative axis', 'CONCATENATION', [a, b, -1], floats([2, 3]))
    # (q - 10) * 0.5 written as (q' - 20) * 0.25: 12 -> 1.0 -> 24; 255 saturates. The second input has the output's parameters.
    yield gives('concatenation requantizes inputs with other parameters', 'CONCATENATION',
                [quant8([2], 0.5, 10, 12, 255), quant8([1], 0.25, 20, 77), 0], quant8([3], 0.25, 20, 24, 255, 77))
    yield gives('concatenation requantizes signed bytes', 'CONCATENATION', [signed8([2], 0.5, 10, 12, -128), 0],
                signed8([2], 0.25, 20, 24, -128))
    a, b = floats([2], 1, 2), floats([2], 3, 4)
    yield gives('pack stacks along a new outer axis', 'PACK', [0, a, b], floats([2, 2], 1, 2, 3, 4))
    yield gives('pack stacks along a new inner axis', 'PACK', [1, a, b, a], floats([2, 3], 1, 3, 1, 2, 4, 2))
    yield refused('pack refuses an axis behind the last', 'PACK', [2, a, b], floats([2, 2]))
    yield refused('pack refuses a negative axis', 'PACK', [-1, a, b], floats([2, 2]))
    yield gives('split cuts along the last axis', 'SPLIT', [counting(2, 4), -1, 2], floats([2, 2], 1, 2, 5, 6),
                floats([2, 2], 3, 4, 7, 8))
    for name, axis, count, outputs in (('another number of outputs', 1, 2, 3), ('parts of different size', 1, 3, 3),
                                       ('an axis outside the rank', 2, 2, 2), ('no parts', 1, 0, 1)):
        yield refused(f'split refuses {name}', 'SPLIT', [counting(2, 4), axis, count], *(floats([2, 2]) for _ in range(outputs)))
    yield gives('tile repeats every dimension', 'TILE', [counting(2, 2), listed(2, 2)],
                floats([4, 4], 1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4))
    yield gives('tile zero times is empty', 'TILE', [counting(2), listed(0)], floats([0]))
    yield refused('tile refuses negative multiples', 'TILE', [counting(2), listed(-1)], floats([2]))
    yield refused('tile wants a multiple for each dimension', 'TILE', [counting(2), listed(1, 1)], floats([2]))
    yield gives('reverse turns the inner dimension around', 'REVERSE', [counting(2, 3), listed(1)],
                floats([2, 3], 3, 2, 1, 6, 5, 4))
    yield gives('reverse turns the outer dimension around', 'REVERSE', [counting(2, 3), listed(0)],
                floats([2, 3], 4, 5, 6, 1, 2, 3))
    yield refused('reverse refuses a negative axis', 'REVERSE', [counting(2), listed(-1)], floats([2]))
    yield gives('fill copies a float', 'FILL', [ints([2], 2, 2), 1.5], floats([2, 2], 1.5, 1.5, 1.5, 1.5))
    yield gives('fill copies a half', 'FILL', [ints([1], 3), half(1.5)], halves([3], 1.5, 1.5, 1.5), tolerance=0)
    yield refused('fill refuses a negative size', 'FILL', [ints([1], -1), 7], ints([1]))
    yield gives('fill of size zero is empty', 'FILL', [ints([1], 0), 7], ints([0]))


def tiles():
    # One pixel of eight channels: the block offset is the slow part, two channels stay.
    yield gives('depth to space puts the slow part of the channel into the tile', 'DEPTH_TO_SPACE', [counting(1, 1, 1, 8), 2],
                counting(1, 2, 2, 2))
    # Two pixels side by side: rows of the output take from both.
    mixed = (1, 2, 5, 6, 3, 4, 7, 8)
    yield gives('depth to space mixes rows of pixels', 'DEPTH_TO_SPACE', [counting(1, 1, 2, 4), 2], floats([1, 2, 4, 1], *mixed))
    # The same in NCHW: channel (i*2+j)*2+k is plane 4i+2j+k.
    planes = (1, 3, 5, 7, 2, 4, 6, 8)
    yield gives('depth to space in nchw', 'DEPTH_TO_SPACE', [counting(1, 8, 1, 1), 2, True], floats([1, 2, 2, 2], *planes))
    yield gives('space to depth undoes depth to space', 'SPACE_TO_DEPTH', [floats([1, 2, 4, 1], *mixed), 2], counting(1, 1, 2, 4))
    yield gives('space to depth undoes depth to space in nchw', 'SPACE_TO_DEPTH', [floats([1, 2, 2, 2], *planes), 2, True],
                counting(1, 8, 1, 1))
    # Four batches of one pixel become one image; with two images the tile offset is the slow part.
    yield gives('batch to space makes one image', 'BATCH_TO_SPACE_ND', [counting(4, 1, 1, 1), listed(2, 2)], counting(1, 2, 2, 1))
    yield gives('batch to space takes the tile offset from the slow part of the batch', 'BATCH_TO_SPACE_ND',
                [counting(4, 1, 1, 1), listed(1, 2)], floats([2, 1, 2, 1], 1, 3, 2, 4))
    yield gives('space to batch cuts into tiles', 'SPACE_TO_BATCH_ND',
                [counting(1, 2, 2, 1), listed(2, 2), pairs((0, 0), (0, 0))], counting(4, 1, 1, 1))
    # [1 2 3] with one column in front and none behind: z 1 2 3 -> tiles {z, 2} and {1, 3}.
    yield gives('space to batch pads with the zero point', 'SPACE_TO_BATCH_ND',
                [quant8([1, 1, 3, 1], 0.5, 9, 1, 2, 3), listed(1, 2), pairs((0, 0), (1, 0))],
                quant8([2, 1, 2, 1], 0.5, 9, 9, 2, 1, 3))
    for name, block, above_below in (('a block of zero', (0, 1), (0, 0)), ('a negative block', (-2, 2), (0, 0)),
                                     ('a negative padding', (2, 2), (-1, 1)), ('a block that does not divide', (3, 2), (0, 0)),
                                     ('the largest numbers', (INT_MAX, INT_MAX), (INT_MAX, INT_MAX))):
        yield refused(f'space to batch refuses {name}', 'SPACE_TO_BATCH_ND',
                      [counting(1, 2, 2, 1), listed(*block), pairs(above_below, (0, 0))], floats([1, 1, 1, 1]))
    yield gives('channel shuffle interleaves two groups', 'CHANNEL_SHUFFLE', [counting(6), 2, 0], floats([6], 1, 4, 2, 5, 3, 6))
    yield gives('channel shuffle interleaves three groups', 'CHANNEL_SHUFFLE', [counting(6), 3, -1],
                floats([6], 1, 3, 5, 2, 4, 6))
    yield gives('channel shuffle along the outer axis', 'CHANNEL_SHUFFLE', [counting(4, 2), 2, 0],
                floats([4, 2], 1, 2, 5, 6, 3, 4, 7, 8))


def conversions():
    reals = floats([7], 0.25, -0.25, 0.2, 1e9, -INFINITY, NAN, 0)
    yield gives('quantize rounds half away from zero and saturates', 'QUANTIZE', [reals],
                quant8([7], 0.5, 100, 101, 99, 100, 255, 0, 255, 100))
    yield gives('quantize to signed bytes', 'QUANTIZE', [reals], signed8([7], 0.5, -1, 0, -2, -1, 127, -128, 127, -1))
    yield gives('dequantize of bytes', 'DEQUANTIZE', [quant8([2], 0.5, 128, 0, 255)], floats([2], -64, 63.5))
    for axis, values in ((0, (0.5, 0.5, -8, -8)), (1, (0.5, 4, -1, -8))):
        yield gives(f'dequantize uses the scale of each channel of axis {axis}', 'DEQUANTIZE',
                    [per_channel([2, 2], axis, [0.5, 4], 1, 1, -2, -2)], floats([2, 2], *values))
    yield gives('dequantize to halves', 'DEQUANTIZE', [signed8([1], 0.5, 0, -2)], halves([1], -1), tolerance=0)
    reals = floats([6], 1.9, -1.9, 300, 3e9, -INFINITY, NAN)
    yield gives('cast to integers truncates and saturates', 'CAST', [reals], ints([6], 1, -1, 300, INT_MAX, INT_MIN, 0))
    yield gives('cast to bytes truncates and saturates', 'CAST', [reals], quant8([6], 7, 5, 1, 0, 255, 255, 0, 0))
    yield gives('cast takes bytes as they are', 'CAST', [quant8([2], 9, 8, 0, 255)], floats([2], 0, 255))
    yield gives('cast to halves saturates', 'CAST', [ints([2], -2, 70000)], halves([2], -2, INFINITY), tolerance=0)
    yield gives('cast of booleans', 'CAST', [bools([2], 1, 0)], bools([2], 1, 0))


def lookups():
    yield gives('gather picks slices and keeps the shape of the indices', 'GATHER', [counting(2, 3), 1, ints([2, 1], 2, 0)],
                floats([2, 2, 1], 3, 1, 6, 4))
    yield gives('gather along a negative axis', 'GATHER', [counting(2, 3), -2, ints([3], 1, 1, 0)],
                floats([3, 3], 4, 5, 6, 4, 5, 6, 1, 2, 3))
    for name, index in (('minus 1', -1), ('3', 3), ('the least', INT_MIN), ('the largest', INT_MAX)):
        yield refused(f'gather refuses index {name}', 'GATHER', [counting(3), 0, ints([1], index)], floats([1]))
    yield gives('embedding lookup copies rows of any rank', 'EMBEDDING_LOOKUP', [ints([2], 1, 0), ints([2, 1, 2], 1, 2, 3, 4)],
                ints([2, 1, 2], 3, 4, 1, 2))
    yield refused('embedding lookup refuses rows that are not there', 'EMBEDDING_LOOKUP', [ints([1], 2), ints([2, 1], 1, 2)],
                  ints([1, 1]))
    yield gives('hashtable lookup gives zero bytes for missing keys', 'HASHTABLE_LOOKUP',
                [ints([4], 5, INT_MAX, INT_MIN, 6), ints([3], INT_MIN, 5, INT_MAX), quant8([3, 2], 0.5, 100, 1, 2, 3, 4, 5, 6)],
                quant8([4, 2], 0.5, 100, 3, 4, 5, 6, 1, 2, 0, 0), quant8([4], 1, 0, 1, 1, 1, 0))
    yield refused('hashtable lookup refuses keys that do not match the rows', 'HASHTABLE_LOOKUP',
                  [ints([1], 5), ints([2], 1, 2), counting(3, 1)], floats([1, 1]), quant8([1], 1, 0))
    yield gives('topk gives equal values with the larger index first', 'TOPK_V2', [floats([2, 4], 1, 3, 3, 2, 0, -0.0, 0, -1), 3],
                floats([2, 3], 3, 3, 2, 0, 0, 0), ints([2, 3], 2, 1, 3, 2, 1, 0))
    yield gives('topk compares raw bytes', 'TOPK_V2', [signed8([4], 1, 5, -128, 127, -1, 0), 2], signed8([2], 1, 5, 127, 0),
                ints([2], 1, 3))
    yield gives('topk compares integers', 'TOPK_V2', [ints([3], INT_MIN, INT_MAX, -1), 3], ints([3], INT_MAX, -1, INT_MIN),
                ints([3], 1, 2, 0))
    for name, k in (('0', 0), ('minus 1', -1), ('4', 4), ('the largest', INT_MAX)):
        yield refused(f'topk refuses {name} of three', 'TOPK_V2', [counting(3), k], floats([1]), ints([1]))


def hashes():
    seeds = floats([4, 2], 0.123, 0.456, -0.321, -0.654, 1.234, 5.678, -4.321, -8.765)
    rows = ints([3, 2], 12345, 54321, 67890, 9876, -12345678, -87654321)
    yield gives('lsh projection gives the published dense hashes', 'LSH_PROJECTION',
                [seeds, rows, floats([3], 0.12, 0.34, 0.56), 2],
                ints([8], 1, 1, 1, 0, 1, 1, 1, 0))
    yield gives('lsh projection gives the published sparse hashes', 'LSH_PROJECTION', [seeds, rows, omitted(), 3],
                ints([4], 1, 6, 10, 12))
    yield gives('lsh projection gives the published deprecated sparse hashes', 'LSH_PROJECTION', [seeds, rows, omitted(), 1],
                ints([4], 1, 2, 2, 0))
    # Signs of the fingerprints of (seed 1, 2 ... 32, one row of bytes 11 + 37 i), computed with Google's FarmHash library. The
    # lengths reach every branch of the fingerprint and both sides of its borders.
    for length, signs in ((1, 0xBBCA1B9C), (4, 0x73043010), (5, 0x33602BFC), (12, 0xB034975C), (13, 0x8199BF90), (28, 0x45738105),
                          (29, 0x17D63463), (60, 0x120FDB0C), (61, 0xBABE08DD), (124, 0x1C17589B), (125, 0x6E020DBA),
                          (188, 0x64465937), (200, 0xCD8055C9), (1000, 0xF35D7EAD)):
        yield gives(f'lsh projection hashes keys of {length} bytes', 'LSH_PROJECTION',
                    [counting(1, 32), quant8([1, length], 1, 0, *((11 + 37 * i) % 256 for i in range(length))), omitted(), 1],
                    ints([1], signs - 2**32 if signs >= 2**31 else signs))
    # Signs + and -: 0xBBCA1B9C begins with 10.
    for name, weight, bits in (('nan clears both bits', NAN, (0, 0)), ('infinity decides them', INFINITY, (1, 0)),
                               ('minus infinity decides them', -INFINITY, (0, 1)), ('zero clears both bits', 0, (0, 0))):
        yield gives(f'lsh projection with a weight of {name}', 'LSH_PROJECTION',
                    [counting(2, 1), quant8([1, 1], 1, 0, 11), floats([1], weight), 2], ints([2], *bits))


def cases():
    for family in (views, blocks, joints, tiles, conversions, lookups, hashes):
        yield from family()
