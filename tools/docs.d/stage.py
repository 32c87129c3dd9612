"""Puts all pages of the site into one folder, as mkdocs wants them. Usage: stage.py ROOT FOLDER

FOLDER receives mkdocs.yml and the theme, and FOLDER/pages receives docs/, generated pages, and a page for each file that a link leads to
from there: READMEs and sources. Where a page says `<!-- program: FILE -->`, the text of a source follows, folded."""

import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import api_reference  # noqa: E402
import charts  # noqa: E402
import commands  # noqa: E402
import inside  # noqa: E402
import mermaid  # noqa: E402
import operation_reference  # noqa: E402
import pictures  # noqa: E402


def without_escapes(row):
    """A row of a table, without the backslash before a bar inside code that GitHub wants there and mkdocs shows."""
    return re.sub(r"`[^`]*`", lambda code: code.group(0).replace("\\|", "|"), row.group(0))


def program(root, file):
    """A source in full, below a line that unfolds it."""
    code = inside.code_block(root, file).replace("\n", "\n    ")
    return f'??? example "{file}"\n\n    {code}'


def title(page):
    return page.read_text().split("\n", 1)[0].removeprefix("# ").removeprefix("Operations: ")


def configuration(root, pages):
    """mkdocs.yml, with a line in the navigation for each generated page where it says `made: FOLDER`."""
    def lines(mark):
        return "".join(f'{mark.group(1)}- "{title(page)}": {page.relative_to(pages).as_posix()}\n'
                       for page in sorted((pages / mark.group(2)).glob("*.md")))
    return re.sub(r"^( *)# made: (\S+)\n", lines, (root / "tools/docs.d/mkdocs.yml").read_text(), flags=re.M)


def main():
    root, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = folder / "pages"
    shutil.copytree(root / "docs", pages, ignore=shutil.ignore_patterns("*.py", "*.dot", "*.svg", "data"))
    (pages / "README.md").unlink()  # the list of documents for readers of the folder; the site has its navigation
    shutil.copytree(root / "tools/docs.d/style", pages / "style")
    fragments = {"headers": api_reference.write(root, pages), "operations": operation_reference.write(root, pages),
                 "commands": commands.fragment(root), "folders": inside.write(root, pages)}
    drawings = pictures.drawn(root) | charts.drawn(root)
    own_device = mermaid.diagrams((root / "include/nnvk/README.md").read_text())
    drawings |= dict(zip(("own_device", "own_device_semaphores", "own_device_recording", "own_device_images"), own_device, strict=True))
    for page in pages.rglob("*.md"):
        text = re.sub(r"^\|.*$", without_escapes, page.read_text(), flags=re.M)
        text = re.sub(r"^<!-- program: (\S+) -->$", lambda mark: program(root, mark.group(1)), text, flags=re.M)
        text = re.sub(r"^<!-- made: (\w+) -->$", lambda mark: fragments[mark.group(1)], text, flags=re.M)
        page.write_text(pictures.placed(text, drawings, page.relative_to(pages)))
    shutil.copytree(root / "tools/docs.d/theme", folder / "theme")
    (folder / "mkdocs.yml").write_text(configuration(root, pages))


if __name__ == "__main__":
    main()
