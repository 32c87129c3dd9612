"""The reference of operations: a page for each family, from docs/data/operations and from the smallest vector of each operation.

test_core_operations compares the types, counts and feature levels of docs/data/operations with the rows of core/operations."""

import base64
import json
import struct

_READ = {"TENSOR_FLOAT32": "f", "FLOAT32": "f", "TENSOR_INT32": "i", "INT32": "i", "UINT32": "I", "TENSOR_QUANT8_ASYMM": "B",
         "TENSOR_QUANT8_ASYMM_SIGNED": "b", "TENSOR_QUANT8_SYMM": "b", "TENSOR_QUANT8_SYMM_PER_CHANNEL": "b", "BOOL": "?",
         "TENSOR_BOOL8": "?", "TENSOR_FLOAT16": "e", "FLOAT16": "e", "TENSOR_QUANT16_ASYMM": "H", "TENSOR_QUANT16_SYMM": "h"}
_MOST_VALUES = 24


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ").replace("*", "\\*")


def operands(signature, side):
    lines = [f"| {side[:-1]} | name | rank | meaning |", "|---|---|---|---|"]
    for number, one in enumerate(signature[side]):
        kind = "" if one.get("kind") != "scalar" else one.get("type", "scalar")
        rank = kind or cell(one.get("rank", ""))
        notes = [cell(one.get("meaning", ""))]
        if one.get("optional"):
            notes.append("may be left out at the end" if one.get("optional_kind") == "trailing" else "may be omitted")
        if one.get("since", 1) > signature["since"]:
            notes.append(f"from level {one['since']} on")
        lines.append(f"| {number} | `{one['name']}` | {rank} | {'; '.join(note for note in notes if note)} |")
    return lines


def typed(types, named):
    """Operands by type: `TENSOR_FLOAT32` a, b; `INT32` c."""
    by_type = {}
    for key, name in types.items():
        label = named[int(key)]["name"] if key.isdigit() and int(key) < len(named) else f"all of {key}"
        by_type.setdefault(name, []).append(label)
    return "; ".join(f"`{name}` " + (", ".join(labels) if len(labels) < 9 else f"{labels[0]}, ... {labels[-1]} ({len(labels)} operands)")
                     for name, labels in by_type.items())


def type_table(operation):
    inputs = max((signature["inputs"] for signature in operation["signatures"]), key=len)
    outputs = max((signature["outputs"] for signature in operation["signatures"]), key=len)
    several = len(operation["signatures"]) > 1
    lines = ["| level | inputs | outputs | conditions |", "|---|---|---|---|"]
    for rule in operation["type_rules"]:
        named = [rule["signature"]] if "signature" in rule else rule.get("signatures", [])
        these = next((signature for signature in operation["signatures"] if named and signature["id"] == named[0]), None)
        conditions = [f"signature {', '.join(named)}"] if several and named else []
        conditions += [cell(rule["conditions"])] if rule.get("conditions") else []
        lines.append(f"| {rule['since']} | {typed(rule['inputs'], these['inputs'] if these else inputs)} "
                     f"| {typed(rule['outputs'], these['outputs'] if these else outputs)} | {'; '.join(conditions)} |")
    return lines


def value_of(operand):
    data = base64.b64decode(operand.get("data") or "")
    form = _READ.get(operand["type"])
    if not data or form is None:
        return None
    values = struct.unpack("<" + form * (len(data) // struct.calcsize(form)), data)
    return [float(f"{value:.6g}") if form in "ef" else value for value in values]


def nested(values, dims):
    if len(dims) < 2:
        return values
    step = len(values) // dims[0] if dims[0] else 0
    return [nested(values[index * step:(index + 1) * step], dims[1:]) for index in range(dims[0])]


def text_of(operand):
    """An operand of an example: its type, shape, quantization and values."""
    values = value_of(operand)
    if values is None:
        return "omitted" if not operand.get("data") else operand["type"]
    if not operand.get("dims") and len(values) == 1:
        return f"`{values[0]:g}`" if isinstance(values[0], float) else f"`{str(values[0]).lower()}`"
    scale = f", scale {operand['scale']:g}, zero point {operand.get('zero_point', 0)}" if operand.get("scale") else ""
    shown = json.dumps(nested(values, operand.get("dims", []))).replace(".0,", ",").replace(".0]", "]")
    return f"`{shown}` ({operand['type']} {json.dumps(operand['dims'])}{scale})"


def examples(root):
    """The smallest vector of each operation: (size, case). Floats and hand-made cases first."""
    best = {}
    for path in sorted((root / "tests/tools/vectors/own").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            case = json.loads(line)
            main = case["main"]
            if len(main["operations"]) != 1 or case.get("expect_failure") or case.get("referenced"):
                continue
            values = sum(len(value_of(operand) or []) for operand in main["operands"])
            used = main["operations"][0]["inputs"] + main["operations"][0]["outputs"]
            types = {main["operands"][number]["type"] for number in used}
            rank = (not path.name.startswith("worked"), "TENSOR_FLOAT32" not in types, "exact" in case["name"], values < 4, values)
            name = main["operations"][0]["type"]
            if values and (name not in best or rank < best[name][0]):
                best[name] = (rank, case)
    return {name: case for name, (_, case) in best.items()}


def example(operation, case):
    used = case["main"]["operations"][0]
    # The signature whose number of inputs is next to the example's, and not smaller.
    signature = min(operation["signatures"], key=lambda one: (len(one["inputs"]) < len(used["inputs"]), len(one["inputs"])))
    lines = [f"Example (vector `{case['name']}`):", "", "| operand | value |", "|---|---|"]
    for side in ("inputs", "outputs"):
        for number, operand in enumerate(used[side]):
            named = signature[side]
            name = named[number]["name"] if number < len(named) else f"{side[:-1]} {number}"
            arrow = "" if side == "inputs" else "→ "
            data = case["main"]["operands"][operand]
            if len(value_of(data) or []) > 4 * _MOST_VALUES:
                return []
            lines.append(f"| {arrow}`{name}` | {cell(text_of(data))} |")
    return lines + [""]


def section(operation, cases):
    number = f" Number {operation['code']}, from feature level {operation['since']} on."
    lines = [f"## {operation['name']}", "", cell(operation["summary"]) + number, ""]
    for signature in operation["signatures"]:
        if len(operation["signatures"]) > 1:
            counts = " or ".join(str(count) for count in signature.get("input_counts", []) if str(count).isdigit())
            lines += [f"Signature **{signature['id']}**" + (f", {counts} inputs" if counts else "") +
                      (f", from level {signature['since']} on" if signature["since"] > operation["since"] else "") + ":", ""]
        lines += operands(signature, "inputs") + [""] + operands(signature, "outputs") + [""]
    lines += ["**Shapes.** " + cell(operation["shape_rule"]), ""]
    lines += type_table(operation) + [""]
    if operation["name"] in cases:
        lines += example(operation, cases[operation["name"]])
    return lines


def write(root, pages):
    """Writes the pages of the families; returns the table of operations."""
    folder = pages / "reference/operations"
    folder.mkdir()
    cases = examples(root)
    index = ["| operation | about | level | family |", "|---|---|---|---|"]
    rows = []
    for path in sorted((root / "docs/data/operations").glob("*.json")):
        operations = json.loads(path.read_text())
        title = path.stem.replace("_", " ")
        links = "[All operations](../operations.md). Types and where they run: [table](../../support.md)."
        lines = [f"# Operations: {title}", "", links, ""]
        for operation in operations:
            lines += section(operation, cases)
            anchor = operation["name"].lower()
            rows.append((operation["name"], f"| [{operation['name']}](operations/{path.stem}.md#{anchor}) | {cell(operation['summary'])} "
                         f"| {operation['since']} | [{title}](operations/{path.stem}.md) |"))
        (folder / f"{path.stem}.md").write_text("\n".join(lines))
    index += [row for _, row in sorted(rows)]
    return "\n".join(index)
