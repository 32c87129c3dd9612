"""Convolutions, matrix products, pooling, resizing and regions of images with numbers worked out by hand."""

import math

from vector_case import (INFINITY, INT_MAX, INT_MIN, NAN, counting, eighths, floats, gives, ints, per_channel, quant8, refused,
                         signed8)

SAME, VALID = 1, 2  # implicit padding


def convolutions():
    # 3x3 image, 2x2 filter of ones, VALID: sums of four neighbours plus one half.
    image, ones, bias = counting(1, 3, 3, 1), floats([1, 2, 2, 1], 1, 1, 1, 1), floats([1], 0.5)
    yield gives('conv sums the window and adds the bias', 'CONV_2D', [image, ones, bias, VALID, 1, 1, 0],
                floats([1, 2, 2, 1], 12.5, 16.5, 24.5, 28.5))
    # SAME pads right and bottom (the odd cell goes to the end).
    yield gives('conv same with relu6', 'CONV_2D', [image, ones, bias, SAME, 1, 1, 3], floats([1, 3, 3, 1], *[6] * 9))
    yield gives('conv same with stride 2', 'CONV_2D', [image, ones, bias, SAME, 2, 2, 0],
                floats([1, 2, 2, 1], 12.5, 9.5, 15.5, 9.5))
    # (x - 128) / 2 and (w - 100) / 4: 2.0 * 0.5 + 1.0 * -0.25 + bias 8/8 = 1.75 -> 3.5 steps of 0.5 -> 4.
    yield gives('conv of bytes uses differences to the zero points', 'CONV_2D',
                [quant8([1, 1, 1, 2], 0.5, 128, 132, 130), quant8([1, 1, 1, 2], 0.25, 100, 102, 99), ints([1], 8, scale=0.125),
                 VALID, 1, 1, 0], quant8([1, 1, 1, 1], 0.5, 10, 14))
    # 10; 41 with the bias of one product step.
    yield gives('conv has a filter scale for each channel', 'CONV_2D',
                [signed8([1, 1, 1, 1], 0.5, 0, 10), per_channel([2, 1, 1, 1], 0, [0.5, 2], 4, 4), ints([2], 0, 1), VALID, 1, 1,
                 0],
                signed8([1, 1, 1, 2], 1, -1, 9, 40))
    yield gives('conv multipliers above one saturate instead of wrapping', 'CONV_2D',
                [quant8([1, 1, 1, 1], 64, 0, 255), quant8([1, 1, 1, 1], 64, 0, 255), ints([1], 0, scale=4096), VALID, 1, 1, 0],
                quant8([1, 1, 1, 1], 2, 255, 255))
    yield gives('depthwise conv feeds every input channel to its own outputs', 'DEPTHWISE_CONV_2D',
                [floats([1, 1, 1, 2], 2, 3), floats([1, 1, 1, 4], 1, 10, 100, 1000), floats([4], 0, 0, 0, 1), VALID, 1, 1, 2, 0],
                floats([1, 1, 1, 4], 2, 20, 300, 3001))
    # 2x2 image, 3x3 filter of ones, stride 2, no padding: 5x5 output where windows overlap in the middle.
    yield gives('transpose conv scatters every input pixel', 'TRANSPOSE_CONV_2D',
                [counting(1, 2, 2, 1), floats([1, 3, 3, 1], *[1] * 9), floats([1], 0), 0, 0, 0, 0, 2, 2, 0, False],
                floats([1, 5, 5, 1], 1, 1, 3, 2, 2, 1, 1, 3, 2, 2, 4, 4, 10, 6, 6, 3, 3, 7, 4, 4, 3, 3, 7, 4, 4))

    # A 1x1 image with four channels.
    def grouped(outputs, groups, nchw, *weights):
        image = counting(1, 4, 1, 1) if nchw else counting(1, 1, 1, 4)
        return [image, floats([outputs, 1, 1, len(weights) // outputs], *weights), floats([outputs], *[0.5] * outputs), VALID, 1,
                1,
                groups, 0, nchw]
    for nchw in (False, True):
        for outputs, groups, weights, values in ((4, 2, (1, 1, 1, -1, 1, 1, 1, -1), (3.5, -0.5, 7.5, -0.5)),
                                                 (4, 4, (1, 2, 3, 4), (1.5, 4.5, 9.5, 16.5)), (1, 1, (1, 1, 1, 1), (10.5,))):
            yield gives(f'grouped conv of {groups} groups reads its own channels in {"nchw" if nchw else "nhwc"}',
                        'GROUPED_CONV_2D',
                        grouped(outputs, groups, nchw, *weights),
                        floats([1, outputs, 1, 1] if nchw else [1, 1, 1, outputs], *values))
    for name, outputs, groups, weights in (('outputs that are no multiple of the groups', 3, 2, 6),
                                           ('groups that do not divide the channels', 2, 3, 4), ('no groups', 4, 0, 4),
                                           ('a negative number of groups', 4, -4, 4)):
        yield refused(f'grouped conv refuses {name}', 'GROUPED_CONV_2D', grouped(outputs, groups, False, *[1] * weights),
                      floats([1, 1, 1, 1]))


def products():
    yield gives('fully connected flattens its input', 'FULLY_CONNECTED',
                [floats([2, 1, 2], 1, 2, 3, 4), floats([3, 2], 1, 0, 0, 1, 1, 1), floats([3], 0, 0, -5), 1],
                floats([2, 3], 1, 2, 0, 3, 4, 2))
    x, xt = floats([2, 3], 1, 2, 3, 4, 5, 6), floats([3, 2], 1, 4, 2, 5, 3, 6)
    y, yt = floats([3, 2], 1, 0, 0, 1, 1, 1), floats([2, 3], 1, 0, 1, 0, 1, 1)
    for name, left, right, *adjoint in (('neither side', x, y, False, False), ('the left side', xt, y, True, False),
                                        ('the right side', x, yt, False, True), ('both sides', xt, yt, True, True)):
        yield gives(f'batch matmul with {name} transposed', 'BATCH_MATMUL', [left, right, *adjoint], floats([2, 2], 4, 5, 10, 11))
    yield gives('batch matmul of a batch meets its own matrices', 'BATCH_MATMUL',
                [counting(2, 1, 1, 2), floats([2, 1, 2, 1], 1, 1, 10, 10), False, False], floats([2, 1, 1, 1], 3, 70))
    yield gives('batch matmul does not clamp infinities', 'BATCH_MATMUL',
                [floats([1, 1], INFINITY), floats([1, 1], -2), False, False], floats([1, 1], -INFINITY))
    yield gives('batch matmul lets integers wrap', 'BATCH_MATMUL', [ints([1, 2], INT_MAX, 3), ints([2, 1], 2, 1), False, False],
                ints([1, 1], 1))  # 2^32 - 2 + 3
    # (2 - 1) * (5 - 3) + (4 - 1) * (1 - 3) = -4 -> -4 * 0.5 * 0.5 / 0.25 + 7
    yield gives('batch matmul of bytes uses differences to the zero points', 'BATCH_MATMUL',
                [signed8([1, 2], 0.5, 1, 2, 4), signed8([2, 1], 0.5, 3, 5, 1), False, False], signed8([1, 1], 0.25, 7, 3))
    one = counting(1, 2, 2)
    for name, left, right in (('batches', one, counting(2, 2, 2)), ('ranks', one, counting(2, 2)),
                              ('inner sizes', one, counting(1, 3, 2))):
        yield refused(f'batch matmul refuses different {name}', 'BATCH_MATMUL', [left, right, False, False], floats([1, 2, 2]))
    yield refused('batch matmul refuses vectors', 'BATCH_MATMUL', [counting(2), counting(2), False, False], floats([1]))


def pooling():
    image = counting(1, 2, 2, 1)
    yield gives('average pool counts only cells inside the image', 'AVERAGE_POOL_2D', [image, SAME, 1, 1, 2, 2, 0],
                floats([1, 2, 2, 1], 2.5, 3, 3.5, 4))
    yield gives('average pool rounds bytes away from zero', 'AVERAGE_POOL_2D',
                [quant8([1, 1, 2, 1], 1, 9, 4, 5), VALID, 1, 1, 2, 1, 0],
                quant8([1, 1, 1, 1], 1, 9, 5))
    yield gives('average pool rounds signed bytes away from zero', 'AVERAGE_POOL_2D',
                [signed8([1, 1, 2, 1], 1, 9, -4, -5), VALID, 1, 1, 2, 1, 0], signed8([1, 1, 1, 1], 1, 9, -5))
    yield gives('max pool ignores padding even when everything is negative', 'MAX_POOL_2D',
                [floats([1, 2, 2, 1], -4, -3, -2, -1), SAME, 1, 1, 3, 3, 0], floats([1, 2, 2, 1], -1, -1, -1, -1))
    # 2x2 windows, SAME, stride 1: the last column and row see fewer cells.
    yield gives('l2 pool counts only cells inside the image', 'L2_POOL_2D', [image, SAME, 1, 1, 2, 2, 0],
                floats([1, 2, 2, 1], math.sqrt(7.5), math.sqrt(10), math.sqrt(12.5), 4))


def resizing():
    for name, align, half, values in (('corners', False, False, (0, 2, 4, 4)), ('centres', False, True, (0, 1, 3, 4)),
                                      ('aligned corners', True, False, (0, 4 / 3, 8 / 3, 4))):
        yield gives(f'resize bilinear by {name}', 'RESIZE_BILINEAR', [floats([1, 1, 2, 1], 0, 4), 4, 1, False, align, half],
                    floats([1, 1, 4, 1], *values))
    yield refused('resize bilinear refuses aligned corners and centres together', 'RESIZE_BILINEAR',
                  [floats([1, 1, 2, 1], 0, 4), 4, 1, False, True, True], floats([1, 1, 4, 1]))
    yield gives('resize bilinear of bytes', 'RESIZE_BILINEAR', [signed8([1, 1, 2, 1], 1, 0, -3, 0), 2.0, 1.0],
                signed8([1, 1, 4, 1], 1, 0, -3, -1, 0, 0))  # -1.5 -> floor(-1.0)
    for name, align, half, values in (('corners', False, False, (1, 3)), ('centres', False, True, (2, 4)),
                                      ('aligned corners', True, False, (1, 3, 4))):  # 1.5 rounds away from zero
        yield gives(f'resize nearest neighbor by {name}', 'RESIZE_NEAREST_NEIGHBOR',
                    [counting(1, 1, 4, 1), len(values), 1, False, align, half], floats([1, 1, len(values), 1], *values))


def regions():
    def pool(image, roi, size, stride=1.0):
        return [image, floats([1, 4], *roi), ints([1], 0), size, size, stride, stride, False]
    image = counting(1, 4, 4, 1)
    yield gives('roi pooling takes the maximum of every bin', 'ROI_POOLING', pool(image, (0, 0, 3, 3), 2),
                floats([1, 2, 2, 1], 6, 8, 14, 16))
    yield gives('roi pooling with the same box in an image of twice the size', 'ROI_POOLING', pool(image, (0, 0, 6, 6), 2, 2.0),
                floats([1, 2, 2, 1], 6, 8, 14, 16))
    # 0.5 becomes 1 and 1.5 becomes 2: columns and rows 1 and 2.
    yield gives('roi pooling corners round halves away from zero', 'ROI_POOLING', pool(image, (0.5, 0.5, 1.5, 1.5), 1),
                floats([1, 1, 1, 1], 11))
    # Three columns in two bins: [0, 1.5) covers 0 and 1, [1.5, 3) covers 1 and 2.
    yield gives('roi pooling bins overlap when they do not divide the region', 'ROI_POOLING', pool(image, (0, 0, 2, 2), 2),
                floats([1, 2, 2, 1], 6, 7, 10, 11))
    yield gives('roi pooling of an empty bin gives zero', 'ROI_POOLING', pool(image, (4, 4, 4, 4), 1), floats([1, 1, 1, 1], 0))
    yield gives('roi pooling of an empty bin of bytes gives the zero point', 'ROI_POOLING',
                [quant8([1, 2, 2, 1], 0.5, 9, 1, 2, 3, 4), eighths([1, 4], 16, 16, 16, 16), ints([1], 0), 1, 1, 1.0, 1.0, False],
                quant8([1, 1, 1, 1], 0.5, 9, 9))

    def align(image, roi, samples, batch=0, nchw=False):
        return [image, floats([1, 4], *roi), ints([1], batch), 1, 1, 1.0, 1.0, samples, samples, nchw]
    image = counting(1, 2, 2, 1)
    for name, roi, samples, value in (('mixes four cells', (0, 0, 1, 1), 1, 2.5),
                                      ('does not mix beyond the last cell', (0, 0, 2, 2), 1, 4),
                                      # Samples at 0.5 and 1.5 in both directions: 2.5, 3, 3.5 and 4.
                                      ('takes two adaptive samples', (0, 0, 2, 2), 0, 3.25),
                                      ('takes a region of at least one cell', (0, 0, 0, 0), 1, 2.5)):
        yield gives(f'roi align {name}', 'ROI_ALIGN', align(image, roi, samples), floats([1, 1, 1, 1], value))
    yield gives('roi align of two channels in nhwc', 'ROI_ALIGN',
                align(floats([1, 2, 2, 2], 1, 10, 2, 20, 3, 30, 4, 40), (0, 0, 1, 1), 1), floats([1, 1, 1, 2], 2.5, 25))
    yield gives('roi align of two channels in nchw', 'ROI_ALIGN',
                align(floats([1, 2, 2, 2], 1, 2, 3, 4, 10, 20, 30, 40), (0, 0, 1, 1), 1, nchw=True),
                floats([1, 2, 1, 1], 2.5, 25))
    # Every weight is 63.75, rounded to 64: 64 * 10 * (0.5 / 255 / 0.25) = 5.02, plus the zero point.
    quantized = [quant8([1, 2, 2, 1], 0.5, 0, 1, 2, 3, 4), eighths([1, 4], 0, 0, 8, 8), ints([1], 0), 1, 1, 1.0, 1.0, 1, 1, False]
    yield gives('roi align of bytes weighs in 255ths', 'ROI_ALIGN', quantized, quant8([1, 1, 1, 1], 0.25, 10, 15))
    yield refused('roi align refuses a multiplier above one', 'ROI_ALIGN', quantized, quant8([1, 1, 1, 1], 0.001, 10))
    for name, roi, samples, batch in (
            ('image 1 of one', (0, 0, 1, 1), 1, 1), ('the least image', (0, 0, 1, 1), 1, INT_MIN),
            ('a region right of the image', (0, 0, 2.5, 1), 1, 0), ('a region left of the image', (-0.5, 0, 1, 1), 1, 0),
            ('swapped columns', (1, 0, 0, 1), 1, 0), ('swapped rows', (0, 1, 1, 0), 1, 0),
            *((f'nan as corner {i}', [NAN if j == i else c for j, c in enumerate((0, 0, 1, 1))], 1, 0) for i in range(4)),
            ('an absurd number of samples', (0, 0, 1, 1), INT_MAX, 0), ('a negative number of samples', (0, 0, 1, 1), -1, 0)):
        yield refused(f'roi align refuses {name}', 'ROI_ALIGN', align(image, roi, samples, batch), floats([1, 1, 1, 1]))


def cases():
    for family in (convolutions, products, pooling, resizing, regions):
        yield from family()
