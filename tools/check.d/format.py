"""C++ is as clang-format writes it."""

import re
import subprocess

from tree import Violation


def check(tree, _options):
    files = tree.below(suffixes=(".cpp", ".h", ".c"))
    done = subprocess.run(["clang-format", "--dry-run", "--style=file", *files], cwd=tree.root, capture_output=True, text=True, check=False)
    reported = set()
    for match in re.finditer(r"^(.+?):(\d+):\d+: (warning|error): (.*)$", done.stderr, re.M):
        path, line, text = match.group(1), int(match.group(2)), match.group(4)
        if path not in reported:
            reported.add(path)
            yield Violation(path, line, f"{text}; run clang-format -i {path}")
    if done.returncode != 0 and not reported:
        yield Violation(".clang-format", 0, f"clang-format failed: {done.stderr.strip() or done.returncode}")
