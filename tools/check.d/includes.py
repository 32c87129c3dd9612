"""Who may include whom: includes.json is the rule, and the READMEs say what it says.

Each README has a generated section about its own folder and about those below that have no README; `tools/check --write-readmes`
writes them."""

import posixpath
import re

from tree import Violation, line_of

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.M)
_BEGIN = "<!-- Made from tools/check.d/includes.json by tools/check --write-readmes. -->\n"
_END = "<!-- End of what is made. -->\n"
# Where a quoted or public name may lie besides the including folder.
_SEARCHED = ("", "tools/", "include/")
_SOURCES = (".cpp", ".h", ".c", ".comp", ".glsl")


def resolve(tree, path, name, files):
    """The project's file that `path` means by `name`; None for headers of others and generated ones."""
    for candidate in [posixpath.normpath(posixpath.join(posixpath.dirname(path), name)), *(base + name for base in _SEARCHED)]:
        if candidate in files:
            return candidate
    return None


def room_of(path, rooms):
    folder = posixpath.dirname(path)
    while folder and folder not in rooms:
        folder = posixpath.dirname(folder)
    return folder


def covers(entry, path):
    """Whether an entry of `may` lets a file in."""
    if entry == "*" or entry == path:
        return True
    if entry.endswith("/*"):
        return path.startswith(entry[:-1])
    return posixpath.dirname(path) == entry


def allowed(row, path, target):
    if room_of(target, {row["room"]: row}) == row["room"] and posixpath.dirname(target) == posixpath.dirname(path):
        return True
    return any(covers(entry, target) for entry in row["may"])


def check(tree, _options):
    rows = {row["room"]: row for row in tree.data("includes.json")["rooms"]}
    files = set(tree.files)
    for path in tree.below(suffixes=_SOURCES):
        room = room_of(path, rows)
        if room not in rows:
            yield Violation(path, 0, "its folder has no row in tools/check.d/includes.json; add one")
            continue
        row = rows[room]
        text = tree.text(path)
        for match in _INCLUDE.finditer(text):
            name, line = match.group(1), line_of(text, match.start())
            if name in row.get("never", []):
                yield Violation(path, line, f"{room} does without {name} (tools/check.d/includes.json)")
            target = resolve(tree, path, name, files)
            if target is None or target == path or covers(room + "/*", target) and room == room_of(target, rows):
                continue
            if not allowed(row, path, target):
                yield Violation(path, line, f"{room} may not include {target}. Move the code to a room that may, or, if the rule "
                                "is to change, the row in tools/check.d/includes.json")
    yield from check_table(tree, rows)
    for path, wanted in readmes(tree, rows):
        if wanted != tree.text(path):
            yield Violation(path, 0, "does not say what tools/check.d/includes.json says; run tools/check --write-readmes")


def check_table(tree, rows):
    """Rows about nothing are as false as missing ones."""
    folders = {posixpath.dirname(path) for path in tree.files}
    parents = {"/".join(folder.split("/")[:depth]) for folder in folders for depth in range(1, folder.count("/") + 2)}
    for room, row in rows.items():
        if room not in parents:
            yield Violation("tools/check.d/includes.json", 0, f"there is no folder {room}; remove its row")
            continue
        for entry in row["may"]:
            if entry != "*" and entry.removesuffix("/*") not in parents and entry not in tree.files:
                yield Violation("tools/check.d/includes.json", 0, f"{room}: there is no {entry}; remove it")


def listed(entries):
    named = []
    for entry in entries:
        named.append(f"everything in `{entry[:-2]}`" if entry.endswith("/*") else f"`{entry}`")
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]


def sentence(row):
    if "*" in row["may"]:
        return "May include everything."
    says = f"May include {listed(row['may'])}." if row["may"] else "May include nothing of the project but itself."
    if row.get("never"):
        says += f" Does without {listed(row['never'])}."
    return says


def section(folder, rows, readme_folders):
    told = [room for room in sorted(rows)
            if room == folder or room.startswith(folder + "/") and room_of(room + "/x", readme_folders) == folder]
    if told == [folder]:
        return sentence(rows[folder]) + "\n"
    lines = ["| folder | may include |", "|---|---|"]
    for room in told:
        lines.append(f"| `{room}` | {sentence(rows[room]).removeprefix('May include ').removesuffix('.')} |")
    return "\n".join(lines) + "\n"


def readmes(tree, rows):
    """(path, wanted text) of every README of a room."""
    folders = {posixpath.dirname(path) for path in tree.files if posixpath.basename(path) == "README.md"} & set(rows)
    for folder in sorted(folders):
        path = f"{folder}/README.md"
        text = tree.text(path)
        made = _BEGIN + section(folder, rows, folders) + _END
        if _BEGIN in text and _END in text:
            before, rest = text.split(_BEGIN, 1)
            wanted = before + made + rest.split(_END, 1)[1]
        else:
            wanted = text.rstrip("\n") + "\n\n" + made
        yield path, wanted


def write_readmes(tree):
    rows = {row["room"]: row for row in tree.data("includes.json")["rooms"]}
    for path, wanted in readmes(tree, rows):
        if wanted != tree.text(path):
            (tree.root / path).write_text(wanted, encoding="utf-8")
            print(f"written: {path}")
