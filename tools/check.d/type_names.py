"""No two types of the library have one name in one namespace: the linker would take either for both.

Types in anonymous namespaces are of their file alone. clang-format puts `namespace` and its end at the beginning of a line."""

import re

from tree import Violation

ROOMS = ("accelerators", "api", "clients", "core", "cpu_fallback", "importers", "include", "nativewindow", "vulkan")
# Sources of other programs or libraries: they never meet the others.
_APART = ("accelerators/sample_npu/",)

_NAMESPACE = re.compile(r"namespace(?P<name>(?: [\w:]+)?) \{")
_END = re.compile(r"\}  // namespace\b")
_TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) (?:alignas\([^)]*\) )?(?P<name>\w+)(?: final)?(?: :[^:].*)? \{")


def types_of(text):
    """(line, name with its namespaces) of every type that the text defines outside of classes, functions and anonymous namespaces."""
    namespaces = []
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _NAMESPACE.match(line):
            namespaces.append(opened.group("name").strip())
        elif _END.match(line):
            namespaces = namespaces[:-1]
        elif (found := _TYPE.match(line)) and "" not in namespaces:
            yield number, "::".join([*namespaces, found.group("name")])


def check(tree, _options):
    defined = {}
    for path in tree.below(*ROOMS):
        if path.startswith(_APART):
            continue
        for line, name in types_of(tree.text(path)):
            first = defined.setdefault(name, f"{path}:{line}")
            if first != f"{path}:{line}":
                yield Violation(path, line, f"{name} is a type of {first} as well; give one of them another name, or an anonymous namespace")
