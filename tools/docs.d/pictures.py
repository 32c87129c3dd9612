"""Pictures inside pages: `<!-- picture: NAME -->` on a line of its own becomes the drawing NAME, which follows the page's colours.

docs/pictures/NAME.dot is a graph that Graphviz draws; the line `// ALT` at its top describes it to readers who do not see it. NAME.svg is a
drawing that README.md shows as well, with colours of its own, which the site's replace."""

import html
import re
import subprocess
import sys

PICTURE = '<div class="picture">\n{}\n</div>'
_MARK = re.compile(r"^<!-- picture: ([\w-]+) -->$", re.M)


def drawn(root):
    """The SVG text of every graph in docs/pictures, by name."""
    drawings = {}
    for path in sorted((root / "docs/pictures").glob("*.dot")):
        text = path.read_text()
        alternative = " ".join(line.removeprefix("//").strip() for line in text.split("\n") if line.startswith("//"))
        drawings[path.stem] = graph(text, path.stem, alternative)
    for path in sorted((root / "docs/pictures").glob("*.svg")):
        svg = re.sub(r"<style>.*?</style>\s*", "", path.read_text(), flags=re.S)
        drawings[path.stem] = svg.replace("<svg ", '<svg class="graph drawing" ', 1).strip()
    return drawings


def graph(text, name, alternative):
    """A graph in Graphviz's language as a figure."""
    run = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"error: Graphviz cannot draw {name}: {run.stderr}")
    svg = run.stdout[run.stdout.index("<svg"):]
    svg = re.sub(r"<!--.*?-->\s*|<title>.*?</title>\s*", "", svg, flags=re.S)
    svg = re.sub(r' id="[^"]*"', "", svg)
    return figure(svg, "graph", alternative)


def figure(svg, kind, alternative):
    """An SVG text as a figure. `kind` is its class in style/site.css."""
    svg = re.sub(r"\n\s*\n", "\n", svg).strip()  # an empty line would end the HTML
    width = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+)', svg).group(1)
    # On a phone a wide drawing scrolls: text smaller than this cannot be read.
    style = f"width: calc({width}px * 1.2); min-width: min({width}px, 24rem)"
    attributes = f'class="{kind}" style="{style}" role="img" aria-label="{html.escape(alternative, quote=True)}"'
    return re.sub(r'<svg(?: width="[^"]*")?(?: height="[^"]*")?\s+', f"<svg {attributes} ", svg, count=1)


def placed(text, drawings, page):
    """The text of a page with its pictures."""
    def replaced(match):
        if match.group(1) not in drawings:
            sys.exit(f"error: {page} names the picture {match.group(1)}; there are: {', '.join(sorted(drawings))}")
        return PICTURE.format(drawings[match.group(1)])
    return _MARK.sub(replaced, text)
