"""Charts of perf/results, as HTML. The figures are read from the tables of the files there, so a chart cannot differ from its source."""

import html
import math
import re


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
                rows.append(dict(reversed(list(zip(header, cells(row))))))  # of columns with one name the first counts
            return rows
    raise SystemExit(f"error: perf/results/{file} has no table with the columns {', '.join(columns)}")


def cells(line):
    return [cell.strip().replace("**", "") for cell in line.strip().strip("|").split("|")]


def number(text):
    match = re.match(r"-?[0-9.]+", text)
    return float(match.group(0)) if match else None


def bars(title, rows, unit, reference=None):
    """A chart of horizontal bars, which fits any width. rows: (label, [(name, value)]). `reference`: a value with a line."""
    names = list(dict.fromkeys(name for _, values in rows for name, _ in values))
    most = max(value for _, values in rows for _, value in values)
    parts = [f'<div class="chart" role="img" aria-label="{html.escape(title, quote=True)}">']
    if len(names) > 1:
        keys = "".join(f'<span><i class="series{number}"></i>{html.escape(name)}</span>' for number, name in enumerate(names))
        parts.append(f'<div class="keys">{keys}</div>')
    line = "" if reference is None else f'<b style="left: calc({reference / most:.4f} * (100% - 4.5rem))"></b>'
    for label, values in rows:
        drawn_bars = "".join(f'<span><i class="series{names.index(name)}" style="width: calc({value / most:.4f} * (100% - 4.5rem))"></i>'
                             f"{value:g}{unit}</span>" for name, value in values)
        parts.append(f'<div class="row"><span class="label">{html.escape(label)}</span><span class="bars">{drawn_bars}{line}</span></div>')
    return "\n".join(parts + ["</div>"])


def peers(root):
    """Times on the CPU beside ONNX Runtime's and XNNPACK's, two threads."""
    columns = {"nnvk-cpu": "nnvk-cpu, ms", "ONNX Runtime 1.30": "onnxruntime, ms", "XNNPACK": "xnnpack, ms"}
    rows = table(root, "2026-11-30-peers.md", ("network", "threads", *columns.values()))
    chosen = []
    for row in rows:
        if row["threads"] == "2" and (number(row["onnxruntime, ms"]) or 0) >= 0.2:  # nobody would see shorter bars
            chosen.append((row["network"], [(name, number(row[column])) for name, column in columns.items() if number(row[column]) is not None]))
    return bars("Milliseconds of an execution on the CPU with two threads: nnvk-cpu, ONNX Runtime and XNNPACK", chosen, " ms")


def provider(root):
    """Ratios of fifty networks inside ONNX Runtime, with the plugin and without."""
    rows = table(root, "2026-11-29-fifty-networks.md", ("network", "ratio", "taken, 1 thread"))
    ratios = [(row["network"], float(row["ratio"])) for row in rows]
    ratios.sort(key=lambda row: row[1])
    mean = math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))
    return bars(f"Time with the plugin divided by ONNX Runtime's own, one thread, {len(ratios)} networks, geometric mean {mean:.2f}",
                 [(name, [("ratio", ratio)]) for name, ratio in ratios], "", reference=1)


def drawn(root):
    return {"chart-peers": peers(root), "chart-provider": provider(root)}
