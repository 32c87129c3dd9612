"""Turns the times and outputs that perf/peers/compare measured into differences, ratios, the table and its summary.

A record has for each number of threads (as text) and each runtime `median` and `minimum` in milliseconds, `version`, `difference` from
nnvk-cpu and whether that is small (`equal`); besides `zero_points_0` of the network, and `reasons` of runtimes that did not run it.
"""

import math
import statistics

import numpy as np

from runtimes import Runtimes

# Network -> the part of an output to compare, and how far apart it may be. MoveNet: where the points are; the scores are single cells of maps
# with steep peaks.
COMPARED = {'movenet_s8': (lambda values: values.reshape(-1, 3)[:, :2], 0.05)}
FIGURES = {'median': 'medians', 'minimum': 'minima'}
CELL = {'nnvk default': 'nnvk default (devices)', 'tflite': 'tflite (operators on XNNPACK)'}


def difference(name, outputs, ours, theirs):
    """The largest difference over all outputs, and whether it is small: of floats against the largest value, of 8-bit in steps."""
    worst, good = 0.0, len(ours) == len(theirs)
    for output, a, b in zip(outputs, ours, theirs):
        if a.size != b.size:
            return float('inf'), False
        part, limit = COMPARED.get(name, (lambda values: values, None))
        a, b = part(a).astype(np.float64), part(b).astype(np.float64)
        apart = np.abs(a - b)
        if output.type == np.float32:
            limit, value = limit or 1e-3, float(apart.max() / max(1e-6, np.abs(a).max()))
        elif output.quantized:
            limit, value = 8, float(apart.max())
        else:  # indices: few may differ where two values are nearly equal
            limit, value = 0.02, float((apart > 0).mean())
        worst, good = max(worst, value), good and value <= limit
    return worst, good


def ratio(entry, figure):
    """nnvk-cpu against the best peer by `figure` (median or minimum), or None."""
    peers = [entry[name][figure] for name in Runtimes.PEERS if name in entry]
    return entry['nnvk-cpu'][figure] / min(peers) if peers and 'nnvk-cpu' in entry else None


def summary(records, threads, figure):
    """One line about all networks, and one about those in 8 bits without other zero points than 0."""
    lines = []
    for title, chosen in (('all networks', records), ('8 bits, zero points 0', {n: r for n, r in records.items() if r['zero_points_0']})):
        ratios = {name: ratio(record['threads'].get(threads, {}), figure) for name, record in chosen.items()}
        ratios = {name: value for name, value in ratios.items() if value}
        if ratios:
            above = [f'{name} {value:.2f}' for name, value in sorted(ratios.items(), key=lambda item: -item[1]) if value > 1.05]
            mean = math.exp(statistics.fmean(math.log(value) for value in ratios.values()))
            lines.append(f'- {threads} thread{"s" * (threads != "1")}, {FIGURES[figure]}, {title}: geometric mean **{mean:.3f}** of {len(ratios)}; '
                         f'above 1.05: {", ".join(above) or "none"}')
    return lines


def table(records):
    """All records as text in Markdown."""
    heads = ['network', 'threads', *(f'{CELL.get(name, name)}, ms' for name in Runtimes.NAMES), 'nnvk-cpu / best peer', 'of minima',
             'largest difference']
    lines = ['| ' + ' | '.join(heads) + ' |', '|' + '---|' * len(heads)]
    for name, record in records.items():
        for threads, entry in record['threads'].items():
            cells = [f'{entry[r]["median"]:.3g}, {entry[r]["minimum"]:.3g}' + (f' ({entry[r]["version"]})' if r in CELL else '')
                     if r in entry else '-' for r in Runtimes.NAMES]
            peers = [entry[r] for r in Runtimes.PEERS if r in entry]
            ratios = [f'{value:.2f}' if (value := ratio(entry, figure)) else '-' for figure in FIGURES]
            differs = '' if all(peer['equal'] for peer in peers) else ' (results differ!)'
            apart = ', '.join(f'{peer["difference"]:.2g}' for peer in peers) or '-'
            lines.append('| ' + ' | '.join([name, threads, *cells, f'**{ratios[0]}**{differs}', ratios[1], apart]) + ' |')
    lines.append('')
    for threads in sorted({threads for record in records.values() for threads in record['threads']}, key=int):
        for figure in FIGURES:
            lines += summary(records, threads, figure)
    missing = {}
    for name, record in records.items():
        for runtime, reason in record['reasons'].items():
            missing.setdefault(f'{runtime}: {reason}', []).append(name)
    listed = [f'- {reason}: {", ".join(names)}' for reason, names in missing.items()]
    return '\n'.join(lines + (['', 'Not compared:', '', *listed] if listed else []))
