"""The reference of the public headers: a page for each header in include/, with its comments as text and its declarations as they stand.

Doxygen is not used, because it garbles the JSON examples in the comments, and needs marks that the headers do not have. The headers keep
to one form: a comment, then the declaration that it describes; `/* ---- Title ---- */` begins a section."""

import re

_SECTION = re.compile(r"/\* ---- (.*) ---- \*/")
_NAME = (re.compile(r"#define\s+(\w+)"), re.compile(r"\b(\w+)\s*\("), re.compile(r"(\w+)\s*;\s*$"))
_ORDER = ("android/NeuralNetworks.h", "android/NeuralNetworksTypes.h", "android/NeuralNetworksExtensions.h", "android/hardware_buffer.h",
          "android/rect.h", "nnvk/interface.h", "nnvk/diagnostics.h", "nnvk/devices.h", "nnvk/picture.h", "nnvk/hardware_buffer.h",
          "nnvk/vulkan_interop.h", "nnvk/constants.h", "nnvk/shapes.h", "nnvk/kernels.h", "nnvk/support_library.h")


class Entry:
    def __init__(self, kind, text="", code="", line=0):
        self.kind, self.text, self.code, self.line = kind, text, code, line  # kind: section, comment, declaration

    @property
    def names(self):
        """What a declaration declares; several functions of one comment are several names."""
        found = []
        for statement in re.split(r"\n(?=[^\s}])", self.code):
            plain = re.sub(r"/\*.*?\*/", "", statement, flags=re.S)
            pointer = re.search(r"typedef.*\(\*(\w+)\)", plain)
            if pointer:
                found.append(pointer.group(1))
                continue
            body = re.match(r"(?:typedef )?(?:struct|enum|union)\s*(\w*)\s*\{.*\}\s*(\w*)\s*;", plain, re.S)
            if body:
                member = re.search(r"\b([A-Z]\w+)", plain[plain.index("{"):])
                found.append(body.group(2) or body.group(1) or member.group(1))
                continue
            for pattern in _NAME:
                match = pattern.search(plain)
                if match:
                    found.append(match.group(1))
                    break
        return list(dict.fromkeys(found))


def comment_text(comment):
    lines = comment.strip().removeprefix("/*").removesuffix("*/").split("\n")
    return "\n".join([lines[0].strip()] + [re.sub(r"^ *\*? ?", "", line, count=1).rstrip() for line in lines[1:]]).strip("\n")


def entries(text):
    """The header's parts, in order."""
    lines, found, number, pending = text.split("\n"), [], 0, None
    while number < len(lines):
        line = lines[number]
        section = _SECTION.match(line)
        if section:
            found.append(Entry("section", section.group(1)))
        elif line.startswith("/*") and not line.startswith("/* ----"):
            start = number
            while "*/" not in lines[number]:
                number += 1
            comment = Entry("comment", comment_text("\n".join(lines[start:number + 1])), line=start)
            if pending is None and not found:
                found.append(comment)  # the header's own
            else:
                pending = comment
        elif re.match(r"#(ifndef|ifdef|endif|if|include|else)|extern \"C\"|\}$|#define \w+_H$", line) or not line.strip():
            if not line.strip() and pending is not None and pending.kind == "comment":
                found.append(pending)
                pending = None
        else:
            start = number
            while True:
                plain = re.sub(r"/\*.*?(\*/|\Z)", "", "\n".join(lines[start:number + 1]), flags=re.DOTALL)
                depth = plain.count("{") + plain.count("(") - plain.count("}") - plain.count(")")
                is_macro = lines[start].startswith("#define")
                ended = not lines[number].endswith("\\") if is_macro else depth == 0 and ";" in plain
                if ended:
                    break
                number += 1
            code = "\n".join(lines[start:number + 1])
            if pending is None and found and found[-1].kind == "declaration" and found[-1].line == start:
                found[-1].code += "\n" + code
                found[-1].line = number + 1
            else:
                found.append(Entry("declaration", pending.text if pending else "", code, number + 1))
            pending = None
        number += 1
    return found


def markdown(text, links):
    """A comment as Markdown: JSON as blocks, names of functions as links."""
    parts, prose, lines, number = [], [], text.split("\n"), 0

    def flush():
        if prose:
            parts.append("\n".join(linked(line, links) for line in prose))
            prose.clear()

    while number < len(lines):
        line = lines[number]
        if re.match(r"`?[{]\s*\"", line):
            flush()
            block, depth = [], 0
            while True:
                block.append(lines[number])
                depth += lines[number].count("{") - lines[number].count("}")
                if depth <= 0 or number + 1 == len(lines):
                    break
                number += 1
            code, _, rest = "\n".join(block).rpartition("}")
            parts.append("```json\n" + code.removeprefix("`").replace("\n ", "\n") + "}\n```")
            rest = rest.removeprefix("`").strip()
            if rest:
                prose.append(rest)
        elif re.match(r' ?"\w+": ', line):
            flush()
            item = [line.strip()]
            while number + 1 < len(lines) and lines[number + 1].startswith("   "):
                number += 1
                item.append(lines[number].strip())
            name, _, says = " ".join(item).partition(": ")
            parts.append(f"- `{name}`: " + linked(says, links))
        elif not line.strip():
            flush()
        else:
            prose.append(line)
        number += 1
    flush()
    return "\n\n".join(parts)


def linked(line, links):
    """Names of functions and types as links, outside code spans; characters that Markdown would take are kept."""
    pieces = re.split(r"(`[^`]*`)", line)
    for index in range(0, len(pieces), 2):
        text = re.sub(r"([<>*_\[\]])", r"\\\1", pieces[index])
        text = text.replace("\\<", "&lt;").replace("\\>", "&gt;")

        def link(match):
            name = match.group(0).replace("\\", "")
            return f"[`{name}`]({links[name]})" if name in links else match.group(0)
        pieces[index] = re.sub(r"[A-Za-z](?:\w|\\_)+", link, text)
    return "".join(pieces)


def page_name(header):
    return header.replace("/", "_").removesuffix(".h") + ".md"


def page(header, parts, links):
    lines = [f"# {header}", ""]
    for part in parts:
        if part.kind == "section":
            lines += [f"## {part.text}", ""]
        elif part.kind == "comment":
            lines += [markdown(part.text, links), ""]
        else:
            names = part.names
            heading = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
            lines += [f"### {heading} {{ #{names[0]} }}", "", "```c", part.code, "```", "", markdown(part.text, links), ""]
    return "\n".join(lines)


def write(root, pages):
    """Writes the pages of the headers; returns the list of them."""
    folder = pages / "reference/headers"
    folder.mkdir()
    headers = {header: entries((root / "include" / header).read_text()) for header in _ORDER}
    there = {path.relative_to(root / "include").as_posix() for path in (root / "include").rglob("*.h")}
    if there != set(_ORDER):
        raise SystemExit(f"error: tools/docs.d/api_reference.py does not list {', '.join(sorted(there ^ set(_ORDER)))}")
    links = {}
    for header, parts in headers.items():
        for part in parts:
            if part.kind == "declaration":
                for name in part.names:
                    links.setdefault(name, f"{page_name(header)}#{part.names[0]}")
    index = ["| header | about |", "|---|---|"]
    for header, parts in headers.items():
        (folder / page_name(header)).write_text(page(header, parts, links))
        about = re.split(r"(?<=[.!?])\s", " ".join(parts[0].text.split()))[0]
        index.append(f"| [{header}](headers/{page_name(header)}) | {linked(about, {})} |")
    index += ["", "## All functions", "", '<div class="names" markdown="1">', ""]
    functions = sorted({name for parts in headers.values() for part in parts if part.kind == "declaration"
                        for name in part.names if re.match(r"(ANeuralNetworks|nnvk_|AHardwareBuffer_|SL_)", name) and name in links
                        and re.search(rf"\b{name}\(", part.code)}, key=str.lower)
    index += [f"- [`{name}`](headers/{links[name]})" for name in functions] + ["", "</div>"]
    return "\n".join(index)
