"""BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS, DETECTION_POSTPROCESSING, AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT with
numbers worked out by hand."""

import math

from vector_case import NAN, eighths, floats, found, gives, ints, quant8, refused

HARD, LINEAR, GAUSSIAN = 0, 1, 2
WIDE, HALF, FAR = (0, 0, 2, 1), (0, 0, 1, 1), (10, 10, 11, 11)  # HALF is half of WIDE
SWAPPED = (1, 1, 0, 0)


def limit(scores, boxes, batches=None, kernel=HARD, iou=0.4, nms_score=0.05):
    """One foreground class; `boxes` are its boxes. The background's box is empty."""
    rows = len(scores)
    return [floats([rows, 2], *(v for score in scores for v in (0, score))),
            floats([rows, 8], *(v for box in boxes for v in (0, 0, 0, 0, *box))), ints([rows], *(batches or [0] * rows)),
            0.1, -1, kernel, iou, 0.5, nms_score]


def kept(scores, boxes, classes=None, batches=None):
    n = len(scores)
    return [found(t) for t in (floats([n], *scores), floats([n, 4], *(v for box in boxes for v in box)),
                               ints([n], *(classes or [1] * n)), ints([n], *(batches or [0] * n)))]


def box_with_nms_limit():
    kind = 'BOX_WITH_NMS_LIMIT'
    yield gives('box with nms limit drops overlapping boxes', kind, limit([0.6, 0.8, 0.05, 0.3], [HALF, WIDE, FAR, FAR]),
                *kept([0.8, 0.3], [WIDE, FAR]))
    two = [0.6, 0.8], [HALF, WIDE]
    yield gives('box with nms limit drops an overlap equal to the threshold', kind, limit(*two, iou=0.5), *kept([0.8], [WIDE]))
    yield gives('box with nms limit keeps an overlap below the threshold', kind, limit(*two, iou=0.51),
                *kept([0.8, 0.6], [WIDE, HALF]))
    yield gives('box with nms limit lowers scores in proportion', kind, limit(*two, kernel=LINEAR),
                *kept([0.8, 0.3], [WIDE, HALF]))
    yield gives('box with nms limit lowers scores by a bell', kind, limit(*two, kernel=GAUSSIAN),
                *kept([0.8, 0.6 * math.exp(-0.5)], [WIDE, HALF]))
    yield gives('box with nms limit drops a score lowered too far', kind, limit(*two, kernel=GAUSSIAN, nms_score=0.37),
                *kept([0.8], [WIDE]))
    yield gives('box with nms limit without a lowest score keeps suppressed boxes with score zero', kind,
                limit(*two, nms_score=0.0),
                *kept([0.8, 0], [WIDE, HALF]))
    yield gives('box with nms limit takes every run of batch indexes as an image', kind,
                limit([0.6, 0.8, 0.9], [HALF, WIDE, WIDE], [5, 5, 0]), *kept([0.8, 0.9], [WIDE, WIDE], batches=[5, 0]))
    yield refused('box with nms limit refuses a negative batch index', kind, limit([0.6], [HALF], [-1]), *kept([], []))
    # Two classes; the best two of all survive and come by class.
    yield gives('box with nms limit caps the boxes of each image', kind,
                [floats([2, 3], 0, 0.5, 0.9, 0, 0.7, 0.6),
                 floats([2, 12], 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 4, 4, 5, 5, 6, 6, 7, 7), ints([2], 3, 3),
                 0.1, 2, HARD, 0.5, 0.5, 0.1], *kept([0.7, 0.9], [(4, 4, 5, 5), (2, 2, 3, 3)], [1, 2], [3, 3]))
    # The first boxes of an image are inspected, as many as it has rows: here the one of the background.
    yield gives('box with nms limit inspects only the first boxes of an image', kind, limit([0.5], [SWAPPED]),
                *kept([0.5], [SWAPPED]))
    yield refused('box with nms limit refuses a swapped box among the first', kind, limit([0.5, 0.5], [SWAPPED, FAR]),
                  *kept([], []))
    yield gives('box with nms limit of nan scores and nothing to keep', kind, limit([NAN, 0.05], [FAR, FAR]), *kept([], []))


def generate_proposals():
    kind = 'GENERATE_PROPOSALS'

    # A grid of one row and two columns, one anchor, no deltas.
    def propose(scores, before, after, iou=0.5, min_size=0.0):
        return [floats([1, 1, 2, 1], *scores), floats([1, 1, 2, 4], *[0] * 8), floats([1, 4], 0, 0, 4, 2), floats([1, 2], 10, 20),
                2.0, 2.0, before, after, iou, min_size, False]

    def proposals(scores, boxes):
        n = len(scores)
        return [found(t) for t in (floats([n], *scores), floats([n, 4], *(v for box in boxes for v in box)), ints([n], *[0] * n))]
    first, second = (0, 0, 4, 2), (2, 0, 6, 2)
    yield gives('generate proposals moves anchors over the grid', kind, propose((0.5, 0.9), 0, -1),
                *proposals([0.9, 0.5], [second, first]))
    yield gives('generate proposals takes the best before suppression', kind, propose((0.5, 0.9), 1, -1),
                *proposals([0.9], [second]))
    yield gives('generate proposals takes the best after suppression', kind, propose((0.5, 0.9), 0, 1),
                *proposals([0.9], [second]))
    yield gives('generate proposals of at most zero is no box at all', kind, propose((0.5, 0.9), 0, 0), *proposals([], []))
    # The boxes share 4 of 12.
    yield gives('generate proposals suppresses an overlap of a third', kind, propose((0.5, 0.9), 0, -1, 0.33),
                *proposals([0.9], [second]))
    yield gives('generate proposals drops a height that is not above the least size', kind, propose((0.5, 0.9), 0, -1, 0.5, 2.0),
                *proposals([], []))
    yield gives('generate proposals takes equal scores in index order', kind, propose((0.5, 0.5), 1, -1),
                *proposals([0.5], [first]))


def detection_postprocessing():
    kind = 'DETECTION_POSTPROCESSING'

    # Two anchors that do not overlap, three classes, no deltas.
    def postprocess(regular, most, classes_each, background=False, threshold=0.0):
        return [floats([1, 2, 3], 0, 0.6, 0.3, 0, 0.2, 0.9), floats([1, 2, 4], *[0] * 8),
                floats([2, 4], 1, 1, 2, 2, 11, 11, 2, 4), 10.0, 10.0, 5.0, 5.0, regular, most, classes_each, 1, threshold, 0.5,
                background]

    def detections(size, count, *found):
        """`found`: (score, box, class); the rest is zero."""
        rows = list(found) + [(0, (0, 0, 0, 0), 0)] * (size - len(found))
        return [floats([1, size], *(r[0] for r in rows)), floats([1, size, 4], *(v for r in rows for v in r[1])),
                ints([1, size], *(r[2] for r in rows)), ints([1], count)]
    first, second = (0, 0, 2, 2), (10, 9, 12, 13)
    yield gives('detection postprocessing regular takes one detection of each class', kind, postprocess(True, 3, 1),
                *detections(3, 2, (0.9, second, 1), (0.6, first, 0)))
    yield gives('detection postprocessing regular numbers classes with the background', kind, postprocess(True, 3, 1, True),
                *detections(3, 2, (0.9, second, 2), (0.6, first, 1)))
    # There are two classes only, and entries are packed.
    yield gives('detection postprocessing fast gives the best classes of every anchor', kind, postprocess(False, 2, 5),
                *detections(10, 4, (0.9, second, 1), (0.2, second, 0), (0.6, first, 0), (0.3, first, 1)))
    yield gives('detection postprocessing fast has a strict threshold', kind, postprocess(False, 2, 1, threshold=0.6),
                *detections(2, 1, (0.9, second, 1)))
    yield gives('detection postprocessing regular has a strict threshold', kind, postprocess(True, 2, 1, threshold=0.9),
                *detections(2, 0))


def bbox_transform():
    kind = 'AXIS_ALIGNED_BBOX_TRANSFORM'

    def transform(roi, delta, batch):
        return [floats([1, 4], *roi), floats([1, len(delta)], *delta), ints([1], batch), floats([2, 2], 100, 100, 10, 6)]
    # Centre (2, 1) moves by half the width to (4, 1), the width doubles to 8: 0 to 8, and the image is 6 wide.
    yield gives('bbox transform moves scales and clips', kind, transform((0, 0, 4, 2), (0.5, 0, math.log(2), 0, 0, 0, 0, 0), 1),
                floats([1, 8], 0, 0, 6, 2, 0, 0, 4, 2))
    for name, roi, batch in (('image 2 of two', (0, 0, 4, 2), 2), ('image minus 1', (0, 0, 4, 2), -1),
                             ('swapped columns', (4, 0, 0, 2), 0), ('swapped rows', (0, 2, 4, 0), 0),
                             ('a corner that is nan', (0, NAN, 4, 0), 0)):
        yield refused(f'bbox transform refuses {name}', kind, transform(roi, (0, 0, 0, 0), batch), floats([1, 4]))
    yield gives('bbox transform takes a point as a box', kind, transform((1, 1, 1, 1), (0, 0, 0, 0), 0),
                floats([1, 4], 1, 1, 1, 1))
    # (1, 1, 3, 3) moves by 0.25 * 2 to the right; 3.5 is 28 eighths, and the image ends at 30.
    yield gives('bbox transform of quantized boxes counts eighths', kind,
                [eighths([1, 4], 8, 8, 24, 24), quant8([1, 4], 0.0625, 128, 132, 128, 128, 128), ints([1], 0),
                 eighths([1, 2], 800, 30)], eighths([1, 4], 12, 8, 28, 24))


def heatmap_keypoint():
    kind = 'HEATMAP_MAX_KEYPOINT'

    def inputs(cells, box=(0, 0, 30, 60)):
        return [floats([1, 3, 3, 1], *cells), floats([1, 4], *box), False]

    def keypoint(score, x, y):
        return floats([1, 1], score), floats([1, 1, 2], x, y)
    yield gives('heatmap keypoint of a flat map is the middle of its first cell', kind, inputs([2] * 9), *keypoint(2, 5, 10))
    yield gives('heatmap keypoint finds the true peak by a quadratic fit', kind,
                inputs([-(x - 1.25) ** 2 - (y - 1) ** 2 for y in range(3) for x in range(3)]),
                *keypoint(0, (1.25 + 0.5) / 3 * 30, (1 + 0.5) / 3 * 60))
    for name, box in (('a box with swapped corners', (3, 0, 1, 0)), ('a box with a corner that is nan', (0, 0, 1, NAN))):
        yield refused(f'heatmap keypoint refuses {name}', kind, inputs([1] * 9, box), *keypoint(0, 0, 0))


def cases():
    for family in (box_with_nms_limit, generate_proposals, detection_postprocessing, bbox_transform, heatmap_keypoint):
        yield from family()
