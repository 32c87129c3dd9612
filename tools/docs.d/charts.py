"""Charts of perf/results as SVG. The figures are read from the tables of the files there, so a chart cannot differ from its source."""

import html
import math
import re

import pictures

_WIDTH, _ROW, _LABELS, _TOP = 720, 19, 250, 30


def table(root, file, columns):
    """The rows of the first table of a result file whose header has these columns, as dictionaries."""
    lines = (root / "perf/results" / file).read_text().split("\n")
    for number, line in enumerate(lines):
        header = cells(line)
        if line.startswith("|") and all(column in header for column in columns):
            rows = []
            for row in lines[number + 2:]:
                if not row.startswith("|"):
                    return rows
                rows.append(dict(zip(header, cells(row))))
            return rows
    raise SystemExit(f"error: perf/results/{file} has no table with the columns {', '.join(columns)}")


def cells(line):
    return [cell.strip().replace("**", "") for cell in line.strip().strip("|").split("|")]


def number(text):
    match = re.match(r"-?[0-9.]+", text)
    return float(match.group(0)) if match else None


def bars(title, rows, unit, reference=None):
    """A chart of horizontal bars. rows: (label, [(name, value)]); the first name is nnvk's. `reference`: a value with a line."""
    names = list(dict.fromkeys(name for _, values in rows for name, _ in values))
    most = max(value for _, values in rows for _, value in values if value is not None)
    scale = (_WIDTH - _LABELS - 70) / (most or 1)
    bar = 13 if len(names) == 1 else 10
    parts, y = [], _TOP
    if len(names) > 1:
        x = _LABELS
        for index, name in enumerate(names):
            parts.append(f'<rect class="series{index}" x="{x}" y="6" width="11" height="11"/><text x="{x + 16}" y="16">{html.escape(name)}</text>')
            x += 40 + 7 * len(name)
    for label, values in rows:
        height = len(values) * (bar + 1) + 6
        parts.append(f'<text class="label" x="{_LABELS - 8}" y="{y + height / 2 + 1:.0f}" text-anchor="end">{html.escape(label)}</text>')
        for name, value in values:
            if value is not None:
                width = max(1.0, value * scale)
                parts.append(f'<rect class="series{names.index(name)}" x="{_LABELS}" y="{y}" width="{width:.1f}" height="{bar}"/>'
                             f'<text class="value" x="{_LABELS + width + 5:.1f}" y="{y + bar - 2}">{value:g}{unit}</text>')
            y += bar + 1
        y += 6
    if reference is not None:
        x = _LABELS + reference * scale
        parts.append(f'<line class="reference" x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{y}"/>')
    svg = f'<svg viewBox="0 0 {_WIDTH} {y + 4}" xmlns="http://www.w3.org/2000/svg">\n' + "\n".join(parts) + "\n</svg>"
    return pictures.figure(svg, "chart", title)


def peers(root):
    """Times on the CPU beside ONNX Runtime's and XNNPACK's, two threads."""
    rows = table(root, "2026-11-23-peers.md", ("network", "threads", "nnvk-cpu, ms", "onnxruntime, ms", "xnnpack, ms"))
    chosen = []
    for row in rows:
        if row["threads"] == "2" and number(row["onnxruntime, ms"]) >= 0.2:  # shorter bars would not be seen
            chosen.append((row["network"], [(name, number(row[column])) for name, column in
                                            (("nnvk-cpu", "nnvk-cpu, ms"), ("ONNX Runtime 1.30", "onnxruntime, ms"), ("XNNPACK", "xnnpack, ms"))
                                            if number(row[column]) is not None]))
    return bars("Milliseconds of an execution on the CPU with two threads: nnvk-cpu, ONNX Runtime and XNNPACK", chosen, " ms")


def provider(root):
    """Ratios of fifty networks inside ONNX Runtime, with the plugin and without."""
    rows = table(root, "2026-11-29-fifty-networks.md", ("network", "ratio", "taken, 1 thread"))
    lines = (root / "perf/results/2026-11-29-fifty-networks.md").read_text().split("\n")
    ratios = []
    for line in lines:
        row = cells(line)
        if line.startswith("|") and len(row) > 4 and row[0] in {one["network"] for one in rows}:
            ratios.append((row[0], float(row[4])))
    ratios.sort(key=lambda row: row[1])
    mean = math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))
    chart = bars(f"Time with the plugin divided by ONNX Runtime's own, one thread, {len(ratios)} networks, geometric mean {mean:.2f}",
                 [(name, [("ratio", ratio)]) for name, ratio in ratios], "", reference=1)
    return chart


def drawn(root):
    return {"chart-peers": peers(root), "chart-provider": provider(root)}
