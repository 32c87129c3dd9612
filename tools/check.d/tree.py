"""The files that rules look at, and what a rule reports."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CPP = (".cpp", ".h")


@dataclass(frozen=True)
class Violation:
    """Where a rule is broken (line 0: the whole file) and, in `text`, what is wrong and what to do."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class Tree:
    """A checkout (every file that git tracks or would track) or a copy of one (every file), by paths from the root."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self._text = {}

    @cached_property
    def files(self):
        try:
            listed = self.git("ls-files", "--cached", "--others", "--exclude-standard")
        except (OSError, subprocess.CalledProcessError):  # no git, or no checkout but a copy
            listed = self._walk()
        return sorted({path for path in listed if (self.root / path).is_file()})

    def _walk(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".git", "__pycache__") and Path(folder, name) != self.root / "build"]
            yield from (Path(folder, name).relative_to(self.root).as_posix() for name in names)

    def git(self, *arguments):
        """Lines that a git command prints. Raises CalledProcessError when it fails."""
        done = subprocess.run(["git", "-C", str(self.root), *arguments], check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def below(self, *folders, suffixes=CPP):
        """Files with one of these suffixes in one of these folders (without a folder: anywhere)."""
        starts = tuple(folder.rstrip("/") + "/" for folder in folders) or ("",)
        return [path for path in self.files if path.startswith(starts) and path.endswith(suffixes)]

    def text(self, path):
        if path not in self._text:
            self._text[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._text[path]

    def data(self, name):
        """One of the data files beside this module, from the checked tree."""
        return json.loads(self.text(f"tools/check.d/{name}"))


# Comments (`line`, `block`) and literals (`text`; raw ones and characters have no group) of C++ and GLSL.
COMMENT_OR_LITERAL = re.compile(
    r'R"\(.*?\)"|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])\'|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/', re.S)


def blank(text):
    """The text with a space for everything but line breaks: positions and lines stay."""
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """C++ with comments and the contents of literals blanked; positions and lines stay."""
    def without_contents(match):
        kept = match.group(0)
        if kept[-1] in "\"'" and match.group("line") is None:
            return kept[0] + blank(kept[1:-1]) + kept[-1]
        return blank(kept)

    return COMMENT_OR_LITERAL.sub(without_contents, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1
