"""No file over 600 lines or one mebibyte, none that commands take for an option, no parameter list above five.

C APIs and Vulkan callbacks apart, whose signatures others made. How many longer lists a folder still has stands in ceilings.json and
only ever goes down."""

import re

from tree import Violation, code_only, line_of

MOST_LINES = 600
MOST_BYTES = 1 << 20
MOST_PARAMETERS = 5
_SOURCES = (".cpp", ".h", ".c", ".py", ".comp", ".glsl", ".md", ".json", ".txt", ".map")
_WRITTEN_BY_HAND = ("api/", "include/", "core/", "cpu_fallback/", "vulkan/", "nativewindow/", "shaders/", "importers/", "clients/", "python/", "tools/", "perf/", "tests/", "docs/", "accelerators/")

_TABLES = re.compile(r"perf/static/.*\.txt|docs/support\.md|docs/results/.*\.json")  # programs write these; they grow with each operation

# A name and its parameter list, then what makes it a definition or declaration. Lambdas and constructors count as well.
_LIST = re.compile(r"(?P<name>(?:[A-Za-z_]\w*::)*~?[A-Za-z_]\w*|\])\s*\((?P<list>[^()]*(?:\([^()]*\)[^()]*)*)\)"
                   r"\s*(?:const\b|noexcept\b|override\b|final\b|mutable\b|->\s*[\w:<>*& ]+|\s)*(?P<end>[{;:]|=\s*(?:0|default|delete)\s*;)")
_PARAMETER = re.compile(r"^(?:const\s+|unsigned\s+|struct\s+|typename\s+)*[A-Za-z_][\w:]*(?:\s*<.*>)?(?:\s+const)?[\s*&]+(?:\.\.\.\s*)?"
                        r"(?:\(\s*\*\s*)?[A-Za-z_]\w*\)?(?:\s*\(.*\))?(?:\[\w*\])*(?:\s*=.*)?$", re.S)
# Signatures that others made.
_FOREIGN = re.compile(r"^(?:ANeuralNetworks|SL_ANeuralNetworks|AHardwareBuffer|nnvk_|vk[A-Z])|VKAPI_CALL")


def split(parameters):
    """The list at its top-level commas."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(parameters):
        if char in "<([{":
            depth += 1
        elif char in ">)]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(parameters[start:i].strip())
            start = i + 1
    parts.append(parameters[start:].strip())
    return [part for part in parts if part]


def long_lists(tree):
    """(path, line, name, number of parameters) of every declaration with too many."""
    for path in tree.below("accelerators", "api", "core", "cpu_fallback", "vulkan", "nativewindow", "importers", "clients", "python", "tools", "perf"):
        text = code_only(tree.text(path))
        for match in _LIST.finditer(text):
            parts = split(match.group("list"))
            if len(parts) <= MOST_PARAMETERS or not all(_PARAMETER.match(part) for part in parts):
                continue
            before = text[max(0, match.start() - 60):match.start()]
            if _FOREIGN.search(match.group("name")) or "VKAPI_CALL" in before:
                continue
            yield path, line_of(text, match.start()), match.group("name").replace("]", "a lambda"), len(parts)


def stray_files(tree):
    """Files that a command wrote where nobody wanted one."""
    for path in tree.files:
        if path.split("/")[-1].startswith("-"):
            yield Violation(path, 0, "commands take this name for an option; remove the file (git rm -- ./NAME) or rename it")
        size = (tree.root / path).stat().st_size
        if size > MOST_BYTES:
            yield Violation(path, 0, f"{size} bytes, {MOST_BYTES} are allowed; make it when it is needed, or keep it elsewhere")


def check(tree, _options):
    yield from stray_files(tree)
    for path in tree.below(*_WRITTEN_BY_HAND, suffixes=_SOURCES):
        if _TABLES.fullmatch(path):
            continue
        lines = tree.text(path).count("\n")
        if lines > MOST_LINES:
            yield Violation(path, 0, f"{lines} lines, {MOST_LINES} are allowed; split it by responsibility")
    ceilings = tree.data("ceilings.json")["long_parameter_lists"]
    lists = {}
    for path, line, name, count in long_lists(tree):
        # A declaration and its definition are one list.
        lists.setdefault(path.split("/")[0], {}).setdefault(name.split("::")[-1], (path, line, count))
    for folder, found in sorted(lists.items()):
        allowed = ceilings.get(folder, 0)
        if len(found) <= allowed:
            continue
        for name, (path, line, count) in sorted(found.items(), key=lambda item: item[1]):
            yield Violation(path, line, f"{name} has {count} parameters, {MOST_PARAMETERS} are allowed; make a struct of those that "
                            f"belong together ({folder} has {len(found)} such lists, its ceiling in tools/check.d/ceilings.json is {allowed})")
