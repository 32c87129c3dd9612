"""Diagrams that READMEs hold as text for Mermaid, drawn without it: GitHub draws them by a script, which a page without a network has not.

Flowcharts become graphs of Graphviz. Sequence diagrams are drawn here. Only the syntax that this project uses is read; anything else is
an error that names the line."""

import html
import re
import textwrap

import pictures

_BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.S | re.M)
_NODE = re.compile(r'^(\w+)(?:\["?(.*?)"?\])?$')
_EDGE = re.compile(r'^(.*?)\s*(?:--\s*"?(.*?)"?\s*)?-->\s*(.*)$')
_MESSAGE = re.compile(r"^(\w+)(--?>>)(\w+): (.*)$")
_COLUMN, _ROW, _LINE, _BOX = 250, 20, 15, 30


def fail(line):
    raise SystemExit(f"error: tools/docs.d/mermaid.py cannot draw this line of a diagram for Mermaid: {line}")


def flowchart(lines):
    """A flowchart as a graph of Graphviz."""
    out = [f"digraph diagram {{ rankdir={lines[0].split()[1]}; nodesep=0.25; ranksep=0.35; bgcolor=transparent;",
           'node [shape=box, style=rounded, fontname="Helvetica", fontsize=12, margin="0.14,0.06"];',
           'edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];']
    kind, labels, groups = "", {}, 0

    def node(text):
        match = _NODE.match(text.strip()) or fail(text)
        name, label = match.groups()
        if name not in labels:
            labels[name] = kind
            out.append(f'{name} [label="{(label or name).replace("<br>", chr(92) + "n")}"{kind}];')
        return name

    for line in lines[1:]:
        if line.startswith("subgraph "):
            groups += 1
            kind = ', class="client"' if groups == 1 else ""
        elif line == "end":
            kind = ""
        elif edge := _EDGE.match(line):
            begin, label, end = edge.groups()
            out.append(f'{node(begin)} -> {node(end)} [label="  {label or ""}"];')
        else:
            node(line)
    return pictures.graph("\n".join(out) + "\n}\n", "diagram", "diagram: " + "; ".join(lines[1:]))


def sequence(lines):
    """A sequence diagram: a column per participant, a row per message."""
    names = dict(re.findall(r"^participant (\w+) as (.*)$", "\n".join(lines), re.M))
    columns = {name: 90 + _COLUMN * number for number, name in enumerate(names)}
    width, y, parts, loops = 180 + _COLUMN * (len(names) - 1), 2 * _BOX, [], []

    def text(x, top, words, anchor="middle", letters=34):
        wrapped = textwrap.wrap(words, letters)
        parts.extend(f'<text x="{x}" y="{top + _LINE * number}" text-anchor="{anchor}">{html.escape(line)}</text>'
                     for number, line in enumerate(wrapped))
        return _LINE * len(wrapped)

    for line in lines[1:]:
        message = _MESSAGE.match(line)
        if line.startswith("participant "):
            continue
        if line.startswith("loop "):
            loops.append((y, line.removeprefix("loop ")))
            y += _ROW
        elif line == "end":
            top, label = loops.pop()
            parts.append(f'<g class="cluster"><polygon points="4,{top} {width - 4},{top} {width - 4},{y} 4,{y}"/></g>')
            text(12, top + _LINE, label, "start")
            y += _ROW
        elif line.startswith("Note over "):
            name, words = line.removeprefix("Note over ").split(": ", 1)
            y += text(columns[name], y + _LINE, words, letters=22) + _ROW // 2
        elif message:
            begin, arrow, end, words = message.groups()
            x, to = columns[begin], columns[end]
            dashed = ' stroke-dasharray="5 4"' if arrow.startswith("--") else ""
            if begin == end:
                height = text(x + 38, y + _LINE, words, "start")
                parts.append(f'<g class="edge"><path d="M{x} {y + 6} h28 v{height} h-22"/><polygon points="{x + 6},{y + 2 + height} '
                             f'{x},{y + 6 + height} {x + 6},{y + 10 + height}"/></g>')
                y += height + _ROW
            else:
                y += text((x + to) / 2 if abs(x - to) == _COLUMN else min(x, to) + _COLUMN / 2, y + _LINE, words) + 4
                side = 8 if to < x else -8
                parts.append(f'<g class="edge"><path d="M{x} {y} L{to} {y}"{dashed}/><polygon points="{to + side},{y - 4} {to},{y} '
                             f'{to + side},{y + 4}"/></g>')
                y += _ROW // 2
        else:
            fail(line)
    head = []
    for name, x in columns.items():
        head.append(f'<g class="edge"><path d="M{x} {_BOX} V{y}"/></g>')
    for name, x in columns.items():
        head.append(f'<g class="node"><polygon points="{x - 70},2 {x + 70},2 {x + 70},{_BOX} {x - 70},{_BOX}"/>'
                    f'<text x="{x}" y="{_BOX / 2 + 6}" text-anchor="middle">{html.escape(names[name])}</text></g>')
    svg = f'<svg viewBox="0 0 {width} {y + 4}" xmlns="http://www.w3.org/2000/svg" font-size="12">\n' + "\n".join(head + parts) + "\n</svg>"
    return pictures.figure(svg, "graph sequence", "sequence: " + "; ".join(lines[1:]))


def diagram(text):
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if lines[0].startswith("flowchart "):
        return flowchart(lines)
    return sequence(lines) if lines[0] == "sequenceDiagram" else fail(lines[0])


def diagrams(text):
    """The diagrams of a page, in order, as drawings."""
    return [diagram(block) for block in _BLOCK.findall(text)]


def drawn(text):
    """The text of a page with its diagrams as drawings."""
    return _BLOCK.sub(lambda block: pictures.PICTURE.format(diagram(block.group(1))), text)
