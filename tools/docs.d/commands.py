"""The reference of commands: docs/data/help.txt, which is what `nnvk --help-all` prints (a test compares it), as tables."""

import re

_OPTION = re.compile(r"^    (\S.*?)(?:\s{2,}(\S.*))?$")
_GENERAL = "general options"


def commands(text):
    """(name, description, [(option, note, meaning)]) of each command; the program's own options come first."""
    found, kind = [(_GENERAL, "", [])], "Options"
    for line in text.split("\n"):
        name, description, options = found[-1]
        if re.match(r"^[a-z][a-z-]*$", line):
            found.append((line, "", []))
        elif re.match(r"^ {20,}\S", line) and options:
            option, note, meaning = options[-1]
            options[-1] = (option, note, (meaning + " " + line.strip()).strip())
        elif re.match(r"^  \S", line) and not re.match(r"^  (Options|Positionals):", line) and name != _GENERAL:
            found[-1] = (name, (description + " " + line.strip()).strip(), options)
        elif name == _GENERAL and line.startswith("  -"):
            option, _, meaning = line.strip().partition("  ")
            options.append((option, "", meaning.strip()))
        elif re.match(r"^  (Options|Positionals):", line):
            kind = line.strip().rstrip(":")
        elif _OPTION.match(line) and name != _GENERAL:
            option, meaning = _OPTION.match(line).groups()
            options.append((option, " (an argument)" if kind == "Positionals" else "", meaning or ""))
    return found


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def markdown(text):
    lines = ["## Help texts", "", "These are the texts of `nnvk COMMAND --help`. `TEXT`, `INT` and so on say what an option takes; `=` its default.", ""]
    for name, description, options in commands(text):
        lines += [f"### {name if name == _GENERAL else 'nnvk ' + name}", ""]
        if description:
            lines += [cell(description) + ".", ""]
        if options:
            lines += ["| option | meaning |", "|---|---|"]
            lines += [f"| `{option}`{note} | {cell(meaning)} |" for option, note, meaning in options]
            lines.append("")
    return "\n".join(lines)


def fragment(root):
    return markdown((root / "docs/data/help.txt").read_text())
