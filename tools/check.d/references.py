"""What comments, READMEs and docs name is there: files, folders, and sections of docs (a heading behind #).

A name may be a pattern (`<family>.cpp`, `quantized_*.h`, braces) and is looked for from the root, from the folder of the file that
names it, and, when it is a bare file name, anywhere. references.json lists names that are no files of the tree."""

import fnmatch
import posixpath
import re
from functools import lru_cache

from tree import Violation, line_of

_SUFFIXES = r"(?:h|cpp|c|md|json|comp|glsl|py|fbs|map|cmake|supp)"
_NAME = re.compile(r"(?<![\w/.$}-])(?P<name>(?:\.\./)*(?:[\w<>*{},.-]+/)*[\w<>*{},-]+(?:\.[\w*{},]+)*\." + _SUFFIXES + r")\b(?P<heading>#[\w-]+)?(?![\w/])")
_FOLDER = re.compile(r"`(?P<name>(?:[\w<>*.-]+/)+)`")
_SPECIFICATION = re.compile(r"\b[Ss]emantics(?: section)? \d+(?:\.\d+)*")
_COMMENT = {".cpp": r"//[^\n]*", ".h": r"//[^\n]*", ".c": r"//[^\n]*|/\*.*?\*/", ".comp": r"//[^\n]*", ".glsl": r"//[^\n]*",
            ".py": r"#[^\n]*|\"\"\".*?\"\"\"", ".txt": r"#[^\n]*"}
_ROW = re.compile(r"^\|(?P<first>[^|]*)\|", re.M)
_SEARCHED = ("", "tools/", "include/", "shaders/", "shaders/include/", "tests/")


def named_in(path, text):
    """(position, text) of the parts of a file that name things: everything of a document, the comments of a source."""
    suffix = posixpath.splitext(path)[1]
    if suffix == ".md":
        return [(0, text)]
    pattern = _COMMENT.get(suffix)
    if pattern is None or suffix == ".txt" and not path.endswith("CMakeLists.txt"):
        return []
    return [(match.start(), match.group(0)) for match in re.finditer(pattern, text, re.S)]


class Names:
    """What may be named in a tree."""

    def __init__(self, tree):
        self.files = tree.files
        self.set = set(tree.files)
        self.folders = {"/".join(path.split("/")[:depth]) for path in tree.files for depth in range(1, path.count("/") + 1)}
        self.bare = {posixpath.basename(path) for path in tree.files}
        self.elsewhere = tree.data("references.json")["elsewhere"]
        self.matches = lru_cache(None)(self._matches)

    def _matches(self, pattern):
        expression = re.compile(fnmatch.translate(pattern))
        return any(expression.match(path) for path in (self.files if "/" in pattern else self.bare))

    def exists(self, name, folder):
        # Longest first, so that "**" of a pattern never comes up.
        for option in alternatives(re.sub(r"<[^<>]*>", "*", name)):
            if any(fnmatch.fnmatch(option, entry) for entry in self.elsewhere):
                continue
            candidates = [posixpath.normpath(posixpath.join(base, option)) for base in (*_SEARCHED, folder)]
            parents = folder
            while parents:
                parents = posixpath.dirname(parents)
                candidates.append(posixpath.normpath(posixpath.join(parents, option)))
            if "/" not in option:
                candidates.append(option)
            if not any(candidate in self.set or candidate in self.folders or ("*" not in candidate and candidate in self.bare)
                       or "*" in candidate and self.matches(candidate) for candidate in candidates):
                return False
        return True


def alternatives(name):
    """Braces in a name taken apart."""
    match = re.search(r"\{([^{}]*)\}", name)
    if match is None:
        return [name]
    return [full for part in match.group(1).split(",") for full in alternatives(name[:match.start()] + part + name[match.end():])]


def headings(text):
    """The anchors of a document's headings."""
    found = set()
    for match in re.finditer(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[^\w\- ]", "", match.group(1).strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def check(tree, _options):
    names = Names(tree)
    for path in tree.below(suffixes=(*_COMMENT, ".md")):
        if path in tree.data("references.json")["unchecked"]:
            continue
        text = tree.text(path)
        folder = posixpath.dirname(path)
        for start, part in named_in(path, text):
            for match in _NAME.finditer(part):
                name, heading = match.group("name").strip("{},"), match.group("heading")
                if name.startswith("<") and ">" not in name:  # <android/NeuralNetworks.h>
                    name = name[1:]
                line = line_of(text, start + match.start())
                if not names.exists(name, folder):
                    yield Violation(path, line, f"there is no file {name}; name one that is there, or what is meant")
                elif heading and name.endswith(".md"):
                    target = name if name in names.set else posixpath.normpath(posixpath.join(folder, name))
                    if target in names.set and heading[1:] not in headings(tree.text(target)):
                        yield Violation(path, line, f"{target} has no section {heading}; its sections are "
                                        + ", ".join("#" + anchor for anchor in sorted(headings(tree.text(target)))))
            for match in _SPECIFICATION.finditer(part):
                yield Violation(path, line_of(text, start + match.start()), f'"{match.group(0)}" is a section of a document that is '
                                "not here; cite a section of docs/nnapi")
        if path.endswith("README.md"):
            yield from check_document(path, text, folder, names)


def check_document(path, text, folder, names):
    for match in _FOLDER.finditer(text):
        if not names.exists(match.group("name").rstrip("/"), folder):
            yield Violation(path, line_of(text, match.start()), f"there is no folder {match.group('name')}")
    # Tables of files name them without their suffixes.
    in_table = False
    for row in re.finditer(r"^.*$", text, re.M):
        first = _ROW.match(row.group(0))
        if first is None:
            in_table = False
        elif re.search(r"\b(file|folder)\b", first.group("first")):
            in_table = True
        elif in_table:
            for name in re.findall(r"`([\w<>*]+(?:/[\w<>*]+)*)`", first.group("first")):
                if not (names.exists(name, folder) or names.exists(f"{name}.*", folder) or names.exists(f"{folder}/{name}.*", "")):
                    yield Violation(path, line_of(text, row.start()), f"there is no {name} in {folder or 'the root'}")
