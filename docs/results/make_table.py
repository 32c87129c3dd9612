#!/usr/bin/env python3
"""Writes the table of drivers seen in docs/conformance.md from the result files in this folder; --check only compares.

A result file is the summary.json of a report (`nnvk conformance --report FOLDER`), under any name that ends with .json.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN = "<!-- Made from docs/results by docs/results/make_table.py. -->"
END = "<!-- End of what is made. -->"


def property_of(run, group, name, default):
    for entry in run.get("properties", []):
        if (entry["group"], entry["name"]) == (group, name):
            return entry["value"]
    return default


def cell(value):
    return str(value).replace("|", "\\|").replace("\n", " ")


def row(path):
    """A line of the table. Raises KeyError or ValueError if the file is no summary."""
    summary = json.loads(path.read_text(encoding="utf-8"))
    runs = summary["runs"]
    if not runs:
        raise ValueError("it has no run")
    first = runs[0]
    verdict = "failed" if summary["failed"] else "conformant" if summary["complete"] else "incomplete"
    values = [
        property_of(first, "device", "name", first["device"]),
        first["driver"],
        ", ".join(run["variant"] for run in runs if run["variant"]) or "-",
        summary["passed"],
        summary["failed"],
        summary["skipped"],
        f"{first['nnvk']} ({first['commit']})",
        first["started"][:10],
        f"[{verdict}](results/{path.name})",
    ]
    return "| " + " | ".join(cell(value) for value in values) + " |"


def table(folder):
    head = ["device", "driver", "variants", "passed", "failed", "skipped", "nnvk", "date", "result"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for path in sorted(folder.glob("*.json")):
        try:
            lines.append(row(path))
        except (KeyError, TypeError, ValueError) as error:
            sys.exit(f"{path}: no summary.json of a report: {error!r}")
    return "\n".join(lines)


def with_table(text, made):
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"the document lacks the lines '{BEGIN}' and '{END}'")
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the table is not current")
    parser.add_argument("--folder", type=Path, default=HERE, help="the result files")
    parser.add_argument("--document", type=Path, default=HERE.parent / "conformance.md", help="the document with the table")
    options = parser.parse_args()
    text = options.document.read_text(encoding="utf-8")
    current = with_table(text, table(options.folder))
    if current == text:
        return
    if options.check:
        sys.exit(f"the table in {options.document} is not what the result files say; run docs/results/make_table.py")
    options.document.write_text(current, encoding="utf-8")


if __name__ == "__main__":
    main()
