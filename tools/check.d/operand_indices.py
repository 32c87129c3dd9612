"""Operands are named: a digit as the index of an operand belongs in a decoder (core/operations/parameters), nowhere else.

Counted per folder against the ceilings in ceilings.json, which only ever go down. `tools/check --operand-indices` prints the counts
and every place."""

import re
from collections import Counter

from tree import Violation, code_only, line_of

FOLDERS = ("accelerators", "core/model", "core/operations", "core/plan", "core/runtime", "cpu_fallback", "vulkan")
DECODERS = ("core/operations/parameters/",)
BUILDERS = ("core/runtime/sample_plans.cpp",)  # scalar(1) makes an operand of value 1
NAMES = ("core/operations/operation_definition.h", "core/operations/rules/")  # they name the indices that several decoders share

# node.inputs[1], inputs[0U], inputs.at(0), inputs.front(), *inputs.begin()
ELEMENT = (r"\b{0}_?\s*(?:\[\s*\d+[uUlLzZ]*\s*\]|(?:\.|->)\s*(?:at\s*\(\s*\d+[uUlLzZ]*\s*\)|(?:front|back)\s*\(\s*\)))|"
           r"\*\s*(?:[\w.]+(?:\.|->))?{0}_?\s*(?:\.|->)\s*begin\s*\(")
# constexpr size_t kFilter = 1: a digit under a name of its own, where no decoder stands.
NAMED = re.compile(r"\bconstexpr\s+(?:std::)?(?:size_t|u?int32_t|int|unsigned)\s+k\w*(?:Input|Output|Operand)\s*(?:=|\{)\s*\d+[uUlLzZ]*\s*\}?;")

FORMS = {
    # operation.input(0), context.scalar<int32_t>(3, 0), scalars.real(2), node.inputs[1], ...
    "input": re.compile(r"(?:\.|->)(?:input|input_id|input_type|input_bytes|input_name|shape|has|scalar|values|operand|presence|real|"
                        r"integer|flag)\s*(?:<[^<>()]*>)?\(\s*\d+\s*[,)]|" + ELEMENT.format("inputs")),
    # context.output(0), node.outputs[1]
    "output": re.compile(r"(?:\.|->)(?:output|output_id|output_type|output_bytes)\s*(?:<[^<>()]*>)?\(\s*\d+\s*[,)]|" +
                         ELEMENT.format("outputs")),
    # expect_shape(operation, 1, ...), FloatInput in(context, 0), dimension_of(context.operation, 0, 1), ...
    "argument": re.compile(r"\b(?:operation|context|view|node|scalars)_?\s*,\s*\d+\s*[,)}]"),
}
COLUMNS = (*FORMS, "name")


def find(tree):
    """(path, line, text, form) of every literal operand index outside the decoders."""
    for path in tree.below(*FOLDERS):
        if path.startswith(DECODERS) or path in BUILDERS:
            continue
        text = code_only(tree.text(path))
        forms = FORMS if path.startswith(NAMES) else {**FORMS, "name": NAMED}
        for form, pattern in forms.items():
            for match in pattern.finditer(text):
                yield path, line_of(text, match.start()), " ".join(match.group(0).split()), form


def folder_of(path):
    return next(folder for folder in FOLDERS if path.startswith(folder + "/"))


def check(tree, _options):
    ceilings = tree.data("ceilings.json")["operand_indices"]
    counts = Counter(folder_of(path) for path, *_ in find(tree))
    for folder in FOLDERS:
        if counts[folder] > ceilings[folder]:
            yield Violation(folder, 0, f"{counts[folder]} operand indices are digits, {ceilings[folder]} are allowed. Decode the "
                            "operands into a struct in core/operations/parameters, or name the index (`tools/check "
                            "--operand-indices` lists them)")


def report(tree):
    places = sorted(find(tree))
    for path, line, text, _ in places:
        print(f"{path}:{line}: {text}")
    files = Counter(path for path, *_ in places)
    print("\nper file:")
    for path, count in sorted(files.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:5} {path}")
    counts = Counter((folder_of(path), form) for path, _, _, form in places)
    print(f"\nper folder (decoders apart):\n{'':18}" + "".join(f"{form:>10}" for form in COLUMNS) + f"{'all':>10}")
    for folder in FOLDERS:
        row = [counts[folder, form] for form in COLUMNS]
        print(f"{folder:18}" + "".join(f"{count:10}" for count in [*row, sum(row)]))
    print(f"{len(places)} in all")
