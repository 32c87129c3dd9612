"""Functions that no production code uses. Tests do not keep code alive.

Found in two ways. By name: every function that is declared somewhere in production code must be named somewhere else as well than in
declarations and definitions. By symbol, which also tells functions of one name apart, where objects were built: a global function that no
other object refers to must be named in its own source outside its definition. dead_symbols.json lists exceptions, with reasons."""

import json
import os
import re
import subprocess
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


def objects(tree, build):
    """(source, object) of the production code that was built and is still there."""
    for folder in FOLDERS:
        for path in sorted((build / folder).glob("**/CMakeFiles/*.dir/**/*.o")):
            inside = path.relative_to(build).as_posix()
            source = re.sub(r"CMakeFiles/[^/]*\.dir/", "", inside).removesuffix(".o")
            if source in tree.files:
                yield source, path


def is_complete(tree, build, found):
    """Whether every production source of the build has an object that is newer than it."""
    database = build / "compile_commands.json"
    if not database.is_file():
        return False
    known = {os.path.relpath(entry["file"], tree.root) for entry in json.loads(database.read_text())}
    fresh = {source for source, path in found if path.stat().st_mtime >= (tree.root / source).stat().st_mtime}
    return bool(found) and {source for source in known if source.startswith(tuple(folder + "/" for folder in FOLDERS)) and source in tree.files} <= fresh


def unreferenced(tree, build):
    """(source, qualified name) of global functions that no other object refers to and that their own source does not name again."""
    source_of = {str(path): source for source, path in objects(tree, build)}
    listed = subprocess.run(["nm", "--print-file-name", "--format=posix", *source_of], capture_output=True, text=True, check=False).stdout
    defined, wanted = {}, set()
    for row in listed.splitlines():
        place, symbol, kind, *_ = row.rsplit(": ", 1)[0:1] + row.rsplit(": ", 1)[1].split()
        source = source_of.get(place)
        if kind == "T":
            defined[symbol] = source
        elif kind == "U":
            wanted.add(symbol)
    candidates = [symbol for symbol in defined if symbol not in wanted and symbol.startswith("_Z")]
    plain = subprocess.run(["c++filt"], input="\n".join(candidates), capture_output=True, text=True, check=True).stdout.splitlines()
    for symbol, text in zip(candidates, plain):
        source = defined[symbol]
        qualified = re.sub(r"\(anonymous namespace\)", "", text.split("(")[0])
        name = qualified.rsplit("::", 1)[-1]
        scope = qualified.rsplit("::", 2)[-2] if qualified.count("::") > 1 else ""
        if not _WORD.fullmatch(name) or name == scope or name.startswith("~"):
            continue
        if source and not named_in_own_source(tree, source, name):
            yield source, qualified


def named_in_own_source(tree, source, name):
    """Whether a source, or the header of its name, names a function elsewhere than in declarations and in its own definition."""
    for path in (source, re.sub(r"\.cpp$", ".h", source)):
        if path not in tree.files:
            continue
        code = code_only(tree.text(path))
        own = {position for found, position in declarations(code, path.endswith(".h")) if found == name}
        bodies = [(position, end_of_definition(code, position)) for position in own]
        for match in re.finditer(rf"\b{name}\b", code):
            if match.start() not in own and not any(start < match.start() < end for start, end in bodies):
                return True
            if re.search(rf"\b{name}\s*\([^;{{]*\)[^;{{]*\b(?:override|final)\b", code[match.start():match.start() + 600]):
                return True
    return any(re.search(rf"\b{name}\s*\([^;{{}}]*\)[^;{{}}]*\b(?:override|final)\b", code_only(tree.text(path)))
               for path in tree.below(source.split("/")[0], suffixes=(".h",)) if name in tree.text(path))


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
    is_built = is_complete(tree, options.build, list(objects(tree, options.build)))
    hidden = list(unreferenced(tree, options.build)) if is_built else []
    for name, places in dead.items():
        path, line = places[0]
        if name not in accepted:
            yield Violation(path, line, f"no production code uses {name}; remove it, or move it to the tests that use it")
    for source, name in hidden:
        if name.rsplit("::", 1)[-1] not in {*accepted, *dead}:
            yield Violation(source, 0, f"no production code uses {name}; remove it, or move it to the tests that use it")
    found = {*dead, *(name.rsplit("::", 1)[-1] for _, name in hidden)}
    for name in sorted(set(accepted) - found) if is_built else ():
        yield Violation("tools/check.d/dead_symbols.json", 0, f"{name} is used by now, or gone; remove its row")
