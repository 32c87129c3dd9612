"""Checks a built site. Usage: check_site.py SITE

Every link to a file and to a heading must lead somewhere, and no page or style sheet may load anything from a network."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADING = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
            ("object", "data"), ("image", "href"), ("image", "xlink:href"), ("use", "href")}
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """The identifiers of a page, the links of its anchors, and all that it loads."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.identifiers, self.links, self.loads, self.in_style = {"", "__skip"}, set(), set(), False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.in_style = tag == "style"
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.identifiers.add(value)
            elif (tag, name) in _LOADING and value:
                self.loads.add(value)
            elif tag == "a" and name in ("href", "xlink:href") and value:
                self.links.add(value)
            elif name == "srcset" and value:
                self.loads.update(part.split()[0] for part in value.split(","))
            elif name == "style" and value:
                self.loads.update(loads_of_style(value))

    def handle_data(self, data):
        if self.in_style:
            self.loads.update(loads_of_style(data))


def loads_of_style(text):
    return {first or second for first, second in _IN_STYLES.findall(text)}


def is_on_a_network(target):
    return target.startswith("//") or urlsplit(target).scheme in ("http", "https", "ws", "wss", "ftp")


def faults(site):
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        name = path.relative_to(site)
        for target in sorted(page.loads):
            if is_on_a_network(target):
                yield f"{name} loads {target} from a network"
        for target in sorted(page.links | page.loads):
            if urlsplit(target).scheme or target.startswith("//"):
                continue
            file, _, heading = target.partition("#")
            file = unquote(urlsplit(file).path)
            there = (path.parent / file).resolve() if file else path
            if there.is_dir():
                there = there / "index.html"
            if not there.exists():
                yield f"{name} links to {target}, which is not there"
            elif heading and there in pages and unquote(heading) not in pages[there].identifiers:
                yield f"{name} links to {target}, but there is no such heading"
    for path in sorted(site.rglob("*.css")) + sorted(site.rglob("*.svg")):
        text = path.read_text()
        for target in sorted(loads_of_style(text)):
            if is_on_a_network(target):
                yield f"{path.relative_to(site)} loads {target} from a network"


def main():
    site = Path(sys.argv[1]).resolve()
    found = list(faults(site))
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    if not list(site.rglob("*.html")):
        sys.exit(f"error: there is no page in {site}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
