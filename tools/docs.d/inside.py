"""Pages for files outside docs/ that links lead to: README.md files as pages, other files as listings. Links then lead to these pages."""

import posixpath
import re

import api_reference
import mermaid

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$", re.S | re.M)
_LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
_LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python", ".json": "json", ".cmake": "cmake", ".txt": "text"}
# What readers look for without a link.
_ALWAYS = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def page_of(path):
    """The page of a file of the project, given from its root."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path == "README.md":
        return "index.md"
    if path.startswith("include/") and path.endswith(".h"):
        return "reference/headers/" + api_reference.page_name(path.removeprefix("include/"))
    if path.endswith(".md"):
        return "inside/" + path
    return f"inside/{path}.md"


def file_of(root, path):
    """The file that a link means: a folder is its README.md. None for a file that is not there."""
    if (root / path).is_dir():
        path = posixpath.join(path, "README.md")
    return path if (root / path).is_file() else None


def relink(root, path, page, text, wanted):
    """The text of the file `path` with links from its page to other pages; adds the files that they lead to."""
    def replaced(match):
        target, _, heading = match.group(2).partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match.group(0)
        file = file_of(root, posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        if file is None:
            return match.group(0)  # a generated page, or an error that mkdocs reports
        wanted.add(file)
        there = posixpath.relpath(page_of(file), posixpath.dirname(page) or ".")
        return match.group(1) + there + ("#" + heading if heading else "") + match.group(3)

    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(replaced, text[end:fence.start()]), fence.group(0)]
        end = fence.end()
    return "".join(parts) + _LINK.sub(replaced, text[end:])


def code_block(root, path):
    """A source as a block of code in its language."""
    text = (root / path).read_text()
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = _LANGUAGES.get(posixpath.splitext(path)[1], "bash" if text.startswith("#!") else "text")
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def listing(root, path):
    return f"# {path}\n\n{code_block(root, path)}\n"


def index(root, folders):
    lines = ["| folder | about |", "|---|---|"]
    for path in folders:
        text = (root / path).read_text()
        first = re.search(r"^(?!#|<|\||```|\s*$).*?(?=\n\s*\n|\Z)", text.split("\n", 1)[1], re.S | re.M)
        sentence = re.split(r"(?<=[.!?])\s", " ".join(first.group(0).split()))[0].rstrip(":") if first else ""
        sentence = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)
        lines.append(f"| [{posixpath.dirname(path)}]({page_of(path)}) | {sentence} |")
    return "\n".join(lines)


def folder_readmes(root):
    return sorted(path.relative_to(root).as_posix() for top in root.iterdir()
                  if top.is_dir() and top.name not in ("build", "docs") and not top.name.startswith(".")
                  for path in top.rglob("README.md"))


def write(root, pages):
    """Writes the pages for READMEs and for all files that links lead to; returns the table of folders."""
    folders = folder_readmes(root)
    waiting, written = {*_ALWAYS, *folders}, set()
    for page in sorted(pages.rglob("*.md")):  # those of docs/, and generated ones
        name = page.relative_to(pages).as_posix()
        page.write_text(relink(root, "docs/" + name, name, page.read_text(), waiting))
    while waiting - written:
        path = min(waiting - written)
        written.add(path)
        if page_of(path) == path.removeprefix("docs/") or (pages / page_of(path)).exists():
            continue
        text = mermaid.drawn(relink(root, path, page_of(path), (root / path).read_text(), waiting)) if path.endswith(".md") else listing(root, path)
        page = pages / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    return index(root, folders)
