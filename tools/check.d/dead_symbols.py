"""Functions that no production code uses. Tests do not keep code alive.

Every function that is declared somewhere in production code must be named somewhere else as well than in declarations and definitions.
dead_symbols.json lists exceptions, with reasons."""

import re
from collections import Counter, defaultdict

from tree import Violation, code_only, line_of

FOLDERS = ("accelerators", "api", "core", "cpu_fallback", "vulkan", "nativewindow", "importers", "clients", "python", "tools", "perf", "include")
# A line that declares or defines a function: a type, perhaps a scope, a name, an opening parenthesis.
_DECLARATION = re.compile(r"^[ \t]*(?:template\s*<[^;{]*?>\s*)?(?!(?:return|else|throw|delete|new|if|while|for|switch|case|using|typedef|goto|"
                          r"co_return|operator|EXPECT|ASSERT)\b)(?:[A-Za-z_][\w:]*(?:\s*<[^;={}]*?>)?(?:\s*::\s*\w+)?[\s*&]+)+"
                          r"(?:[A-Za-z_]\w*(?:<[^<>;]*>)?::)*(?P<name>[A-Za-z_]\w*)\s*\(", re.M)
# What macros paste a parameter between: family##_rows, add_##family##_rows.
_PASTED = re.compile(r"\b(?:(\w+_)[ \t]*##[ \t]*)?\w+[ \t]*##[ \t]*(_\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_KEYWORDS = {"main", "if", "while", "for", "switch", "return", "sizeof", "alignof", "decltype", "static_assert", "catch", "defined", "alignas"}


def declarations(code, is_header=False):
    """(name, position of the name) of everything that looks like a declaration of a function in code without comments."""
    for match in _DECLARATION.finditer(code):
        name = match.group("name")
        if name in _KEYWORDS:
            continue
        if not is_header and match.group(0)[0] in " \t" and end_of_definition(code, match.start("name")) == match.start("name"):
            continue  # in a source, an indented line without a body is more likely a variable
        yield name, match.start("name")


def unnamed(tree):
    """Functions that are declared and never named otherwise."""
    named = Counter()
    declared = defaultdict(list)
    pasted = []
    for path in tree.below(*FOLDERS, suffixes=(".cpp", ".h", ".c")):
        code = code_only(tree.text(path))
        named.update(_WORD.findall(code))
        pasted += [before + r"\w+" + after for before, after in _PASTED.findall(code) if before or after]
        if path.startswith("include/"):
            continue  # what clients use
        for name, position in declarations(code, path.endswith(".h")):
            declared[name].append((path, line_of(code, position)))
    is_pasted = re.compile("|".join(sorted(set(pasted))) or r"(?!)")
    for name, places in sorted(declared.items()):
        if named[name] <= len(places) and not is_pasted.fullmatch(name):
            yield name, places


def end_of_definition(code, position):
    """Where the body after a declarator ends; `position` itself for a declaration."""
    opening = re.compile(r"[{;]").search(code, position)
    if opening is None or opening.group(0) == ";":
        return position
    depth = 0
    for i in range(opening.start(), len(code)):
        depth += (code[i] == "{") - (code[i] == "}")
        if depth == 0:
            return i
    return len(code)


def check(tree, options):
    accepted = tree.data("dead_symbols.json")["used_nevertheless"]
    dead = dict(unnamed(tree))
    for name, places in dead.items():
        path, line = places[0]
        if name not in accepted:
            yield Violation(path, line, f"no production code uses {name}; remove it, or move it to the tests that use it")
    for name in sorted(set(accepted) - set(dead)):
        yield Violation("tools/check.d/dead_symbols.json", 0, f"{name} is used by now, or gone; remove its row")
